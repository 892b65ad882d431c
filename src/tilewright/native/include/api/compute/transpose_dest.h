// SPDX-License-Identifier: Apache-2.0
// A tile transposed where it lies in DST.
#pragma once

#include "api/compute/common.h"

namespace ckernel {

template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_dest_init([[maybe_unused]] uint32_t operand = 0) {
    tw::programs_maths(tw::MathLoop::TransposeDest);
}

template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_dest(uint32_t idst) {
    static_assert(is_32bit || transpose_of_faces, "transpose_dest: a card turns single faces of 32-bit words only");
    if constexpr (transpose_of_faces) {
        tw_transpose_dest(idst, is_32bit);
    } else {
        tw_transpose_dest_within_faces(idst);
    }
}

}  // namespace ckernel

#include "tw/older/transpose.h"
