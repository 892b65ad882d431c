// SPDX-License-Identifier: Apache-2.0
// A checked run compiles kernels with the compiler's thread-sanitizer instrumentation, which calls a function before
// every load and store. These are our own versions of those functions; the sanitizer's library is never loaded.
#include "check/memory_access.h"

#include "check/checks.h"
#include "check/stack_use.h"
#include "scheduler.h"

namespace tw {

static void access(const void* pointer, uint64_t bytes, bool is_write) {
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    Scheduler* scheduler = this_scheduler();
    if (scheduler == nullptr || scheduler->current == nullptr) {
        return;
    }
    KernelInstance& instance = *scheduler->current;
    if (address >> 32 != 0) {  // the kernel's own stack and globals lie above
        if (instance.checks != nullptr) {
            check_stack_access(instance, address);
        }
        return;
    }
    if (instance.checks != nullptr && (address & ~uint64_t{kL1OffsetMask}) == instance.core->l1_base) {
        check_l1_access(instance, static_cast<uint32_t>(address), static_cast<uint32_t>(bytes), is_write);
        if (!is_write) {
            instance.checks->arguments.load(
                instance, static_cast<uint32_t>(address), static_cast<uint32_t>(bytes));
        }
        instance.checks->noc.access(instance, static_cast<uint32_t>(address), static_cast<uint32_t>(bytes), is_write);
    }
}

void check_l1_access(KernelInstance& instance, uint32_t address, uint32_t bytes, bool is_write) {
    if (is_write) {
        taint_defined(instance, reinterpret_cast<const void*>(static_cast<uintptr_t>(address)), bytes);
    }
}

}  // namespace tw

#define TW_ACCESS(bytes)                                                                                 \
    void __tsan_read##bytes(void* pointer) { tw::access(pointer, bytes, false); }                        \
    void __tsan_write##bytes(void* pointer) { tw::access(pointer, bytes, true); }                        \
    void __tsan_volatile_read##bytes(void* pointer) { tw::access(pointer, bytes, false); }               \
    void __tsan_volatile_write##bytes(void* pointer) { tw::access(pointer, bytes, true); }               \
    void __tsan_unaligned_read##bytes(void* pointer) { tw::access(pointer, bytes, false); }              \
    void __tsan_unaligned_write##bytes(void* pointer) { tw::access(pointer, bytes, true); }              \
    void __tsan_unaligned_volatile_read##bytes(void* pointer) { tw::access(pointer, bytes, false); }     \
    void __tsan_unaligned_volatile_write##bytes(void* pointer) { tw::access(pointer, bytes, true); }     \
    void __tsan_read_write##bytes(void* pointer) { tw::access(pointer, bytes, true); }                   \
    void __tsan_unaligned_read_write##bytes(void* pointer) { tw::access(pointer, bytes, true); }

extern "C" {
TW_ACCESS(1)
TW_ACCESS(2)
TW_ACCESS(4)
TW_ACCESS(8)
TW_ACCESS(16)
void __tsan_read_range(void* pointer, uint64_t bytes) { tw::access(pointer, bytes, false); }
void __tsan_write_range(void* pointer, uint64_t bytes) { tw::access(pointer, bytes, true); }
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}
}
