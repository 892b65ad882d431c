// SPDX-License-Identifier: Apache-2.0
// A checked run compiles kernels with the compiler's thread-sanitizer instrumentation, which calls a function before
// every load and store. These are the engine's versions of those functions; the sanitizer's library is not loaded.
#include <cstddef>
#include <cstring>

#include "check/checks.h"
#include "check/fabric/packet_hooks.h"
#include "check/hooks.h"
#include "check/memory/stack_use.h"
#include "run/scheduler.h"
#include "run/threads.h"

namespace tw {

static void check_l1_access(
    KernelInstance& instance, uint32_t address, uint32_t bytes, bool is_write, bool is_typed, CodePlace place) {
    Checks& checks = *instance.checks;
    const bool is_allocated = (address & kL1OffsetMask) >= instance.scheduler->program.chip.config().unreserved_base;
    const bool is_right =
        !is_allocated || checks.cb_access.access(instance, {address, bytes, is_write, Accessor::Processor, place});
    if (is_allocated && is_write) {
        checks.stored_pages.store(instance, address, bytes);
    } else if (is_allocated) {
        checks.stored_pages.load(instance, address, bytes);
    }
    // Stores to a word that kernels synchronise by have rules of their own (check/noc/semaphores.h).
    const bool is_flag = bytes <= sizeof(uint32_t) && checks.noc.is_sync_word(*instance.core, address);
    is_write ? checks.history.touch(instance, address, bytes, is_flag ? Touch::Flag : Touch::Write)
             : checks.history.load(instance, address, bytes);
    if (is_write) {
        checks.processors.store(instance, address, bytes, is_typed, is_right);
        checks.values.beside.define(reinterpret_cast<const void*>(static_cast<uintptr_t>(address)), bytes);
        checks.layouts.written(*instance.core, address, bytes);
    } else {
        checks.processors.load(instance, address, bytes, is_typed, is_right, place.instruction);
    }
}

// A load of a pointer field of a circular buffer's interface, by get_read_ptr and get_write_ptr.
static void took_pointer(KernelInstance& instance, uintptr_t offset) {
    const uintptr_t field = offset % sizeof(LocalCBInterface);
    const auto cb = static_cast<uint32_t>(offset / sizeof(LocalCBInterface));
    if (field == offsetof(LocalCBInterface, fifo_rd_ptr) || field == offsetof(LocalCBInterface, fifo_wr_ptr)) {
        instance.checks->cb_access.took_pointer(instance, cb, field == offsetof(LocalCBInterface, fifo_wr_ptr));
    }
}

// `is_typed`: the compiler assumes the address to be aligned for its type.
static void access(const void* pointer, uint64_t bytes, bool is_write, bool is_typed, CodePlace place) {
    __builtin_prefetch(pointer, 1);  // read when all else has been looked up
    auto address = reinterpret_cast<uintptr_t>(pointer);
    Scheduler* scheduler = this_scheduler();
    if (scheduler == nullptr || scheduler->current == nullptr || scheduler->current->checks == nullptr) {
        return;
    }
    if (scheduler->yield_requested && !scheduler->looking_ahead)
        [[unlikely]] {  // a loop of loads that a tick never finds outside the engine
        scheduler->yield_requested = false;
        scheduler->suspend(InstanceState::Yielded, WaitKind::None, 0, 0);
    }
    if (scheduler->looking_ahead) [[unlikely]] {
        return;  // the look-ahead checks nothing
    }
    KernelInstance& instance = *scheduler->current;
    instance.checks->processors.restore_shown(instance);
    if (is_for_another(instance)) {
        return;
    }
    Core& core = *instance.core;
    if (address >> 32 != 0) {  // the kernel's own stack and globals
        const uintptr_t in_views = address - reinterpret_cast<uintptr_t>(instance.context.cb);
        if (in_views < sizeof instance.context.cb && !is_write) {
            took_pointer(instance, in_views);
        }
        if (is_write) {
            check_own_memory(instance, address);
        }
        check_stack_access(instance, address);
        return;
    }
    if (address < instance.context.l1_size) {
        address += core.l1_base;  // a plain offset, as the host gives them
    }
    if (const uint64_t offset = address - core.l1_base; offset >= kCreditRegisters && offset < kL1SlotBytes) {
        if (offset >= kStreamCounts) {
            on_stream_access(instance, static_cast<uint32_t>(address), is_write);
        } else if (!is_write) {
            on_counters_read(instance, static_cast<uint32_t>((offset - kCreditRegisters) / sizeof(uint32_t[2])));
        }
        return;
    }
    if (missing_buffer_at(address & kL1OffsetMask) < kMaxCircularBuffers) {
        return;  // the access itself will fault
    }
    if ((address & ~uint64_t{kL1OffsetMask}) == core.l1_base) {
        const auto l1 = static_cast<uint32_t>(address), size = static_cast<uint32_t>(bytes);
        if (instance.checks->noc.holds(core, l1, size)) {
            instance.checks->noc.access(instance, l1, size, is_write);
        }
        check_l1_access(instance, l1, size, is_write, is_typed, place);
        if (!is_write) {
            instance.checks->arguments.load(instance, l1, size);
        }
    }
}

// Copies the marks along with the bytes, from anywhere in L1.
static void copied(void* to, const void* from, uint64_t bytes) {
    if (bytes == 0) {
        return;
    }
    access(from, bytes, false, false, {});
    access(to, bytes, true, false, {});
    Scheduler* scheduler = this_scheduler();
    if (scheduler != nullptr && scheduler->current != nullptr && scheduler->current->checks != nullptr) {
        scheduler->current->checks->memory.copy(to, from, bytes);
        scheduler->current->checks->values.beside.copy(to, from, bytes);
    }
}

}  // namespace tw

