// SPDX-License-Identifier: Apache-2.0
#include "check/noc/noc_checks.h"

#include <algorithm>
#include <cstring>

#include "check/checks.h"
#include "check/hooks.h"
#include "check/memory/memory_names.h"
#include "check/noc/shard_rows.h"
#include "dataflow/noc_address.h"
#include "run/scheduler.h"

namespace tw {

void NocChecks::start(Program& program) {
    program_ = &program;
    transfers_.start(program);
    semaphores_.start(program, ordering_, transfers_);
    addresses_.start(program);
    receivers_.start(program);
}

uint32_t NocChecks::slot_pointer(const KernelInstance& instance, uint32_t local) const {
    return instance.core->l1_base + (local & kL1OffsetMask);
}

// Slot pointer of a NoC address that is this core's own memory; 0 for any other.
uint32_t NocChecks::own_address(const KernelInstance& instance, uint64_t noc_address) const {
    const NocAddress where = decode_noc_address(noc_address);
    const bool is_own = where.x == instance.core->noc_x && where.y == instance.core->noc_y;
    return is_own ? slot_pointer(instance, static_cast<uint32_t>(where.local)) : 0;
}

void NocChecks::read(uint64_t source, uint32_t local, uint32_t bytes, uint32_t noc, uint32_t transaction_id) {
    KernelInstance& instance = current_instance();
    on_call(instance);
    const uint32_t destination = slot_pointer(instance, local);
    const uint32_t own = own_address(instance, source);
    addresses_.check_size(instance, bytes, "reads");
    addresses_.check_alignment(instance, source, destination, true);
    addresses_.check_memory(instance, source, bytes, "reads");
    check_shard_rows_at(instance, source, bytes, "reads");
    check_shard_rows(instance, destination & kL1OffsetMask, bytes, "reads into");
    check_store(instance, *instance.core, destination, bytes, "reads");
    if (own != 0) {
        check_load(instance, own, bytes, "reads");
    }
    Transfer transfer;
    transfer.kind = TransferKind::Read;
    transfer.noc = static_cast<uint8_t>(noc);
    transfer.transaction_id = transaction_id;
    transfer.local = destination;
    transfer.own_remote = own;
    transfer.bytes = bytes;
    transfer.remote = source;
    transfer.issued = ordering_.now(instance.number);
    transfer.place = call_place(instance);
    transfers_.add(instance, std::move(transfer));
}

static Transfer write_transfer(uint64_t remote, uint32_t bytes, uint32_t noc, uint32_t flags, uint32_t transaction_id) {
    Transfer transfer;
    transfer.kind = (flags & kNocPosted) != 0 ? TransferKind::PostedWrite : TransferKind::Write;
    transfer.linked = (flags & kNocLinked) != 0;
    transfer.noc = static_cast<uint8_t>(noc);
    transfer.transaction_id = transaction_id;
    transfer.bytes = bytes;
    transfer.remote = remote;
    return transfer;
}

void NocChecks::write(
    uint32_t local, uint64_t destination, uint32_t bytes, uint32_t noc, uint32_t flags, uint32_t transaction_id) {
    KernelInstance& instance = current_instance();
    on_call(instance);
    const uint32_t source = slot_pointer(instance, local);
    addresses_.check_size(instance, bytes, "writes");
    addresses_.check_alignment(instance, destination, source, false);
    addresses_.check_memory(instance, destination, bytes, "writes");
    check_shard_rows_at(instance, destination, bytes, "writes");
    check_shard_rows(instance, source & kL1OffsetMask, bytes, "writes from");
    check_load(instance, source, bytes, "writes");
    Transfer transfer = write_transfer(destination, bytes, noc, flags, transaction_id);
    transfer.local = source;
    transfer.issued = ordering_.now(instance.number);
    transfer.place = call_place(instance);
    const NocAddress where = decode_noc_address(destination);
    if (Core* core = program_->chip.node(where.x, where.y).core) {
        const uint32_t there = core->l1_base + (static_cast<uint32_t>(where.local) & kL1OffsetMask);
        if (bytes == 4 && semaphores_.is_sync_word(there)) {
            signal(instance, *core, there, *reinterpret_cast<const uint32_t*>(uintptr_t{source}), noc, false, false);
            transfer.issued = ordering_.now(instance.number);
        } else {
            receivers_.sent(instance, *core, there, bytes);
            check_store(instance, *core, there, bytes, "writes");
            transfer.own_remote = there == source ? 0 : own_address(instance, destination);
        }
    }
    transfers_.add(instance, std::move(transfer));
}

void NocChecks::write_multicast(
    uint32_t local,
    uint64_t rectangle,
    uint32_t bytes,
    uint32_t num_destinations,
    uint32_t noc,
    uint32_t flags,
    uint32_t transaction_id) {
    KernelInstance& instance = current_instance();
    on_call(instance);
    const uint32_t source = slot_pointer(instance, local);
    const bool loopback = (flags & kNocLoopback) != 0;
    const uint32_t offset = static_cast<uint32_t>(rectangle & kNocLocalMask) & kL1OffsetMask;
    addresses_.check_size(instance, bytes, "multicasts");
    addresses_.check_alignment(instance, instance.core->l1_base + offset, source, false);
    check_rectangle(instance, rectangle, num_destinations, noc, loopback);
    check_load(instance, source, bytes, "multicasts");
    Transfer transfer = write_transfer(rectangle, bytes, noc, flags, transaction_id);
    transfer.multicast = true;
    transfer.local = source;
    transfer.place = call_place(instance);
    const uint32_t value = bytes == 4 ? *reinterpret_cast<const uint32_t*>(uintptr_t{source}) : 0;
    transfer.issued = ordering_.now(instance.number);  // an answer to this very flag proves that it has left
    NocRectangle(rectangle).for_each_core(program_->chip, [&](Core& core, uint32_t, uint32_t) {
        const uint32_t there = core.l1_base + offset;
        if (&core == instance.core && (!loopback || there == source)) {
            return;
        }
        if (bytes == 4 && semaphores_.is_sync_word(there)) {
            signal(instance, core, there, value, noc, true, false);
            return;
        }
        receivers_.sent(instance, core, there, bytes);
        check_store(instance, core, there, bytes, "multicasts");
        if (&core == instance.core) {
            transfer.own_remote = there;
        }
    });
    transfers_.add(instance, std::move(transfer));
    if (bytes == sizeof(uint32_t)) {
        signalled_by_multicast(instance, rectangle, loopback);
    }
}

// Raises or sets the word at `address` of `core`: data sent there before must arrive before.
void NocChecks::signal(
    KernelInstance& instance, Core& core, uint32_t address, uint32_t value, uint32_t noc, bool multicast, bool adds) {
    const char* what = multicast ? "multicasts a flag" : adds ? "raises a semaphore" : "writes a flag";
    check_order(instance, core, noc, multicast, adds, what);
    if (!instance.checks->is_fast) {
        instance.checks->history.signalled(instance, core);
    }
    semaphores_.raise(instance, core, address, value, adds);
}

void NocChecks::inline_write(uint64_t destination, uint32_t value, uint32_t noc, uint32_t flags) {
    KernelInstance& instance = current_instance();
    on_call(instance);
    addresses_.check_word(instance, destination, "inline write");
    const uint32_t issued = ordering_.now(instance.number);  // an answer to this very word acknowledges it
    const NocAddress where = decode_noc_address(destination);
    if (Core* core = program_->chip.node(where.x, where.y).core) {
        const uint32_t there = core->l1_base + (static_cast<uint32_t>(where.local) & kL1OffsetMask);
        if (semaphores_.is_sync_word(there)) {
            signal(instance, *core, there, value, noc, false, false);
        } else {
            check_order(instance, *core, noc, false, false, "writes a word inline");
        }
    }
    if ((flags & kNocPosted) == 0) {
        Transfer transfer = write_transfer(destination, 4, noc, flags, kNoTransactionId);
        transfer.place = call_place(instance);
        transfer.issued = issued;
        transfers_.add_unacknowledged(instance, std::move(transfer));
    }
}

void NocChecks::inline_write_multicast(
    uint64_t rectangle, uint32_t value, uint32_t num_destinations, uint32_t noc, uint32_t flags) {
    KernelInstance& instance = current_instance();
    on_call(instance);
    addresses_.check_word(instance, rectangle, "inline write");
    const uint32_t issued = ordering_.now(instance.number);  // an answer to this very word acknowledges it
    check_rectangle(instance, rectangle, num_destinations, noc, (flags & kNocLoopback) != 0);
    const uint32_t offset = static_cast<uint32_t>(rectangle & kNocLocalMask) & kL1OffsetMask;
    NocRectangle(rectangle).for_each_core(program_->chip, [&](Core& core, uint32_t, uint32_t) {
        if (&core != instance.core && semaphores_.is_sync_word(core.l1_base + offset)) {
            signal(instance, core, core.l1_base + offset, value, noc, true, false);
        }
    });
    signalled_by_multicast(instance, rectangle, (flags & kNocLoopback) != 0);
    if ((flags & kNocPosted) == 0) {
        Transfer transfer = write_transfer(rectangle, 4, noc, flags, kNoTransactionId);
        transfer.multicast = true;
        transfer.place = call_place(instance);
        transfer.issued = issued;
        transfers_.add_unacknowledged(instance, std::move(transfer));
    }
}

// On a card these are reads from memory that holds zeros.
void NocChecks::zero(uint64_t destination, uint32_t bytes, uint32_t noc) {
    KernelInstance& instance = current_instance();
    on_call(instance);
    const uint32_t own = own_address(instance, destination);
    if (own == 0) {
        return;
    }
    check_store(instance, *instance.core, own, bytes, "clears");
    Transfer transfer;
    transfer.noc = static_cast<uint8_t>(noc);
    transfer.local = own;
    transfer.bytes = bytes;
    transfer.remote = destination;
    transfer.place = call_place(instance);
    transfers_.add(instance, std::move(transfer));
}

// The value of a word in L1 after pending deliveries.
static uint32_t word_after_delivery(uint32_t address) {
    return this_scheduler()->outbox.word_after_delivery(reinterpret_cast<const uint8_t*>(uintptr_t{address}));
}

void NocChecks::atomic(uint64_t destination, uint32_t amount, uint32_t noc, uint32_t flags) {
    KernelInstance& instance = current_instance();
    on_call(instance);
    addresses_.check_word(instance, destination, "noc_semaphore_inc");
    const NocAddress where = decode_noc_address(destination);
    if (Core* core = program_->chip.node(where.x, where.y).core) {
        const uint32_t there = core->l1_base + (static_cast<uint32_t>(where.local) & kL1OffsetMask);
        if ((flags & kNocPosted) == 0) {
            transfers_.add_atomic(instance, noc, *core, ordering_.now(instance.number));
        }
        signal(instance, *core, there, word_after_delivery(there) + amount, noc, false, true);
    }
}

void NocChecks::atomic_multicast(
    uint64_t rectangle, uint32_t amount, uint32_t num_destinations, uint32_t noc, uint32_t flags) {
    KernelInstance& instance = current_instance();
    on_call(instance);
    addresses_.check_word(instance, rectangle, "noc_semaphore_inc_multicast");
    check_rectangle(instance, rectangle, num_destinations, noc, (flags & kNocLoopback) != 0);
    const uint32_t offset = static_cast<uint32_t>(rectangle & kNocLocalMask) & kL1OffsetMask;
    NocRectangle(rectangle).for_each_core(program_->chip, [&](Core& core, uint32_t, uint32_t) {
        if (&core != instance.core || (flags & kNocLoopback) != 0) {
            const uint32_t there = core.l1_base + offset;
            if ((flags & kNocPosted) == 0) {
                transfers_.add_atomic(instance, noc, core, ordering_.now(instance.number));
            }
            signal(instance, core, there, word_after_delivery(there) + amount, noc, true, true);
        }
    });
    signalled_by_multicast(instance, rectangle, (flags & kNocLoopback) != 0);
}

void NocChecks::packet_write(KernelInstance& instance, uint64_t address, uint32_t bytes, const uint8_t* values) {
    addresses_.check_packet(instance, address, bytes);
    const NocAddress where = decode_noc_address(address);
    Core* core = program_->chip.node(where.x, where.y).core;
    if (core == nullptr) {
        return;
    }
    const uint32_t there = core->l1_base + (static_cast<uint32_t>(where.local) & kL1OffsetMask);
    if (bytes == sizeof(uint32_t) && semaphores_.is_sync_word(there)) {
        uint32_t value;
        std::memcpy(&value, values, sizeof value);
        packet_signal(instance, *core, there, value, false);
    } else if (Transfer* transfer = transfers_.find(*core, there, bytes, kLanding | kLeaving)) {
        transfer->reported = true;
        note_finding_with(
            instance,
            Rule::FabricMemoryInUse,
            circular_buffer_at(*core, there),
            there,
            transfer->place,
            "sends a packet of %u bytes to %s on core (%u,%u), where a transfer of %u bytes is in flight",
            bytes,
            l1_place_name(*core, there).c_str(),
            core->x,
            core->y,
            transfer->bytes);
    }
}

void NocChecks::packet_increment(KernelInstance& instance, uint64_t address, uint32_t amount) {
    addresses_.check_word(instance, address, "a packet's atomic increment");
    const NocAddress where = decode_noc_address(address);
    if (Core* core = program_->chip.node(where.x, where.y).core) {
        const uint32_t there = core->l1_base + (static_cast<uint32_t>(where.local) & kL1OffsetMask);
        packet_signal(instance, *core, there, word_after_delivery(there) + amount, true);
    }
}

void NocChecks::packet_signal(KernelInstance& instance, Core& core, uint32_t address, uint32_t value, bool adds) {
    semaphores_.raise(instance, core, address, value, adds);
}

// A multicast of a word that kernels synchronise by: its actual and its intended receivers.
void NocChecks::signalled_by_multicast(KernelInstance& instance, uint64_t rectangle, bool loopback) {
    const uint32_t offset = static_cast<uint32_t>(rectangle & kNocLocalMask) & kL1OffsetMask;
    bool is_awaited = semaphores_.is_sync_word(instance.core->l1_base + offset);
    std::vector<Core*> signalled;
    NocRectangle(rectangle).for_each_core(program_->chip, [&](Core& core, uint32_t, uint32_t) {
        if (&core != instance.core || loopback) {
            is_awaited |= semaphores_.is_sync_word(core.l1_base + offset);
            signalled.push_back(&core);
        }
    });
    if (is_awaited && !signalled.empty()) {
        receivers_.signalled(instance, offset, signalled);
    }
}

void NocChecks::barrier(Barrier kind, uint32_t noc, uint32_t transaction_id) {
    KernelInstance& instance = current_instance();
    on_call(instance);
    transfers_.barrier(
        instance, kind, noc, transaction_id, [&](const Transfer& transfer) { source_freed(instance, transfer); });
    const bool arrives = kind == Barrier::WriteAck || kind == Barrier::PostedSent || kind == Barrier::Full;
    if (arrives && !instance.checks->is_fast) {
        instance.checks->history.writes_arrived(instance);
    }
}

// The barrier ends the read of a transfer's source at the latest; signals before it do not cover that read.
void NocChecks::source_freed(KernelInstance& instance, const Transfer& transfer) {
    if (instance.checks->is_fast || transfer.sent || transfer.issued == ordering_.now(instance.number)) {
        return;
    }
    uintptr_t source = transfer.local;
    if (transfer.kind == TransferKind::Read) {
        const NocAddress where = decode_noc_address(transfer.remote);
        const NocNode& node = program_->chip.node(where.x, where.y);
        source = reinterpret_cast<uintptr_t>(node.memory) +
                 (node.core != nullptr ? where.local & kL1OffsetMask : where.local);
    }
    instance.checks->history.ended(instance, source, transfer.bytes, Touch::Read, transfer.place);
}

void NocChecks::oversized(uint32_t bytes, uint32_t most) {
    note_finding(
        current_instance(),
        Rule::NocOversized,
        kNoCircularBuffer,
        0,
        "moves %u bytes with a call that sends one packet; a packet has at most %u",
        bytes,
        most);
}

void NocChecks::page(bool is_dram, uint32_t base, uint32_t page, uint32_t page_bytes, uint64_t address) {
    addresses_.page(is_dram, base, page, page_bytes, address);
}

std::string NocChecks::last_wait(const KernelInstance& instance) const { return semaphores_.last_wait(instance); }

void NocChecks::waited(KernelInstance& instance, uint32_t address, uint32_t value, bool equal) {
    semaphores_.waited(instance, address, value, equal);
}

void NocChecks::stuck(Program& program) {
    for (const auto& instance : program.instances) {
        const bool is_equal = instance->wait_kind == WaitKind::SemaphoreEqual;
        if (instance->state != InstanceState::Polling ||
            !(is_equal || instance->wait_kind == WaitKind::SemaphoreAtLeast)) {
            continue;
        }
        const auto address = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(instance->wait_address));
        semaphores_.stuck(*instance, address, instance->wait_amount, is_equal);
        receivers_.stuck(*instance, address, semaphores_);
        instance->checks->packets.stuck(*instance, address, semaphores_);
    }
}

}  // namespace tw
