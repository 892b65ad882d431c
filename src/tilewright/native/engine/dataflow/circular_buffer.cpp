// SPDX-License-Identifier: Apache-2.0
// Circular buffers: credits shared by the core, pointers private to each kernel.
#include "abi/circular_buffer.h"
#include "abi/noc.h"

#include <algorithm>

#include "check/hooks.h"
#include "core.h"
#include "run/deadlock_lookahead.h"
#include "run/scheduler.h"
#include "run/threads.h"
#include "tile/deferred_dst.h"
#include "tile/source.h"

namespace tw {

void missing_circular_buffer(const KernelInstance& instance, uint32_t cb, const char* call) {
    const Core& core = *instance.core;
    rule_error(Rule::CbNotConfigured, "%s on c_%u, which is not configured on core (%u,%u)", call, cb, core.x, core.y);
}

static void check_capacity(const CoreCircularBuffer& buffer, uint32_t cb, uint32_t pages, const char* call) {
    if (pages > buffer.num_pages && !this_scheduler()->looking_ahead) {
        rule_error(
            Rule::CbOverCapacity,
            "%s(c_%u, %u) can never succeed: the circular buffer has %u pages",
            call,
            cb,
            pages,
            buffer.num_pages);
    }
}

// The core's buffer, after applying what kernels wrote to its registers.
static CoreCircularBuffer& credited_buffer(KernelInstance& instance, uint32_t cb, const char* call) {
    CoreCircularBuffer& buffer = configured_buffer(instance, cb, call);
    buffer.take_counters();
    return buffer;
}

// Counts a call during the deadlock look-ahead.
static void note_call(KernelInstance& instance) {
    if (instance.scheduler->looking_ahead) [[unlikely]] {
        count_lookahead_call(instance);
    }
}

// Pages that a waiting kernel finds. A card's unpack thread subtracts only its own pops from the pushes; the dataflow
// processors see all pops. So compute can still wait for pages that the writer has popped.
static uint32_t pages_at_front(const KernelInstance& instance, const CoreCircularBuffer& buffer, uint32_t cb) {
    return instance.context.compute_words != 0
               ? static_cast<uint16_t>(buffer.counters[0] - instance.context.cb[cb].tiles_acked)
               : buffer.occupied();
}

// Wakes kernels for which the pages may suffice; each checks again itself.
static void wake_waiting(KernelInstance& self, uint32_t cb, WaitKind kind) {
    self.scheduler->progress++;
    const CoreCircularBuffer& buffer = self.core->cb[cb];
    for (KernelInstance* other : self.core->instances) {
        const uint32_t available =
            kind == WaitKind::CbReserveBack ? buffer.free_pages() : pages_at_front(*other, buffer, cb);
        const bool checks_itself = other->split != nullptr;  // its pop count is kept per thread
        for_each_fiber(*other, [&](FiberStatus& fiber) {
            if (fiber.state == InstanceState::Blocked && fiber.wait_kind == kind && fiber.wait_cb == cb &&
                (fiber.wait_amount <= available || checks_itself)) {
                fiber.state = InstanceState::Ready;
            }
        });
    }
}

[[noreturn]] static void ran_past_end(const LocalCBInterface& view, uint32_t cb, uint32_t pages, const char* call) {
    rule_error(
        Rule::CbIndexWrap,
        "%s(c_%u, %u) runs past the end of the circular buffer: page counts between two wraps must add up to its %u "
        "pages",
        call,
        cb,
        pages,
        view.fifo_num_pages);
}

// A card wraps a pointer only when it lands exactly on the end.
static void advance(uint32_t& pointer, uint32_t pages, const LocalCBInterface& view) {
    pointer += pages * view.fifo_page_size;
    if (pointer == view.fifo_limit) {
        pointer -= view.fifo_size;
    }
}

static void check_not_overfilled(const CoreCircularBuffer& buffer, uint32_t cb, const char* call) {
    if (buffer.overfilled) [[unlikely]] {
        rule_error(
            Rule::CbPushUnreserved,
            "%s on c_%u, to which several kernels have pushed %u pages together, but it has %u",
            call,
            cb,
            buffer.occupied(),
            buffer.num_pages);
    }
}

enum class Reach { Tile, Start };  // a whole page, or only where a block of rows begins

static uint8_t* tile_at(uint32_t cb, uint32_t index, bool front, Reach reach) {
    KernelInstance& instance = current_instance();
    const CoreCircularBuffer& buffer = configured_buffer(instance, cb, "tile operation");
    const LocalCBInterface& view = instance.context.cb[cb];
    const uint32_t shift = instance.context.compute_words ? 4 : 0;
    const uint32_t start = (front ? view.fifo_rd_ptr : view.fifo_wr_ptr) << shift;
    const uint64_t page_bytes = static_cast<uint64_t>(view.fifo_page_size) << shift;
    const uint64_t address = start + index * page_bytes;
    if (address < buffer.address || address >= static_cast<uint64_t>(buffer.address) + buffer.total_bytes) {
        if (instance.scheduler->looking_ahead) {
            return reinterpret_cast<uint8_t*>(static_cast<uintptr_t>(buffer.address));
        }
        rule_error(
            Rule::CbIndexWrap,
            "tile %u counted from the %s pointer of c_%u lies outside the circular buffer (%u pages; an index does not "
            "wrap)",
            index,
            front ? "read" : "write",
            cb,
            buffer.num_pages);
    }
    if (!front && instance.core->compute->scratch[kDstDeferred] != 0) {
        materialize_in(*instance.core->compute, buffer.address, buffer.total_bytes);
    }
    if (reach == Reach::Tile) {
        on_tile(instance, cb, static_cast<uint32_t>(address), buffer.page_bytes, !front);
    }
    return reinterpret_cast<uint8_t*>(static_cast<uintptr_t>(address));
}

const uint8_t* any_front_tile(uint32_t cb, uint32_t index) {
    const KernelInstance& instance = current_instance();
    return is_taking_operands(instance) ? instance.sources->taken_tile(cb, index)
                                        : tile_at(cb, index, true, Reach::Tile);
}
const uint8_t* unpacked_tile(uint32_t cb, uint32_t index) { return tile_at(cb, index, true, Reach::Tile); }
uint8_t* back_tile(uint32_t cb, uint32_t index) { return tile_at(cb, index, false, Reach::Tile); }
uint8_t* front_rows(uint32_t cb) { return tile_at(cb, 0, true, Reach::Start); }
uint8_t* back_rows(uint32_t cb, uint32_t index) { return tile_at(cb, index, false, Reach::Start); }

void check_rows(uint32_t cb, const uint8_t* rows, size_t bytes, bool is_write) {
    KernelInstance& instance = current_instance();
    if (bytes != 0) {
        const auto address = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(rows));
        on_rows(instance, cb, address, static_cast<uint32_t>(bytes), is_write);
    }
}

