// SPDX-License-Identifier: Apache-2.0
#include "check/credits/cb_access.h"

#include <algorithm>

#include "check/credits/cb_access_pages.h"
#include "program.h"
#include "run/scheduler.h"

namespace tw {

static constexpr uint32_t kLooksPerPoll = 2;  // a kernel that computes its free pages loads both counters

void CbAccess::start(const Program& program) {
    const ChipConfig& config = program.chip.config();
    grid_x_ = config.grid_x;
    kernels_ = std::vector<Kernel>(program.instances.size());
    maps_.assign(program.chip.cores().size(), L1Map{});
    tensor_cbs_.assign(maps_.size(), 0);
    read_remotely_.assign(maps_.size(), 0);
    for (const ProgramCircularBuffer& buffer : program.circular_buffers) {
        for (const CoreXY& at : buffer.cores) {
            tensor_cbs_[at.y * grid_x_ + at.x] |= static_cast<uint64_t>(buffer.is_over_tensor) << buffer.index;
        }
    }
    for (Core& core : program.chip.cores()) {
        if (!core.instances.empty()) {
            maps_[core.y * grid_x_ + core.x].load(program, core);
        }
    }
}

CbAccess::Window& CbAccess::window(const KernelInstance& instance, uint32_t cb) {
    auto& slot = kernels_[instance.number].windows[cb];
    if (!slot) {
        slot = std::make_unique<Window>();
    }
    return *slot;
}

const CbAccess::Window* CbAccess::known_window(const KernelInstance& instance, uint32_t cb) const {
    return kernels_[instance.number].windows[cb].get();
}

const L1Map& CbAccess::map_of(const Core& core) const { return maps_[core.y * grid_x_ + core.x]; }

bool CbAccess::is_tensor(const KernelInstance& instance, uint32_t cb) const {
    return (tensor_cbs_[instance.core->y * grid_x_ + instance.core->x] >> cb) & 1u;
}

void CbAccess::forget_allowed(const Core& core) {
    for (const KernelInstance* instance : core.instances) {
        Kernel& kernel = kernels_[instance->number];
        kernel.allowed[0] = kernel.allowed[1] = Range{};
    }
}

// --- credits ---

void CbAccess::reserved(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    Window& mine = window(instance, cb);
    mine.reserved = std::max(mine.reserved, pages);
    acquire_free(instance, cb, pages);
    forget_allowed(*instance.core);
}

void CbAccess::waiting(KernelInstance& instance, uint32_t cb) { window(instance, cb).wait = call_place(instance); }

void CbAccess::waited(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    Window& mine = window(instance, cb);
    mine.waited = std::max(mine.waited, pages);
    ordering_.acquire_pages(instance, Ordering::push_key(instance, cb), instance.core->cb[cb].popped + pages);
    mine.wait_step = ordering_.now(instance.number);
    mine.wait = call_place(instance);
    check_consumers(instance, cb, false);
    forget_allowed(*instance.core);
}

void CbAccess::pushing(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    Window& mine = window(instance, cb);
    if (mine.reserved != 0) {
        acquire_free(instance, cb, std::max(mine.reserved, pages));  // the reservation of its pack thread so far
    }
    if (pages > mine.reserved && !is_tensor(instance, cb)) {
        note_finding_in(
            mine.sees_counters || mine.reserved != 0 || !knows_free(instance, cb, pages) ? instance.checks->findings
                                                                                         : lucky_,
            instance,
            mine.sees_counters ? Rule::CbCounterWrap : Rule::CbPushUnreserved,
            cb,
            0,
            mine.sees_counters ? "cb_push_back(c_%u, %u) when the counters the kernel read show %u pages free"
                               : "cb_push_back(c_%u, %u) with %u of these pages reserved",
            cb,
            pages,
            mine.reserved);
    }
    check_producers(instance, cb);
    const bool is_first = mine.push_step == 0;
    mine.pushes_alike &= is_first || (mine.pushed_last == pages && mine.written_last == mine.written);
    mine.written_last = mine.written;
    mine.written = 0;
    mine.reserved -= std::min(pages, mine.reserved);
    mine.push_step = ordering_.now(instance.number);
    mine.pushed_last = pages;
    mine.push = call_place(instance);
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    ordering_.release_pages(instance, Ordering::push_key(instance, cb), buffer.pushed + pages, buffer.num_pages + 1);
    forget_allowed(*instance.core);
}

// Whether a write to pages of `cb` that are not reserved continues one to a buffer before it. A kernel that has just
// taken this buffer's write pointer means this buffer.
bool CbAccess::overruns_into(const KernelInstance& instance, uint32_t cb, bool is_used) const {
    const Kernel& kernel = kernels_[instance.number];
    const uint32_t last = kernel.last_cb[1];
    if (last == kNoCircularBuffer || last == cb || kernel.last_pointer == cb) {
        return false;
    }
    return instance.core->cb[last].address < instance.core->cb[cb].address &&
           (!is_used || known_window(instance, cb)->reserved == 0) && known_window(instance, last)->reserved != 0;
}

void CbAccess::popping(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    Window& mine = window(instance, cb);
    const CbTraffic& traffic = instance.traffic[cb];
    // A data-movement kernel knows its own pushes.
    const bool are_its_own = !instance.is_compute() && traffic.pages_pushed >= traffic.pages_popped + pages;
    // Blocks that are pushed whole are popped whole, even if fewer pages were needed.
    const bool is_known = knows_there(instance, cb, pages);
    if (pages > mine.waited && !are_its_own && !is_tensor(instance, cb) && !is_known) {
        const bool was_popped = mine.waited == 0 && mine.pop.instance != nullptr;
        note_finding_with(
            instance,
            Rule::CbPopUnwaited,
            cb,
            0,
            was_popped ? mine.pop : CallPlace{},
            "cb_pop_front(c_%u, %u) with %u of these pages waited for",
            cb,
            pages,
            mine.waited);
    }
    mine.pop_step = ordering_.now(instance.number);
    mine.popped_last = pages;
    check_consumers(instance, cb, true);
    mine.waited -= std::min(pages, mine.waited);
    mine.pop = call_place(instance);
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    ordering_.release_pages(instance, Ordering::pop_key(instance, cb), buffer.popped + pages, buffer.num_pages + 1);
    forget_allowed(*instance.core);
}

void CbAccess::saw_counters(KernelInstance& instance, uint32_t cb) {
    CoreCircularBuffer& buffer = instance.core->cb[cb];
    if (buffer.num_pages == 0) {
        return;  // a register of no configured buffer
    }
    buffer.take_counters();
    Window& mine = window(instance, cb);
    mine.sees_counters = true;
    // A card may show a producer its consumer's pops late, but not never: here, once the producer has seen the buffer
    // full and looks again.
    const bool looks_full = buffer.counters[0] - buffer.counters[1] >= buffer.num_pages;
    mine.full_looks = looks_full ? mine.full_looks + 1 : 0;
    if (instance.traffic[cb].push_calls == 0 || mine.full_looks > kLooksPerPoll) {
        buffer.counters[1] = buffer.counters[0] - buffer.occupied();
        buffer.show_counters();
        mine.full_looks = 0;
    }
    mine.reserved = buffer.num_pages - (buffer.counters[0] - buffer.counters[1]);
    mine.waited = std::max(mine.waited, buffer.occupied());
    ordering_.acquire_pages(instance, Ordering::push_key(instance, cb), buffer.pushed);
    ordering_.acquire_pages(instance, Ordering::pop_key(instance, cb), buffer.popped);
    forget_allowed(*instance.core);
}

// `pages` free pages need as many pops of what was pushed before.
void CbAccess::acquire_free(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    if (buffer.pushed + pages > buffer.num_pages) {
        ordering_.acquire_pages(instance, Ordering::pop_key(instance, cb), buffer.pushed + pages - buffer.num_pages);
    }
}

// Whether the next pages are free in every possible order of the kernels.
bool CbAccess::knows_free(const KernelInstance& instance, uint32_t cb, uint64_t pages) const {
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    const uint64_t popped = ordering_.known_pages(instance, Ordering::pop_key(instance, cb));
    return buffer.pushed + pages <= buffer.num_pages + popped;
}

bool CbAccess::knows_there(const KernelInstance& instance, uint32_t cb, uint64_t pages) const {
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    return buffer.popped + pages <= ordering_.known_pages(instance, Ordering::push_key(instance, cb));
}

const CallPlace* CbAccess::last_push(const Core& core, uint32_t cb) const {
    const CallPlace* place = nullptr;
    for (const KernelInstance* instance : core.instances) {
        const Window* each = known_window(*instance, cb);
        place = each != nullptr && each->push_step != 0 ? &each->push : place;
    }
    return place;
}

bool CbAccess::sees_counters(const KernelInstance& instance, uint32_t cb) const {
    const Window* mine = known_window(instance, cb);
    return mine != nullptr && mine->sees_counters;
}

// Each kernel moves its own write pointer: two producers must alternate, each arriving where the other stopped.
void CbAccess::check_producers(KernelInstance& instance, uint32_t cb) {
    if (is_tensor(instance, cb)) {
        return;
    }
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    for (const KernelInstance* other : instance.core->instances) {
        const Window* theirs = other == &instance ? nullptr : known_window(*other, cb);
        if (theirs == nullptr || theirs->push_step == 0) {
            continue;
        }
        const uint32_t page = page_of(buffer, pointer_of(instance, cb, true));
        const auto next = static_cast<uint32_t>(buffer.pushed % buffer.num_pages);
        if (page != next) {
            note_finding(
                instance,
                Rule::CbTwoProducers,
                cb,
                0,
                "%s has pushed to c_%u too: this kernel pushes from page %u, the next free page is %u",
                other->kernel->name.c_str(),
                cb,
                page,
                next);
        } else if (!ordering_.is_before(*other, theirs->push_step, instance)) {
            note_finding(
                instance,
                Rule::CbTwoProducers,
                cb,
                0,
                "%s has pushed to c_%u too, and nothing orders its push and this one",
                other->kernel->name.c_str(),
                cb);
        }
    }
}

// A page popped by one kernel is gone for the other. Both may read it only if the read happens before the pop.
void CbAccess::check_consumers(KernelInstance& instance, uint32_t cb, bool pops) {
    if (is_tensor(instance, cb)) {
        return;
    }
    for (const KernelInstance* other : instance.core->instances) {
        const Window* theirs = other == &instance ? nullptr : known_window(*other, cb);
        if (theirs == nullptr) {
            continue;
        }
        const uint32_t step = pops ? std::max(theirs->wait_step, theirs->pop_step) : theirs->pop_step;
        if (step != 0 && !ordering_.is_before(*other, step, instance)) {
            note_finding(
                instance,
                Rule::CbTwoConsumers,
                cb,
                0,
                pops ? "this kernel pops c_%u, %s takes pages of it too, and nothing orders the two"
                     : "this kernel waits on c_%u, %s pops it too, and nothing orders the two",
                cb,
                other->kernel->name.c_str());
        }
    }
}

}  // namespace tw
