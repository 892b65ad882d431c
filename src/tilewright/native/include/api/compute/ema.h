// SPDX-License-Identifier: Apache-2.0
// Exponential moving average down the columns: alpha * previous + beta * input, into the tile after the input.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

ALWI void ema_init(uint32_t alpha, uint32_t beta) { tw_sfpu_ema_constants(alpha, beta); }
ALWI void ema_clear_previous_output() { tw_sfpu_ema_clear(); }
ALWI void ema_tile(uint32_t input_dst_index) { tw_sfpu_ema(input_dst_index); }

}  // namespace ckernel
