// SPDX-License-Identifier: Apache-2.0
// Where the running kernel is: its coordinates on the NoCs and in the grid, and its clock.
#pragma once

#include <cstdint>

#include "../../abi/context.h"
#include "../../abi/debug.h"
#include "../../abi/noc.h"
#include "core_config.h"
#include "internal/risc_attribs.h"
#include "noc/noc_parameters.h"

#ifndef NOC_INDEX
#define NOC_INDEX 0
#endif
#ifndef NOC_MODE
#define NOC_MODE 0
#endif

#define DM_DEDICATED_NOC 0
#define DM_DYNAMIC_NOC 1
#define DM_INVALID_NOC 2

constexpr uint8_t noc_index = NOC_INDEX;
constexpr uint8_t noc_mode = NOC_MODE;

namespace tw {

// An array on a card. Here every core shares the code, so an element is looked up at each use.
struct NocCoordinateX {
    uint8_t operator[](uint32_t noc) const { return tw_context()->noc_x[noc]; }
};
struct NocCoordinateY {
    uint8_t operator[](uint32_t noc) const { return tw_context()->noc_y[noc]; }
};

}  // namespace tw

inline constexpr tw::NocCoordinateX my_x{};
inline constexpr tw::NocCoordinateY my_y{};

FORCE_INLINE uint8_t get_absolute_logical_x() { return tw_context()->logical_x; }
FORCE_INLINE uint8_t get_absolute_logical_y() { return tw_context()->logical_y; }
FORCE_INLINE uint8_t get_relative_logical_x() { return tw_context()->relative_x; }
FORCE_INLINE uint8_t get_relative_logical_y() { return tw_context()->relative_y; }

// Polling loops call these between looks at memory: the others get a turn.
FORCE_INLINE void invalidate_l1_cache() {
    tw_invalidate_l1_cache();
    tw_poll_yield();
}
inline void riscv_wait(uint32_t) { tw_poll_yield(); }
inline void clobber_all_memory() {
    asm volatile("" ::: "memory");
    tw_poll_yield();
}
inline void flush_l1_cache() {}

// Kernels write the RISC-V instruction `fence` between looks at memory.
#if defined(__x86_64__)
asm(".macro fence\n mfence\n .endm");
#elif defined(__aarch64__)
asm(".macro fence\n dmb ish\n .endm");
#endif

FORCE_INLINE uint64_t get_timestamp() { return tw_time_cycles(); }
FORCE_INLINE uint32_t get_timestamp_32b() { return uint32_t(tw_time_cycles()); }

// The clock's registers are words of the engine, at a host address.
#define RISCV_DEBUG_REG_WALL_CLOCK_L (tw_wall_clock_word(0))
#define RISCV_DEBUG_REG_WALL_CLOCK_H (tw_wall_clock_word(1))
