// SPDX-License-Identifier: Apache-2.0
// The vector unit (SFPU): element-wise maths and a few data movements on tiles that lie in DST.
// `dst` arguments are DST slots. Parameters are the 32-bit patterns the kernel API takes: float32 bits, or integers.
#pragma once

#include <cstdint>

namespace tw {

// One tile in, the same tile out; two tiles in, one out; three tiles in, one out.
enum class SfpuUnary : uint32_t {
#define TW_SFPU_UNARY(operation, ...) operation,
#include "sfpu_functions.inl"
    Count
};
enum class SfpuBinary : uint32_t {
#define TW_SFPU_BINARY(operation, ...) operation,
#include "sfpu_functions.inl"
    Count
};
enum class SfpuTernary : uint32_t {
#define TW_SFPU_TERNARY(operation, ...) operation,
#include "sfpu_functions.inl"
    Count
};

// Constants some init calls leave in the unit's registers for their operation. They all use the same registers, so the
// last init wins; operations that share constants share a name.
enum class SfpuConstants : uint32_t {
    None,
    Reciprocal,
    Root,
    Log,
    Log1p,
    Exp2,
    Expm1,
    Tanh,
    CubeRoot,
    Power,
    BinaryPower,
    Sine,
    Tangent,
    ExpApproximate,
    Count
};

inline constexpr SfpuConstants kUnaryConstants[] = {
#define TW_SFPU_UNARY(operation, constants, ...) SfpuConstants::constants,
#include "sfpu_functions.inl"
};
inline constexpr SfpuConstants kBinaryConstants[] = {
#define TW_SFPU_BINARY(operation, constants, ...) SfpuConstants::constants,
#include "sfpu_functions.inl"
};
constexpr SfpuConstants constants_of(SfpuUnary op) { return kUnaryConstants[static_cast<uint32_t>(op)]; }
constexpr SfpuConstants constants_of(SfpuBinary op) { return kBinaryConstants[static_cast<uint32_t>(op)]; }

// Values as in tt-metal's VectorMode: which faces an operation touches.
enum class SfpuFaces : uint32_t { First = 0, Row = 1, Column = 2, All = 4, FirstOnly = 6 };
inline constexpr uint32_t kSfpuVectorsPerFace = 8;  // the unit works on 4 rows x 8 columns at a time

enum class SfpuBroadcast : uint32_t { Column = 0, Row = 1 };
enum class SfpuArithmetic : uint32_t { Add = 0, Sub = 1, Mul = 2 };

}  // namespace tw

