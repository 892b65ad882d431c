// SPDX-License-Identifier: Apache-2.0
#include "check/noc/noc_checks.h"

#include <algorithm>

#include "check/checks.h"
#include "check/hooks.h"
#include "check/memory/memory_names.h"
#include "dataflow/noc_address.h"
#include "run/scheduler.h"

namespace tw {

static const char* kind_name(const Transfer& transfer) {
    if (transfer.kind == TransferKind::Read) {
        return "read";
    }
    return transfer.multicast ? "multicast" : "write";
}

static const char* barrier_name(const Transfer& transfer) {
    switch (transfer.kind) {
        case TransferKind::Read: return "noc_async_read_barrier";
        case TransferKind::PostedWrite: return "noc_async_posted_writes_flushed";
        default: return transfer.sent ? "noc_async_write_barrier" : "noc_async_writes_flushed";
    }
}

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

// The kernel, or a transfer it issues, takes data from `address`.
void NocChecks::judge_load(KernelInstance& instance, uint32_t address, uint32_t bytes, const char* what) {
    Transfer* transfer = transfers_.find(*instance.core, address, bytes, kLanding);
    if (transfer == nullptr) {
        return;
    }
    transfer->reported = true;
    note_finding_with(
        instance,
        "noc-use-in-flight",
        circular_buffer_at(*instance.core, address),
        address,
        transfer->place,
        "%s %u bytes of %s, where a %s of %u bytes may still be arriving: no barrier of its kind has followed it",
        what,
        bytes,
        l1_place_name(*instance.core, address).c_str(),
        kind_name(*transfer),
        transfer->bytes);
}

static std::string reuse_text(
    const KernelInstance& instance,
    const Core& core,
    uint32_t address,
    uint32_t bytes,
    const char* what,
    const Transfer& transfer) {
    const bool arriving = !Transfers::takes_from(transfer, address, bytes);
    char text[256];
    std::snprintf(
        text,
        sizeof text,
        "%s %u bytes %s %s, %s a %s of %u bytes may still be %s: no %s has followed it",
        what,
        bytes,
        &core == instance.core ? "to" : "to another core's",
        l1_place_name(core, address).c_str(),
        arriving ? "where" : "from which",
        kind_name(transfer),
        transfer.bytes,
        arriving ? "arriving" : "taking data",
        barrier_name(transfer));
    return text;
}

// The kernel, or a transfer it issues, puts data to `address` of `core`.
void NocChecks::judge_store(
    KernelInstance& instance, const Core& core, uint32_t address, uint32_t bytes, const char* what) {
    Transfer* transfer = transfers_.find(core, address, bytes, kLanding | kLeaving);
    if (transfer == nullptr) {
        return;
    }
    transfer->reported = true;
    note_finding_with(
        instance,
        "noc-reuse-in-flight",
        circular_buffer_at(core, address),
        address,
        transfer->place,
        "%s",
        reuse_text(instance, core, address, bytes, what, *transfer).c_str());
}

// A flag that is stored again while it is being sent does no harm if it keeps its value, which the store will show.
void NocChecks::store_flag(KernelInstance& instance, uint32_t address, uint32_t bytes) {
    const Transfer* transfer = transfers_.find(*instance.core, address, bytes, kLanding | kLeaving);
    const bool is_sent = transfer != nullptr && Transfers::takes_from(*transfer, address, bytes);
    if (!is_sent) {
        judge_store(instance, *instance.core, address, bytes, "stores");
        semaphores_.store(instance, address, {}, {});
        return;
    }
    const std::string text = reuse_text(instance, *instance.core, address, bytes, "stores", *transfer);
    semaphores_.store(instance, address, transfer->place, text);
}

void NocChecks::access(KernelInstance& instance, uint32_t address, uint32_t bytes, bool is_write) {
    uint8_t holds = transfers_.holds(*instance.core, address, bytes);
    if (holds == 0) {
        return;
    }
    if ((holds & kSyncWord) != 0 && bytes <= 8 && semaphores_.is_sync_word(address)) {
        on_call(instance);
        if (is_write) {
            store_flag(instance, address, bytes);
        } else {
            semaphores_.load(instance, address);
        }
        return;
    }
    if (is_write) {
        judge_store(instance, *instance.core, address, bytes, "stores");
    } else if ((holds & kLanding) != 0) {
        judge_load(instance, address, bytes, "uses");
    }
}

void NocChecks::read(uint64_t source, uint32_t local, uint32_t bytes, uint32_t noc, uint32_t transaction_id) {
    KernelInstance& instance = current_instance();
    on_call(instance);
    const uint32_t destination = slot_pointer(instance, local);
    const uint32_t own = own_address(instance, source);
    addresses_.judge_size(instance, bytes, "reads");
    addresses_.judge_alignment(instance, source, destination, true);
    addresses_.judge_memory(instance, source, bytes, "reads");
    judge_store(instance, *instance.core, destination, bytes, "reads");
    if (own != 0) {
        judge_load(instance, own, bytes, "reads");
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
    addresses_.judge_size(instance, bytes, "writes");
    addresses_.judge_alignment(instance, destination, source, false);
    addresses_.judge_memory(instance, destination, bytes, "writes");
    judge_load(instance, source, bytes, "writes");
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
            judge_store(instance, *core, there, bytes, "writes");
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
    addresses_.judge_size(instance, bytes, "multicasts");
    addresses_.judge_alignment(instance, instance.core->l1_base + offset, source, false);
    addresses_.judge_rectangle(instance, rectangle, num_destinations, noc, loopback);
    judge_load(instance, source, bytes, "multicasts");
    Transfer transfer = write_transfer(rectangle, bytes, noc, flags, transaction_id);
    transfer.multicast = true;
    transfer.local = source;
    transfer.place = call_place(instance);
    const uint32_t value = bytes == 4 ? *reinterpret_cast<const uint32_t*>(uintptr_t{source}) : 0;
    transfer.issued = ordering_.now(instance.number);  // whoever answers this very flag knows that it has left
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
        judge_store(instance, core, there, bytes, "multicasts");
        if (&core == instance.core) {
            transfer.own_remote = there;
        }
    });
    transfers_.add(instance, std::move(transfer));
    if (bytes == sizeof(uint32_t)) {
        told_by_multicast(instance, rectangle, loopback);
    }
}

