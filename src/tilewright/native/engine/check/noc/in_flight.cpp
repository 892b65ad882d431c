// SPDX-License-Identifier: Apache-2.0
// Findings about transfers in flight: memory that is used, overwritten, pushed or popped before the barrier of a
// transfer, flags that may overtake one, and transfers without a barrier at the end of a kernel.
#include "check/checks.h"
#include "check/hooks.h"
#include "check/memory/memory_names.h"
#include "check/noc/noc_checks.h"
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

// The kernel, or a transfer it issues, reads from `address`.
void NocChecks::check_load(KernelInstance& instance, uint32_t address, uint32_t bytes, const char* what) {
    Transfer* transfer = transfers_.find(*instance.core, address, bytes, kLanding);
    if (transfer == nullptr) {
        return;
    }
    transfer->reported = true;
    note_finding_with(
        instance,
        Rule::NocUseInFlight,
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

// The kernel, or a transfer it issues, writes to `address` of `core`.
void NocChecks::check_store(
    KernelInstance& instance, const Core& core, uint32_t address, uint32_t bytes, const char* what) {
    Transfer* transfer = transfers_.find(core, address, bytes, kLanding | kLeaving);
    if (transfer == nullptr) {
        return;
    }
    transfer->reported = true;
    note_finding_with(
        instance,
        Rule::NocReuseInFlight,
        circular_buffer_at(core, address),
        address,
        transfer->place,
        "%s",
        reuse_text(instance, core, address, bytes, what, *transfer).c_str());
}

// Storing a flag again while it is being sent does no harm if the value stays the same, which is known after the store.
void NocChecks::store_flag(KernelInstance& instance, uint32_t address, uint32_t bytes) {
    const Transfer* transfer = transfers_.find(*instance.core, address, bytes, kLanding | kLeaving);
    const bool is_sent = transfer != nullptr && Transfers::takes_from(*transfer, address, bytes);
    if (!is_sent) {
        check_store(instance, *instance.core, address, bytes, "stores");
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
        check_store(instance, *instance.core, address, bytes, "stores");
    } else if ((holds & kLanding) != 0) {
        check_load(instance, address, bytes, "uses");
    }
}

// An atomic has no order with writes. Writes are ordered if the chip guarantees it, and linked multicasts among
// themselves.
void NocChecks::check_order(
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
            both_multicast ? Rule::NocMulticastOrder : Rule::NocCreditUnordered,
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
            Rule::NocCreditUnordered,
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
            Rule::NocPushInFlight,
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
    // A transfer of another kernel from the page is checked when the page is written.
    for (Transfer& transfer : transfers_.of(instance).transfers) {
        if (!transfer.reported && transfers_.takes_from(transfer, range.begin, range.bytes)) {
            transfer.reported = true;
            first = leaving++ == 0 ? transfer.place : first;
        }
    }
    if (leaving != 0) {
        note_finding_with(
            instance,
            Rule::NocPopInFlight,
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
            instance, Rule::NocExitInFlight, kNoCircularBuffer, 0, first.frames, first.num_frames, text);
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

}  // namespace tw
