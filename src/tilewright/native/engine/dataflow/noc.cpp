// SPDX-License-Identifier: Apache-2.0
// The NoC: transfers between L1s and DRAM banks, multicasts, atomics, semaphores. A transfer takes effect when it is
// issued, which is one of the orders a card permits.
#include "abi/noc.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "check/checks.h"
#include "check/fabric/packet_hooks.h"
#include "check/hooks.h"
#include "check/noc/noc_memory.h"
#include "chip/streaming_copy.h"
#include "core.h"
#include "fabric/fabric.h"
#include "noc_address.h"
#include "noc_delivery.h"
#include "noc_refusals.h"
#include "run/scheduler.h"

namespace tw {

static uint8_t* core_memory(Core& core, uint64_t local, const char* call) {
    const KernelInstance& instance = current_instance();
    if (&core == instance.core) {
        return own_memory(instance, static_cast<uint32_t>(local));
    }
    SharedL1Record& shared_l1 = instance.scheduler->program.shared_l1;
    const uint64_t offset = local & kL1OffsetMask;
    if (shared_l1.range.contains(offset)) {
        shared_l1.cores_met = true;
        if (core.memory_state->overwritten.contains(offset) && !core.instances.empty()) {
            kernel_error(
                "%s: reaches for a circular buffer of core (%u,%u), which has finished and given its L1 to another "
                "core, as cores did not meet in earlier launches of this program; launch again",
                call,
                core.x,
                core.y);
        }
    }
    return l1_memory(core, shared_l1.range, offset);
}

static void stop_at_missing_buffer(uint64_t offset, const char* call) {
    if (const uint32_t cb = missing_buffer_at(offset); cb < kMaxCircularBuffers) [[unlikely]] {
        const Core& core = *current_instance().core;
        rule_error(
            Rule::CbNotConfigured,
            "%s uses the address of c_%u, which is not configured on core (%u,%u)",
            call,
            cb,
            core.x,
            core.y);
    }
}

enum class Access { Any, Overwrite, Later };

// Memory of `bytes` bytes at a node, or an error of the calling kernel.
static uint8_t* remote_memory(
    uint32_t x, uint32_t y, uint64_t local, uint64_t bytes, const char* call, Access access = Access::Any) {
    if (this_scheduler()->looking_ahead) [[unlikely]] {
        static thread_local std::vector<uint8_t> nowhere;
        nowhere.resize(std::max<uint64_t>(nowhere.size(), bytes));
        return nowhere.data();
    }
    const NocNode& node = this_scheduler()->program.chip.node(x, y);
    if (node.memory == nullptr) {
        stop_at_no_node(x, y, call);
    }
    const uint64_t offset = node.core != nullptr ? (local & kL1OffsetMask) : local;
    if (offset + bytes > node.bytes) {
        if (node.core != nullptr) {
            stop_at_missing_buffer(offset, call);
            kernel_error(
                "%s: %llu bytes at 0x%llx do not lie in the L1 of core (%u,%u), which has %llu bytes",
                call,
                static_cast<unsigned long long>(bytes),
                static_cast<unsigned long long>(offset),
                node.core->x,
                node.core->y,
                static_cast<unsigned long long>(node.bytes));
        }
        kernel_error(
            "%s: %llu bytes at 0x%llx do not lie in the DRAM bank at (%u,%u)",
            call,
            static_cast<unsigned long long>(bytes),
            static_cast<unsigned long long>(offset),
            x,
            y);
    }
    if (node.core != nullptr) {
        return core_memory(*node.core, local, call);
    }
    if (node.router != nullptr) {
        return node.memory + offset;
    }
    if (access == Access::Overwrite) {
        node.poison->before_overwrite(offset, bytes);
    } else if (access == Access::Any) {
        node.poison->before_access(offset, bytes);
    }
    return node.memory + offset;
}

static uint8_t* local_memory(uint32_t address, uint64_t bytes, const char* call) {
    const KernelInstance& instance = current_instance();
    const uint32_t offset = address & kL1OffsetMask;
    const uint32_t slot = address & ~kL1OffsetMask;
    stop_at_missing_buffer(offset, call);
    const bool is_own = slot == 0 || slot == instance.core->l1_base || slot == instance.core->circular_base;
    if (!is_own || offset + bytes > instance.context.l1_size) {
        kernel_error(
            "%s: %llu bytes at local address 0x%x do not lie in this core's L1 (%u bytes)",
            call,
            static_cast<unsigned long long>(bytes),
            is_own ? offset : address,
            instance.context.l1_size);
    }
    return own_memory(instance, address);
}

template <typename Action>
static void for_each_in_rectangle(uint64_t address, uint32_t flags, Action action) {
    const Core* self = current_instance().core;
    NocRectangle(address).for_each_core(this_scheduler()->program.chip, [&](const Core& core, uint32_t x, uint32_t y) {
        if (&core != self || (flags & kNocLoopback) != 0) {
            action(x, y);
        }
    });
}

// A plain run looks at the rectangle, too. A kernel sends to the same cores again and again, and looks once.
static void look_at_rectangle(
    uint64_t rectangle, uint32_t num_destinations, uint32_t noc, uint32_t flags, const char* call) {
    KernelInstance& instance = current_instance();
    const bool loopback = (flags & kNocLoopback) != 0;
    const uint64_t key =
        rectangle >> kNocLocalBits | uint64_t{num_destinations} << 32 | uint64_t{loopback} << 31 | uint64_t{noc} << 30;
    static_assert(4 * kNocNodeBits <= 30);
    if (key == instance.right_rectangle) [[likely]] {
        return;
    }
    stop_at_no_rectangle(rectangle, call);
    const bool is_plain = instance.checks == nullptr && !instance.scheduler->looking_ahead;
    if (is_plain && check_rectangle(instance, rectangle, num_destinations, noc, loopback)) {
        instance.right_rectangle = key;
    }
}

static void count_raise(KernelInstance& instance, const Core& core, uint32_t word, uint32_t link) {
    const uint32_t index = core.y * instance.scheduler->program.chip.config().grid_x + core.x;
    const uint64_t key = (static_cast<uint64_t>(instance.number) << 40) ^ (static_cast<uint64_t>(index) << 24) ^ word;
    SemaphoreRaise& raise =
        instance.scheduler->raises.try_emplace(key, SemaphoreRaise{instance.number, index, word, link}).first->second;
    (instance.scheduler->looking_ahead ? raise.later : raise.count)++;
}

// A packet raises any word: semaphores of several chips lie anywhere in L1.
static void note_packet_raise(uint64_t address, uint32_t link) {
    const NocAddress where = decode_noc_address(address);
    KernelInstance& instance = current_instance();
    if (const Core* core = instance.scheduler->program.chip.node(where.x, where.y).core) {
        count_raise(instance, *core, static_cast<uint32_t>(where.local & kL1OffsetMask), link);
    }
}

// Counts which kernel raised a semaphore, for reports about kernels that wait for it.
static void note_raise(uint32_t x, uint32_t y, uint64_t local) {
    KernelInstance& instance = current_instance();
    Program& program = instance.scheduler->program;
    const Core* core = program.chip.node(x, y).core;
    if (core == nullptr || program.semaphores.empty()) {
        return;
    }
    const uint64_t place = (local & kL1OffsetMask) - program.semaphore_base(*core);
    if (place < kNumSemaphores * kSemaphoreStride) {
        count_raise(instance, *core, static_cast<uint32_t>(local & kL1OffsetMask), wire::kNoLink);
    }
}

static void note_raise(uint64_t address) {
    const NocAddress where = decode_noc_address(address);
    note_raise(where.x, where.y, where.local);
}

// The outbox for a node; null where data arrives at once: in DRAM and in the core's own L1.
static Outbox* outbox_to(uint32_t x, uint32_t y) {
    Scheduler& scheduler = *this_scheduler();
    const Core* core = scheduler.program.chip.node(x, y).core;
    if (core == nullptr || core == scheduler.current->core || scheduler.looking_ahead) {
        return nullptr;
    }
    while (scheduler.outbox.is_full()) {
        tw_poll_yield();
    }
    return &scheduler.outbox;
}

// Number of the running kernel's time slice, which a write barrier ends for its flags.
static uint64_t slice_of(const Scheduler& scheduler) { return scheduler.switches + scheduler.acknowledged; }

// Before a flag is sent: waits until a flag sent there in an earlier time slice has been delivered, so that its
// receiver sees it.
static void wait_for_flag_delivered(uint32_t x, uint32_t y, uint64_t local, uint32_t bytes) {
    Outbox* outbox = bytes <= Outbox::kMostFlagBytes ? outbox_to(x, y) : nullptr;
    if (outbox == nullptr) {
        return;
    }
    const Scheduler& scheduler = *this_scheduler();
    const Program& program = scheduler.program;
    const uint8_t* to = l1_memory(*program.chip.node(x, y).core, program.shared_l1.range, local & kL1OffsetMask);
    while (outbox->has_value_of_earlier_slice(to, bytes, slice_of(scheduler))) {
        tw_poll_yield();
    }
}

static void wait_for_flags_delivered(uint64_t rectangle, uint32_t bytes) {
    if (bytes > Outbox::kMostFlagBytes) {
        return;
    }
    NocRectangle(rectangle).for_each_core(this_scheduler()->program.chip, [&](const Core&, uint32_t x, uint32_t y) {
        wait_for_flag_delivered(x, y, rectangle & kNocLocalMask, bytes);
    });
}

static void wait_for_flag_delivered(uint64_t address, uint32_t bytes) {
    const NocAddress where = decode_noc_address(address);
    wait_for_flag_delivered(where.x, where.y, where.local, bytes);
}

// Copies bytes to the L1 of a core.
static void copy_to_core(uint32_t x, uint32_t y, uint8_t* to, const uint8_t* from, uint32_t bytes) {
    Outbox* outbox = outbox_to(x, y);
    if (outbox != nullptr && (bytes <= Outbox::kMostFlagBytes || outbox->reaches(to, bytes))) {
        outbox->write(to, from, bytes, slice_of(*this_scheduler()));
    } else {
        std::memmove(to, from, bytes);
    }
}

static void write_enabled_bytes(
    uint32_t x, uint32_t y, uint64_t local, uint32_t value, uint32_t byte_enable, const char* call) {
    uint8_t* memory = remote_memory(x, y, local, sizeof value, call);
    noc_puts(current_instance(), memory, sizeof value, nullptr, false);
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    if ((byte_enable & 0xFu) == 0xFu) {
        copy_to_core(x, y, memory, bytes, sizeof value);
    } else {
        for (uint32_t byte = 0; byte < sizeof value; byte++) {
            if ((byte_enable >> byte) & 1u) {
                copy_to_core(x, y, memory + byte, bytes + byte, 1);
            }
        }
    }
    noc_wrote(current_instance(), memory, sizeof value);
}

// `wrap` is the counter's width minus one, as the hardware takes it.
static void increment(uint32_t x, uint32_t y, uint64_t local, uint32_t amount, uint32_t wrap, const char* call) {
    uint8_t* memory = remote_memory(x, y, local, sizeof amount, call);
    noc_puts(current_instance(), memory, sizeof amount, nullptr, false);
    const uint32_t mask = wrap >= 31 ? 0xffffffffu : (2u << wrap) - 1u;
    if (Outbox* outbox = outbox_to(x, y)) {
        outbox->increment(memory, amount, mask);
    } else {
        increment_word(memory, amount, mask);
    }
    noc_wrote(current_instance(), memory, sizeof amount);
}

// A core that reads back what it has just sent waits until that has arrived.
static void wait_for_own_writes(const Core* core, const uint8_t* from, uint32_t bytes) {
    Scheduler& scheduler = *this_scheduler();
    while (core != nullptr && core != scheduler.current->core && scheduler.outbox.reaches(from, bytes)) {
        tw_poll_yield();
    }
}

PacketEffect packet_write(uint64_t address, uint32_t from, uint32_t bytes, const PacketPath& path) {
    if (bytes == sizeof(uint32_t)) {
        note_packet_raise(address, path.left);
    }
    const NocAddress where = decode_noc_address(address);
    uint8_t* to = remote_memory(where.x, where.y, where.local, bytes, "a packet's write", Access::Later);
    const NocNode& node = this_scheduler()->program.chip.node(where.x, where.y);
    return {to, &node, address, path, from, bytes};
}

PacketEffect packet_increment(uint64_t address, uint32_t amount, bool flushes, const PacketPath& path) {
    note_packet_raise(address, path.left);
    const NocAddress where = decode_noc_address(address);
    uint8_t* to = remote_memory(where.x, where.y, where.local, sizeof amount, "a packet's atomic increment");
    const NocNode& node = this_scheduler()->program.chip.node(where.x, where.y);
    return {to, &node, address, path, 0, 0, amount, flushes};
}

void take_effect(const PacketEffect& effect, const Flight& flight) {
    on_packet_arrives(*flight.by, flight, effect);
    if (effect.bytes == 0) {
        increment_word(effect.to, effect.amount, ~0u);
        return;
    }
    if (effect.node->poison != nullptr) {
        effect.node->poison->before_overwrite(static_cast<uint64_t>(effect.to - effect.node->memory), effect.bytes);
    }
    std::memcpy(effect.to, flight.packet + effect.from, effect.bytes);
}

void deliver_word(uint32_t x, uint32_t y, uint32_t address, uint32_t value) {
    write_enabled_bytes(x, y, address, value, 0xF, "a router's answer");
}

uint32_t word_of_worker(uint32_t x, uint32_t y, uint32_t address) {
    uint32_t value = 0;
    std::memcpy(&value, remote_memory(x, y, address, sizeof value, "a router's credit"), sizeof value);
    return value;
}

static void wait_on_word(volatile uint32_t* address, uint32_t value, WaitKind kind) {
    const auto pointer = reinterpret_cast<uintptr_t>(address);
    KernelInstance& instance = current_instance();
    instance.wait_address = reinterpret_cast<volatile uint32_t*>(
        local_memory(static_cast<uint32_t>(pointer), sizeof(uint32_t), "noc_semaphore_wait"));
    auto met = [&] {
        return kind == WaitKind::SemaphoreEqual ? *instance.wait_address == value : *instance.wait_address >= value;
    };
    on_call(instance);
    while (!met() && !instance.scheduler->looking_ahead) {
        instance.scheduler->suspend(InstanceState::Polling, kind, 0, value);
    }
    on_semaphore_met(instance, instance.wait_address, value, kind == WaitKind::SemaphoreEqual);
}

}  // namespace tw

