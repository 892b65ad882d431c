// SPDX-License-Identifier: Apache-2.0
// Storage of the vector unit: DST tiles of the running core, and its own registers.
#pragma once

#include <bit>
#include <cstdint>

#include "run/threads.h"
#include "tile/dst.h"

namespace tw::sfpu {

// Whether the running thread drives the vector unit: the math thread, or the pack thread where the source selects it.
inline bool drives_vector_unit() {
    const KernelInstance& instance = current_instance();
    const uint8_t driver = named_threads(instance) == kPackThread ? kPackThread : kMathThread;
    return runs_on(instance, driver);
}
// Whether the running thread executes an instruction of a vector program. A kernel compiled per thread executes it
// wherever that thread's text contains it.
inline bool drives_vector_program() {
    return drives_vector_unit() || current_instance().kernel->is_compiled_per_thread();
}
// At the start of every call of the unit: returns on a thread that does not drive it.
#define TW_VECTOR_CALL \
    if (!::tw::sfpu::drives_vector_unit()) [[unlikely]] { \
        return; \
    }
#define TW_VECTOR_PROGRAM \
    if (!::tw::sfpu::drives_vector_program()) [[unlikely]] { \
        return; \
    }

[[noreturn]] void refuse_vector_call(const ComputeState& state, uint32_t slot);
// The unit may touch DST only between acquire and release, and only tiles that exist.
inline void check_vector_slot(const ComputeState& state, uint32_t slot) {
    if (state.phase == DstPhase::Idle || slot >= state.dst_capacity()) [[unlikely]] {
        refuse_vector_call(state, slot);
    }
}
// DST tile `slot`, checked.
inline uint32_t* dst_for_sfpu(uint32_t slot) {
    ComputeState& state = compute_state();
    check_vector_slot(state, slot);
    return dst_words(state, slot);
}

// Rows of ComputeState::sfpu_registers. 4..7 keep their hardware numbers.
enum Register : uint32_t { kMean = 4, kM2 = 5, kM2Odd = 6, kAnchor = 7, kConstants = 8 };
// Lanes of the constants register.
enum Constant : uint32_t { kConstant0 = 0, kConstant1 = 1, kExpScale = 2, kEmaAlpha = 3, kEmaBeta = 4 };

inline float as_float(uint32_t bits) { return std::bit_cast<float>(bits); }
inline uint32_t as_bits(float value) { return std::bit_cast<uint32_t>(value); }

inline uint32_t* registers(uint32_t index) { return compute_state().sfpu_registers[index]; }
inline uint32_t& constant(Constant lane) { return compute_state().sfpu_registers[kConstants][lane]; }

// Bits of a float that is stored to DST without rounding in the unit: 16-bit DST keeps the upper half.
inline uint32_t dest_bits() { return compute_state().fp32_dest ? 0xffffffffu : 0xffff0000u; }
inline uint32_t stored(float value, uint32_t kept_bits) {
    uint32_t bits = as_bits(value);
    return bits & ((bits & 0x7f800000u) == 0 ? 0x80000000u : kept_bits);
}
inline uint32_t stored(float value) { return stored(value, dest_bits()); }

// Index of element (row, column) of a 32x32 tile in face order.
inline constexpr uint32_t element(uint32_t row, uint32_t column) {
    return ((row >> 4) * 2 + (column >> 4)) * 256 + (row & 15) * 16 + (column & 15);
}
// The lane that holds tile column `column` once four rows have been transposed into registers: lanes 0..7 the even
// columns of the left half, 8..15 its odd ones, then the right half.
inline constexpr uint32_t lane_of_column(uint32_t column) {
    return ((column >> 4) * 2 + (column & 1)) * 8 + ((column & 15) >> 1);
}
// Index of lane `lane` of a register that is stored without transposing: four rows, even columns of the first face.
inline constexpr uint32_t raw_element(uint32_t lane) { return (lane >> 3) * 16 + (lane & 7) * 2; }

}  // namespace tw::sfpu
