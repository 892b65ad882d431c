// SPDX-License-Identifier: Apache-2.0
// Older spellings of api/compute/reconfig_data_format.h: template flags where there are names now.
#pragma once

#include "api/compute/reconfig_data_format.h"

namespace ckernel {

// <to_from_int8, is_tile_dim_reconfig_en>
template <bool to_from_int8, bool is_tile_dim_reconfig_en = false>
inline void reconfig_data_format(const uint32_t srca_new_operand, const uint32_t srcb_new_operand) {
    tw_reconfig_src_a(srca_new_operand);
    tw_reconfig_src_b(srcb_new_operand);
}
template <bool to_from_int8, bool is_tile_dim_reconfig_en = false>
inline void reconfig_data_format(
    const uint32_t srca_old_operand,
    const uint32_t srca_new_operand,
    const uint32_t srcb_old_operand,
    const uint32_t srcb_new_operand) {
    tw_reconfig_src_a_if_different(srca_old_operand, srca_new_operand);
    tw_reconfig_src_b_if_different(srcb_old_operand, srcb_new_operand);
}
template <bool to_from_int8, bool is_tile_dim_reconfig_en = false>
inline void reconfig_data_format_srca(const uint32_t srca_new_operand) {
    tw_reconfig_src_a(srca_new_operand);
}
template <bool to_from_int8, bool is_tile_dim_reconfig_en = false>
inline void reconfig_data_format_srca(const uint32_t srca_old_operand, const uint32_t srca_new_operand) {
    tw_reconfig_src_a_if_different(srca_old_operand, srca_new_operand);
}
template <bool to_from_int8, bool is_tile_dim_reconfig_en = false>
inline void reconfig_data_format_srcb(const uint32_t srcb_new_operand) {
    tw_reconfig_src_b(srcb_new_operand);
}
template <bool to_from_int8, bool is_tile_dim_reconfig_en = false>
inline void reconfig_data_format_srcb(const uint32_t srcb_old_operand, const uint32_t srcb_new_operand) {
    tw_reconfig_src_b_if_different(srcb_old_operand, srcb_new_operand);
}

}  // namespace ckernel