extern "C" {
void tw_sfpu_unary(uint32_t op, uint32_t dst, uint32_t vector_mode, uint32_t p0, uint32_t p1, uint32_t p2);
// As above for the first `vectors` of the 8 vectors of every face (4 rows for every two of them).
void tw_sfpu_unary_vectors(
    uint32_t op, uint32_t dst, uint32_t vector_mode, uint32_t vectors, uint32_t p0, uint32_t p1, uint32_t p2);
void tw_sfpu_binary(
    uint32_t op, uint32_t dst_a, uint32_t dst_b, uint32_t dst_out, uint32_t vector_mode, uint32_t p0, uint32_t p1);
void tw_sfpu_ternary(
    uint32_t op, uint32_t dst_a, uint32_t dst_b, uint32_t dst_c, uint32_t dst_out, uint32_t vector_mode, uint32_t p0);

// --- constants an init call leaves for the calls after it ---
void tw_sfpu_init(uint32_t constants);  // every init call of the unit; SfpuConstants
void tw_sfpu_set_constants(uint32_t c0, uint32_t c1);
// Quantisation whose output format the init call left as its second constant: 0 the first op, 1 the second.
void tw_sfpu_quantize(uint32_t op, uint32_t uint8_op, uint32_t dst_a, uint32_t dst_scale, uint32_t dst_out);
void tw_sfpu_set_exp_scale(uint32_t scale_bits);  // of the approximate exponential
void tw_sfpu_seed(uint32_t seed);

// --- changing what a tile holds ---
void tw_sfpu_typecast(uint32_t dst, uint32_t in_format, uint32_t out_format);  // DataFormat values
void tw_sfpu_copy(uint32_t dst_in, uint32_t dst_out, uint32_t is_float);
// Elements whose partner in the tile after `dst` is zero become `value_bits`; the mask is float or integer.
void tw_sfpu_mask(uint32_t dst, uint32_t value_bits, uint32_t integer_mask);
// Row r of the tile is added to row indices[r] of the tile after it; `indices` are 32 bytes, 16 past the L1 address.
void tw_sfpu_reshuffle_rows(uint32_t dst, uint32_t indices_l1);

// --- broadcasts of the tile's first column or row ---
void tw_sfpu_binary_broadcast(uint32_t op, uint32_t broadcast, uint32_t dst_data, uint32_t dst_vector);
// (data [+ residual] - mean) * inverse_std; mean and inverse_std are column vectors, or single values.
void tw_sfpu_normalize(
    uint32_t dst_data,
    uint32_t dst_residual,
    uint32_t has_residual,
    uint32_t dst_mean,
    uint32_t dst_inverse_std,
    uint32_t is_scalar);

// --- sums, reductions ---
void tw_sfpu_cumsum(uint32_t dst, uint32_t first);
// pool and axis as in tw::Pool and tw::ReduceAxis; format is a DataFormat value.
void tw_sfpu_reduce(uint32_t pool, uint32_t axis, uint32_t format, uint32_t dst, uint32_t ct_dim, uint32_t rt_dim);
// The largest of the first num_rows rows of every column and what the index tile has beside it go to row 0 of both
// tiles. In row-major order row r is words 32 r to 32 r + 31. accumulate: row 0 of the next tiles holds what the chunks
// before gave (nothing before chunk 0), and gets what they give together with this one.
void tw_sfpu_max_with_indices(
    uint32_t dst, uint32_t dst_index, uint32_t num_rows, uint32_t row_major, uint32_t accumulate, uint32_t chunk);
void tw_sfpu_add_top_row(uint32_t format, uint32_t dst_a, uint32_t dst_b, uint32_t dst_out);
void tw_sfpu_sum_int(uint32_t dst, uint32_t along_rows);  // 1: every row into its even columns of the left half
void tw_sfpu_add_int_next(uint32_t dst);                  // tile += the tile after it
void tw_sfpu_triangle_solve(
    uint32_t cb_l, uint32_t l_tile, uint32_t dst_in, uint32_t dst_out, uint32_t is_bfloat16, uint32_t negated);

// --- exponential moving average down the rows of a tile; the result goes to the tile after it ---
void tw_sfpu_ema_constants(uint32_t alpha_bits, uint32_t beta_bits);
void tw_sfpu_ema_clear();
void tw_sfpu_ema(uint32_t dst);

// --- running mean and sum of squared differences (M2) of every column ---
void tw_sfpu_welford_clear();
// reciprocals: table of 1/(n+1) as float bits, or null to divide.
void tw_sfpu_welford_update(
    uint32_t dst, uint32_t start_index, uint32_t start_row, uint32_t num_rows, const uint32_t* reciprocals);
void tw_sfpu_welford_save(uint32_t dst_mean, uint32_t group);
void tw_sfpu_welford_restore(uint32_t dst_mean, uint32_t group);
void tw_sfpu_welford_to_row(uint32_t dst_mean, uint32_t reciprocal_bits);
void tw_sfpu_welford_to_face(uint32_t dst_mean, uint32_t group, uint32_t reciprocal_bits);

// --- the same statistics in two passes: sums about an anchor, then squared differences from the mean ---
void tw_sfpu_two_pass_clear();
void tw_sfpu_two_pass_sum(uint32_t dst, uint32_t start_row, uint32_t num_rows, uint32_t set_anchor, uint32_t dual);
void tw_sfpu_two_pass_squares(uint32_t dst, uint32_t start_row, uint32_t num_rows, uint32_t dual);
void tw_sfpu_two_pass_finish_mean(uint32_t reciprocal_bits, uint32_t dual, uint32_t retain_anchor);
void tw_sfpu_two_pass_save(uint32_t dst_mean, uint32_t dual);
void tw_sfpu_two_pass_combine(uint32_t dst_mean, uint32_t total_reciprocal_bits, uint32_t block_n_bits, uint32_t dual);
void tw_sfpu_two_pass_to_row(uint32_t dst_mean, uint32_t reciprocal_bits, uint32_t dual, uint32_t store_mean);
void tw_sfpu_two_pass_split_to_row(uint32_t dst_mean, uint32_t reciprocal_bits, uint32_t dual);
void tw_sfpu_two_pass_to_face(uint32_t dst_mean, uint32_t group, uint32_t reciprocal_bits, uint32_t dual);
void tw_sfpu_two_pass_combined_to_face(
    uint32_t dst_mean, uint32_t group, uint32_t reciprocal_bits, uint32_t dual, uint32_t average_variance);
void tw_sfpu_two_pass_save_anchor(uint32_t dst, uint32_t row);
void tw_sfpu_two_pass_restore_anchor(uint32_t dst, uint32_t row);

// --- top-k: two value tiles at dst, dst+1 and their indices at dst+2, dst+3, sorted along the rows ---
void tw_sfpu_topk_local_sort(
    uint32_t dst,
    uint32_t ascending,
    int32_t end_phase,
    int32_t start_phase,
    int32_t end_step,
    int32_t start_step,
    uint32_t tie_order);  // 0: none, 1: smaller index first going up, 2: going down, 3: fused keys, no index tiles
void tw_sfpu_topk_merge(uint32_t dst, int32_t m_iter, int32_t k, uint32_t ascending, uint32_t tie_order);
void tw_sfpu_topk_rebuild(
    uint32_t dst,
    uint32_t ascending,
    int32_t m_iter,
    int32_t k,
    int32_t log_k,
    int32_t skip_second,
    uint32_t tie_order);
void tw_sfpu_topk_canonicalize_zeros(uint32_t dst);
// Keys with something in their low bits. The runs a merge with the same m_iter and k compares get their ranks; a tile
// the ranks from rank_base on; two value tiles their 16-bit indices, and back.
void tw_sfpu_topk_stamp_runs(uint32_t dst, int32_t m_iter, int32_t k, uint32_t largest, uint32_t tag_bits);
void tw_sfpu_topk_stamp_tile(uint32_t dst, uint32_t rank_base, uint32_t largest, uint32_t tag_bits);
void tw_sfpu_topk_fuse(uint32_t dst, uint32_t largest);
void tw_sfpu_topk_defuse(uint32_t dst, uint32_t num_tiles, uint32_t largest);

// --- top-k of long rows: sequences of 512, 1024 or 2048 words from tile dst on (sfpu/topk_xl.cpp) ---
void tw_sfpu_topk_xl_stamp(uint32_t dst, uint32_t length, uint32_t chunk, uint32_t in_dst_order);
void tw_sfpu_topk_xl_sort(uint32_t dst, uint32_t length, uint32_t ascending);
void tw_sfpu_topk_xl_sort_columns(uint32_t dst, uint32_t length, uint32_t ascending);
void tw_sfpu_topk_xl_merge(uint32_t dst, uint32_t length, uint32_t fused);
void tw_sfpu_topk_xl_rebuild(uint32_t dst, uint32_t length, uint32_t ascending, uint32_t fused);
void tw_sfpu_topk_xl_split(uint32_t dst, uint32_t length, uint32_t in_dst_order, uint32_t chunk_length, uint32_t base);
void tw_sfpu_topk_xl_remove_values(uint32_t dst, uint32_t length);
}