// Raises or sets the word at `address` of `core`: what was sent there before should be there before.
void NocChecks::signal(
    KernelInstance& instance, Core& core, uint32_t address, uint32_t value, uint32_t noc, bool multicast, bool adds) {
    const char* what = multicast ? "multicasts a flag" : adds ? "raises a semaphore" : "writes a flag";
    judge_order(instance, core, noc, multicast, adds, what);
    instance.checks->history.told(instance, core);
    semaphores_.raise(instance, core, address, value, adds);
}

// An atomic has no order with writes. Writes have one where the chip says so, and multicasts among themselves.
void NocChecks::judge_order(
    KernelInstance& instance, const Core& core, uint32_t noc, bool multicast, bool adds, const char* what) {
    OpenTransfers& open = transfers_.of(instance);
    for (Transfer& transfer : open.transfers) {
        const bool is_flag = transfer.bytes == 4;
        if (transfer.reported || transfer.sent || is_flag || !transfers_.reaches(transfer, core) ||
            &core == instance.core) {
            continue;
        }
        const bool both_multicast = multicast && transfer.multicast;
        const bool is_alike = multicast == transfer.multicast && transfer.noc == noc && (multicast || !adds);
        const bool is_linked = both_multicast && transfer.linked;
        if (is_alike && (is_linked || program_->chip.config().writes_keep_order != 0)) {
            continue;
        }
        transfer.reported = true;
        note_finding_with(
            instance,
            both_multicast ? "noc-multicast-order" : "noc-credit-unordered",
            kNoCircularBuffer,
            0,
            transfer.place,
            "%s on core (%u,%u) with NoC %u while a %s of %u bytes to that core on NoC %u has not been flushed",
            what,
            core.x,
            core.y,
            noc,
            kind_name(transfer),
            transfer.bytes,
            transfer.noc);
    }
    const OpenTransfers::Noc& other = open.noc[(noc & 1u) ^ 1u];
    if (!other.written_cores.empty() && other.written_cores[transfers_.core_index(core)] && &core != instance.core) {
        note_finding_with(
            instance,
            "noc-credit-unordered",
            kNoCircularBuffer,
            0,
            other.writes.front().first,
            "%s on core (%u,%u) with NoC %u while writes to that core on NoC %u are not acknowledged",
            what,
            core.x,
            core.y,
            noc,
            (noc & 1u) ^ 1u);
    }
}

