// SPDX-License-Identifier: Apache-2.0
// Out of DST into a circular buffer.
#pragma once

#include "api/compute/common_globals.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/sentinel/compute_kernel_sentinel.h"

namespace ckernel {

ALWI void pack_init(std::uint32_t ocb, std::uint32_t call_line = __builtin_LINE()) {
    state_configure<Operand::PACK>(ocb, call_line);
    llk_pack_init(ocb);
}

template <bool out_of_order_output = false, bool is_fp32_dest_acc_en = false>
ALWI void pack_tile(std::uint32_t ifrom_dst, std::uint32_t icb, std::uint32_t output_tile_index = 0) {
    tw_pack_tile(ifrom_dst, icb, output_tile_index, out_of_order_output);
}

template <bool is_fp32_dest_acc_en = false>
ALWI void pack_block(std::uint32_t ifrom_dst, std::uint32_t icb, std::uint32_t ntiles) {
    for (std::uint32_t i = 0; i < ntiles; ++i) {
        tw_pack_tile(ifrom_dst + i, icb, 0, false);
    }
}

// Keeps a card's packer in step when nothing is packed; there is nothing to keep in step here.
ALWI void dummy_pack(std::uint32_t) {}

ALWI void pack_reconfig_l1_acc(const std::uint32_t l1_acc_en) { tw_pack_l1_accumulate(l1_acc_en); }
ALWI void pack_relu_config(const ReluConfig& config) { llk_pack_relu_config(config); }

}  // namespace ckernel

#include "tw/older/pack.h"
