// SPDX-License-Identifier: Apache-2.0
// Older spellings of api/compute/pack.h.
#pragma once

#include "api/compute/pack.h"

// A relu mode alone, or the register's packed form, where newer releases take a ReluConfig.
inline void llk_pack_relu_config(ckernel::ReluType mode) { tw_pack_relu_config(tw::code(mode), 0); }
inline void llk_pack_relu_config(std::uint32_t packed) {
    llk_pack_relu_config(ckernel::ReluConfig::from_packed(packed));
}

namespace ckernel {

inline void pack_relu_config(std::uint32_t packed) { llk_pack_relu_config(packed); }

template <bool is_fp32_dest_acc_en = false>
inline void pack_tile_block(std::uint32_t ifrom_dst, std::uint32_t icb, std::uint32_t ntiles) {
    pack_block<is_fp32_dest_acc_en>(ifrom_dst, icb, ntiles);
}

// matmul_pack_tile was the same before pack_tile_block.
template <bool is_fp32_dest_acc_en = false>
inline void matmul_pack_tile(std::uint32_t ifrom_dst, std::uint32_t icb, std::uint32_t ntiles) {
    pack_block<is_fp32_dest_acc_en>(ifrom_dst, icb, ntiles);
}

inline void pack_rows_init(std::uint32_t num_rows) { tw_pack_rows_init(num_rows); }
inline void pack_rows(std::uint32_t idst, std::uint32_t ocb, std::uint32_t output_index = 0) {
    tw_pack_rows(idst, ocb, output_index);
}
inline void pack_rows_uninit() {}

}  // namespace ckernel
