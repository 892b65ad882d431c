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
    checks.processors.invalidate_cache(instance);  // the call does so while it polls
}

void on_push(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    Checks& checks = called(instance);
    checks.windows.pushing(instance, cb, pages);
    checks.stored_pages.push(instance, cb, pages);
    checks.noc.push(instance, cb, pages);
}

void on_waiting(KernelInstance& instance, uint32_t cb) { called(instance).windows.waiting(instance, cb); }

void on_waited(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    called(instance).windows.waited(instance, cb, pages);
}

void on_pop(KernelInstance& instance, uint32_t cb, uint32_t pages) {
    Checks& checks = called(instance);
    checks.windows.popping(instance, cb, pages);
    checks.noc.pop(instance, cb, pages);
}

void on_counters_read(KernelInstance& instance, uint32_t cb) { called(instance).windows.saw_counters(instance, cb); }

static void on_pages(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, bool is_write) {
    Checks& checks = called(instance);
    checks.windows.access_pages(instance, cb, address, bytes, is_write);
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
    checks.processors.invalidate_cache(instance);
}

void on_mailbox(KernelInstance& instance, bool is_write) {
    Ordering& ordering = called(instance).ordering;
    const uint64_t key = Ordering::mailbox_key(instance);
    is_write ? ordering.release(instance, key) : ordering.acquire(instance, key);
}

void on_cache_invalidated(KernelInstance& instance) { called(instance).processors.invalidate_cache(instance); }

}  // namespace tw
