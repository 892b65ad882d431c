// SPDX-License-Identifier: Apache-2.0
// tt-metal's optional watch over missing reconfigs. It is off unless a build turns it on, and an init call then leaves
// formats alone: so it does here, and the engine itself shows what a missing reconfig does.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

enum class Operand : uint8_t { SRCA = 0x1, SRCB = 0x2, PACK = 0x4 };

constexpr uint32_t INVALID_CB_INDEX = 0xFFFFFFFFu;

}  // namespace ckernel

template <ckernel::Operand operand = ckernel::Operand::SRCA>
ALWI void state_configure(uint32_t, uint32_t) {}
template <ckernel::Operand operand_a = ckernel::Operand::SRCA, ckernel::Operand operand_b = ckernel::Operand::SRCB>
ALWI void state_configure(uint32_t, uint32_t, uint32_t) {}
ALWI void state_configure(uint32_t, uint32_t, uint32_t, uint32_t) {}
