// SPDX-License-Identifier: Apache-2.0
// The floor of the compute API: blocking loads and stores, mailboxes and semaphores between the threads of a core.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "ckernel_defs.h"
#include "ckernel_instr_params.h"
#include "ckernel_ops.h"
#include "ckernel_structs.h"
#include "internal/risc_attribs.h"
#include "llk_defs.h"
#include "tensor_shape.h"
#include "tw/engine.h"

#define UNROLL_LOOP(factor) GCC unroll factor
#define TT_ALWAYS_INLINE inline
#ifndef NOINLINE
#define NOINLINE __attribute__((noinline))
#endif

namespace ckernel {

template <typename T, typename = std::enable_if_t<std::is_trivially_copyable_v<T>>>
inline T load_blocking(volatile T* address) {
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "load_blocking reads 16 or 32 bits");
    return *address;
}

template <typename T, typename U>
inline void store_blocking(volatile T* address, U&& value) {
    static_assert(sizeof(T) == 4, "store_blocking writes 32 bits");
    *address = static_cast<T>(std::forward<U>(value));
}

template <typename T>
inline T load_force(T& value) {
    return const_cast<volatile T&>(value);
}

template <typename T, typename U>
inline void store_force(T& destination, U&& value) {
    const_cast<volatile T&>(destination) = std::forward<U>(value);
}

inline volatile void* memcpy_blocking(volatile void* destination, const volatile void* source, std::size_t bytes) {
    std::memcpy(const_cast<void*>(destination), const_cast<const void*>(source), bytes);
    return destination;
}

// A polling kernel calls this in its loop; the others get their turn.
inline void invalidate_data_cache() {
    tw_invalidate_l1_cache();
    tw_poll_yield();
}

// A call is done when it returns: nothing is in flight, and no other kernel runs in the middle of one.
inline void tensix_sync() {}
inline void mop_sync() {}
inline void t6_mutex_acquire(const std::uint8_t) {}
inline void t6_mutex_release(const std::uint8_t) {}

inline void semaphore_call(tw::ThreadSemaphoreCall call, std::uint32_t index) {
    tw_thread_semaphore(static_cast<std::uint32_t>(call), index);
}
template <std::uint32_t WaitRes = p_stall::NONE>
inline void t6_semaphore_post(const std::uint8_t index) {
    semaphore_call(tw::ThreadSemaphoreCall::Post, index);
}
template <std::uint32_t WaitRes = p_stall::NONE>
inline void t6_semaphore_get(const std::uint8_t index) {
    semaphore_call(tw::ThreadSemaphoreCall::Get, index);
}
template <std::uint32_t WaitRes = p_stall::NONE>
inline void t6_semaphore_wait_on_max(const std::uint8_t index) {
    semaphore_call(tw::ThreadSemaphoreCall::WaitBelowMost, index);
}
template <std::uint32_t WaitRes = p_stall::NONE>
inline void t6_semaphore_wait_on_zero(const std::uint8_t index) {
    semaphore_call(tw::ThreadSemaphoreCall::WaitNonZero, index);
}
inline void t6_semaphore_init(const std::uint8_t index, const std::uint8_t value, const std::uint8_t most) {
    tw_thread_semaphore_init(index, value, most);
}
inline std::uint8_t semaphore_read(const std::uint8_t index) {
    return static_cast<std::uint8_t>(tw_thread_semaphore_value(index));
}
inline void semaphore_post(const std::uint8_t index) { semaphore_call(tw::ThreadSemaphoreCall::Post, index); }
inline void semaphore_get(const std::uint8_t index) { semaphore_call(tw::ThreadSemaphoreCall::Get, index); }

inline void mailbox_write(const std::uint8_t thread, const std::uint32_t data) { tw_mailbox_write(thread, data); }
[[nodiscard]] inline std::uint32_t mailbox_read(const std::uint8_t thread) { return tw_mailbox_read(thread); }
inline bool mailbox_not_empty(const std::uint8_t) { tw_not_modelled("mailbox_not_empty"); }

inline void wait(std::uint32_t cycles) {
    const std::uint64_t until = tw_time_cycles() + cycles;
    while (tw_time_cycles() < until) {
        tw_poll_yield();
    }
}
inline std::uint64_t read_wall_clock() { return tw_time_cycles(); }

inline std::uint32_t reg_read(std::uint32_t address) { return tw_register_read(address); }
inline void reg_write(std::uint32_t address, std::uint32_t data) { tw_register_write(address, data); }
inline std::uint32_t cfg_read(std::uint32_t) { tw_not_modelled("cfg_read"); }
inline void cfg_write(std::uint32_t, std::uint32_t) { tw_not_modelled("cfg_write"); }

inline void zeroacc() { tw_clear_dest(); }

// Tiles that fit in the part of DST one side works on.
template <DstSync SYNC_MODE, bool ACCUM_MODE, DstTileShape TILE_SHAPE>
constexpr std::uint32_t get_dest_max_tiles() {
    constexpr std::uint32_t rows =
        (SYNC_MODE == DstSync::SyncHalf ? DEST_REGISTER_HALF_SIZE : DEST_REGISTER_FULL_SIZE) >> (ACCUM_MODE ? 1 : 0);
    constexpr std::uint32_t tile_rows = TILE_SHAPE == Tile32x32 ? 64 : TILE_SHAPE == Tile32x16 ? 32 : 16;
    return rows / tile_rows;
}

namespace packer {

// DST is one array here, the packer's half is where the maths left it.
inline std::uint32_t get_packer_dest_offset() { return 0; }

}  // namespace packer

}  // namespace ckernel
