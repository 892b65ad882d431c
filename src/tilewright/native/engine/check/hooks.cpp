// SPDX-License-Identifier: Apache-2.0
#include "check/hooks.h"

#include "check/compute/operands.h"
#include "run/threads.h"

namespace tw {

static Checks& paused(KernelInstance& instance) {
    Checks& checks = *instance.checks;
    if (!checks.is_fast) {
        checks.processors.restore_shown(instance);
        checks.processors.finish_copy(instance, checks.findings);
    }
    checks.cb_access.called(instance);
    return checks;
}

static Checks& called(KernelInstance& instance) {
    if (!instance.checks->is_fast) {
        instance.checks->processors.end_polling(instance);
    }
    return paused(instance);
}

// Calls of processors end what the checks of their loads and stores remember.
static void restore_shown(KernelInstance& instance) {
    if (!instance.checks->is_fast) {
        instance.checks->processors.restore_shown(instance);
    }
}

static void synchronise_threads(KernelInstance& instance) {
    if (!instance.checks->is_fast) {
        instance.checks->threads.synchronised(instance);
    }
}

static void invalidate_cache(KernelInstance& instance) {
    if (!instance.checks->is_fast) {
        instance.checks->processors.invalidate_cache(instance);
    }
}

void start_memory_checks(Program& program) {
    Checks& checks = *program.checks;
    checks.ordering.start(program.instances.size());
    checks.noc.start(program);
    checks.cb_access.start(program);
    checks.tensors.start(program);
    if (checks.is_fast) {
        return;
    }
    checks.processors.start(program);
    checks.stored_pages.start(program);
    checks.history.start(program);
    checks.layouts.start(program);
    checks.threads.start(program);
    checks.work_split.start(program);
}

void finish_memory_checks(Program& program) {
    Checks& checks = *program.checks;
    checks.cb_access.finish(program, checks.findings);
    checks.noc.finish(checks.findings);
    if (checks.is_fast) {
        return;
    }
    checks.processors.finish(program, checks.findings);
    checks.layouts.finish(checks.findings);
    if (program.status.load() == static_cast<int32_t>(RunStatus::Ok)) {
        checks.work_split.finish(checks.findings);
    }
}

void checked::on_call(KernelInstance& instance) {
    restore_shown(instance);
    instance.scheduler->preempt();
}

void checked::on_suspended(KernelInstance& instance) { restore_shown(instance); }

void checked::on_end(KernelInstance& instance) {
    restore_shown(instance);
    if (is_last_thread(instance)) {
        instance.checks->noc.exit(instance);
        instance.checks->packets.exit(instance);
    }
    check_dst_at_end(instance);
}

void checked::on_stuck(KernelInstance& instance) { instance.checks->noc.stuck(instance.scheduler->program); }

void checked::on_reserved(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    Checks& checks = called(instance);
    checks.cb_access.reserved(instance, cb, pages);
    if (!checks.is_fast) {
        const CoreCircularBuffer& buffer = instance.core->cb[cb];
        const uint64_t filled = buffer.pushed + pages;
        checks.threads.reserved(instance, cb, filled > buffer.num_pages ? filled - buffer.num_pages : 0);
    }
    invalidate_cache(instance);  // the call does so while it polls
}

void checked::on_push(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    Checks& checks = called(instance);
    checks.cb_access.pushing(instance, cb, pages);
    if (!checks.is_fast) {
        checks.threads.pushed(instance, cb, instance.core->cb[cb].pushed + pages);
        checks.stored_pages.push(instance, cb, pages);
    }
    checks.noc.push(instance, cb, pages);
}

void checked::on_waiting(KernelInstance& instance, uint32_t cb) { called(instance).cb_access.waiting(instance, cb); }

void checked::on_waited(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    Checks& checks = called(instance);
    checks.cb_access.waited(instance, cb, pages);
    if (!checks.is_fast) {
        checks.threads.waited(instance, cb, instance.core->cb[cb].popped + pages);
    }
}

void checked::on_pop(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    Checks& checks = called(instance);
    checks.cb_access.popping(instance, cb, pages);
    if (!checks.is_fast) {
        checks.threads.popped(instance, cb, instance.core->cb[cb].popped + pages);
    }
    checks.noc.pop(instance, cb, pages);
}

void checked::on_counters_read(KernelInstance& instance, uint32_t cb) {
    Checks& checks = called(instance);
    checks.cb_access.saw_counters(instance, cb);
    synchronise_threads(instance);
}

bool reads_counters(const KernelInstance& instance, uint32_t cb) {
    return instance.checks != nullptr && instance.checks->cb_access.sees_counters(instance, cb);
}

static void on_pages(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, bool is_write) {
    Checks& checks = called(instance);
    checks.cb_access.access_pages(instance, cb, address, bytes, is_write);
    if (checks.is_fast) {
        checks.noc.access(instance, address, bytes, is_write);
        return;
    }
    const uint32_t place = checks.history.place_here(instance);
    checks.threads.access(instance, cb, address, bytes, is_write, place);
    checks.noc.access(instance, address, bytes, is_write);
    checks.history.touch_from(place, instance, address, bytes, is_write ? Touch::Write : Touch::Read);
    if (is_write) {  // the packer's hooks (check/values/tile_memory.cpp) mark the bytes that are defined
        checks.processors.written(*instance.core, address, bytes);
        checks.stored_pages.written(address, bytes);
    }
}

void checked::on_tile(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, bool is_write) {
    on_pages(instance, cb, address, bytes, is_write);
    if (instance.checks->is_fast) {
        return;
    }
    PageLayouts& layouts = instance.checks->layouts;
    is_write ? layouts.wrote_tiles(instance, cb, address, bytes) : layouts.reads_tiles(instance, cb, address, bytes);
}

void checked::on_rows(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, bool is_write) {
    on_pages(instance, cb, address, bytes, is_write);
    if (instance.checks->is_fast) {
        return;
    }
    PageLayouts& layouts = instance.checks->layouts;
    is_write ? layouts.wrote_rows(instance, cb, address, bytes) : layouts.reads_rows(instance, cb, address, bytes);
}

void checked::on_rows_past_end(
    KernelInstance& instance, uint32_t cb, uint64_t left, uint64_t bytes, bool is_write, const char* call) {
    note_finding(
        instance,
        Rule::CbIndexWrap,
        cb,
        0,
        "%s %s %llu bytes of rows in c_%u, but only %llu are left before the end of the circular buffer (a block does "
        "not wrap)",
        call,
        is_write ? "writes" : "reads",
        static_cast<unsigned long long>(bytes),
        cb,
        static_cast<unsigned long long>(left));
}

void checked::on_semaphore_met(KernelInstance& instance, const volatile uint32_t* word, uint32_t value, bool equal) {
    Checks& checks = called(instance);
    const auto address = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(word));
    checks.noc.waited(instance, address, value, equal);
    synchronise_threads(instance);
    invalidate_cache(instance);
}

