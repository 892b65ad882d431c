// SPDX-License-Identifier: Apache-2.0
// Stackful fibers, one per kernel and core. A switch takes a few instructions on x86-64 and aarch64, and ucontext
// elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

#if !defined(__x86_64__) && !defined(__aarch64__)
#define TW_FIBER_UCONTEXT 1
#include <ucontext.h>
#endif

namespace tw {

// A stack between guard pages: an overflow or overrun faults instead of corrupting memory. The guard below is large
// because a function may begin with far more locals than fit.
class FiberStack {
public:
    FiberStack() = default;
    FiberStack(const FiberStack&) = delete;
    FiberStack& operator=(const FiberStack&) = delete;
    ~FiberStack();
    void allocate(size_t bytes);
    uint8_t* low() const { return low_; }
    uint8_t* high() const { return low_ + bytes_; }
    bool is_below(uintptr_t address) const;
    bool is_above(uintptr_t address) const;
    bool contains(uintptr_t address) const;

private:
    uint8_t* mapping_ = nullptr;
    uint8_t* low_ = nullptr;
    size_t bytes_ = 0;
};

// Visits return addresses from `frame_pointer` outwards, innermost first, as long as frames lie on `stack`.
template <typename Visit>
void for_each_frame(const FiberStack& stack, uintptr_t frame_pointer, uint32_t capacity, Visit visit) {
    const auto low = reinterpret_cast<uintptr_t>(stack.low()), high = reinterpret_cast<uintptr_t>(stack.high());
    while (capacity-- > 0 && frame_pointer >= low && frame_pointer < high - 15) {
        const auto* words = reinterpret_cast<const uintptr_t*>(frame_pointer);
        if (words[1] == 0) {
            break;
        }
        visit(words[1]);
        if (words[0] <= frame_pointer) {
            break;
        }
        frame_pointer = words[0];
    }
}
// Stores those return addresses; returns their number.
uint32_t walk_frames(const FiberStack& stack, uintptr_t frame_pointer, uint64_t* frames, uint32_t capacity);

// A point from which execution can continue.
struct FiberContext {
#ifdef TW_FIBER_UCONTEXT
    ucontext_t context;
#else
    void* stack_pointer = nullptr;
#endif
};

void fiber_prepare(FiberContext& fiber, FiberStack& stack, void (*entry)());
void fiber_switch(FiberContext& from, FiberContext& to);
// Frame pointer and return address of a suspended fiber, for walking its stack. Zero where not supported.
void fiber_suspended_frame(const FiberContext& fiber, uintptr_t& frame_pointer, uintptr_t& program_counter);
// Lowest stack address in use by a suspended fiber: a copy from here to the end of its stack, and its context, restore
// it.
uint8_t* fiber_lowest_in_use(const FiberContext& fiber, const FiberStack& stack);

}  // namespace tw
