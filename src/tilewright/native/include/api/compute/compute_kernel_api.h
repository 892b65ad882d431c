// SPDX-License-Identifier: Apache-2.0
// The vector-unit functions that have no header of their own.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

// --- activations ---
template <bool fast_and_approx = false>
ALWI void sigmoid_tile_init() {
    sfpu_call::init(tw::SfpuUnary::Sigmoid);
}
template <auto vec_mode = VectorMode::RC, bool fast_and_approx = false, bool is_fp32_dest_acc_en = false>
ALWI void sigmoid_tile(uint32_t idst) {
    sfpu_call::unary_on(tw::SfpuUnary::Sigmoid, idst, vec_mode);
}
template <bool fast_and_approx = false>
ALWI void sigmoid_tile_init_pack() {
    PACK((sfpu_call::init(tw::SfpuUnary::Sigmoid)));
}
template <auto vec_mode = VectorMode::RC, bool fast_and_approx = false, bool is_fp32_dest_acc_en = false>
ALWI void sigmoid_tile_pack(uint32_t idst) {
    PACK((sigmoid_tile<vec_mode>(idst)));
}

TW_SFPU_UNARY_DEST(silu, Silu)
template <bool is_fp32_dest_acc_en = false>
ALWI void silu_tile_pack(uint32_t idst) {
    PACK((silu_tile(idst)));
}
ALWI void silu_tile_init_pack() { PACK((sfpu_call::init(tw::SfpuUnary::Silu))); }

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = false>
ALWI void tanh_tile_init() {
    sfpu_call::init(tw::SfpuUnary::Tanh);
}
template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = false>
ALWI void tanh_tile(uint32_t idst) {
    sfpu_call::unary(tw::SfpuUnary::Tanh, idst);
}
template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = false>
ALWI void tanh_tile_init_pack() {
    PACK((sfpu_call::init(tw::SfpuUnary::Tanh)));
}
template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = false>
ALWI void tanh_tile_pack(uint32_t idst) {
    PACK((sfpu_call::unary(tw::SfpuUnary::Tanh, idst)));
}

TW_SFPU_UNARY_1(heaviside, Heaviside)

// --- logarithms, exponentials, powers ---
template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = false>
ALWI void log_tile_init() {
    sfpu_call::init(tw::SfpuUnary::Log);
}
template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = false>
ALWI void log_tile(uint32_t idst) {
    sfpu_call::unary(tw::SfpuUnary::Log, idst);
}
// base_scale: 1 / ln(base) as float32 bits
template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = false>
ALWI void log_with_base_tile_init() {
    sfpu_call::init(tw::SfpuUnary::LogWithBase);
}
template <bool fast_and_approx = false, bool base_is_two = false, bool is_fp32_dest_acc_en = false>
ALWI void log_with_base_tile(uint32_t idst, uint32_t base_scale) {
    sfpu_call::unary(tw::SfpuUnary::LogWithBase, idst, base_scale, base_is_two);
}
TW_SFPU_UNARY_DEST_BOTH(exp2, Exp2)
template <bool approx = false, bool is_fp32_dest_acc_en = false>
ALWI void expm1_tile(uint32_t idst) {
    sfpu_call::unary(tw::SfpuUnary::Expm1, idst);
}
template <bool approx = false, bool is_fp32_dest_acc_en = false>
ALWI void expm1_tile_init() {
    sfpu_call::init(tw::SfpuUnary::Expm1);
}
TW_SFPU_UNARY_DEST(square, Square)
TW_SFPU_UNARY_DEST_1(power, Power)                 // float32 bits
TW_SFPU_UNARY_1(power_iterative, PowerIterative)  // a whole number

// --- signs ---
TW_SFPU_UNARY(abs, Abs)
ALWI void abs_tile_int32(uint32_t idst) { sfpu_call::unary(tw::SfpuUnary::AbsInt, idst); }
TW_SFPU_UNARY(sign, Sign)
TW_SFPU_UNARY(signbit, Signbit)
ALWI void signbit_tile_int32(uint32_t idst) { sfpu_call::unary(tw::SfpuUnary::SignbitInt, idst); }
ALWI void signbit_tile_int32_init() { sfpu_call::init(); }

// --- the larger or smaller of the tile and one number ---
TW_SFPU_UNARY_1(unary_max, MaxScalar)
TW_SFPU_UNARY_1(unary_min, MinScalar)
TW_SFPU_UNARY_1(unary_max_int32, MaxScalarInt)
TW_SFPU_UNARY_1(unary_min_int32, MinScalarInt)
TW_SFPU_UNARY_1(unary_max_uint32, MaxScalarUint)
TW_SFPU_UNARY_1(unary_min_uint32, MinScalarUint)

// --- inside a tile ---
TW_SFPU_UNARY(tiled_prod, TiledProduct)
TW_SFPU_UNARY(alt_complex_rotate90, AltComplexRotate90)

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

// --- not modelled ---
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
