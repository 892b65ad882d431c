// SPDX-License-Identifier: Apache-2.0
#include "check/compute/thread_order.h"

#include <algorithm>
#include <stdexcept>

#include "check/checks.h"
#include "run/scheduler.h"
#include "tile/dst.h"

namespace tw {

template <typename Clock>
static void join_clocks(Clock& to, const Clock& from) {
    for (size_t thread = 0; thread < to.size(); thread++) {
        to[thread] = std::max(to[thread], from[thread]);
    }
}

void ThreadOrder::CreditList::add(const Credits& credits, size_t num_kept) {
    all_.push_back(credits);
    first_ += all_.size() - first_ > num_kept ? 1 : 0;
    if (first_ > all_.size() / 2) {
        all_.erase(all_.begin(), all_.begin() + static_cast<ptrdiff_t>(first_));
        first_ = 0;
    }
}

void ThreadOrder::start(const Program& program) {
    cores_.clear();
    kernels_ = std::vector<Kernel>(program.instances.size());
    places_.assign(program.instances.size(), 0);
    core_of_.assign(program.instances.size(), nullptr);
    for (const auto& instance : program.instances) {
        const auto& all = instance->core->instances;
        places_[instance->number] =
            static_cast<uint32_t>(std::find(all.begin(), all.end(), instance.get()) - all.begin());
        CoreClocks& clocks = cores_[instance->core];
        core_of_[instance->number] = &clocks;
        const size_t num_threads = all.size() * kNumActors;
        if (num_threads > Clock().size()) {
            throw std::length_error("a core has more kernels than processors");
        }
        clocks.of.assign(num_threads, Clock{});
        for (size_t index = 0; index < num_threads; index++) {
            clocks.of[index][index] = 1;
        }
    }
}

// A data-movement kernel is one thread.
size_t ThreadOrder::number(const KernelInstance& instance, Actor actor) const {
    return places_[instance.number] * kNumActors + (instance.is_compute() ? actor : kUnpack);
}

ThreadOrder::CoreClocks& ThreadOrder::core(const KernelInstance& instance) { return *core_of_[instance.number]; }

void ThreadOrder::join(const KernelInstance& instance, Actor actor, const Clock& from) {
    join_clocks(clock(instance, actor), from);
}

// --- one kernel's threads ---

void ThreadOrder::operands(const KernelInstance& instance, uint32_t lag) {
    Kernel& kernel = kernels_[instance.number];
    if (const Clock* free = lag == 0 ? &clock(instance, kMath) : kernel.maths.find(lag - 1)) {
        join(instance, kUnpack, *free);
    }
    step(instance, kUnpack);
    join(instance, kMath, clock(instance, kUnpack));
    kernel.maths.add(clock(instance, kMath));
    step(instance, kMath);
}

void ThreadOrder::block(const KernelInstance& instance) {
    operands(instance, 1);
    join(instance, kPack, clock(instance, kMath));
    step(instance, kPack);
}

void ThreadOrder::acquired(const KernelInstance& instance) {
    const Kernel& kernel = kernels_[instance.number];
    const size_t halves = dst_halves(*instance.core->compute);
    if (const Clock* free = kernel.sections_released.find(halves - 1)) {
        join(instance, kMath, *free);
    }
}

void ThreadOrder::committed(const KernelInstance& instance) {
    kernels_[instance.number].sections_committed.push_back(clock(instance, kMath));
    step(instance, kMath);
}

void ThreadOrder::waited_for_dst(const KernelInstance& instance) {
    Kernel& kernel = kernels_[instance.number];
    kernel.waits_early = kernel.sections_committed.empty();
    if (!kernel.waits_early) {
        join(instance, kPack, kernel.sections_committed.front());
    }
}

void ThreadOrder::released(const KernelInstance& instance) {
    Kernel& kernel = kernels_[instance.number];
    if (!kernel.sections_committed.empty()) {
        join(instance, kPack, kernel.sections_committed.front());
        kernel.sections_committed.erase(kernel.sections_committed.begin());
    }
    kernel.waits_early = false;
    kernel.sections_released.add(clock(instance, kPack));
    step(instance, kPack);
}

void ThreadOrder::started(const KernelInstance& instance) {
    join(instance, kMath, clock(instance, kPack));
    step(instance, kPack);
}

// --- between kernels ---

void ThreadOrder::release(
    CreditList& credits, uint64_t total, const KernelInstance& instance, Actor actor, size_t num_kept) {
    Clock released = clock(instance, actor);
    if (!credits.empty()) {
        join_clocks(released, credits.end()[-1].clock);
    }
    credits.add({total, released}, num_kept);
    step(instance, actor);
}

// Clock of the credit that made it `total`; null: none yet, or none needed.
const ThreadOrder::Clock* ThreadOrder::clock_at(const CreditList& credits, uint64_t total) {
    const auto enough =
        std::lower_bound(credits.begin(), credits.end(), total, [](const Credits& each, uint64_t wanted) {
            return each.total < wanted;
        });
    return total == 0 || enough == credits.end() ? nullptr : &enough->clock;
}

void ThreadOrder::acquire(const CreditList& credits, uint64_t total, const KernelInstance& instance, Actor actor) {
    if (const Clock* at = clock_at(credits, total)) {
        join(instance, actor, *at);
    }
}

bool ThreadOrder::knows_pushed(const KernelInstance& instance, uint32_t cb, uint64_t total) {
    const Clock* at = clock_at(core(instance).pushes[cb], total);
    const size_t pack = number(instance, kPack);
    return at != nullptr && clock(instance, kUnpack)[pack] >= (*at)[pack];
}

void ThreadOrder::pushed(const KernelInstance& instance, uint32_t cb, uint64_t total) {
    release(core(instance).pushes[cb], total, instance, kPack, instance.core->cb[cb].num_pages + 1);
}

void ThreadOrder::popped(const KernelInstance& instance, uint32_t cb, uint64_t total) {
    release(core(instance).pops[cb], total, instance, kUnpack, instance.core->cb[cb].num_pages + 1);
}

void ThreadOrder::waited(const KernelInstance& instance, uint32_t cb, uint64_t total) {
    acquire(core(instance).pushes[cb], total, instance, kUnpack);
}

void ThreadOrder::reserved(const KernelInstance& instance, uint32_t cb, uint64_t total) {
    acquire(core(instance).pops[cb], total, instance, kPack);
}

void ThreadOrder::synchronised(const KernelInstance& instance) {
    CoreClocks& clocks = core(instance);
    for (const Clock& each : clocks.of) {
        for (const Actor actor : {kUnpack, kMath, kPack}) {
            join(instance, actor, each);
        }
    }
    for (size_t index = 0; index < clocks.of.size(); index++) {  // their next steps are not acquired yet
        clocks.of[index][index]++;
    }
}

// --- memory ---

ThreadOrder::Page& ThreadOrder::page(const KernelInstance& instance, uint32_t cb, uint32_t index) {
    Kernel& kernel = kernels_[instance.number];
    std::vector<Page*>& known = kernel.pages_of[cb];
    if (known.size() <= index) {
        known.resize(index + 1);
    }
    if (known[index] == nullptr) {
        const CoreCircularBuffer& buffer = instance.core->cb[cb];
        known[index] = &kernel.pages[buffer.address + index * buffer.page_bytes];
    }
    return *known[index];
}

void ThreadOrder::check(KernelInstance& instance, uint32_t cb, const Page& page, bool is_write) {
    const Use& other = is_write ? page.read : page.written;
    const Actor mine = is_write ? kPack : kUnpack, theirs = is_write ? kUnpack : kPack;
    if (other.step == 0 || clock(instance, mine)[number(instance, theirs)] >= other.step) {
        return;
    }
    note_finding_with(
        instance,
        Rule::PackUnpackOrder,
        cb,
        0,
        instance.checks->history.place(other.place),
        is_write ? "the pack thread writes a page of c_%u that the unpack thread may still have to read"
                 : "the unpack thread may read a page of c_%u before the pack thread has written it",
        cb);
}

void ThreadOrder::access(
    KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, bool is_write, uint32_t place) {
    if (!instance.is_compute()) {
        return;
    }
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    const uint32_t first = (address - buffer.address) / buffer.page_bytes;
    const uint32_t end = (address + bytes - buffer.address + buffer.page_bytes - 1) / buffer.page_bytes;
    const Actor actor = is_write ? kPack : kUnpack;
    if (is_write && kernels_[instance.number].waits_early) {
        join(instance, kPack, clock(instance, kMath));  // the pack comes after the commit in any case
    }
    for (uint32_t index = first; index < end; index++) {
        Page& used = page(instance, cb, index);
        check(instance, cb, used, is_write);
        (is_write ? used.written : used.read) = {clock(instance, actor)[number(instance, actor)], place};
    }
}

}  // namespace tw
