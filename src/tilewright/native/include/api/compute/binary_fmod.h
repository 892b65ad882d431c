// SPDX-License-Identifier: Apache-2.0
// C's fmod of two tiles.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

TW_SFPU_BINARY(fmod_int32, FmodInt)
TW_SFPU_BINARY_DEST(fmod_binary, Fmod)

}  // namespace ckernel
