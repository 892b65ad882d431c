// SPDX-License-Identifier: Apache-2.0
// The pack half of low-level calls that kernels and kernel libraries make directly (see tw/llk/unpack.h).
#pragma once

#include <cstdint>

#include "ckernel.h"
#include "llk_outputs.h"
#include "tw/llk/codes.h"

template <
    bool is_fp32_dest_acc_en = false,
    bool out_of_order_output = false,
    ckernel::PackMode pack_mode = ckernel::PackMode::Default>
inline void llk_pack(uint32_t dst, uint32_t cb, uint32_t output_tile_index = 0) {
    static_assert(pack_mode == ckernel::PackMode::Default, "tilewright packs whole tiles with llk_pack, nothing else");
    tw_pack_tile(dst, cb, output_tile_index, out_of_order_output);
}

// Out of order, every tile of the block goes to the same page, as on a card.
template <
    bool is_fp32_dest_acc_en = false,
    bool out_of_order_output = false,
    ckernel::PackMode pack_mode = ckernel::PackMode::Default>
inline void llk_matmul_pack(uint32_t first_dst, uint32_t cb, uint32_t num_tiles, uint32_t output_tile_index = 0) {
    static_assert(
        pack_mode == ckernel::PackMode::Default, "tilewright packs whole tiles with llk_matmul_pack, nothing else");
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tw_pack_tile(first_dst + i, cb, output_tile_index, out_of_order_output);
    }
}

// Programs the packer's loop for as many tiles of the CB's shape and leaves its format alone.
template <
    ckernel::PackMode pack_mode = ckernel::PackMode::Default,
    bool zero_output = false,
    bool skip_addrmod_config = false,
    bool skip_packer_strides = false>
inline void llk_pack_init(uint32_t, uint32_t num_tiles = 1, uint32_t = 0) {
    static_assert(!zero_output, "tilewright does not simulate a packer that packs zeros");
    tw_pack_width(num_tiles);
    constexpr bool untilize = pack_mode == ckernel::PackMode::Untilize;
    tw::programs_packer(untilize ? tw::PackLoop::Untilize : tw::PackLoop::Default);
}
template <bool is_fp32_dest_acc_en = false>
inline void llk_pack_hw_configure(uint32_t cb) {
    tw_reconfig_pack(cb);
}
template <bool is_fp32_dest_acc_en = false, ckernel::PackMode pack_mode = ckernel::PackMode::Default>
inline void llk_pack_dest_init(uint32_t) {}
template <ckernel::PackMode pack_mode = ckernel::PackMode::Default, bool diagonal = false>
inline void llk_init_packer_dest_offset_registers(uint32_t) {}
inline void llk_pack_dummy(uint32_t) {}

template <bool is_fp32_dest_acc_en = false>
inline void llk_pack_reconfig_data_format(uint32_t new_cb) {
    tw_reconfig_pack(new_cb);
}
template <bool is_fp32_dest_acc_en = false>
inline void llk_pack_reconfig_data_format(uint32_t old_cb, uint32_t new_cb) {
    tw_reconfig_pack_if_different(old_cb, new_cb);
}

inline void llk_pack_relu_config(const ckernel::ReluConfig& config) {
    tw_pack_relu_config(tw::code(config.get_mode()), config.get_threshold());
}
inline void llk_pack_reconfig_l1_acc(uint32_t enable) { tw_pack_l1_accumulate(enable); }

template <ckernel::ReduceDim dim, ckernel::PackMode pack_mode = ckernel::PackMode::Default>
inline void llk_pack_reduce_mask_config(uint32_t = 0) {
    tw_pack_reduce_mask(tw::code(dim));
}
inline void llk_pack_reduce_mask_clear() { tw_pack_reduce_mask_clear(); }

inline void llk_packer_wait_for_math_done() { tw_tile_regs_wait(); }
template <bool is_fp32_dest_acc_en = false>
inline void llk_pack_dest_section_done() {
    tw_tile_regs_release();
}

template <bool skip_sync = false, bool wait_for_blocks = false, bool brisc_pack = false>
inline void llk_wait_for_free_tiles(uint32_t cb, uint32_t num_tiles) {
    tw_cb_reserve_back(cb, num_tiles);
}
template <bool push_blocks = false, bool brisc_pack = false>
inline void llk_push_tiles(uint32_t cb, uint32_t num_tiles) {
    tw_cb_push_back(cb, num_tiles);
}

// Steps inside the library's own packing, for kernels that name them to wrap them.
template <ckernel::DstSync sync, bool is_fp32_dest_acc_en>
inline void _llk_pack_dest_section_done_() {
    tw_tile_regs_release();
}
template <bool out_of_order_output = false, ckernel::PackMode pack_mode = ckernel::PackMode::Default>
inline std::uint32_t get_output_tile_address(std::uint8_t, std::uint32_t) {
    tw_not_modelled("get_output_tile_address");
    return 0;
}
inline void llk_push_to_brisc(std::uint32_t, std::uint32_t, std::uint32_t) { tw_not_modelled("llk_push_to_brisc"); }

namespace ckernel::packer {

inline void program_packer_destination(std::uint32_t) { tw_not_modelled("program_packer_destination"); }
template <DstSync sync>
inline void select_packer_dest_registers() {
    tw_not_modelled("select_packer_dest_registers");
}

}  // namespace ckernel::packer
