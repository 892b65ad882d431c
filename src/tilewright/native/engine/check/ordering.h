// SPDX-License-Identifier: Apache-2.0
// Happens-before between steps of different kernels, whatever the timing: a push before the wait it ends, a pop before
// the reservation, a semaphore's change before the wait for it. Kept as vector clocks.
//
// Each kernel counts its own steps and has a clock of every other kernel's steps. Releasing a key (a buffer's credits,
// a word) stores the kernel's clock there and starts a new step; acquiring joins it. A step happens before another if
// the second kernel's clock includes it. Credits are counted: a wait for ten pages acquires the push that made it ten,
// not later ones that happen to have been made.
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

    // A release: all steps so far happen before any later acquire of `key`.
    void release(const KernelInstance& instance, uint64_t key);
    void acquire(const KernelInstance& instance, uint64_t key);
    // The same for counted credits: acquiring `total` pages joins the release that made it so many, not later ones that
    // happen to have been made.
    void release_pages(const KernelInstance& instance, uint64_t key, uint64_t total, size_t num_kept);
    void acquire_pages(const KernelInstance& instance, uint64_t key, uint64_t total);
    // Number of pages whose release happens before the kernel's present step.
    uint64_t known_pages(const KernelInstance& instance, uint64_t key) const;

    using Clock = std::vector<uint32_t>;
    // The clock that `key` carries now, and a later acquire of just that clock.
    const Clock& released(uint64_t key) { return released_[key]; }
    void acquire(const KernelInstance& instance, const Clock& clock);
    // The kernel's clock, and an exchange of it for another.
    const Clock& clock(const KernelInstance& instance) const;
    void swap_clock(const KernelInstance& instance, Clock& clock);
    // Joins the clock of `from` at its `step`.
    void acquire_step(const KernelInstance& instance, const KernelInstance& from, uint32_t step);
    // Starts a new step, which no other kernel has acquired yet.
    void advance(const KernelInstance& instance);
    // The last step of `other` that happens before the kernel's present step.
    uint32_t known_step(const KernelInstance& instance, const KernelInstance& other) const;

    // The present step of the kernel with this instance number.
    uint32_t now(uint32_t number) const { return kernels_[number][number]; }
    // Whether `step` of `earlier` happens before the present step of `later`.
    bool is_before(const KernelInstance& earlier, uint32_t step, const KernelInstance& later) const;

    // Treats `step` of `earlier` as before `later` from here on, so that a race is reported once.
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
