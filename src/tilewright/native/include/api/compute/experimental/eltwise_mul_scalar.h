// SPDX-License-Identifier: Apache-2.0
// Products with a scalar and with DST under the names that Blackhole's fused kernels use.
#pragma once

#include "api/compute/bcast.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_binary.h"

namespace ckernel {

#ifdef ARCH_BLACKHOLE

ALWI void deepseek_mul_bcast_scalar_init(
    std::uint32_t icb0, std::uint32_t icb1, std::uint32_t call_line = __builtin_LINE()) {
    mul_bcast_scalar_init(icb0, icb1, call_line);
}
ALWI void deepseek_mul_tiles_bcast_scalar_init_short(
    std::uint32_t icb0, std::uint32_t icb1, std::uint32_t call_line = __builtin_LINE()) {
    mul_bcast_scalar_init(icb0, icb1, call_line);
}
template <bool fp32_dest_acc_en = false>
ALWI void deepseek_mul_tiles_bcast_scalar(
    std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0, std::uint32_t itile1, std::uint32_t idst) {
    mul_tiles_bcast_scalar(icb0, icb1, itile0, itile1, idst);
}

// One scalar for a block of tiles.
ALWI void mul_tiles_bcast_scalar_block_init(
    std::uint32_t icb0, std::uint32_t icb1, std::uint32_t call_line = __builtin_LINE()) {
    mul_bcast_scalar_init(icb0, icb1, call_line);
}
ALWI void mul_tiles_bcast_scalar_block(
    std::uint32_t icb0,
    std::uint32_t icb1,
    std::uint32_t itile0,
    std::uint32_t itile1,
    std::uint32_t idst,
    std::uint32_t block_size) {
    for (std::uint32_t i = 0; i < block_size; ++i) {
        mul_tiles_bcast_scalar(icb0, icb1, itile0 + i, itile1, idst + i);
    }
}

template <EltwiseBinaryReuseDestType binary_reuse_dest = EltwiseBinaryReuseDestType::DEST_TO_SRCA>
ALWI void deepseek_binary_dest_reuse_tiles_init(std::uint32_t icb0, std::uint32_t call_line = __builtin_LINE()) {
    mul_reuse_dest_init<binary_reuse_dest>(icb0, call_line);
}
template <
    bool fp32_dest_acc_en = false,
    EltwiseBinaryReuseDestType binary_reuse_dest = EltwiseBinaryReuseDestType::DEST_TO_SRCA>
ALWI void deepseek_binary_dest_reuse_tiles(std::uint32_t icb, std::uint32_t in_tile_index, std::uint32_t idst) {
    mul_reuse_dest_tiles<binary_reuse_dest>(icb, in_tile_index, idst);
}

#endif

}  // namespace ckernel
