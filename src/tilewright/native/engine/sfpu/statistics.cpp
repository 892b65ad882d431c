// SPDX-License-Identifier: Apache-2.0
// Column statistics that stay in the unit's registers between calls: running sums, moving averages, mean and sum of
// squared differences (M2). Every lane serves one column.
#include "abi/sfpu.h"
#include "check/values/values.h"
#include "registers.h"

namespace tw::sfpu {
namespace {

// body(lane, value) for the given rows of every column, top to bottom.
template <class Body>
void for_rows(const uint32_t* tile, uint32_t start_row, uint32_t num_rows, Body body) {
    if (start_row + num_rows > 32) {
        kernel_error("rows %u..%u of a tile, allowed are 0..31", start_row, start_row + num_rows - 1);
    }
    for (uint32_t row = start_row; row < start_row + num_rows; ++row) {
        for (uint32_t column = 0; column < 32; ++column) {
            body(row, lane_of_column(column), as_float(tile[element(row, column)]));
        }
    }
}

float lane(Register index, uint32_t lane_index) { return as_float(registers(index)[lane_index]); }
void set_lane(Register index, uint32_t lane_index, float value) { registers(index)[lane_index] = as_bits(value); }

template <class Body>
void for_lanes(Body body) {
    for (uint32_t i = 0; i < 32; ++i) {
        body(i);
    }
}
void clear(Register index) {
    for_lanes([&](uint32_t i) { registers(index)[i] = 0; });
}

// Stores a register without transposing, to the even columns of four rows starting at `row`.
void store_raw(uint32_t dst, uint32_t row, Register index) {
    uint32_t* tile = dst_for_sfpu(dst);
    taint_slot_defined(compute_state(), dst);
    for_lanes([&](uint32_t i) { tile[row * 16 + raw_element(i)] = stored(lane(index, i)); });
}
void load_raw(uint32_t dst, uint32_t row, Register index) {
    const uint32_t* tile = dst_for_sfpu(dst);
    for_lanes([&](uint32_t i) { registers(index)[i] = tile[row * 16 + raw_element(i)]; });
}
// One value per column to row `row`; the three rows below it become zero.
template <class Value>
void store_row(uint32_t dst, uint32_t row, Value value) {
    uint32_t* tile = dst_for_sfpu(dst);
    taint_slot_defined(compute_state(), dst);
    for (uint32_t column = 0; column < 32; ++column) {
        tile[element(row, column)] = stored(value(lane_of_column(column)));
        for (uint32_t below = 1; below < 4; ++below) {
            tile[element(row + below, column)] = 0;
        }
    }
}

constexpr uint32_t kRowsPerGroup = 4;

void add_odd_m2(uint32_t dual) {
    if (dual) {
        for_lanes([](uint32_t i) { set_lane(kM2, i, lane(kM2, i) + lane(kM2Odd, i)); });
    }
}

}  // namespace
}  // namespace tw::sfpu

using namespace tw;
using namespace tw::sfpu;