void checked::on_mailbox(KernelInstance& instance, bool is_write) {
    Ordering& ordering = called(instance).ordering;
    const uint64_t key = Ordering::mailbox_key(instance);
    is_write ? ordering.release(instance, key) : ordering.acquire(instance, key);
    checked::on_synchronised(instance);
}

void checked::on_synchronised(KernelInstance& instance) {
    called(instance);
    synchronise_threads(instance);
}

void checked::on_cache_invalidated(KernelInstance& instance) {
    Checks& checks = paused(instance);  // between two loads of a word
    invalidate_cache(instance);
    synchronise_threads(instance);
}

// --- the NoC ---

void checked::on_noc_read(
    KernelInstance& instance, uint64_t source, uint32_t local, uint32_t bytes, uint32_t noc, uint32_t transaction_id) {
    instance.checks->noc.read(source, local, bytes, noc, transaction_id);
}

void checked::on_noc_write(
    KernelInstance& instance,
    uint32_t local,
    uint64_t destination,
    uint32_t bytes,
    uint32_t noc,
    uint32_t flags,
    uint32_t transaction_id) {
    instance.checks->noc.write(local, destination, bytes, noc, flags, transaction_id);
}

void checked::on_noc_write_multicast(
    KernelInstance& instance,
    uint32_t local,
    uint64_t rectangle,
    uint32_t bytes,
    uint32_t num_destinations,
    uint32_t noc,
    uint32_t flags,
    uint32_t transaction_id) {
    instance.checks->noc.write_multicast(local, rectangle, bytes, num_destinations, noc, flags, transaction_id);
}

