// SPDX-License-Identifier: Apache-2.0
// Tiles scaled by a number that is the first element of a DST tile, as the last step of RMS normalization (Blackhole).
#pragma once

#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/experimental/mul_reduce_scalar.h"

namespace ckernel {

#ifdef ARCH_BLACKHOLE

template <EltwiseBinaryType eltwise_binary_type = EltwiseBinaryType::ELWADD, std::uint32_t num_tiles>
ALWI void rmsnorm_bcast_scalar_reuse_tiles_init(std::uint32_t icb0, std::uint32_t call_line = __builtin_LINE()) {
    detail::binary_reuse_dest_init<eltwise_binary_type, EltwiseBinaryReuseDestType::DEST_TO_SRCB>(icb0, call_line);
}

// A product is added to what DST holds, unless it is cleared first.
template <
    EltwiseBinaryType eltwise_binary_type = EltwiseBinaryType::ELWADD,
    std::uint32_t num_tiles,
    bool clear_dest = false,
    bool is_fp32_dest_acc_en = false>
ALWI void rmsnorm_bcast_scalar_reuse_tiles(
    std::uint32_t in_cb_id, std::uint32_t in_tile_index, std::uint32_t src_tile_index, std::uint32_t dst_tile_index) {
    tw_binary_scalar_of_dest(
        tw::code(eltwise_binary_type), in_cb_id, in_tile_index, num_tiles, src_tile_index, dst_tile_index, clear_dest);
}

template <std::uint32_t num_tiles>
ALWI void rmsnorm_mul_bcast_scalar_reuse_tiles_init(std::uint32_t icb0, std::uint32_t call_line = __builtin_LINE()) {
    rmsnorm_bcast_scalar_reuse_tiles_init<EltwiseBinaryType::ELWMUL, num_tiles>(icb0, call_line);
}
template <std::uint32_t num_tiles, bool clear_dest = false, bool is_fp32_dest_acc_en = false>
ALWI void rmsnorm_mul_bcast_scalar_reuse_tiles(
    std::uint32_t in_cb_id, std::uint32_t in_tile_index, std::uint32_t src_tile_index, std::uint32_t dst_tile_index) {
    rmsnorm_bcast_scalar_reuse_tiles<EltwiseBinaryType::ELWMUL, num_tiles, clear_dest>(
        in_cb_id, in_tile_index, src_tile_index, dst_tile_index);
}

#endif

}  // namespace ckernel
