// SPDX-License-Identifier: Apache-2.0
// Remainder of two tiles, with the divisor's sign.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_BINARY(remainder_int32, RemainderInt)
TW_SFPU_BINARY(remainder_uint32, RemainderUint)
TW_SFPU_BINARY_DEST(remainder_binary, Remainder)

}  // namespace ckernel