void checked::on_noc_inline_write(
    KernelInstance& instance, uint64_t destination, uint32_t value, uint32_t noc, uint32_t flags) {
    instance.checks->noc.inline_write(destination, value, noc, flags);
}

void checked::on_noc_inline_write_multicast(
    KernelInstance& instance,
    uint64_t rectangle,
    uint32_t value,
    uint32_t num_destinations,
    uint32_t noc,
    uint32_t flags) {
    instance.checks->noc.inline_write_multicast(rectangle, value, num_destinations, noc, flags);
}

void checked::on_noc_zero(KernelInstance& instance, uint64_t destination, uint32_t bytes, uint32_t noc) {
    instance.checks->noc.zero(destination, bytes, noc);
}

void checked::on_noc_atomic(
    KernelInstance& instance, uint64_t destination, uint32_t amount, uint32_t noc, uint32_t flags) {
    instance.checks->noc.atomic(destination, amount, noc, flags);
}

void checked::on_noc_atomic_multicast(
    KernelInstance& instance,
    uint64_t rectangle,
    uint32_t amount,
    uint32_t num_destinations,
    uint32_t noc,
    uint32_t flags) {
    instance.checks->noc.atomic_multicast(rectangle, amount, num_destinations, noc, flags);
}

void checked::on_noc_barrier(KernelInstance& instance, Barrier kind, uint32_t noc, uint32_t transaction_id) {
    instance.checks->noc.barrier(kind, noc, transaction_id);
    invalidate_cache(instance);  // every barrier does so
}

void checked::on_noc_page(
    KernelInstance& instance, bool is_dram, uint32_t base, uint32_t page, uint32_t page_bytes, uint64_t address) {
    instance.checks->noc.page(is_dram, base, page, page_bytes, address);
}

void checked::on_noc_packet(KernelInstance& instance, uint32_t bytes, uint32_t most) {
    if (bytes > most) {
        instance.checks->noc.oversized(bytes, most);
    }
}

// --- threads ---

void checked::on_split(KernelInstance& instance) { instance.checks->compute.split_threads(instance); }
void checked::on_half(KernelInstance& instance, uint32_t half) { instance.checks->compute.use_half(instance, half); }

void checked::on_operands(KernelInstance& instance, uint32_t lag) {
    Checks& checks = called(instance);
    if (!checks.is_fast) {
        checks.threads.operands(instance, lag);
    }
}

void checked::on_block(KernelInstance& instance) {
    Checks& checks = called(instance);
    if (!checks.is_fast) {
        checks.threads.block(instance);
    }
}

void checked::on_section(KernelInstance& instance, SectionStep step) {
    ThreadOrder& threads = called(instance).threads;
    if (instance.checks->is_fast) {
        return;
    }
    switch (step) {
        case SectionStep::Acquired: threads.acquired(instance); break;
        case SectionStep::Committed: threads.committed(instance); break;
        case SectionStep::Waited: threads.waited_for_dst(instance); break;
        case SectionStep::Released: threads.released(instance); break;
        case SectionStep::Started: threads.started(instance); break;
    }
}

}  // namespace tw
