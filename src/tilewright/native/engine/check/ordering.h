// SPDX-License-Identifier: Apache-2.0
// Which steps of different kernels are ordered, whatever the timing: a push comes before the wait it ends, a pop
// before the reservation, a semaphore's change before the wait for it. Kept as vector clocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tw {

struct KernelInstance;

class Ordering {
public:
    void start(size_t num_instances);

    // Something others may wait for: what the kernel did so far comes before whoever acquires `key` later.
    void release(const KernelInstance& instance, uint64_t key);
    void acquire(const KernelInstance& instance, uint64_t key);

    using Clock = std::vector<uint32_t>;
    // What `key` carries now, and acquiring just that at a later time.
    const Clock& released(uint64_t key) { return released_[key]; }
    void acquire(const KernelInstance& instance, const Clock& clock);
    // What the kernel does next is a step of its own, which nobody knows of yet.
    void advance(const KernelInstance& instance);
    // The last step of `other` that comes before what the kernel does now.
    uint32_t known_step(const KernelInstance& instance, const KernelInstance& other) const;

    // The present step of a kernel.
    uint32_t now(const KernelInstance& instance) const;
    // Whether `step` of `earlier` comes before what `later` does now.
    bool is_before(const KernelInstance& earlier, uint32_t step, const KernelInstance& later) const;

    static uint64_t push_key(const KernelInstance& instance, uint32_t cb);
    static uint64_t pop_key(const KernelInstance& instance, uint32_t cb);
    static uint64_t mailbox_key(const KernelInstance& instance);
    static uint64_t word_key(uint32_t address) { return address & ~3u; }

private:
    std::vector<Clock> kernels_;
    std::unordered_map<uint64_t, Clock> released_;
};

}  // namespace tw
