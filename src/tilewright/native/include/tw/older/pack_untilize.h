// SPDX-License-Identifier: Apache-2.0
// Older spellings of api/compute/pack_untilize.h: the geometry of a face was an argument.
#pragma once

#include "api/compute/pack_untilize.h"

namespace ckernel {

template <
    uint32_t block_ct_dim = 8,
    uint32_t full_ct_dim = block_ct_dim,
    bool narrow_row = false,
    std::uint32_t row_num_datums = TILE_C_DIM>
inline void pack_untilize_dest_init(uint32_t ocb, uint32_t face_r_dim, uint32_t num_faces) {
    tw_reconfig_pack(ocb);
    tw::programs_packer(tw::PackLoop::Untilize);
}
template <
    uint32_t block_ct_dim = 8,
    uint32_t full_ct_dim = block_ct_dim,
    bool narrow_row = false,
    std::uint32_t row_num_datums = TILE_C_DIM>
inline void pack_untilize_dest_init_skip_remap(uint32_t ocb, uint32_t face_r_dim = 16, uint32_t num_faces = 4) {
    pack_untilize_dest_init<block_ct_dim, full_ct_dim, narrow_row, row_num_datums>(ocb, face_r_dim, num_faces);
}

template <
    uint32_t block_ct_dim = 8,
    uint32_t full_ct_dim = block_ct_dim,
    bool diagonal = false,
    bool narrow_row = false,
    std::uint32_t row_num_datums = TILE_C_DIM,
    uint32_t tile_dst_ct_offset = 0>
inline void pack_untilize_dest(
    uint32_t ocb,
    uint32_t block_rt_dim,
    uint32_t block_c_index,
    uint32_t face_r_dim,
    uint32_t num_faces,
    uint32_t tile_dst_rt_offset = 0) {
    if constexpr (diagonal || narrow_row) {
        tw_not_modelled("pack_untilize_dest with diagonal or narrow_row and a face geometry");
    }
    const uint32_t first_dst = tile_dst_rt_offset + tile_dst_ct_offset;
    tw_pack_untilize_dest(
        ocb, block_ct_dim, block_rt_dim, full_ct_dim, block_c_index, face_r_dim, num_faces, first_dst);
}

}  // namespace ckernel
