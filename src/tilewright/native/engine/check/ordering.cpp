// SPDX-License-Identifier: Apache-2.0
#include "check/ordering.h"

#include <algorithm>

#include "program.h"

namespace tw {

static void join(std::vector<uint32_t>& to, const std::vector<uint32_t>& from) {
    std::transform(
        to.begin(), to.end(), from.begin(), to.begin(), [](uint32_t a, uint32_t b) { return std::max(a, b); });
}

// Slot pointers are below 4 GiB and word-aligned. Keys of a core that are no word of its L1 use the other values.
static uint64_t core_key(const KernelInstance& instance, uint64_t what) {
    return (what << 32) | instance.core->l1_base;
}

uint64_t Ordering::push_key(const KernelInstance& instance, uint32_t cb) { return core_key(instance, 1 + 2 * cb); }
uint64_t Ordering::pop_key(const KernelInstance& instance, uint32_t cb) { return core_key(instance, 2 + 2 * cb); }
uint64_t Ordering::mailbox_key(const KernelInstance& instance) {
    return core_key(instance, 1 + 2 * kMaxCircularBuffers);
}

void Ordering::start(size_t num_instances) {
    released_.clear();
    pages_.clear();
    kernels_.assign(num_instances, Clock(num_instances, 0));
    for (size_t index = 0; index < num_instances; index++) {
        kernels_[index][index] = 1;
    }
}

void Ordering::release(const KernelInstance& instance, uint64_t key) {
    Clock& mine = kernels_[instance.number];
    Clock& known = released_.try_emplace(key, mine.size(), 0).first->second;
    join(known, mine);
    mine[instance.number]++;
}

void Ordering::acquire(const KernelInstance& instance, uint64_t key) {
    const auto found = released_.find(key);
    if (found != released_.end()) {
        join(kernels_[instance.number], found->second);
    }
}

void Ordering::acquire(const KernelInstance& instance, const Clock& clock) { join(kernels_[instance.number], clock); }

const Ordering::Clock& Ordering::clock(const KernelInstance& instance) const { return kernels_[instance.number]; }

void Ordering::swap_clock(const KernelInstance& instance, Clock& clock) { kernels_[instance.number].swap(clock); }

void Ordering::acquire_step(const KernelInstance& instance, const KernelInstance& from, uint32_t step) {
    Clock known = kernels_[from.number];
    known[from.number] = step;
    join(kernels_[instance.number], known);
    kernels_[from.number][from.number]++;
}

void Ordering::advance(const KernelInstance& instance) { kernels_[instance.number][instance.number]++; }

uint32_t Ordering::known_step(const KernelInstance& instance, const KernelInstance& other) const {
    return kernels_[instance.number][other.number];
}

void Ordering::release_pages(const KernelInstance& instance, uint64_t key, uint64_t total, size_t num_kept) {
    Clock& mine = kernels_[instance.number];
    auto& released = pages_[key];
    Clock clock = mine;
    if (!released.empty()) {
        join(clock, released.back().clock);
    }
    released.push_back({total, instance.number, mine[instance.number], std::move(clock)});
    if (released.size() > num_kept) {
        released.pop_front();
    }
    mine[instance.number]++;
}

void Ordering::acquire_pages(const KernelInstance& instance, uint64_t key, uint64_t total) {
    const auto found = pages_.find(key);
    if (found == pages_.end() || total == 0) {
        return;
    }
    const auto& released = found->second;
    const auto enough =
        std::lower_bound(released.begin(), released.end(), total, [](const PagesReleased& each, uint64_t pages) {
            return each.total < pages;
        });
    if (enough != released.end()) {
        join(kernels_[instance.number], enough->clock);
    }
}

uint64_t Ordering::known_pages(const KernelInstance& instance, uint64_t key) const {
    const auto found = pages_.find(key);
    if (found == pages_.end()) {
        return 0;
    }
    const Clock& mine = kernels_[instance.number];
    const auto& released = found->second;
    const auto known = std::find_if(
        released.rbegin(), released.rend(), [&](const PagesReleased& each) { return mine[each.by] >= each.step; });
    return known == released.rend() ? 0 : known->total;
}

bool Ordering::is_before(const KernelInstance& earlier, uint32_t step, const KernelInstance& later) const {
    return kernels_[later.number][earlier.number] >= step;
}

void Ordering::assume_before(const KernelInstance& earlier, uint32_t step, const KernelInstance& later) {
    uint32_t& known = kernels_[later.number][earlier.number];
    known = std::max(known, step);
}

}  // namespace tw
