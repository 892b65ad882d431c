// SPDX-License-Identifier: Apache-2.0
// Functions of compute_kernel_api.h that combine the elements of a tile, and those that are not simulated.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

constexpr bool sfpu_reduce_format_supported(DataFormat format) {
    return sfpu_call::is_integer_format(format) || format == DataFormat::Float32 || format == DataFormat::Float16_b;
}
template <
    PoolType pool_type,
    DataFormat format,
    ReduceDim reduce_dim = ReduceDim::REDUCE_COL,
    bool is_fp32_dest_acc_en = false>
ALWI void sfpu_reduce(uint32_t idst, uint32_t ct_dim = 1, uint32_t rt_dim = 1) {
    static_assert(
        reduce_dim == ReduceDim::REDUCE_COL || (reduce_dim == ReduceDim::REDUCE_ROW && pool_type != PoolType::AVG),
        "sfpu_reduce: REDUCE_COL with any pool type, or REDUCE_ROW with SUM, MAX or MIN");
    static_assert(
        sfpu_reduce_format_supported(format),
        "sfpu_reduce: format must be Float32, Float16_b, Int32, UInt32 or UInt16");
    tw_sfpu_reduce(
        static_cast<uint32_t>(pool_type),
        static_cast<uint32_t>(reduce_dim),
        static_cast<uint32_t>(format),
        idst,
        ct_dim,
        rt_dim);
}
template <PoolType pool_type, DataFormat format, bool is_fp32_dest_acc_en = false>
ALWI void sfpu_reduce_init() {
    static_assert(
        sfpu_reduce_format_supported(format),
        "sfpu_reduce: format must be Float32, Float16_b, Int32, UInt32 or UInt16");
    sfpu_call::init();
}

// The top four rows of two tiles added.
template <DataFormat format>
ALWI void sfpu_add_top_row(uint32_t dst_tile_0, uint32_t dst_tile_1, uint32_t dst_tile_out) {
    static_assert(
        format == DataFormat::Float32 || format == DataFormat::Int32 || format == DataFormat::UInt32,
        "sfpu_add_top_row: format must be Float32, Int32 or UInt32");
    tw_sfpu_add_top_row(static_cast<uint32_t>(format), dst_tile_0, dst_tile_1, dst_tile_out);
}
ALWI void sfpu_add_top_row_init() { sfpu_call::init(); }

template <
    int num_rows = 9,
    DataLayout layout = DataLayout::TILE,
    bool accumulate = false,
    int ITERATIONS = 8,
    bool is_fp32_dest_acc_en = false>
ALWI void max_reduce_with_indices(uint32_t idst, uint32_t idst_idx, uint32_t chunk = 0) {
    static_assert(num_rows <= 32, "a tile has 32 rows");
    static_assert(
        num_rows <= 9 || layout == DataLayout::ROW_MAJOR, "more than 9 rows are reduced in row-major order only");
    constexpr uint32_t rows = num_rows <= 9 ? 9 : 32;  // what the two programs of a card take
    tw_sfpu_max_with_indices(idst, idst_idx, rows, layout == DataLayout::ROW_MAJOR, accumulate && num_rows > 9, chunk);
}
template <DataLayout layout = DataLayout::TILE>
ALWI void max_reduce_with_indices_init() {
    sfpu_call::init();
}

// --- not simulated ---
ALWI void dbg_halt() { tw_not_modelled("dbg_halt"); }
ALWI void dbg_unhalt() { tw_not_modelled("dbg_unhalt"); }
ALWI void dbg_read_dest_acc_row(int, uint32_t*) { tw_not_modelled("dbg_read_dest_acc_row"); }
ALWI uint32_t get_compute_special_value_flags() { tw_not_modelled("get_compute_special_value_flags"); }
ALWI uint32_t get_compute_special_value_flags_fpu(uint32_t) { tw_not_modelled("get_compute_special_value_flags_fpu"); }
ALWI uint32_t get_compute_special_value_flags_sfpu(uint32_t) {
    tw_not_modelled("get_compute_special_value_flags_sfpu");
}
ALWI void clear_compute_special_value_flags() { tw_not_modelled("clear_compute_special_value_flags"); }

}  // namespace ckernel
