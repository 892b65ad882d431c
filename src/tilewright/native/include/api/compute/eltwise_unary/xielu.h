// SPDX-License-Identifier: Apache-2.0
// xIELU with its two alphas.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_UNARY_DEST_2(xielu, Xielu)

}  // namespace ckernel