void NocChecks::inline_write(uint64_t destination, uint32_t value, uint32_t noc, uint32_t flags) {
    KernelInstance& instance = current_instance();
    on_call(instance);
    addresses_.judge_word(instance, destination, "inline write");
    const uint32_t issued = ordering_.now(instance.number);  // whoever answers this very word knows of it
    const NocAddress where = decode_noc_address(destination);
    if (Core* core = program_->chip.node(where.x, where.y).core) {
        const uint32_t there = core->l1_base + (static_cast<uint32_t>(where.local) & kL1OffsetMask);
        if (semaphores_.is_sync_word(there)) {
            signal(instance, *core, there, value, noc, false, false);
        } else {
            judge_order(instance, *core, noc, false, false, "writes a word inline");
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
    addresses_.judge_word(instance, rectangle, "inline write");
    const uint32_t issued = ordering_.now(instance.number);  // whoever answers this very word knows of it
    addresses_.judge_rectangle(instance, rectangle, num_destinations, noc, (flags & kNocLoopback) != 0);
    const uint32_t offset = static_cast<uint32_t>(rectangle & kNocLocalMask) & kL1OffsetMask;
    NocRectangle(rectangle).for_each_core(program_->chip, [&](Core& core, uint32_t, uint32_t) {
        if (&core != instance.core && semaphores_.is_sync_word(core.l1_base + offset)) {
            signal(instance, core, core.l1_base + offset, value, noc, true, false);
        }
    });
    told_by_multicast(instance, rectangle, (flags & kNocLoopback) != 0);
    if ((flags & kNocPosted) == 0) {
        Transfer transfer = write_transfer(rectangle, 4, noc, flags, kNoTransactionId);
        transfer.multicast = true;
        transfer.place = call_place(instance);
        transfer.issued = issued;
        transfers_.add_unacknowledged(instance, std::move(transfer));
    }
}

// On a card these are reads from a place that holds zeros.
void NocChecks::zero(uint64_t destination, uint32_t bytes, uint32_t noc) {
    KernelInstance& instance = current_instance();
    on_call(instance);
    const uint32_t own = own_address(instance, destination);
    if (own == 0) {
        return;
    }
    judge_store(instance, *instance.core, own, bytes, "clears");
    Transfer transfer;
    transfer.noc = static_cast<uint8_t>(noc);
    transfer.local = own;
    transfer.bytes = bytes;
    transfer.remote = destination;
    transfer.place = call_place(instance);
    transfers_.add(instance, std::move(transfer));
}

// What a word of a core's L1 holds, with what is on its way to it.
static uint32_t word_after_delivery(uint32_t address) {
    return this_scheduler()->outbox.word_after_delivery(reinterpret_cast<const uint8_t*>(uintptr_t{address}));
}

void NocChecks::atomic(uint64_t destination, uint32_t amount, uint32_t noc, uint32_t flags) {
    KernelInstance& instance = current_instance();
    on_call(instance);
    addresses_.judge_word(instance, destination, "noc_semaphore_inc");
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
    addresses_.judge_word(instance, rectangle, "noc_semaphore_inc_multicast");
    addresses_.judge_rectangle(instance, rectangle, num_destinations, noc, (flags & kNocLoopback) != 0);
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
    told_by_multicast(instance, rectangle, (flags & kNocLoopback) != 0);
}

// A multicast of a word that kernels synchronise by: where it goes, or where it was meant to go.
void NocChecks::told_by_multicast(KernelInstance& instance, uint64_t rectangle, bool loopback) {
    const uint32_t offset = static_cast<uint32_t>(rectangle & kNocLocalMask) & kL1OffsetMask;
    bool is_awaited = semaphores_.is_sync_word(instance.core->l1_base + offset);
    std::vector<Core*> told;
    NocRectangle(rectangle).for_each_core(program_->chip, [&](Core& core, uint32_t, uint32_t) {
        if (&core != instance.core || loopback) {
            is_awaited |= semaphores_.is_sync_word(core.l1_base + offset);
            told.push_back(&core);
        }
    });
    if (is_awaited && !told.empty()) {
        receivers_.told(instance, offset, told);
    }
}

void NocChecks::barrier(Barrier kind, uint32_t noc, uint32_t transaction_id) {
    KernelInstance& instance = current_instance();
    on_call(instance);
    transfers_.barrier(
        instance, kind, noc, transaction_id, [&](const Transfer& transfer) { source_freed(instance, transfer); });
    if (kind == Barrier::WriteAck || kind == Barrier::PostedSent || kind == Barrier::Full) {
        instance.checks->history.writes_arrived(instance);
    }
}

// What a transfer takes it has taken by its barrier at the latest; a signal in between said too much.
void NocChecks::source_freed(KernelInstance& instance, const Transfer& transfer) {
    if (transfer.sent || transfer.issued == ordering_.now(instance.number)) {
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
        "noc-oversized",
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

struct PageRange {
    uint32_t begin, bytes;
};

static PageRange pages_at(const KernelInstance& instance, uint32_t pointer, uint32_t cb, uint32_t pages) {
    const uint32_t shift = instance.context.compute_words ? 4 : 0;
    return {pointer << shift, (instance.context.cb[cb].fifo_page_size * pages) << shift};
}

void NocChecks::push(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    const PageRange range = pages_at(instance, instance.context.cb[cb].fifo_wr_ptr, cb, pages);
    uint32_t landing = 0;
    CallPlace first;
    while (Transfer* transfer = transfers_.find(*instance.core, range.begin, range.bytes, kLanding)) {
        transfer->reported = true;
        first = landing++ == 0 ? transfer->place : first;
    }
    if (landing != 0) {
        note_finding_with(
            instance,
            "noc-push-in-flight",
            cb,
            range.begin,
            first,
            "pushes %u page%s of c_%u while %u transfer%s into %s may still be arriving",
            pages,
            pages == 1 ? "" : "s",
            cb,
            landing,
            landing == 1 ? "" : "s",
            pages == 1 ? "it" : "them");
    }
}

void NocChecks::pop(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    const PageRange range = pages_at(instance, instance.context.cb[cb].fifo_rd_ptr, cb, pages);
    uint32_t leaving = 0;
    CallPlace first;
    // What another kernel sends from a page is its own business until somebody writes there.
    for (Transfer& transfer : transfers_.of(instance).transfers) {
        if (!transfer.reported && transfers_.takes_from(transfer, range.begin, range.bytes)) {
            transfer.reported = true;
            first = leaving++ == 0 ? transfer.place : first;
        }
    }
    if (leaving != 0) {
        note_finding_with(
            instance,
            "noc-pop-in-flight",
            cb,
            range.begin,
            first,
            "pops %u page%s of c_%u while %u transfer%s may still be taking data from %s",
            pages,
            pages == 1 ? "" : "s",
            cb,
            leaving,
            leaving == 1 ? "" : "s",
            pages == 1 ? "it" : "them");
    }
}

void NocChecks::exit(KernelInstance& instance) {
    const OpenTransfers& open = transfers_.of(instance);
    auto note = [&](uint32_t count, const char* what, const char* barrier, const CallPlace& first) {
        char text[256];
        std::snprintf(
            text, sizeof text, "ends with %u %s%s and no %s after it", count, what, count == 1 ? "" : "s", barrier);
        instance.checks->findings.add(
            instance, "noc-exit-in-flight", kNoCircularBuffer, 0, first.frames, first.num_frames, text);
    };
    for (const TransferKind kind : {TransferKind::Read, TransferKind::Write, TransferKind::PostedWrite}) {
        const Transfer* first = nullptr;
        uint32_t count = 0;
        for (const Transfer& transfer : open.transfers) {
            if (transfer.kind == kind && !transfer.reported) {
                first = count++ == 0 ? &transfer : first;
            }
        }
        if (first != nullptr) {
            const char* barrier = kind == TransferKind::Write ? "noc_async_write_barrier" : barrier_name(*first);
            note(count, kind == TransferKind::Read ? "read" : "write", barrier, first->place);
        }
    }
    for (const OpenTransfers::Noc& noc : open.noc) {
        uint32_t writes = 0;
        for (const Unacknowledged& each : noc.writes) {
            writes += each.count;
        }
        if (writes != 0) {
            note(writes, "unacknowledged write", "noc_async_write_barrier", noc.writes.front().first);
        }
        uint32_t atomics = 0;
        for (const OpenAtomics& each : noc.atomics) {
            atomics += each.count;
        }
        if (atomics != 0) {
            note(atomics, "atomic", "noc_async_atomic_barrier", noc.atomics.front().first);
        }
    }
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
    }
}

}  // namespace tw
