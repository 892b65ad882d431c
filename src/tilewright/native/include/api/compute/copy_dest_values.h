// SPDX-License-Identifier: Apache-2.0
// One DST tile copied over another.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

template <DataFormat DATA_FORMAT>
ALWI void copy_dest_values(uint32_t idst_in, uint32_t idst_out) {
    tw_sfpu_copy(idst_in, idst_out, !sfpu_call::is_integer_format(DATA_FORMAT));
}
inline void copy_dest_values(uint32_t idst_in, uint32_t idst_out) { tw_sfpu_copy(idst_in, idst_out, 1); }
ALWI void copy_dest_values_init() { sfpu_call::init(); }

}  // namespace ckernel
