// SPDX-License-Identifier: Apache-2.0
// beta * tanh(x / beta). Blackhole only, as on a card.
#pragma once

#include "tw/sfpu_calls.h"

#ifdef ARCH_BLACKHOLE
namespace ckernel {

TW_SFPU_UNARY_2(softcap, Softcap)  // beta, 1/beta

}  // namespace ckernel
#endif