// The place in the kernel that called this function, and the caller of that part; frames have pointers.
#define TW_CODE_PLACE \
    tw::CodePlace { \
        reinterpret_cast<uintptr_t>(__builtin_return_address(0)), \
            (*static_cast<uintptr_t* const*>(__builtin_frame_address(0)))[1] \
    }
#define TW_LOAD_PLACE \
    tw::CodePlace { reinterpret_cast<uintptr_t>(__builtin_return_address(0)) }
#define TW_ACCESS(bytes) \
    void __tsan_read##bytes(void* pointer) { tw::access(pointer, bytes, false, true, TW_LOAD_PLACE); } \
    void __tsan_write##bytes(void* pointer) { tw::access(pointer, bytes, true, true, TW_CODE_PLACE); } \
    void __tsan_volatile_read##bytes(void* pointer) { tw::access(pointer, bytes, false, true, TW_LOAD_PLACE); } \
    void __tsan_volatile_write##bytes(void* pointer) { tw::access(pointer, bytes, true, true, TW_CODE_PLACE); } \
    void __tsan_unaligned_read##bytes(void* pointer) { tw::access(pointer, bytes, false, false, {}); } \
    void __tsan_unaligned_write##bytes(void* pointer) { tw::access(pointer, bytes, true, false, TW_CODE_PLACE); } \
    void __tsan_unaligned_volatile_read##bytes(void* pointer) { tw::access(pointer, bytes, false, false, {}); } \
    void __tsan_unaligned_volatile_write##bytes(void* pointer) { \
        tw::access(pointer, bytes, true, false, TW_CODE_PLACE); \
    } \
    void __tsan_read_write##bytes(void* pointer) { tw::access(pointer, bytes, true, true, TW_CODE_PLACE); } \
    void __tsan_unaligned_read_write##bytes(void* pointer) { tw::access(pointer, bytes, true, false, TW_CODE_PLACE); }

extern "C" {
TW_ACCESS(1)
TW_ACCESS(2)
TW_ACCESS(4)
TW_ACCESS(8)
TW_ACCESS(16)
void __tsan_read_range(void* pointer, uint64_t bytes) { tw::access(pointer, bytes, false, false, {}); }
void __tsan_write_range(void* pointer, uint64_t bytes) { tw::access(pointer, bytes, true, false, {}); }
void* __tsan_memcpy(void* to, const void* from, uint64_t bytes) {
    tw::copied(to, from, bytes);
    return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, uint64_t bytes) {
    tw::copied(to, from, bytes);
    return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, uint64_t bytes) {
    if (bytes != 0) {
        tw::access(to, bytes, true, false, {});
    }
    return std::memset(to, value, bytes);
}
// The linker redirects calls here that the instrumentation does not cover.
void* __wrap_memcpy(void* to, const void* from, uint64_t bytes) { return __tsan_memcpy(to, from, bytes); }
void* __wrap_memmove(void* to, const void* from, uint64_t bytes) { return __tsan_memmove(to, from, bytes); }
void* __wrap_memset(void* to, int value, uint64_t bytes) { return __tsan_memset(to, value, bytes); }
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}
}