void leaves_circular_buffer(uint32_t cb, uint64_t left, size_t bytes, bool is_write, const char* call) {
    KernelInstance& instance = current_instance();
    const auto& view = instance.context.cb[cb];
    const uint64_t limit = static_cast<uint64_t>(view.fifo_limit) << (instance.context.compute_words ? 4 : 0);
    const uint64_t memory = instance.scheduler->program.chip.config().l1_bytes;
    if ((limit & kL1OffsetMask) - left + bytes > memory) {
        rule_error(
            Rule::CbIndexWrap,
            "%s: %zu bytes of rows in c_%u, but only %llu are left before the end of L1",
            call,
            bytes,
            cb,
            static_cast<unsigned long long>(memory - (limit & kL1OffsetMask) + left));
    }
    on_rows_past_end(instance, cb, left, bytes, is_write, call);
}

}  // namespace tw

using namespace tw;

extern "C" {

tw::KernelContext* tw_context() { return &current_instance().context; }

void tw_cb_wait_front(uint32_t cb, uint32_t pages) {
    KernelInstance& instance = current_instance();
    if (!runs_on(instance, kUnpackThread)) [[unlikely]] {
        return;
    }
    on_call(instance);
    note_call(instance);
    const CoreCircularBuffer& buffer = credited_buffer(instance, cb, "cb_wait_front");
    check_capacity(buffer, cb, pages, "cb_wait_front");
    if (const LocalCBInterface& view = instance.context.cb[cb]; view.fifo_rd_ptr > view.fifo_limit) [[unlikely]] {
        ran_past_end(view, cb, pages, "after too large a cb_pop_front, cb_wait_front");
    }
    CbTraffic& traffic = instance.traffic[cb];
    traffic.wait_calls++;
    traffic.largest_wait = std::max(traffic.largest_wait, pages);
    if (pages_at_front(instance, buffer, cb) < pages) {
        traffic.blocked_waits++;
        on_waiting(instance, cb);
        while (pages_at_front(instance, buffer, cb) < pages && !instance.scheduler->looking_ahead) {
            instance.scheduler->suspend(InstanceState::Blocked, WaitKind::CbWaitFront, cb, pages);
            if (!runs_on(instance, kUnpackThread)) [[unlikely]] {
                return;
            }
        }
    }
    check_not_overfilled(buffer, cb, "cb_wait_front");
    on_waited(instance, cb, pages);
}

void tw_cb_reserve_back(uint32_t cb, uint32_t pages) {
    KernelInstance& instance = current_instance();
    if (!runs_on(instance, kPackThread)) [[unlikely]] {
        return;
    }
    on_call(instance);
    note_call(instance);
    const CoreCircularBuffer& buffer = credited_buffer(instance, cb, "cb_reserve_back");
    check_capacity(buffer, cb, pages, "cb_reserve_back");
    CbTraffic& traffic = instance.traffic[cb];
    traffic.reserve_calls++;
    traffic.largest_reserve = std::max(traffic.largest_reserve, pages);
    if (buffer.free_pages() < pages) {
        traffic.blocked_reserves++;
        while (buffer.free_pages() < pages && !instance.scheduler->looking_ahead) {
            instance.scheduler->suspend(InstanceState::Blocked, WaitKind::CbReserveBack, cb, pages);
            if (!runs_on(instance, kPackThread)) [[unlikely]] {
                return;
            }
        }
    }
    on_reserved(instance, cb, pages);
}

void tw_cb_push_back(uint32_t cb, uint32_t pages) {
    KernelInstance& instance = current_instance();
    if (!runs_on(instance, kPackThread)) [[unlikely]] {
        return;
    }
    on_call(instance);
    note_call(instance);
    CoreCircularBuffer& buffer = credited_buffer(instance, cb, "cb_push_back");
    CbTraffic& traffic = instance.traffic[cb];
    traffic.push_calls++;
    if (instance.scheduler->looking_ahead) [[unlikely]] {
        return;
    }
    LocalCBInterface& view = instance.context.cb[cb];
    if (buffer.occupied() + pages > buffer.num_pages) {
        // Kernels may share a page as scratch and each push it at the end. A card accepts that as long as no kernel
        // waits for it.
        buffer.overfilled =
            instance.checks == nullptr && buffer.popped == 0 && traffic.pages_pushed + pages <= buffer.num_pages;
    }
    if (buffer.occupied() + pages > buffer.num_pages && !buffer.overfilled) {
        rule_error(
            reads_counters(instance, cb) ? Rule::CbCounterWrap : Rule::CbPushUnreserved,
            "cb_push_back(c_%u, %u) overfills the circular buffer: %u of its %u pages still hold unread data",
            cb,
            pages,
            buffer.occupied(),
            buffer.num_pages);
    }
    if (instance.recorder != nullptr) [[unlikely]] {
        instance.recorder->pushed(instance, cb, pages);
    }
    on_push(instance, cb, pages);
    advance(view.fifo_wr_ptr, pages, view);
    if (view.fifo_wr_ptr > view.fifo_limit) {
        ran_past_end(view, cb, pages, "cb_push_back");
    }
    view.fifo_wr_tile_ptr = 0;
    view.tiles_received = static_cast<uint16_t>(view.tiles_received + pages);
    buffer.pushed += pages;
    buffer.counters[0] += pages;
    buffer.show_counters();
    buffer.peak = std::max(buffer.peak, buffer.occupied());
    traffic.pages_pushed += pages;
    wake_waiting(instance, cb, WaitKind::CbWaitFront);
}

// Before the unpack thread pops pages, the math thread must have taken what was unpacked from them, or they are copied.
static bool may_pop(KernelInstance& instance) {
    if (!runs_on(instance, kUnpackThread)) {
        return false;
    }
    SourceQueue& sources = *instance.sources;
    if (instance.split == nullptr && sources.fits_registers()) {
        sources.copy_tiles();
        return true;
    }
    const auto is_met = [&] { return sources.is_empty() || (instance.split && instance.split->runs_ahead); };
    if (!wait_on(instance, kUnpackThread, WaitKind::SourceFree, is_met)) {
        return false;
    }
    if (instance.split != nullptr) {
        instance.split->runs_ahead = false;
    }
    return true;
}

void tw_cb_pop_front(uint32_t cb, uint32_t pages) {
    KernelInstance& instance = current_instance();
    if (instance.sources != nullptr && !may_pop(instance)) [[unlikely]] {
        return;
    }
    on_call(instance);
    note_call(instance);
    CoreCircularBuffer& buffer = credited_buffer(instance, cb, "cb_pop_front");
    CbTraffic& traffic = instance.traffic[cb];
    traffic.pop_calls++;
    if (instance.scheduler->looking_ahead) [[unlikely]] {
        return;
    }
    check_not_overfilled(buffer, cb, "cb_pop_front");
    LocalCBInterface& view = instance.context.cb[cb];
    on_pop(instance, cb, pages);
    const bool was_past_end = view.fifo_rd_ptr > view.fifo_limit;
    advance(view.fifo_rd_ptr, pages, view);
    // Some kernels pop too much as their last call, and a card permits it.
    if (view.fifo_rd_ptr > view.fifo_limit && (was_past_end || instance.checks != nullptr)) {
        ran_past_end(view, cb, pages, "cb_pop_front");
    }
    view.tiles_acked = static_cast<uint16_t>(view.tiles_acked + pages);
    buffer.popped += pages;
    if (instance.checks == nullptr) [[likely]] {  // a checked run shows it as late as a card might
        buffer.counters[1] += pages;
        buffer.show_counters();
    }
    traffic.pages_popped += pages;
    wake_waiting(instance, cb, WaitKind::CbReserveBack);
}

// Kernels call these two in polling loops, so each call first lets other kernels run.
uint32_t tw_cb_pages_at_front(uint32_t cb) {
    tw_poll_yield();
    KernelInstance& instance = current_instance();
    const uint32_t pages = credited_buffer(instance, cb, "cb_pages_available_at_front").occupied();
    on_waited(instance, cb, pages);
    return pages;
}

uint32_t tw_cb_pages_free(uint32_t cb) {
    tw_poll_yield();
    KernelInstance& instance = current_instance();
    const uint32_t pages = credited_buffer(instance, cb, "cb_pages_reservable_at_back").free_pages();
    on_reserved(instance, cb, pages);
    return pages;
}

// A buffer that the core does not have has registers too, which count nothing.
volatile uint32_t* tw_cb_counter(uint32_t cb, uint32_t acked) {
    KernelInstance& instance = current_instance();
    if (cb >= kMaxCircularBuffers) [[unlikely]] {
        missing_circular_buffer(instance, cb, "reading the credit counters");
    }
    CoreCircularBuffer& buffer = instance.core->cb[cb];
    if (buffer.shown == nullptr) {
        const uintptr_t registers = instance.core->l1_base + kCreditRegisters;
        buffer.shown = reinterpret_cast<volatile uint32_t*>(registers) + size_t{2} * cb;
        buffer.show_counters();
    }
    return &buffer.shown[acked & 1u];
}

static volatile uint32_t& credit_register(uint32_t address, const char* call) {
    KernelInstance& instance = current_instance();
    const uint32_t offset = address - (instance.core->l1_base + kCreditRegisters);
    if (offset >= sizeof(uint32_t[kMaxCircularBuffers][2]) || offset % sizeof(uint32_t) != 0) {
        kernel_error("%s of 0x%x is not simulated: credits of circular buffers are the only registers", call, address);
    }
    on_counters_read(instance, offset / sizeof(uint32_t[2]));
    return *reinterpret_cast<volatile uint32_t*>(uintptr_t{address});
}
uint32_t tw_register_read(uint32_t address) { return credit_register(address, "reg_read"); }
void tw_register_write(uint32_t address, uint32_t value) { credit_register(address, "reg_write") = value; }
}
