// SPDX-License-Identifier: Apache-2.0
#include "fiber.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace tw {

static constexpr size_t kGuardBelow = 64u << 20;
static constexpr size_t kGuardAbove = 1u << 20;

FiberStack::~FiberStack() {
    if (mapping_ != nullptr) {
        munmap(mapping_, kGuardBelow + bytes_ + kGuardAbove);
    }
}

void FiberStack::allocate(size_t bytes) {
    if (mapping_ != nullptr) {
        return;
    }
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* mapping = mmap(nullptr, kGuardBelow + bytes + kGuardAbove, PROT_NONE, kFlags, -1, 0);
    if (mapping == MAP_FAILED) {
        throw std::bad_alloc();
    }
    mapping_ = static_cast<uint8_t*>(mapping);
    low_ = mapping_ + kGuardBelow;
    bytes_ = bytes;
    if (mprotect(low_, bytes, PROT_READ | PROT_WRITE) != 0) {
        throw std::bad_alloc();
    }
}

bool FiberStack::is_below(uintptr_t address) const {
    return address >= reinterpret_cast<uintptr_t>(mapping_) && address < reinterpret_cast<uintptr_t>(low_);
}

bool FiberStack::is_above(uintptr_t address) const {
    const auto end = reinterpret_cast<uintptr_t>(high());
    return address >= end && address < end + kGuardAbove;
}

bool FiberStack::contains(uintptr_t address) const {
    return address >= reinterpret_cast<uintptr_t>(low_) && address < reinterpret_cast<uintptr_t>(high());
}

uint32_t walk_frames(const FiberStack& stack, uintptr_t frame_pointer, uint64_t* frames, uint32_t capacity) {
    uint32_t count = 0;
    for_each_frame(stack, frame_pointer, capacity, [&](uint64_t frame) { frames[count++] = frame; });
    return count;
}

#ifdef TW_FIBER_UCONTEXT

void fiber_prepare(FiberContext& fiber, FiberStack& stack, void (*entry)()) {
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = stack.low();
    fiber.context.uc_stack.ss_size = static_cast<size_t>(stack.high() - stack.low());
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, entry, 0);
}

void fiber_switch(FiberContext& from, FiberContext& to) { swapcontext(&from.context, &to.context); }

void fiber_suspended_frame(const FiberContext&, uintptr_t& frame_pointer, uintptr_t& program_counter) {
    frame_pointer = program_counter = 0;
}

uint8_t* fiber_lowest_in_use(const FiberContext&, const FiberStack& stack) { return stack.low(); }

#else

// tw_fiber_swap(&saved_sp, new_sp): pushes the callee-saved registers, changes stacks, pops them again.
#if defined(__x86_64__)
asm(R"(
    .text
    .globl tw_fiber_swap
    .hidden tw_fiber_swap
    .type tw_fiber_swap, @function
tw_fiber_swap:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size tw_fiber_swap, .-tw_fiber_swap
)");
static constexpr size_t kSavedWords = 6;     // r15 r14 r13 r12 rbx rbp, then the return address
static constexpr size_t kFramePointerWord = 5;
static constexpr size_t kReturnWord = 6;
#else
asm(R"(
    .text
    .globl tw_fiber_swap
    .hidden tw_fiber_swap
    .type tw_fiber_swap, %function
tw_fiber_swap:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size tw_fiber_swap, .-tw_fiber_swap
)");
static constexpr size_t kSavedWords = 20;
static constexpr size_t kFramePointerWord = 10;
static constexpr size_t kReturnWord = 11;
#endif

extern "C" void tw_fiber_swap(void** saved_stack_pointer, void* stack_pointer) __attribute__((visibility("hidden")));

void fiber_prepare(FiberContext& fiber, FiberStack& stack, void (*entry)()) {
    // The first swap "returns" into entry with a zero frame pointer, which ends stack walks there.
    auto top = reinterpret_cast<uintptr_t>(stack.high()) & ~uintptr_t{63};
    auto* words = reinterpret_cast<uintptr_t*>(top - 64 - (kSavedWords + 2) * sizeof(uintptr_t));
    // x86-64 requires (stack pointer + 8) to be a multiple of 16 at a function's first instruction.
    if ((reinterpret_cast<uintptr_t>(words + kSavedWords + 1) & 15u) != 8u) {
        words -= 1;
    }
#if defined(__aarch64__)
    words = reinterpret_cast<uintptr_t*>(reinterpret_cast<uintptr_t>(words) & ~uintptr_t{15});
#endif
    std::memset(words, 0, (kSavedWords + 2) * sizeof(uintptr_t));
    words[kReturnWord] = reinterpret_cast<uintptr_t>(entry);
    fiber.stack_pointer = words;
}

void fiber_switch(FiberContext& from, FiberContext& to) { tw_fiber_swap(&from.stack_pointer, to.stack_pointer); }

void fiber_suspended_frame(const FiberContext& fiber, uintptr_t& frame_pointer, uintptr_t& program_counter) {
    const auto* words = static_cast<const uintptr_t*>(fiber.stack_pointer);
    frame_pointer = words[kFramePointerWord];
    program_counter = words[kReturnWord];
}

uint8_t* fiber_lowest_in_use(const FiberContext& fiber, const FiberStack&) {
    return static_cast<uint8_t*>(fiber.stack_pointer);
}

#endif

}  // namespace tw
