// SPDX-License-Identifier: Apache-2.0
// Older spellings of api/compute/reduce.h.
#pragma once

#include "api/compute/reduce.h"

namespace ckernel {

template <PoolType reduce_type, ReduceDim reduce_dim, bool enforce_fp32_accumulation = false>
ALWI void reduce_init_delta(std::uint32_t icb, std::uint32_t icb_scaler, std::uint32_t ocb) {
    reduce_init<reduce_type, reduce_dim>(icb, icb_scaler, ocb);
}
// <at_start, ...> of still older trees; at_start changed nothing but the hardware start-up.
template <bool at_start, PoolType reduce_type, ReduceDim reduce_dim>
ALWI void reduce_init_delta(std::uint32_t ocb, std::uint32_t icb, std::uint32_t icb_scaler) {
    reduce_init<reduce_type, reduce_dim>(icb, icb_scaler, ocb);
}
ALWI void reduce_revert_delta(std::uint32_t = 16) { reduce_uninit(); }
template <bool enforce_fp32_accumulation>
ALWI void reduce_uninit() {
    reduce_uninit();
}

}  // namespace ckernel