extern "C" {

void tw_sfpu_cumsum(uint32_t dst, uint32_t first) {
    TW_VECTOR_CALL
    uint32_t* tile = dst_for_sfpu(dst);
    taint_running_sum(compute_state(), dst, first != 0);
    if (first) {
        clear(kAnchor);
    }
    for_rows(tile, 0, 32, [&](uint32_t row, uint32_t i, float x) {
        set_lane(kAnchor, i, lane(kAnchor, i) + x);
        uint32_t column = (i >> 4) * 16 + (i & 7) * 2 + ((i >> 3) & 1);
        tile[element(row, column)] = stored(lane(kAnchor, i));
    });
}

void tw_sfpu_ema_constants(uint32_t alpha_bits, uint32_t beta_bits) {
    TW_VECTOR_CALL
    constant(kEmaAlpha) = alpha_bits;
    constant(kEmaBeta) = beta_bits;
}
void tw_sfpu_ema_clear() {
    TW_VECTOR_CALL
    clear(kMean);
}
void tw_sfpu_ema(uint32_t dst) {
    TW_VECTOR_CALL
    const uint32_t* in = dst_for_sfpu(dst);
    uint32_t* out = dst_for_sfpu(dst + 1);
    taint_slot_defined(compute_state(), dst + 1);
    float alpha = as_float(constant(kEmaAlpha)), beta = as_float(constant(kEmaBeta));
    for (uint32_t row = 0; row < 32; ++row) {
        for (uint32_t column = 0; column < 32; ++column) {
            uint32_t i = lane_of_column(column);
            float average = alpha * lane(kMean, i) + beta * as_float(in[element(row, column)]);
            set_lane(kMean, i, average);
            out[element(row, column)] = stored(average);
        }
    }
}

void tw_sfpu_welford_clear() {
    TW_VECTOR_CALL
    clear(kMean);
    clear(kM2);
}
void tw_sfpu_welford_update(
    uint32_t dst, uint32_t start_index, uint32_t start_row, uint32_t num_rows, const uint32_t* reciprocals) {
    TW_VECTOR_CALL
    for_rows(dst_for_sfpu(dst), start_row, num_rows, [&](uint32_t row, uint32_t i, float x) {
        uint32_t n = start_index + (row - start_row);
        float reciprocal = reciprocals != nullptr ? as_float(reciprocals[n]) : 1.0f / float(n + 1);
        float mean = lane(kMean, i);
        float new_mean = mean + (x - mean) * reciprocal;
        set_lane(kM2, i, lane(kM2, i) + (x - mean) * (x - new_mean));
        set_lane(kMean, i, new_mean);
    });
}
void tw_sfpu_welford_save(uint32_t dst_mean, uint32_t group) {
    TW_VECTOR_CALL
    store_raw(dst_mean, group * kRowsPerGroup, kMean);
    store_raw(dst_mean + 1, group * kRowsPerGroup, kM2);
}
void tw_sfpu_welford_restore(uint32_t dst_mean, uint32_t group) {
    TW_VECTOR_CALL
    load_raw(dst_mean, group * kRowsPerGroup, kMean);
    load_raw(dst_mean + 1, group * kRowsPerGroup, kM2);
}
void tw_sfpu_welford_to_row(uint32_t dst_mean, uint32_t reciprocal_bits) {
    TW_VECTOR_CALL
    store_row(dst_mean, 0, [](uint32_t i) { return lane(kMean, i); });
    store_row(dst_mean + 1, 0, [&](uint32_t i) { return lane(kM2, i) * as_float(reciprocal_bits); });
}
void tw_sfpu_welford_to_face(uint32_t dst_mean, uint32_t group, uint32_t reciprocal_bits) {
    TW_VECTOR_CALL
    for_lanes([&](uint32_t i) { set_lane(kM2, i, lane(kM2, i) * as_float(reciprocal_bits)); });
    tw_sfpu_welford_save(dst_mean, group);
}

void tw_sfpu_two_pass_clear() {
    TW_VECTOR_CALL
    clear(kMean);
    clear(kM2);
    clear(kM2Odd);
}
void tw_sfpu_two_pass_sum(uint32_t dst, uint32_t start_row, uint32_t num_rows, uint32_t set_anchor, uint32_t dual) {
    TW_VECTOR_CALL
    for_rows(dst_for_sfpu(dst), start_row, num_rows, [&](uint32_t row, uint32_t i, float x) {
        if (set_anchor && row == start_row) {
            set_lane(kMean, i, x);
            set_lane(kM2, i, 0);
            set_lane(kM2Odd, i, dual ? 0 : lane(kM2Odd, i));
        }
        Register sum = dual && (row & 1) ? kM2Odd : kM2;
        set_lane(sum, i, lane(sum, i) + (x - lane(kMean, i)));
    });
}
void tw_sfpu_two_pass_squares(uint32_t dst, uint32_t start_row, uint32_t num_rows, uint32_t dual) {
    TW_VECTOR_CALL
    for_rows(dst_for_sfpu(dst), start_row, num_rows, [&](uint32_t row, uint32_t i, float x) {
        Register sum = dual && (row & 1) ? kM2Odd : kM2;
        float difference = x - lane(kMean, i);
        set_lane(sum, i, lane(sum, i) + difference * difference);
    });
}
void tw_sfpu_two_pass_finish_mean(uint32_t reciprocal_bits, uint32_t dual, uint32_t retain_anchor) {
    TW_VECTOR_CALL
    add_odd_m2(dual);
    for_lanes([&](uint32_t i) {
        float anchor = lane(kMean, i);
        set_lane(kMean, i, anchor + lane(kM2, i) * as_float(reciprocal_bits));
        set_lane(kAnchor, i, retain_anchor ? anchor : as_float(reciprocal_bits));
    });
    clear(kM2);
    clear(kM2Odd);
}
void tw_sfpu_two_pass_save(uint32_t dst_mean, uint32_t dual) {
    TW_VECTOR_CALL
    add_odd_m2(dual);
    tw_sfpu_welford_save(dst_mean, 0);
    clear(kM2Odd);
}
// Merges the saved statistics of all earlier data with those of this block.
void tw_sfpu_two_pass_combine(uint32_t dst_mean, uint32_t total_reciprocal_bits, uint32_t block_n_bits, uint32_t dual) {
    TW_VECTOR_CALL
    add_odd_m2(dual);
    const uint32_t* saved_mean = dst_for_sfpu(dst_mean);
    const uint32_t* saved_m2 = dst_for_sfpu(dst_mean + 1);
    float block_n = as_float(block_n_bits);
    float weight = as_float(total_reciprocal_bits) * block_n;
    for_lanes([&](uint32_t i) {
        float earlier_mean = as_float(saved_mean[raw_element(i)]);
        float difference = lane(kMean, i) - earlier_mean;
        float between = difference * difference * (block_n - weight * block_n);
        set_lane(kMean, i, earlier_mean + difference * weight);
        set_lane(kM2, i, as_float(saved_m2[raw_element(i)]) + lane(kM2, i) + between);
    });
    tw_sfpu_welford_save(dst_mean, 0);
    clear(kM2Odd);
}
void tw_sfpu_two_pass_to_row(uint32_t dst_mean, uint32_t reciprocal_bits, uint32_t dual, uint32_t store_mean) {
    TW_VECTOR_CALL
    add_odd_m2(dual);
    if (store_mean) {
        store_row(dst_mean, 0, [](uint32_t i) { return lane(kMean, i); });
    }
    store_row(dst_mean + 1, 0, [&](uint32_t i) { return lane(kM2, i) * as_float(reciprocal_bits); });
}
// The mean in two parts: the anchor in row 0, the remainder in row 16.
void tw_sfpu_two_pass_split_to_row(uint32_t dst_mean, uint32_t reciprocal_bits, uint32_t dual) {
    TW_VECTOR_CALL
    add_odd_m2(dual);
    store_row(dst_mean, 0, [](uint32_t i) { return lane(kAnchor, i); });
    store_row(dst_mean, 16, [](uint32_t i) { return lane(kAnchor, i) - lane(kMean, i); });
    store_row(dst_mean + 1, 0, [&](uint32_t i) { return lane(kM2, i) * as_float(reciprocal_bits); });
}
void tw_sfpu_two_pass_to_face(uint32_t dst_mean, uint32_t group, uint32_t reciprocal_bits, uint32_t dual) {
    TW_VECTOR_CALL
    add_odd_m2(dual);
    tw_sfpu_welford_to_face(dst_mean, group, reciprocal_bits);
    clear(kM2Odd);
}
// All lanes are samples of one population of equal parts: their mean and variance, in the group's even and odd columns.
void tw_sfpu_two_pass_combined_to_face(
    uint32_t dst_mean, uint32_t group, uint32_t reciprocal_bits, uint32_t dual, uint32_t average_variance) {
    TW_VECTOR_CALL
    add_odd_m2(dual);
    float anchor = lane(kMean, 0), mean_sum = 0, within = 0, between = 0;
    for_lanes([&](uint32_t i) {
        mean_sum += lane(kMean, i) - anchor;
        within += lane(kM2, i) * as_float(reciprocal_bits);
    });
    float mean_shift = mean_sum / 32;
    for_lanes([&](uint32_t i) {
        float difference = lane(kMean, i) - anchor - mean_shift;
        between += difference * difference;
    });
    float scale = average_variance ? 1 / 32.0f : 1.0f;
    uint32_t* mean_tile = dst_for_sfpu(dst_mean) + group * kRowsPerGroup * 16;
    uint32_t* variance_tile = dst_for_sfpu(dst_mean + 1) + group * kRowsPerGroup * 16;
    taint_slot_defined(compute_state(), dst_mean);
    taint_slot_defined(compute_state(), dst_mean + 1);
    for (uint32_t i = 0; i < kRowsPerGroup * 16; ++i) {
        mean_tile[i] = stored(anchor + mean_shift);
        // Only the first row includes the variance between the means.
        variance_tile[i] = stored((i < 16 ? within + between : within) * scale);
    }
}
void tw_sfpu_two_pass_save_anchor(uint32_t dst, uint32_t row) {
    TW_VECTOR_CALL
    store_raw(dst, row, kAnchor);
}
void tw_sfpu_two_pass_restore_anchor(uint32_t dst, uint32_t row) {
    TW_VECTOR_CALL
    load_raw(dst, row, kAnchor);
}
}
