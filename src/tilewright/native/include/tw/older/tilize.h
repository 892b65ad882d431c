// SPDX-License-Identifier: Apache-2.0
// Older spellings of api/compute/tilize.h.
#pragma once

#include "api/compute/tilize.h"

namespace ckernel {

inline void tilize_init_short(uint32_t icb, uint32_t block, uint32_t ocb) { tilize_init(icb, block, ocb); }
inline void tilize_uninit_with_dt(uint32_t old_icb, uint32_t new_icb, uint32_t ocb) {
    tilize_uninit(old_icb, ocb);
    tw_reconfig_src_a_if_different(old_icb, new_icb);
}

inline void fast_tilize_uninit(uint32_t icb, uint32_t ocb) { tilize_uninit(icb, ocb); }

// Takes the output CB and geometry too; the engine has the geometry from the host.
template <bool neginf_srcA = true, bool zero_srcA_reduce = false>
inline void tilizeA_B_reduce_init(
    uint32_t icb0, uint32_t icb1_scaler, uint32_t block, uint32_t ocb, uint32_t num_faces, uint32_t face_r_dim) {
    compute_kernel_hw_startup(icb0, icb1_scaler, ocb);
    tilizeA_B_reduce_init<neginf_srcA, zero_srcA_reduce>(icb0, icb1_scaler, block);
}
template <
    bool neginf_srcA = true,
    std::uint32_t reload_srcB = true,
    bool zero_srcA = false,
    bool zero_srcA_reduce = false>
inline void unpack_tilizeA_B_block(
    uint32_t icb0,
    uint32_t icb1,
    uint32_t block,
    uint32_t tile_idx_b,
    uint32_t num_faces,
    uint32_t srca_face_r_dim = 16) {
    unpack_tilizeA_B_block<neginf_srcA, reload_srcB, zero_srcA, zero_srcA_reduce>(icb0, icb1, block, tile_idx_b);
}

}  // namespace ckernel
