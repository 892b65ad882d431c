// SPDX-License-Identifier: Apache-2.0
// Kinds of programmable cores and the alignment of their memories.
#pragma once

#include <cstdint>

enum ProgrammableCoreType { TENSIX = 0, ACTIVE_ETH = 1, IDLE_ETH = 2, DRAM = 3, COUNT = 4 };
enum class TensixProcessorTypes : uint8_t { DM0 = 0, DM1 = 1, MATH0 = 2, MATH1 = 3, MATH2 = 4, COUNT = 5 };
enum class EthProcessorTypes : uint8_t { DM0 = 0, COUNT = 1 };

#define LOG_BASE_2_OF_L1_ALIGNMENT 4
#if defined(ARCH_BLACKHOLE)
#define LOG_BASE_2_OF_DRAM_ALIGNMENT 6
constexpr uint8_t noc_size_x = 17;
constexpr uint8_t noc_size_y = 12;
#else
#define LOG_BASE_2_OF_DRAM_ALIGNMENT 5
constexpr uint8_t noc_size_x = 10;
constexpr uint8_t noc_size_y = 12;
#endif
