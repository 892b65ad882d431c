// SPDX-License-Identifier: Apache-2.0
#include "check/hooks.h"

#include "scheduler.h"

namespace tw {

static Checks& called(KernelInstance& instance) {
    Checks& checks = *instance.checks;
    checks.processors.leaves_copy(instance, checks.findings);
    checks.windows.called(instance);
    return checks;
}

void start_memory_checks(Program& program) {
    Checks& checks = *program.checks;
    checks.ordering.start(program.instances.size());
    checks.noc.start(program);
    checks.windows.start(program);
    checks.processors.start(program);
    checks.stored_pages.start(program);
    checks.history.start(program);
    checks.tensors.start(program);
    checks.layouts.start(program);
    checks.threads.start(program);
    checks.work_split.start(program);
}

void finish_memory_checks(Program& program) {
    Checks& checks = *program.checks;
    checks.processors.finish(program, checks.findings);
    checks.windows.finish(program, checks.findings);
    checks.noc.finish(checks.findings);
    if (program.status.load() == static_cast<int32_t>(RunStatus::Ok)) {
        checks.work_split.finish(checks.findings);
    }
}

void on_call(KernelInstance& instance) { instance.scheduler->preempt(); }

void on_reserved(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    Checks& checks = called(instance);
    checks.windows.reserved(instance, cb, pages);
    const CoreCircularBuffer& buffer = instance.core->cb[cb];
    const uint64_t filled = buffer.pushed + pages;
    checks.threads.reserved(instance, cb, filled > buffer.num_pages ? filled - buffer.num_pages : 0);
    checks.processors.invalidate_cache(instance);  // the call does so while it polls
}

void on_push(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    Checks& checks = called(instance);
    checks.windows.pushing(instance, cb, pages);
    checks.threads.pushed(instance, cb, instance.core->cb[cb].pushed + pages);
    checks.stored_pages.push(instance, cb, pages);
    checks.noc.push(instance, cb, pages);
}

void on_waiting(KernelInstance& instance, uint32_t cb) { called(instance).windows.waiting(instance, cb); }

void on_waited(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    Checks& checks = called(instance);
    checks.windows.waited(instance, cb, pages);
    checks.threads.waited(instance, cb, instance.core->cb[cb].popped + pages);
}

void on_pop(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    Checks& checks = called(instance);
    checks.windows.popping(instance, cb, pages);
    checks.threads.popped(instance, cb, instance.core->cb[cb].popped + pages);
    checks.noc.pop(instance, cb, pages);
}

void on_counters_read(KernelInstance& instance, uint32_t cb) {
    Checks& checks = called(instance);
    checks.windows.saw_counters(instance, cb);
    checks.threads.learnt(instance);
}

static void on_pages(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, bool is_write) {
    Checks& checks = called(instance);
    checks.windows.access_pages(instance, cb, address, bytes, is_write);
    checks.threads.access(instance, cb, address, bytes, is_write);
    checks.noc.access(instance, address, bytes, is_write);
    checks.history.touch(instance, address, bytes, is_write ? Touch::Write : Touch::Read);
    if (is_write) {  // the packer's own hooks (check/tile_memory.cpp) say which of the bytes mean something
        checks.processors.written(*instance.core, address, bytes);
        checks.stored_pages.written(address, bytes);
    }
}

void on_tile(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, bool is_write) {
    on_pages(instance, cb, address, bytes, is_write);
    PageLayouts& layouts = instance.checks->layouts;
    is_write ? layouts.wrote_tiles(instance, cb, address, bytes) : layouts.reads_tiles(instance, cb, address, bytes);
}

void on_rows(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, bool is_write) {
    on_pages(instance, cb, address, bytes, is_write);
    PageLayouts& layouts = instance.checks->layouts;
    is_write ? layouts.wrote_rows(instance, cb, address, bytes) : layouts.reads_rows(instance, cb, address, bytes);
}

void on_semaphore_met(KernelInstance& instance, uint32_t address, uint32_t value, bool equal) {
    Checks& checks = called(instance);
    checks.noc.waited(instance, address, value, equal);
    checks.threads.learnt(instance);
    checks.processors.invalidate_cache(instance);
}

void on_mailbox(KernelInstance& instance, bool is_write) {
    Ordering& ordering = called(instance).ordering;
    const uint64_t key = Ordering::mailbox_key(instance);
    is_write ? ordering.release(instance, key) : ordering.acquire(instance, key);
    on_learnt(instance);
}

void on_learnt(KernelInstance& instance) { called(instance).threads.learnt(instance); }

void on_cache_invalidated(KernelInstance& instance) {
    Checks& checks = called(instance);
    checks.processors.invalidate_cache(instance);
    checks.threads.learnt(instance);
}

void on_operands(KernelInstance& instance, uint32_t lag) { called(instance).threads.operands(instance, lag); }
void on_block(KernelInstance& instance) { called(instance).threads.block(instance); }

void on_section(KernelInstance& instance, SectionStep step) {
    ThreadOrder& threads = called(instance).threads;
    switch (step) {
        case SectionStep::Acquired: threads.acquired(instance); break;
        case SectionStep::Committed: threads.committed(instance); break;
        case SectionStep::Waited: threads.waited_for_dst(instance); break;
        case SectionStep::Released: threads.released(instance); break;
        case SectionStep::Started: threads.started(instance); break;
    }
}

}  // namespace tw
