// SPDX-License-Identifier: Apache-2.0
// Mean and variance of columns: online (Welford), and in two passes about an anchor.
#pragma once

#include <array>
#include <cstddef>

#include "api/compute/reconfig_data_format.h"
#include "tw/sfpu_calls.h"

namespace ckernel {

enum class WelfordInitMode : std::uint8_t { ClearStats, PreserveStats };

// Reciprocals of counts, 1/(n+1): from the table, or by division when it is empty.
namespace detail {
template <std::size_t size>
inline const std::uint32_t* reciprocals_of(const std::array<std::uint32_t, size>& table) {
    return size == 0 ? nullptr : table.data();
}
template <std::size_t size>
inline std::uint32_t reciprocal_at(const std::array<std::uint32_t, size>& table, std::uint32_t index) {
    return size == 0 ? __builtin_bit_cast(std::uint32_t, 1.0f / static_cast<float>(index + 1)) : table.data()[index];
}
}  // namespace detail

template <WelfordInitMode mode = WelfordInitMode::ClearStats>
inline void welford_init() {
    sfpu_call::init();
    if constexpr (mode == WelfordInitMode::ClearStats) {
        tw_sfpu_welford_clear();
    }
}
// Back to copying tiles of `cbid` after another operation; the statistics stay.
template <bool is_fp32_dest_acc_en = false>
inline void welford_reinit(std::uint32_t cbid, std::uint32_t call_line = __builtin_LINE()) {
    (void)call_line;
    tw_copy_init(cbid, 0, 0);
    tw::programs_maths(tw::MathLoop::Copy);
}
inline void welford_clear() { tw_sfpu_welford_clear(); }

template <std::size_t reciprocal_size>
inline void welford_update(
    std::uint32_t input_dst_idx,
    std::uint32_t start_idx,
    const std::array<std::uint32_t, reciprocal_size>& reciprocal_lut) {
    tw_sfpu_welford_update(input_dst_idx, start_idx, 0, TILE_HEIGHT, detail::reciprocals_of(reciprocal_lut));
}
template <std::size_t reciprocal_size>
inline void welford_update_rows(
    std::uint32_t input_dst_idx,
    std::uint32_t start_idx,
    std::uint32_t start_row,
    std::uint32_t num_rows,
    const std::array<std::uint32_t, reciprocal_size>& reciprocal_lut) {
    tw_sfpu_welford_update(input_dst_idx, start_idx, start_row, num_rows, detail::reciprocals_of(reciprocal_lut));
}
// Mean in the tile named, M2 (or variance) in the one after it.
inline void welford_save_state(std::uint32_t mean_dst_idx) { tw_sfpu_welford_save(mean_dst_idx, 0); }
inline void welford_restore_state(std::uint32_t mean_dst_idx) { tw_sfpu_welford_restore(mean_dst_idx, 0); }
inline void welford_save_state(std::uint32_t mean_dst_idx, std::uint32_t group_id) {
    tw_sfpu_welford_save(mean_dst_idx, group_id);
}
inline void welford_restore_state(std::uint32_t mean_dst_idx, std::uint32_t group_id) {
    tw_sfpu_welford_restore(mean_dst_idx, group_id);
}
template <std::size_t reciprocal_size>
inline void welford_finalize_to_row(
    std::uint32_t mean_dst_idx,
    std::uint32_t scale_idx,
    const std::array<std::uint32_t, reciprocal_size>& reciprocal_lut) {
    tw_sfpu_welford_to_row(mean_dst_idx, detail::reciprocal_at(reciprocal_lut, scale_idx));
}
template <std::size_t reciprocal_size>
inline void welford_finalize_to_face(
    std::uint32_t mean_dst_idx,
    std::uint32_t scale_idx,
    const std::array<std::uint32_t, reciprocal_size>& reciprocal_lut) {
    tw_sfpu_welford_to_face(mean_dst_idx, 0, detail::reciprocal_at(reciprocal_lut, scale_idx));
}
template <std::size_t reciprocal_size>
inline void welford_finalize_to_face(
    std::uint32_t mean_dst_idx,
    std::uint32_t group_id,
    std::uint32_t scale_idx,
    const std::array<std::uint32_t, reciprocal_size>& reciprocal_lut) {
    tw_sfpu_welford_to_face(mean_dst_idx, group_id, detail::reciprocal_at(reciprocal_lut, scale_idx));
}

// --- two passes ---
enum class TwoPassAccumulation : std::uint8_t { ShiftedSum, CentredM2 };
enum class TwoPassAnchor : std::uint8_t { Reuse, Initialise };

inline void two_pass_stats_init_shifted() { sfpu_call::init(); }
inline void two_pass_stats_clear() { tw_sfpu_two_pass_clear(); }
template <bool dual_m2 = true>
inline void two_pass_stats_update_rows(std::uint32_t input_dst_idx, std::uint32_t start_row, std::uint32_t num_rows) {
    tw_sfpu_two_pass_squares(input_dst_idx, start_row, num_rows, dual_m2);
}
template <TwoPassAccumulation accumulation, TwoPassAnchor anchor = TwoPassAnchor::Reuse, bool dual_accumulator = true>
inline void two_pass_stats_update_shifted_rows(
    std::uint32_t input_dst_idx, std::uint32_t start_row, std::uint32_t num_rows) {
    if constexpr (accumulation == TwoPassAccumulation::CentredM2) {
        tw_sfpu_two_pass_squares(input_dst_idx, start_row, num_rows, dual_accumulator);
    } else {
        constexpr bool set_anchor = anchor == TwoPassAnchor::Initialise;
        tw_sfpu_two_pass_sum(input_dst_idx, start_row, num_rows, set_anchor, dual_accumulator);
    }
}
template <bool dual_sum = true, bool retain_anchor = false>
inline void two_pass_stats_finish_shifted_mean(std::uint32_t reciprocal_bits) {
    static_assert(!retain_anchor || dual_sum, "two_pass_stats_finish_shifted_mean: retain_anchor needs dual_sum");
    tw_sfpu_two_pass_finish_mean(reciprocal_bits, dual_sum, retain_anchor);
}
template <bool dual_m2 = true>
inline void two_pass_stats_save_state(std::uint32_t mean_dst_idx) {
    tw_sfpu_two_pass_save(mean_dst_idx, dual_m2);
}
template <bool dual_m2 = true>
inline void two_pass_stats_combine_block(
    std::uint32_t mean_dst_idx, std::uint32_t total_reciprocal_bits, std::uint32_t block_n_bits) {
    tw_sfpu_two_pass_combine(mean_dst_idx, total_reciprocal_bits, block_n_bits, dual_m2);
}
template <bool dual_m2 = true, bool store_mean = true>
inline void two_pass_stats_finalize_to_row(std::uint32_t mean_dst_idx, std::uint32_t reciprocal_bits) {
    tw_sfpu_two_pass_to_row(mean_dst_idx, reciprocal_bits, dual_m2, store_mean);
}
template <bool dual_m2 = true>
inline void two_pass_stats_finalize_split_mean_to_row(std::uint32_t mean_dst_idx, std::uint32_t reciprocal_bits) {
    tw_sfpu_two_pass_split_to_row(mean_dst_idx, reciprocal_bits, dual_m2);
}
template <bool dual_m2 = true>
inline void two_pass_stats_finalize_to_face(
    std::uint32_t mean_dst_idx, std::uint32_t group_id, std::uint32_t reciprocal_bits) {
    tw_sfpu_two_pass_to_face(mean_dst_idx, group_id, reciprocal_bits, dual_m2);
}
template <bool dual_m2 = true, bool average_variance = true>
inline void two_pass_stats_finalize_and_combine_to_face(
    std::uint32_t mean_dst_idx, std::uint32_t group_id, std::uint32_t reciprocal_bits) {
    tw_sfpu_two_pass_combined_to_face(mean_dst_idx, group_id, reciprocal_bits, dual_m2, average_variance);
}
template <bool dual_accumulator>
inline void two_pass_stats_switch_group(
    std::uint32_t mean_dst_idx, std::uint32_t save_group_id, std::uint32_t restore_group_id) {
    static_assert(!dual_accumulator, "two_pass_stats_switch_group: only the single accumulator can be switched");
    tw_sfpu_welford_save(mean_dst_idx, save_group_id);
    tw_sfpu_welford_restore(mean_dst_idx, restore_group_id);
}
// The anchor alone: in the first rows of a tile, or below a saved state (row 4).
inline void two_pass_stats_save_anchor(std::uint32_t anchor_dst_idx) {
    tw_sfpu_two_pass_save_anchor(anchor_dst_idx, 0);
}
inline void two_pass_stats_restore_anchor(std::uint32_t anchor_dst_idx) {
    tw_sfpu_two_pass_restore_anchor(anchor_dst_idx, 0);
}
inline void two_pass_stats_save_anchor_to_state(std::uint32_t mean_dst_idx) {
    tw_sfpu_two_pass_save_anchor(mean_dst_idx, 4);
}
inline void two_pass_stats_restore_anchor_from_state(std::uint32_t mean_dst_idx) {
    tw_sfpu_two_pass_restore_anchor(mean_dst_idx, 4);
}

}  // namespace ckernel
