// SPDX-License-Identifier: Apache-2.0
// Quotient of two Int32 tiles as a float.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_BINARY(div_int32, DivInt)

}  // namespace ckernel
