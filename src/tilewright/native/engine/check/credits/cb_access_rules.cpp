// SPDX-License-Identifier: Apache-2.0
// Which accesses a window permits, and the findings about the others.
#include <algorithm>
#include <string>

#include "check/checks.h"
#include "check/credits/cb_access.h"
#include "check/credits/cb_access_pages.h"
#include "check/memory/memory_names.h"
#include "program.h"
#include "run/scheduler.h"

namespace tw {

namespace {

constexpr uint32_t kNotedPerWindow = 32;

const char* plural(uint32_t count) { return count == 1 ? "" : "s"; }

uint32_t offset_of(uint32_t address) { return address & kL1OffsetMask; }

// Pages from the kernel's read pointer to an address, wrapping at the end.
uint32_t ahead_of(const KernelInstance& instance, uint32_t cb, uint32_t address) {
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    const uint32_t first = page_of(buffer, pointer_of(instance, cb, false));
    return (page_of(buffer, address) + buffer.num_pages - first) % buffer.num_pages;
}

// Whether bytes outside the requested pages are as many whole tiles as pages were requested: the kernel counts in
// tiles, while the buffer has smaller pages such as sticks.
bool counts_larger_pages(const CoreCircularBuffer& buffer, uint32_t pages, uint32_t bytes) {
    const uint32_t tile_bytes = buffer.geometry.tile_bytes;
    return pages != 0 && tile_bytes > buffer.page_bytes && bytes == static_cast<uint64_t>(pages) * tile_bytes;
}

}  // namespace

// The range of the kernel's own window that contains [from, to). A window wraps at the end of the buffer.
bool CbAccess::own_window_holds(
    const KernelInstance& instance, uint32_t cb, bool is_write, uint32_t from, uint32_t to, Range& range) const {
    const Window* mine = known_window(instance, cb);
    const uint32_t pages = mine == nullptr ? 0 : is_write ? mine->reserved : mine->waited;
    if (pages == 0) {
        return false;
    }
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    const uint32_t limit = buffer.address + buffer.total_bytes;
    const uint32_t pointer = pointer_of(instance, cb, is_write);
    if (pages >= buffer.num_pages) {
        range = {buffer.address, limit};
        return range.holds(from, to);
    }
    const uint64_t end = static_cast<uint64_t>(pointer) + static_cast<uint64_t>(pages) * buffer.page_bytes;
    range = {pointer, static_cast<uint32_t>(std::min<uint64_t>(end, limit))};
    if (!range.holds(from, to) && end > limit) {
        range = {buffer.address, static_cast<uint32_t>(buffer.address + (end - limit))};
    }
    return range.holds(from, to);
}

// Pages that a kernel of the core has reserved (data-movement kernels may fill them together), or pages it holds and
// changes in place.
bool CbAccess::may_write(const KernelInstance& instance, uint32_t cb, uint32_t from, uint32_t to, Range& range) const {
    if (own_window_holds(instance, cb, true, from, to, range) ||
        own_window_holds(instance, cb, false, from, to, range)) {
        return true;
    }
    return std::any_of(instance.core->instances.begin(), instance.core->instances.end(), [&](const auto* other) {
        return own_window_holds(*other, cb, true, from, to, range);
    });
}

// Pages waited for. A producer may read back what it wrote. A kernel that never waits may know by other synchronisation
// that the pages are filled; one that waits thereby states how many it needs.
bool CbAccess::may_read(const KernelInstance& instance, uint32_t cb, uint32_t from, uint32_t to, Range& range) const {
    if (own_window_holds(instance, cb, false, from, to, range) ||
        own_window_holds(instance, cb, true, from, to, range)) {
        return true;
    }
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    const CbTraffic& traffic = instance.traffic[cb];
    const uint32_t last = ahead_of(instance, cb, to - 1);
    range = {from, to};
    const bool is_known = traffic.wait_calls == 0 && last < buffer.occupied() && knows_there(instance, cb, last + 1);
    return traffic.pages_pushed != 0 || is_known;
}

bool CbAccess::access(KernelInstance& instance, const MemoryAccess& access) {
    Kernel& kernel = kernels_[instance.number];
    if (!access.is_write && access.by == Accessor::Processor && access.bytes == sizeof(uint32_t)) {
        loaded_word(instance, *reinterpret_cast<const uint32_t*>(uintptr_t{access.address}));
    }
    const bool is_right =
        kernel.allowed[access.is_write].holds(access.address, access.end()) || check_stretches(instance, access);
    if (access.is_write && access.by == Accessor::Processor) {
        kernel.stores = {access.end(), access.place};
    }
    if (access.is_write && kernel.last_cb[1] != kNoCircularBuffer) {
        window(instance, kernel.last_cb[1]).written += access.bytes;
    }
    return is_right;
}

// Another kernel of the core may pass an address in memory, where this one is to read or write.
void CbAccess::loaded_word(const KernelInstance& instance, uint32_t value) {
    if ((value & ~kL1OffsetMask) != instance.core->l1_base) {
        return;
    }
    if (const L1Map::Stretch* stretch = map_of(*instance.core).find(value)) {
        kernels_[instance.number].pointed_to |= stretch->circular_buffers;
    }
}

// Pages of a buffer that the kernel neither pushes nor pops: semaphores order it with the kernels that do. The data
// must happen before this access, and this access before the next write.
bool CbAccess::borrows(KernelInstance& instance, uint32_t cb, uint32_t from, uint32_t to) const {
    const CbTraffic& traffic = instance.traffic[cb];
    const bool is_outsider = traffic.wait_calls == 0 && traffic.pop_calls == 0 && traffic.reserve_calls == 0 &&
                             traffic.push_calls == 0 && !instance.is_compute();
    return is_outsider && (instance.checks->is_fast || instance.checks->history.borrow(instance, from, to - from));
}

// Whether a store continues where the last one of the same instruction ended: a loop over a buffer.
bool CbAccess::runs_on(const Kernel& kernel, const MemoryAccess& access) {
    return access.is_write && access.by == Accessor::Processor && access.place.instruction != 0 &&
           kernel.stores.end == access.address && kernel.stores.place == access.place;
}

static uint32_t lowest_buffer(const L1Map::Stretch& stretch) {
    return stretch.circular_buffers == 0 ? kNoCircularBuffer
                                         : static_cast<uint32_t>(__builtin_ctzll(stretch.circular_buffers));
}

bool CbAccess::check_stretches(KernelInstance& instance, const MemoryAccess& access) {
    Kernel& kernel = kernels_[instance.number];
    const L1Map& map = map_of(*instance.core);
    uint32_t from = access.address;
    uint32_t last_cb = kNoCircularBuffer;
    while (from < access.end()) {
        const L1Map::Stretch* stretch = map.find(from);
        if (stretch == nullptr) {
            report_outside(instance, access, from);
            return false;
        }
        const uint32_t left_cb = from != access.address ? last_cb : kernel.last_cb[access.is_write];
        if (left_cb != kNoCircularBuffer && ((stretch->circular_buffers >> left_cb) & 1u) == 0 &&
            (from != access.address || runs_on(kernel, access))) {
            kernel.last_cb[access.is_write] = left_cb;
            report_overrun(instance.checks->findings, instance, access, lowest_buffer(*stretch));
            return false;
        }
        if (!may_know(instance, *stretch)) {
            report_stray(instance, access, from, lowest_buffer(*stretch));
            return false;
        }
        const uint32_t to = std::min(access.end(), stretch->end);
        Range range{stretch->begin, stretch->end};
        bool is_right = stretch->is_plain;
        uint32_t first_cb = kNoCircularBuffer, used_cb = kNoCircularBuffer;
        for (uint64_t left = stretch->circular_buffers; left != 0 && !is_right; left &= left - 1) {
            const auto cb = static_cast<uint32_t>(__builtin_ctzll(left));
            first_cb = std::min(first_cb, cb);
            used_cb = known_window(instance, cb) != nullptr ? cb : used_cb;
            is_right =
                access.is_write ? may_write(instance, cb, from, to, range) : may_read(instance, cb, from, to, range);
            last_cb = is_right ? cb : last_cb;
            if (is_right) {
                check_pointer(instance, cb, access);
            }
        }
        if (!is_right) {
            const uint32_t cb = used_cb != kNoCircularBuffer ? used_cb : first_cb;
            if (!access.is_write && borrows(instance, cb, from, to)) {
                from = to;
                continue;
            }
            if (access.is_write && overruns_into(instance, cb, used_cb != kNoCircularBuffer)) {
                report_overrun(overruns_[cb], instance, access, cb);
            } else if (access.is_write) {
                report_write(instance, cb, from, to - from);
            } else {
                report_read(instance, cb, from, to - from, false);
            }
            if (instance.core->cb[cb].pushed != 0) {
                return false;
            }
            last_cb = cb;  // never pushed so far: may be private memory
        } else {
            kernel.allowed[access.is_write] = range;
        }
        from = to;
    }
    kernel.last_cb[access.is_write] = last_cb;
    return true;
}

// Valid so far, but only because both pointers happen to be at the same page.
void CbAccess::check_pointer(KernelInstance& instance, uint32_t cb, const MemoryAccess& access) {
    Window& mine = window(instance, cb);
    mine.reads |= !access.is_write;
    const CbTraffic& traffic = instance.traffic[cb];
    const bool only_consumes = mine.waited != 0 && traffic.reserve_calls == 0 && traffic.push_calls == 0;
    const bool only_produces = mine.reserved != 0 && traffic.wait_calls == 0 && traffic.pop_calls == 0;
    const bool reads_wrong = !access.is_write && only_consumes && mine.took_write_pointer && !mine.took_read_pointer;
    const bool writes_wrong = access.is_write && only_produces && mine.took_read_pointer && !mine.took_write_pointer;
    if (instance.is_compute() || !(reads_wrong || writes_wrong)) {
        return;
    }
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    note_finding(
        instance,
        Rule::CbReadWritePointer,
        cb,
        access.address,
        "%s page %u of c_%u through the kernel's %s pointer, which never moves in a kernel that only %s: right for the "
        "first page of %u",
        access.is_write ? "writes" : "reads",
        page_of(buffer, access.address),
        cb,
        access.is_write ? "read" : "write",
        access.is_write ? "pushes" : "pops",
        buffer.num_pages);
}

void CbAccess::called(const KernelInstance& instance) { kernels_[instance.number].stores = {}; }

void CbAccess::took_pointer(KernelInstance& instance, uint32_t cb, bool write) {
    called(instance);
    if (instance.core->cb[cb].num_pages != 0) {
        Window& mine = window(instance, cb);
        (write ? mine.took_write_pointer : mine.took_read_pointer) = true;
        kernels_[instance.number].last_pointer = write ? cb : kNoCircularBuffer;
    }
}

void CbAccess::access_pages(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, bool is_write) {
    window(instance, cb).reads |= !is_write;
    Range range;
    const uint32_t end = address + bytes;
    if (own_window_holds(instance, cb, is_write, address, end, range) || is_tensor(instance, cb)) {
        return;
    }
    // Another index over the same memory may be the one whose pages were requested.
    const L1Map::Stretch* stretch = map_of(*instance.core).find(address);
    for (uint64_t left = stretch->circular_buffers; left != 0; left &= left - 1) {
        const auto other = static_cast<uint32_t>(__builtin_ctzll(left));
        if (other != cb && own_window_holds(instance, other, is_write, address, end, range)) {
            return;
        }
    }
    if (is_write) {
        if (!changes_in_place(instance, cb, address, end)) {
            report_write(instance, cb, address, bytes);
        }
        return;
    }
    // The unpacker may read what its own packer wrote only after a wait for these pages or for later ones: they are
    // different threads.
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    const uint32_t last = ahead_of(instance, cb, end - 1);
    const CbTraffic& traffic = instance.traffic[cb];
    const bool is_known =
        traffic.wait_calls == 0 && last < buffer.occupied() &&
        (traffic.pages_pushed == 0 ? knows_there(instance, cb, last + 1)
                                   : instance.checks->is_fast ||
                                         instance.checks->threads.knows_pushed(instance, cb, buffer.popped + last + 1));
    if (!is_known) {
        report_read(instance, cb, address, bytes, true);
    }
}

// Packing over pages that the kernel itself filled and holds, by index or because the buffer is full of them, or adding
// to pages that it has pushed and not popped. No other kernel uses these pages; the order of packer and unpacker is
// checked by ThreadOrder.
bool CbAccess::changes_in_place(const KernelInstance& instance, uint32_t cb, uint32_t from, uint32_t to) const {
    Range range;
    const bool adds = instance.core->compute->pack_l1_accumulate != 0 && instance.traffic[cb].pages_pushed != 0 &&
                      ahead_of(instance, cb, to - 1) < instance.core->cb[cb].occupied();
    if (!adds && !own_window_holds(instance, cb, false, from, to, range)) {
        return false;
    }
    return std::all_of(instance.core->instances.begin(), instance.core->instances.end(), [&](const auto* other) {
        return other == &instance || known_window(*other, cb) == nullptr;
    });
}

void CbAccess::access_remote(KernelInstance& by, const Core& core, uint32_t address, uint32_t bytes, bool is_write) {
    if (core.instances.empty() || &core == by.core) {
        return;  // not this program's memory
    }
    uint64_t buffers = 0;  // buffers that contain all of it so far
    for (uint32_t from = address; from < address + bytes;) {
        const L1Map::Stretch* stretch = map_of(core).find(from);
        const bool leaves = stretch != nullptr && buffers != 0 && (stretch->circular_buffers & buffers) == 0;
        if (stretch == nullptr || leaves) {
            report_remote(by, core, address, bytes, is_write, from);
            return;
        }
        if (!is_write) {
            read_remotely_[core.y * grid_x_ + core.x] |= stretch->circular_buffers;
        }
        buffers = from == address ? stretch->circular_buffers : buffers & stretch->circular_buffers;
        from = stretch->end;
    }
}

// Code often assumes that an address of another core holds the same circular buffer as here.
void CbAccess::report_remote(
    KernelInstance& by, const Core& core, uint32_t address, uint32_t bytes, bool is_write, uint32_t from) {
    const uint32_t here = circular_buffer_at(*by.core, by.core->l1_base + offset_of(address));
    const uint32_t there = circular_buffer_at(core, address);
    const char* verb = is_write ? "writes" : "reads";
    if (there == kNoCircularBuffer && here != kNoCircularBuffer && core.cb[here].num_pages == 0) {
        note_finding(
            by,
            Rule::CbNotConfigured,
            here,
            address,
            "the NoC %s %u bytes at the address c_%u has here on core (%u,%u), where c_%u is not configured",
            verb,
            bytes,
            here,
            core.x,
            core.y,
            here);
        return;
    }
    if (there != kNoCircularBuffer) {
        note_finding(
            by,
            Rule::L1OutsideBuffer,
            there,
            address,
            "the NoC %s %u bytes from %s of core (%u,%u) on, which end %u bytes behind its last page",
            verb,
            bytes,
            l1_place_name(core, address).c_str(),
            core.x,
            core.y,
            address + bytes - from);
        return;
    }
    note_finding(
        by,
        Rule::L1OutsideBuffer,
        kNoCircularBuffer,
        address,
        "the NoC %s %u bytes at 0x%x of core (%u,%u), where from 0x%x on nothing is allocated",
        verb,
        bytes,
        offset_of(address),
        core.x,
        core.y,
        offset_of(from));
}

// --- what is wrong with an access ---

// A kernel knows the addresses of circular buffers only from their pointers: one that never took a pointer has got
// there from another address.
bool CbAccess::may_know(const KernelInstance& instance, const L1Map::Stretch& stretch) const {
    if (stretch.is_plain || instance.is_compute() ||
        (kernels_[instance.number].pointed_to & stretch.circular_buffers) != 0) {
        return true;
    }
    for (uint64_t left = stretch.circular_buffers; left != 0; left &= left - 1) {
        const Window* mine = known_window(instance, static_cast<uint32_t>(__builtin_ctzll(left)));
        if (mine != nullptr && (mine->took_read_pointer || mine->took_write_pointer)) {
            return true;
        }
    }
    const auto& windows = kernels_[instance.number].windows;
    return std::none_of(std::begin(windows), std::end(windows), [](const auto& window) {
        return window && (window->took_read_pointer || window->took_write_pointer);
    });
}

void CbAccess::report_stray(KernelInstance& instance, const MemoryAccess& access, uint32_t from, uint32_t into) {
    note_finding(
        instance,
        Rule::L1OutsideBuffer,
        into,
        access.address,
        "%s %u bytes at 0x%x of L1, which from 0x%x on are page %u of c_%u: this kernel never took a pointer of that "
        "buffer",
        access.is_write ? "writes" : "reads",
        access.bytes,
        offset_of(access.address),
        offset_of(from),
        page_of(instance.core->cb[into], from),
        into);
}

void CbAccess::report_outside(KernelInstance& instance, const MemoryAccess& access, uint32_t from) {
    note_finding(
        instance,
        Rule::L1OutsideBuffer,
        kNoCircularBuffer,
        access.address,
        "%s %u bytes at 0x%x of L1, where from 0x%x on no circular buffer, tensor, semaphore or argument lies",
        access.is_write ? "writes" : "reads",
        access.bytes,
        offset_of(access.address),
        offset_of(from));
}

void CbAccess::report_overrun(Findings& findings, KernelInstance& instance, const MemoryAccess& access, uint32_t into) {
    const uint32_t cb = kernels_[instance.number].last_cb[access.is_write];
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    const uint32_t limit = buffer.address + buffer.total_bytes;
    note_finding_in(
        findings,
        instance,
        access.address < limit ? Rule::CbIndexWrap : Rule::L1OutsideBuffer,
        cb,
        access.address,
        "%s %u bytes that end %u bytes behind the last page of c_%u, in %s",
        access.is_write ? "writes" : "reads",
        access.bytes,
        access.end() - limit,
        cb,
        into == kNoCircularBuffer ? "memory of something else" : ("c_" + std::to_string(into)).c_str());
}

void CbAccess::report_write(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes) {
    Window& mine = window(instance, cb);
    if (mine.num_noted++ >= kNotedPerWindow) {
        return;
    }
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    const uint32_t first = page_of(buffer, pointer_of(instance, cb, true));
    const uint32_t ahead = (page_of(buffer, address + bytes - 1) + buffer.num_pages - first) % buffer.num_pages;
    const bool counts_tiles = counts_larger_pages(buffer, mine.reserved, bytes);
    const bool is_lucky = mine.reserved == 0 && knows_free(instance, cb, ahead + 1);
    note_finding_in(
        is_lucky ? lucky_ : deferred_,
        instance,
        counts_tiles         ? Rule::CbPageConvention
        : mine.reserved == 0 ? Rule::CbWriteUnreserved
                             : Rule::CbWritePastReserve,
        cb,
        address,
        "writes %u bytes to page %u of c_%u with %u page%s reserved from page %u on (of %u pages of %u bytes %u hold%s "
        "unread data)",
        bytes,
        page_of(buffer, address),
        cb,
        mine.reserved,
        plural(mine.reserved),
        first,
        buffer.num_pages,
        buffer.page_bytes,
        buffer.occupied(),
        buffer.occupied() == 1 ? "s" : "");
}

void CbAccess::report_read(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, bool by_tile) {
    Window& mine = window(instance, cb);
    if (mine.num_noted++ >= kNotedPerWindow) {
        return;
    }
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    const CbTraffic& traffic = instance.traffic[cb];
    const uint32_t page = page_of(buffer, address);
    const uint32_t first = page_of(buffer, pointer_of(instance, cb, false));
    const uint32_t ahead = ahead_of(instance, cb, address);
    const bool at_write_pointer =
        mine.took_write_pointer && traffic.push_calls == 0 && page == page_of(buffer, pointer_of(instance, cb, true));
    const bool was_popped = ahead != 0 && ahead >= buffer.occupied() && buffer.num_pages - ahead <= mine.popped_last;
    Rule rule = Rule::CbReadPastWait;
    if (counts_larger_pages(buffer, mine.waited, bytes)) {
        rule = Rule::CbPageConvention;
    } else if (!by_tile && ahead != 0 && mine.waited != 0 && at_write_pointer) {
        rule = Rule::CbReadWritePointer;
    } else if (was_popped) {
        rule = Rule::CbUseAfterPop;
    }
    note_finding_in(
        deferred_,
        instance,
        rule,
        cb,
        address,
        "reads %u bytes of page %u of c_%u with %u page%s waited for from page %u on (of %u pages of %u bytes %u "
        "hold%s unread data)%s",
        bytes,
        page,
        cb,
        mine.waited,
        plural(mine.waited),
        first,
        buffer.num_pages,
        buffer.page_bytes,
        buffer.occupied(),
        buffer.occupied() == 1 ? "s" : "",
        mine.waited == 0 && mine.pop_step != 0 && mine.wait_step != 0 ? "; what it waited for it has popped" : "");
}

}  // namespace tw
