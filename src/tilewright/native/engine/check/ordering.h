// SPDX-License-Identifier: Apache-2.0
// Which steps of different kernels are ordered, whatever the timing: a push comes before the wait it ends, a pop
// before the reservation, a semaphore's change before the wait for it. Kept as vector clocks.
//
// Each kernel counts its own steps and knows how far it has heard of every other one's. Releasing a key (a buffer's
// credits, a word) leaves what the kernel knows there and begins a new step; acquiring takes it over. One step comes
// before another if the second kernel knows the first one's step. Credits are counted: who waits for ten pages hears of
// the push that made it ten, not of later ones that happen to have been made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
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
    // The same for credits, which are counted: who acquires `total` pages comes after the release that made it so many,
    // and not after later ones that happen to have been made.
    void release_pages(const KernelInstance& instance, uint64_t key, uint64_t total, size_t num_kept);
    void acquire_pages(const KernelInstance& instance, uint64_t key, uint64_t total);
    // Pages whose release comes before what the kernel does now, from whichever wait it knows that.
    uint64_t known_pages(const KernelInstance& instance, uint64_t key) const;

    using Clock = std::vector<uint32_t>;
    // What `key` carries now, and acquiring just that at a later time.
    const Clock& released(uint64_t key) { return released_[key]; }
    void acquire(const KernelInstance& instance, const Clock& clock);
    // What `from` has done up to its `step`, and all it has heard of, comes before what the kernel does now.
    void acquire_step(const KernelInstance& instance, const KernelInstance& from, uint32_t step);
    // What the kernel does next is a step of its own, which nobody knows of yet.
    void advance(const KernelInstance& instance);
    // The last step of `other` that comes before what the kernel does now.
    uint32_t known_step(const KernelInstance& instance, const KernelInstance& other) const;

    // The present step of a kernel, given by the number of its instance.
    uint32_t now(uint32_t number) const { return kernels_[number][number]; }
    // Whether `step` of `earlier` comes before what `later` does now.
    bool is_before(const KernelInstance& earlier, uint32_t step, const KernelInstance& later) const;

    // From here on `step` of `earlier` counts as before what `later` does: the contrary has been said once.
    void assume_before(const KernelInstance& earlier, uint32_t step, const KernelInstance& later);

    static uint64_t push_key(const KernelInstance& instance, uint32_t cb);
    static uint64_t pop_key(const KernelInstance& instance, uint32_t cb);
    static uint64_t mailbox_key(const KernelInstance& instance);
    static uint64_t word_key(uint32_t address) { return address & ~3u; }

private:
    struct PagesReleased {
        uint64_t total;
        uint32_t by, step;
        Clock clock;
    };
    std::vector<Clock> kernels_;
    std::unordered_map<uint64_t, std::deque<PagesReleased>> pages_;
    std::unordered_map<uint64_t, Clock> released_;
};

}  // namespace tw
