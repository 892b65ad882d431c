// SPDX-License-Identifier: Apache-2.0
// Row maxima over a whole row of tiles in one call.
#pragma once

#include "api/compute/reduce.h"

namespace ckernel {

namespace detail {

inline void reduce_row_of_tiles_max_init(std::uint32_t ocb) {
    tw::programs_unpackers(tw::UnpackLoop::Reduce, tw::reduce_detail(tw::Pool::Max, tw::ReduceAxis::Row), tw::kNoCb);
    tw::programs_maths(tw::MathLoop::Reduce, tw::reduce_detail(tw::Pool::Max, tw::ReduceAxis::Row));
    llk_pack_reduce_mask_config<ReduceDim::REDUCE_ROW>(ocb);
}

inline void reduce_row_of_tiles_max(
    std::uint32_t icb,
    std::uint32_t icb_scaler,
    std::uint32_t first_tile,
    std::uint32_t idst,
    std::uint32_t num_tiles) {
    for (std::uint32_t i = 0; i < num_tiles; ++i) {
        reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(icb, icb_scaler, first_tile + i, 0, idst);
    }
}

}  // namespace detail

template <std::uint32_t block_ct_dim, bool respect_trigger = false, bool is_fp32_dest_acc_en = false>
inline void reduce_block_max_row_init(const ckernel::TensorShape&, std::uint32_t ocb) {
    detail::reduce_row_of_tiles_max_init(ocb);
}
template <std::uint32_t block_ct_dim, bool respect_trigger = false, std::uint32_t num_faces = 4>
inline void reduce_block_max_row_init(std::uint32_t ocb) {
    detail::reduce_row_of_tiles_max_init(ocb);
}

template <std::uint32_t block_ct_dim, bool respect_trigger = false, bool is_fp32_dest_acc_en = false>
inline void reduce_block_max_row(
    const ckernel::TensorShape&,
    std::uint32_t icb,
    std::uint32_t icb_scaler,
    std::uint32_t row_start_index,
    std::uint32_t idst) {
    detail::reduce_row_of_tiles_max(icb, icb_scaler, row_start_index, idst, block_ct_dim);
}
template <std::uint32_t block_ct_dim, bool respect_trigger = false, std::uint32_t num_faces = 4>
inline void reduce_block_max_row(
    std::uint32_t icb, std::uint32_t icb_scaler, std::uint32_t row_start_index, std::uint32_t idst) {
    detail::reduce_row_of_tiles_max(icb, icb_scaler, row_start_index, idst, block_ct_dim);
}

template <std::uint32_t block_ct_dim, bool respect_trigger = false, bool is_fp32_dest_acc_en = false>
inline void reduce_block_max_row_reinit_short(const ckernel::TensorShape&, std::uint32_t ocb) {
    detail::reduce_row_of_tiles_max_init(ocb);
}
template <std::uint32_t block_ct_dim, bool respect_trigger = false, std::uint32_t num_faces = 4>
inline void reduce_block_max_row_reinit_short(std::uint32_t ocb) {
    detail::reduce_row_of_tiles_max_init(ocb);
}
template <std::uint32_t block_ct_dim, bool respect_trigger = false, bool is_fp32_dest_acc_en = false>
inline void reduce_block_max_row_reinit_minimal(const ckernel::TensorShape&, std::uint32_t ocb) {
    detail::reduce_row_of_tiles_max_init(ocb);
}
template <std::uint32_t block_ct_dim, bool respect_trigger = false, std::uint32_t num_faces = 4>
inline void reduce_block_max_row_reinit_minimal(std::uint32_t ocb) {
    detail::reduce_row_of_tiles_max_init(ocb);
}

template <bool respect_trigger = false>
inline void reduce_block_max_row_uninit(std::uint32_t) {
    llk_pack_reduce_mask_clear();
}

// The forms with the block's width known only at run time: the init call says it.
inline void reduce_block_max_row_init_runtime(
    const ckernel::TensorShape&,
    std::uint32_t ocb,
    std::uint32_t block_ct_dim,
    std::uint32_t,
    std::uint32_t,
    bool respect_trigger = false) {
    detail::reduce_row_of_tiles_max_init(ocb);
    tw_reduce_block_init(block_ct_dim);
}
inline void reduce_block_max_row_init_runtime(
    std::uint32_t ocb,
    std::uint32_t block_ct_dim,
    std::uint32_t,
    std::uint32_t,
    bool respect_trigger = false,
    std::uint32_t num_faces = 4) {
    detail::reduce_row_of_tiles_max_init(ocb);
    tw_reduce_block_init(block_ct_dim);
}
template <bool is_fp32_dest_acc_en = false>
inline void reduce_block_max_row_reinit_short_runtime(
    const ckernel::TensorShape&, std::uint32_t ocb, std::uint32_t block_ct_dim, bool respect_trigger = false) {
    detail::reduce_row_of_tiles_max_init(ocb);
    tw_reduce_block_init(block_ct_dim);
}
inline void reduce_block_max_row_reinit_short_runtime(
    std::uint32_t ocb, std::uint32_t block_ct_dim, bool respect_trigger = false, std::uint32_t num_faces = 4) {
    detail::reduce_row_of_tiles_max_init(ocb);
    tw_reduce_block_init(block_ct_dim);
}
template <bool is_fp32_dest_acc_en = false>
inline void reduce_block_max_row_reinit_minimal_runtime(
    const ckernel::TensorShape& shape, std::uint32_t ocb, std::uint32_t block_ct_dim, bool respect_trigger = false) {
    reduce_block_max_row_reinit_short_runtime(shape, ocb, block_ct_dim, respect_trigger);
}
inline void reduce_block_max_row_reinit_minimal_runtime(
    std::uint32_t ocb, std::uint32_t block_ct_dim, bool respect_trigger = false, std::uint32_t num_faces = 4) {
    reduce_block_max_row_reinit_short_runtime(ocb, block_ct_dim, respect_trigger, num_faces);
}
template <bool is_fp32_dest_acc_en = false>
inline void reduce_block_max_row_runtime(
    const ckernel::TensorShape&,
    std::uint32_t icb,
    std::uint32_t icb_scaler,
    std::uint32_t row_start_index,
    std::uint32_t idst,
    bool respect_trigger = false,
    bool overlap_first_half = false) {
    detail::reduce_row_of_tiles_max(icb, icb_scaler, row_start_index, idst, tw_reduce_block_tiles());
}
inline void reduce_block_max_row_runtime(
    std::uint32_t icb,
    std::uint32_t icb_scaler,
    std::uint32_t row_start_index,
    std::uint32_t idst,
    bool respect_trigger = false,
    bool overlap_first_half = false,
    std::uint32_t num_faces = 4) {
    detail::reduce_row_of_tiles_max(icb, icb_scaler, row_start_index, idst, tw_reduce_block_tiles());
}
inline void reduce_block_max_row_uninit_runtime(std::uint32_t, bool = false, bool = false) {
    llk_pack_reduce_mask_clear();
}

// Older spellings.
inline void reduce_block_max_row_init_runtime(
    std::uint32_t ocb, std::uint32_t block_ct_dim, bool respect_trigger = false) {
    reduce_block_max_row_reinit_short_runtime(ocb, block_ct_dim, respect_trigger);
}
template <bool clear_fp32_accumulation = false>
inline void reduce_block_max_row_uninit() {
    llk_pack_reduce_mask_clear();
}
template <bool clear_fp32_accumulation, bool respect_trigger>
inline void reduce_block_max_row_uninit(std::uint32_t) {
    llk_pack_reduce_mask_clear();
}

}  // namespace ckernel
