// SPDX-License-Identifier: Apache-2.0
// Sums, maxima, minima and broadcasts along the rows and columns of tiles in DST.
#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "abi/sfpu.h"
#include "abi/tile.h"
#include "check/compute/operands.h"
#include "check/values/values.h"
#include "registers.h"
#include "tile/source.h"

namespace tw::sfpu {
namespace {

// How one format adds, compares and averages its words.
struct FloatWords {
    static uint32_t add(uint32_t a, uint32_t b) { return as_bits(as_float(a) + as_float(b)); }
    static bool less(uint32_t a, uint32_t b) { return as_float(a) < as_float(b); }
    static uint32_t average(uint32_t sum) { return as_bits(as_float(sum) / 32); }
    static uint32_t store(uint32_t word) { return stored(as_float(word)); }
};
template <class Integer>
struct IntegerWords {
    static uint32_t add(uint32_t a, uint32_t b) { return a + b; }
    static bool less(uint32_t a, uint32_t b) { return Integer(a) < Integer(b); }
    static uint32_t average(uint32_t sum) { return uint32_t(Integer(sum) / 32); }
    static uint32_t store(uint32_t word) { return word; }
};

template <class Format>
uint32_t combine(Pool pool, uint32_t a, uint32_t b) {
    switch (pool) {
        case Pool::Max: return Format::less(a, b) ? b : a;
        case Pool::Min: return Format::less(b, a) ? b : a;
        default: return Format::add(a, b);
    }
}

// Down every column of tiles that lie one below the other, into the first row of the first.
template <class Format>
void reduce_columns(Pool pool, uint32_t dst, uint32_t num_tiles) {
    uint32_t* tile = dst_for_sfpu(dst);
    for (uint32_t column = 0; column < 32; ++column) {
        uint32_t result = tile[element(0, column)];
        for (uint32_t row = 1; row < num_tiles * 32; ++row) {
            result = combine<Format>(pool, result, dst_for_sfpu(dst + row / 32)[element(row % 32, column)]);
        }
        tile[element(0, column)] = Format::store(pool == Pool::Avg ? Format::average(result) : result);
    }
}

// Along every row of ct_dim tiles side by side, into the first column of the first.
template <class Format>
void reduce_rows(Pool pool, uint32_t dst, uint32_t ct_dim, uint32_t rt_dim) {
    for (uint32_t tile_row = 0; tile_row < rt_dim; ++tile_row) {
        uint32_t* first = dst_for_sfpu(dst + tile_row * ct_dim);
        for (uint32_t row = 0; row < 32; ++row) {
            uint32_t result = first[element(row, 0)];
            for (uint32_t column = 1; column < ct_dim * 32; ++column) {
                const uint32_t* tile = dst_for_sfpu(dst + tile_row * ct_dim + column / 32);
                result = combine<Format>(pool, result, tile[element(row, column % 32)]);
            }
            first[element(row, 0)] = Format::store(result);
        }
    }
}

template <class Format>
void reduce(Pool pool, ReduceAxis axis, uint32_t dst, uint32_t ct_dim, uint32_t rt_dim) {
    if (axis == ReduceAxis::Col) {
        reduce_columns<Format>(pool, dst, rt_dim);
    } else {
        reduce_rows<Format>(pool, dst, ct_dim, rt_dim);
    }
}

// A card's programs cover more than one tile only for the max/min of formats that its comparison orders as stored in
// DST.
void check_tiles_of_columns(Pool pool, DataFormat format, uint32_t ct_dim, uint32_t rt_dim) {
    const bool is_float = format == DataFormat::Float32 || format == DataFormat::Float16_b;
    const bool goes_down = is_float && (pool == Pool::Max || pool == Pool::Min);
    if (ct_dim != 1 || (rt_dim != 1 && !goes_down)) {
        kernel_error(
            "sfpu_reduce along columns of %u x %u tiles: it reduces one tile, or %u one below the other with MAX or "
            "MIN "
            "of floats",
            rt_dim,
            ct_dim,
            rt_dim);
    }
}

float arithmetic(SfpuArithmetic op, float a, float b) {
    switch (op) {
        case SfpuArithmetic::Add: return a + b;
        case SfpuArithmetic::Sub: return a - b;
        default: return a * b;
    }
}

}  // namespace
}  // namespace tw::sfpu

using namespace tw;
using namespace tw::sfpu;

