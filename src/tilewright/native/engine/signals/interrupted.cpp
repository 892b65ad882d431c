// SPDX-License-Identifier: Apache-2.0
#include "interrupted.h"

#include <link.h>
#include <unwind.h>

#include <cstring>

#include "mixing.h"
#include "signals.h"

namespace tw {

static uintptr_t g_engine_begin = 0, g_engine_end = 0;

namespace {
struct UnwoundFrames {
    KernelInstance& instance;
    uint32_t count = 0;
};
}  // namespace

bool Interrupted::is_in_engine() const { return program_counter >= g_engine_begin && program_counter < g_engine_end; }

static int find_engine(dl_phdr_info* info, size_t, void*) {
    const auto here = reinterpret_cast<uintptr_t>(&find_engine);
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const auto& part = info->dlpi_phdr[index];
        const uintptr_t begin = info->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
        if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0 && here >= begin && here < end) {
            g_engine_begin = begin;
            g_engine_end = end;
            return 1;
        }
    }
    return 0;
}

void find_engine_code() { dl_iterate_phdr(find_engine, nullptr); }

static _Unwind_Reason_Code note_frame(_Unwind_Context* context, void* argument) {
    auto& found = *static_cast<UnwoundFrames*>(argument);
    const uintptr_t address = _Unwind_GetIP(context);
    if (found.instance.kernel->has_code_at(address - 1) && found.count < kMaxFrames) {
        found.instance.noted.frames[found.count++] = address;
    }
    return address == 0 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static int is_code_of(dl_phdr_info* info, size_t, void* address) {
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const auto& part = info->dlpi_phdr[index];
        const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_LOAD && reinterpret_cast<uintptr_t>(address) - begin < part.p_memsz) {
            return 1;
        }
    }
    return 0;
}

static bool is_code(uintptr_t address) { return dl_iterate_phdr(is_code_of, reinterpret_cast<void*>(address)) != 0; }
// A kernel's own code keeps frame pointers. From elsewhere (the C library) the unwinder's tables lead back. A jump to an
// address without code has left its return address on the stack.
void note_stack_at(KernelInstance& instance, const Interrupted& at) {
    const Kernel& kernel = *instance.kernel;
    const FiberStack& stack = *instance.stack;
    instance.failed_program_counter = at.program_counter;
    instance.failed_frame_pointer = at.frame_pointer;
    instance.state = InstanceState::Failed;
    if (at.is_in(kernel) || at.is_in_engine() || !stack.contains(at.stack_pointer)) {
        instance.note_stack();
    } else if (is_code(at.program_counter)) {
        UnwoundFrames found{instance};
        _Unwind_Backtrace(note_frame, &found);
        instance.noted.num_frames = found.count;
    } else {
        instance.noted.frames[0] = *reinterpret_cast<const uintptr_t*>(at.stack_pointer);
        instance.noted.num_frames = 1 + walk_frames(stack, at.frame_pointer, instance.noted.frames + 1, kMaxFrames - 1);
    }
    instance.stack_noted = true;
}

uintptr_t caller_without_frame(const Interrupted& at) {
#if defined(__x86_64__)
    const auto* code = reinterpret_cast<const uint8_t*>(at.program_counter);
    const auto* stack = reinterpret_cast<const uintptr_t*>(at.stack_pointer);
    constexpr uint8_t kPushFrame[] = {0x55}, kReturn[] = {0xc3}, kEntry[] = {0xf3, 0x0f, 0x1e, 0xfa};
    constexpr uint8_t kJump[] = {0xff, 0x25}, kBoundJump[] = {0xf2, 0xff, 0x25}, kSetFrame[] = {0x48, 0x89, 0xe5};
    auto stands_at = [&](auto& bytes) { return std::memcmp(code, bytes, sizeof bytes) == 0; };
    if (stands_at(kPushFrame) || stands_at(kReturn) || stands_at(kEntry) || stands_at(kJump) || stands_at(kBoundJump)) {
        return stack[0];
    }
    return stands_at(kSetFrame) ? stack[1] : 0;
#else
    (void)at;
    return 0;
#endif
}

void note_where(KernelInstance& instance, void* raw_context) {
    const Interrupted at(raw_context);
    instance.failed_program_counter = at.program_counter;
    instance.failed_frame_pointer = at.frame_pointer;
    instance.failed_caller = caller_without_frame(at);
    instance.note_stack();
    instance.failed_program_counter = instance.failed_caller = 0;
}

uint64_t state_hash(const Interrupted& at, void* raw_context, const FiberStack& stack) {
    constexpr uintptr_t kRedZone = 128;  // below the stack pointer, where a leaf function keeps its variables
    uint64_t state = kHashStart;
    const auto& machine = static_cast<ucontext_t*>(raw_context)->uc_mcontext;
#if defined(__x86_64__)
    for (int index = REG_R8; index <= REG_RIP; index++) {
        state = hash_word(state, static_cast<uint64_t>(machine.gregs[index]));
    }
#elif defined(__aarch64__)
    for (const uint64_t value : machine.regs) {
        state = hash_word(state, value);
    }
    state = hash_word(state, machine.pc);
#else
    (void)machine;
    return 0;
#endif
    const auto high = reinterpret_cast<uintptr_t>(stack.high());
    for (uintptr_t word = (at.stack_pointer - kRedZone) & ~uintptr_t{7}; word < high; word += 8) {
        state = hash_word(state, *reinterpret_cast<const uint64_t*>(word));
    }
    return state;
}

}  // namespace tw
