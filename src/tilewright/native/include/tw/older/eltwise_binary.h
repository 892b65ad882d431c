// SPDX-License-Identifier: Apache-2.0
// Older spellings of api/compute/eltwise_binary.h.
#pragma once

#include "api/compute/eltwise_binary.h"

namespace ckernel {

using enum EltwiseBinaryType;

inline void binary_op_init_common(
    std::uint32_t icb0, std::uint32_t icb1, std::uint32_t ocb, std::uint32_t call_line = __builtin_LINE()) {
    compute_kernel_hw_startup(icb0, icb1, ocb);
}

inline void add_tiles_init(
    std::uint32_t icb0, std::uint32_t icb1, bool acc_to_dest = false, std::uint32_t call_line = __builtin_LINE()) {
    add_init(icb0, icb1, acc_to_dest, call_line);
}
inline void sub_tiles_init(
    std::uint32_t icb0, std::uint32_t icb1, bool acc_to_dest = false, std::uint32_t call_line = __builtin_LINE()) {
    sub_init(icb0, icb1, acc_to_dest, call_line);
}
inline void mul_tiles_init(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t call_line = __builtin_LINE()) {
    mul_init(icb0, icb1, true, call_line);
}
// Products always add to DST.
inline void mul_tiles_init(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t acc_to_dest, std::uint32_t call_line) {
    mul_init(icb0, icb1, acc_to_dest != 0, call_line);
}

template <
    EltwiseBinaryType eltwise_binary_type = EltwiseBinaryType::ELWADD,
    EltwiseBinaryReuseDestType binary_reuse_dest = EltwiseBinaryReuseDestType::NONE>
inline void binary_dest_reuse_tiles_init(std::uint32_t icb0, std::uint32_t call_line = __builtin_LINE()) {
    detail::binary_reuse_dest_init<eltwise_binary_type, binary_reuse_dest>(icb0, call_line);
}
template <
    EltwiseBinaryType eltwise_binary_type = EltwiseBinaryType::ELWADD,
    EltwiseBinaryReuseDestType binary_reuse_dest = EltwiseBinaryReuseDestType::NONE>
inline void binary_dest_reuse_tiles(std::uint32_t in_cb_id, std::uint32_t in_tile_index, std::uint32_t dst_tile_index) {
    detail::binary_reuse_dest_tiles<eltwise_binary_type, binary_reuse_dest>(in_cb_id, in_tile_index, dst_tile_index);
}

}  // namespace ckernel
