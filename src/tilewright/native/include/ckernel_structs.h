// SPDX-License-Identifier: Apache-2.0
// The semaphores and mutexes the three compute threads of a core share.
#pragma once

#include <cstdint>

namespace ckernel {

struct semaphore {
    static constexpr std::uint32_t FPU_SFPU = 0;
    static constexpr std::uint32_t MATH_PACK = 1;
    static constexpr std::uint32_t UNPACK_TO_DEST = 2;
    static constexpr std::uint32_t UNPACK_OPERAND_SYNC = 3;
    static constexpr std::uint32_t PACK_DONE = 4;
    static constexpr std::uint32_t UNPACK_SYNC = 5;
    static constexpr std::uint32_t UNPACK_MATH_DONE = 6;
    static constexpr std::uint32_t MATH_DONE = 7;
    static constexpr std::uint8_t NUM_SEMAPHORES = 8;
    static constexpr std::uint16_t t6_sem(std::uint8_t index) { return 1u << index; }
};

struct mutex {
    static constexpr std::uint32_t REG_RMW = 0;
    static constexpr std::uint32_t THREAD2_ADC = 3;
    static constexpr std::uint32_t SFPU = 4;
};

}  // namespace ckernel