extern "C" {

void tw_sfpu_reduce(uint32_t pool, uint32_t axis, uint32_t format, uint32_t dst, uint32_t ct_dim, uint32_t rt_dim) {
    TW_VECTOR_CALL
    if (ReduceAxis(axis) == ReduceAxis::Col) {
        check_tiles_of_columns(Pool(pool), DataFormat(format), ct_dim, rt_dim);
    }
    for (uint32_t slot = dst; slot < dst + ct_dim * rt_dim; slot++) {
        note_dst_write(compute_state(), slot, true);
    }
    taint_vector_reduce(compute_state(), ReduceAxis(axis), dst, ct_dim, rt_dim);
    switch (DataFormat(format)) {
        case DataFormat::Float32:
        case DataFormat::Float16_b: return reduce<FloatWords>(Pool(pool), ReduceAxis(axis), dst, ct_dim, rt_dim);
        case DataFormat::Int32: return reduce<IntegerWords<int32_t>>(Pool(pool), ReduceAxis(axis), dst, ct_dim, rt_dim);
        case DataFormat::UInt32:
        case DataFormat::UInt16:
            return reduce<IntegerWords<uint32_t>>(Pool(pool), ReduceAxis(axis), dst, ct_dim, rt_dim);
        default:
            kernel_error(
                "sfpu_reduce with data format %u, allowed are Float32, Float16_b, Int32, UInt32 and UInt16", format);
    }
}

void tw_sfpu_max_with_indices(
    uint32_t dst, uint32_t dst_index, uint32_t num_rows, uint32_t row_major, uint32_t accumulate, uint32_t chunk) {
    TW_VECTOR_CALL
    const auto key = [](uint32_t word) { return int32_t(word) ^ int32_t(uint32_t(int32_t(word) >> 31) >> 1); };
    uint32_t *values = dst_for_sfpu(dst), *indices = dst_for_sfpu(dst_index);
    uint32_t* values_before = accumulate ? dst_for_sfpu(dst + 1) : nullptr;
    uint32_t* indices_before = accumulate ? dst_for_sfpu(dst_index + 1) : nullptr;
    for (uint32_t column = 0; column < 32; ++column) {
        const auto at = [&](uint32_t row) { return row_major ? row * 32 + column : element(row, column); };
        uint32_t best = values[at(0)], index = indices[at(0)];
        const auto take = [&](uint32_t value, uint32_t its_index) {
            if (key(value) > key(best)) {
                best = value;
                index = its_index;
            }
        };
        for (uint32_t row = 1; row < num_rows; ++row) {
            take(values[at(row)], indices[at(row)]);
        }
        if (accumulate != 0) {
            if (chunk != 0 && key(values_before[column]) >= key(best)) {
                best = values_before[column];
                index = indices_before[column];
            }
            values_before[column] = best;
            indices_before[column] = index;
        }
        values[at(0)] = best;
        indices[at(0)] = index;
    }
}

void tw_sfpu_add_top_row(uint32_t format, uint32_t dst_a, uint32_t dst_b, uint32_t dst_out) {
    TW_VECTOR_CALL
    const uint32_t* a = dst_for_sfpu(dst_a);
    const uint32_t* b = dst_for_sfpu(dst_b);
    uint32_t* out = dst_for_sfpu(dst_out);
    const bool is_float = DataFormat(format) == DataFormat::Float32;
    constexpr DataRange kTopRows[] = {{0, 64}, {kFaceElements, kFaceElements + 64}};
    taint_vector_binary(compute_state(), dst_a, dst_b, dst_out, kTopRows, 2);
    for (uint32_t face : {0u, 1u}) {
        for (uint32_t i = face * kFaceElements; i < face * kFaceElements + 64; ++i) {  // four rows
            out[i] = is_float ? stored(as_float(a[i]) + as_float(b[i])) : a[i] + b[i];
        }
    }
}

void tw_sfpu_sum_int(uint32_t dst, uint32_t along_rows) {
    TW_VECTOR_CALL
    uint32_t* tile = dst_for_sfpu(dst);
    if (along_rows) {
        for (uint32_t row = 0; row < 32; ++row) {
            for (uint32_t column = 0; column < 16; column += 2) {
                tile[element(row, column)] +=
                    tile[element(row, column + 1)] + tile[element(row, column + 16)] + tile[element(row, column + 17)];
            }
        }
        return;
    }
    for (uint32_t row = 4; row < 32; ++row) {
        for (uint32_t column = 0; column < 32; ++column) {
            tile[element(row % 4, column)] += tile[element(row, column)];
        }
    }
}

void tw_sfpu_add_int_next(uint32_t dst) {
    TW_VECTOR_CALL
    uint32_t* tile = dst_for_sfpu(dst);
    const uint32_t* next = dst_for_sfpu(dst + 1);
    taint_slot_add(compute_state(), dst, dst + 1);
    for (uint32_t i = 0; i < kTileElements; ++i) {
        tile[i] += next[i];
    }
}

void tw_sfpu_reshuffle_rows(uint32_t dst, uint32_t indices_l1) {
    TW_VECTOR_CALL
    const uint32_t* in = dst_for_sfpu(dst);
    uint32_t* out = dst_for_sfpu(dst + 1);
    const uint8_t* indices = reinterpret_cast<const uint8_t*>(uintptr_t(indices_l1)) + 16;
    for (uint32_t row = 0; row < 32; ++row) {
        if (indices[row] >= 32) {
            continue;
        }
        for (uint32_t column = 0; column < 32; ++column) {
            uint32_t& sum = out[element(indices[row], column)];
            sum = stored(as_float(sum) + as_float(in[element(row, column)]));
        }
    }
}

void tw_sfpu_binary_broadcast(uint32_t op, uint32_t broadcast, uint32_t dst_data, uint32_t dst_vector) {
    TW_VECTOR_CALL
    uint32_t* data = dst_for_sfpu(dst_data);
    const uint32_t* vector = dst_for_sfpu(dst_vector);
    const bool column_vector = SfpuBroadcast(broadcast) == SfpuBroadcast::Column;
    taint_slot_broadcast(compute_state(), dst_data, dst_vector, column_vector ? Broadcast::Col : Broadcast::Row);
    float values[32];
    for (uint32_t i = 0; i < 32; ++i) {
        values[i] = as_float(vector[column_vector ? element(i, 0) : element(0, i)]);
    }
    const uint32_t kept = dest_bits();
    for (uint32_t row = 0; row < 32; ++row) {
        for (uint32_t column = 0; column < 32; ++column) {
            uint32_t& word = data[element(row, column)];
            float value = values[column_vector ? row : column];
            word = stored(arithmetic(SfpuArithmetic(op), as_float(word), value), kept);
        }
    }
}

void tw_sfpu_normalize(
    uint32_t dst_data,
    uint32_t dst_residual,
    uint32_t has_residual,
    uint32_t dst_mean,
    uint32_t dst_inverse_std,
    uint32_t is_scalar) {
    TW_VECTOR_CALL
    uint32_t* data = dst_for_sfpu(dst_data);
    const uint32_t* residual = has_residual ? dst_for_sfpu(dst_residual) : nullptr;
    const uint32_t* mean = dst_for_sfpu(dst_mean);
    const uint32_t* inverse_std = dst_for_sfpu(dst_inverse_std);
    const Broadcast kind = is_scalar ? Broadcast::Scalar : Broadcast::Col;
    taint_slot_broadcast(compute_state(), dst_data, dst_mean, kind);
    taint_slot_broadcast(compute_state(), dst_data, dst_inverse_std, kind);
    if (has_residual) {
        taint_slot_add(compute_state(), dst_data, dst_residual);
    }
    const uint32_t kept = dest_bits();
    for (uint32_t row = 0; row < 32; ++row) {
        uint32_t where = is_scalar ? 0 : element(row, 0);
        float row_mean = as_float(mean[where]), row_inverse_std = as_float(inverse_std[where]);
        for (uint32_t column = 0; column < 32; ++column) {
            uint32_t i = element(row, column);
            float x = residual != nullptr ? as_float(data[i]) + as_float(residual[i]) : as_float(data[i]);
            data[i] = stored((x - row_mean) * row_inverse_std, kept);
        }
    }
}

void tw_sfpu_triangle_solve(
    uint32_t cb_l, uint32_t l_tile, uint32_t dst_in, uint32_t dst_out, uint32_t is_bfloat16, uint32_t negated) {
    if (!begin_operation({{cb_l, l_tile}})) {
        return;
    }
    const uint32_t* in = dst_for_sfpu(dst_in);
    uint32_t* out = dst_for_sfpu(dst_out);
    const uint8_t* l_bytes = front_tile(cb_l, l_tile);
    taint_slot_copy(compute_state(), dst_in, dst_out);
    auto l_element = [&](uint32_t row, uint32_t column) {
        uint32_t bits = 0;
        if (is_bfloat16) {
            uint16_t half;
            std::memcpy(&half, l_bytes + element(row, column) * 2, sizeof(half));
            bits = uint32_t(half) << 16;
        } else {
            std::memcpy(&bits, l_bytes + element(row, column) * 4, sizeof(bits));
        }
        return negated ? -as_float(bits) : as_float(bits);
    };
    for (uint32_t row = 0; row < 32; ++row) {
        for (uint32_t column = 0; column < 32; ++column) {
            float x = as_float(in[element(row, column)]);
            for (uint32_t k = 0; k < row; ++k) {
                x -= l_element(row, k) * as_float(out[element(k, column)]);
            }
            out[element(row, column)] = stored(x);
        }
    }
}
}
