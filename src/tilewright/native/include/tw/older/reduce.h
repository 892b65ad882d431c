// SPDX-License-Identifier: Apache-2.0
// Older spellings of api/compute/reduce.h.
#pragma once

#include "api/compute/reduce.h"

namespace ckernel {

template <PoolType reduce_type, ReduceDim reduce_dim, bool enforce_fp32_accumulation = false>
inline void reduce_init_delta(std::uint32_t icb, std::uint32_t icb_scaler, std::uint32_t ocb) {
    reduce_init<reduce_type, reduce_dim>(icb, icb_scaler, ocb);
}
// <at_start, ...> of still older trees; at_start changed nothing but the hardware start-up.
template <bool at_start, PoolType reduce_type, ReduceDim reduce_dim>
inline void reduce_init_delta(std::uint32_t ocb, std::uint32_t icb, std::uint32_t icb_scaler) {
    reduce_init<reduce_type, reduce_dim>(icb, icb_scaler, ocb);
}
inline void reduce_revert_delta(std::uint32_t = 16) { reduce_uninit(); }
template <bool enforce_fp32_accumulation = false>
inline void reduce_uninit(std::uint32_t icb = 0) {
    reduce_uninit(icb);
}
// By default the host's defines apply.
#if defined(REDUCE_OP) && defined(REDUCE_DIM)
inline void reduce_init(
    std::uint32_t icb, std::uint32_t icb_scaler, std::uint32_t ocb, std::uint32_t call_line = __builtin_LINE()) {
    reduce_init<REDUCE_OP, REDUCE_DIM>(icb, icb_scaler, ocb, call_line);
}
inline void reduce_tile(
    std::uint32_t icb, std::uint32_t icb_scaler, std::uint32_t itile, std::uint32_t itile_scaler, std::uint32_t idst) {
    reduce_tile<REDUCE_OP, REDUCE_DIM>(icb, icb_scaler, itile, itile_scaler, idst);
}
inline void reduce_tile_math(std::uint32_t idst, std::uint32_t num_faces = 4) {
    reduce_tile_math<REDUCE_OP, REDUCE_DIM>(idst, num_faces);
}
#endif

}  // namespace ckernel