using namespace tw;

extern "C" {

void tw_noc_read(uint64_t source, uint32_t destination_l1, uint32_t bytes, uint32_t noc, uint32_t transaction_id) {
    stop_at_multicast_address(source, "noc_async_read");
    on_noc_read(current_instance(), source, destination_l1, bytes, noc, transaction_id);
    uint8_t* to = local_memory(destination_l1, bytes, "noc_async_read");
    const NocAddress where = decode_noc_address(source);
    const uint8_t* from = remote_memory(where.x, where.y, where.local, bytes, "noc_async_read");
    const Core* core = this_scheduler()->program.chip.node(where.x, where.y).core;
    if (core == nullptr) {
        prefetch_following(from, bytes);
    } else {
        wait_for_own_writes(core, from, bytes);
    }
    noc_takes(current_instance(), from, bytes);
    noc_puts(current_instance(), to, bytes, from, true);
    std::memmove(to, from, bytes);
    noc_copied(current_instance(), to, from, bytes, true);
}

void tw_noc_write(
    uint32_t source_l1, uint64_t destination, uint32_t bytes, uint32_t noc, uint32_t flags, uint32_t transaction_id) {
    stop_at_multicast_address(destination, "noc_async_write");
    wait_for_flag_delivered(destination, bytes);
    on_noc_write(current_instance(), source_l1, destination, bytes, noc, flags, transaction_id);
    if (bytes == sizeof(uint32_t)) [[unlikely]] {
        note_raise(destination);
    }
    const uint8_t* from = local_memory(source_l1, bytes, "noc_async_write");
    const NocAddress where = decode_noc_address(destination);
    uint8_t* to = remote_memory(where.x, where.y, where.local, bytes, "noc_async_write", Access::Overwrite);
    noc_takes(current_instance(), from, bytes);
    noc_puts(current_instance(), to, bytes, from, false);
    if (this_scheduler()->program.chip.node(where.x, where.y).core == nullptr) {
        streaming_copy(to, from, bytes);
    } else {
        copy_to_core(where.x, where.y, to, from, bytes);
    }
    noc_copied(current_instance(), to, from, bytes, false);
    current_instance().scheduler->progress++;
}

void tw_noc_write_multicast(
    uint32_t source_l1,
    uint64_t rectangle,
    uint32_t bytes,
    uint32_t num_destinations,
    uint32_t noc,
    uint32_t flags,
    uint32_t transaction_id) {
    const char* call = "noc_async_write_multicast";
    look_at_rectangle(rectangle, num_destinations, noc, flags, call);
    wait_for_flags_delivered(rectangle, bytes);
    on_noc_write_multicast(
        current_instance(), source_l1, rectangle, bytes, num_destinations, noc, flags, transaction_id);
    const uint8_t* from = local_memory(source_l1, bytes, call);
    noc_takes(current_instance(), from, bytes);
    for_each_in_rectangle(rectangle, flags, [&](uint32_t x, uint32_t y) {
        if (bytes == sizeof(uint32_t)) [[unlikely]] {
            note_raise(x, y, rectangle & kNocLocalMask);
        }
        uint8_t* to = remote_memory(x, y, rectangle & kNocLocalMask, bytes, call);
        noc_puts(current_instance(), to, bytes, from, false);
        copy_to_core(x, y, to, from, bytes);
        noc_copied(current_instance(), to, from, bytes, false);
    });
    current_instance().scheduler->progress++;
}

void tw_noc_inline_write(uint64_t destination, uint32_t value, uint32_t byte_enable, uint32_t noc, uint32_t flags) {
    Fabric* fabric = this_scheduler()->program.chip.fabric();
    if (fabric != nullptr && fabric->write_word(destination, value)) {
        return;
    }
    stop_at_multicast_address(destination, "noc_inline_dw_write");
    wait_for_flag_delivered(destination, sizeof value);
    on_noc_inline_write(current_instance(), destination, value, noc, flags);
    note_raise(destination);
    const NocAddress where = decode_noc_address(destination);
    write_enabled_bytes(where.x, where.y, where.local, value, byte_enable, "noc_inline_dw_write");
    current_instance().scheduler->progress++;
}

void tw_noc_inline_write_multicast(
    uint64_t rectangle, uint32_t value, uint32_t num_destinations, uint32_t noc, uint32_t flags) {
    const char* call = "noc_inline_dw_write";
    look_at_rectangle(rectangle, num_destinations, noc, flags, call);
    wait_for_flags_delivered(rectangle, sizeof value);
    on_noc_inline_write_multicast(current_instance(), rectangle, value, num_destinations, noc, flags);
    for_each_in_rectangle(rectangle, flags, [&](uint32_t x, uint32_t y) {
        note_raise(x, y, rectangle & kNocLocalMask);
        write_enabled_bytes(x, y, rectangle & kNocLocalMask, value, 0xF, call);
    });
    current_instance().scheduler->progress++;
}

void tw_noc_zero(uint64_t destination, uint32_t bytes, uint32_t noc) {
    stop_at_multicast_address(destination, "noc_async_write_zeros");
    on_noc_zero(current_instance(), destination, bytes, noc);
    const NocAddress where = decode_noc_address(destination);
    uint8_t* to = remote_memory(where.x, where.y, where.local, bytes, "noc_async_write_zeros");
    noc_puts(current_instance(), to, bytes, nullptr, true);
    if (outbox_to(where.x, where.y) != nullptr) {
        const std::vector<uint8_t> zeros(bytes);
        copy_to_core(where.x, where.y, to, zeros.data(), bytes);
    } else {
        std::memset(to, 0, bytes);
    }
    noc_wrote(current_instance(), to, bytes);
    current_instance().scheduler->progress++;
}

void tw_noc_atomic_increment(uint64_t destination, uint32_t amount, uint32_t wrap, uint32_t noc, uint32_t flags) {
    stop_at_multicast_address(destination, "noc_semaphore_inc");
    on_noc_atomic(current_instance(), destination, amount, noc, flags);
    note_raise(destination);
    const NocAddress where = decode_noc_address(destination);
    increment(where.x, where.y, where.local, amount, wrap, "noc_semaphore_inc");
    current_instance().scheduler->progress++;
}

void tw_noc_atomic_increment_multicast(
    uint64_t rectangle, uint32_t amount, uint32_t num_destinations, uint32_t noc, uint32_t flags) {
    const char* call = "noc_semaphore_inc_multicast";
    look_at_rectangle(rectangle, num_destinations, noc, flags, call);
    on_noc_atomic_multicast(current_instance(), rectangle, amount, num_destinations, noc, flags);
    for_each_in_rectangle(rectangle, flags, [&](uint32_t x, uint32_t y) {
        note_raise(x, y, rectangle & kNocLocalMask);
        increment(x, y, rectangle & kNocLocalMask, amount, 31, call);
    });
    current_instance().scheduler->progress++;
}

void tw_semaphore_wait_equal(volatile uint32_t* address, uint32_t value) {
    wait_on_word(address, value, WaitKind::SemaphoreEqual);
}

void tw_semaphore_wait_at_least(volatile uint32_t* address, uint32_t value) {
    wait_on_word(address, value, WaitKind::SemaphoreAtLeast);
}
}
