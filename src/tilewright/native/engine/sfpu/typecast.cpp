// SPDX-License-Identifier: Apache-2.0
// Changing the type of a tile in place. Between float formats nothing happens here (the packer rounds), except that
// Float32 to Float16_b rounds to even first.
#include <algorithm>
#include <cmath>

#include "apply.h"

namespace tw::sfpu {
namespace {

bool is_float(DataFormat format) {
    switch (format) {
        case DataFormat::Float32:
        case DataFormat::Float16_b:
        case DataFormat::Bfp8_b:
        case DataFormat::Bfp4_b: return true;
        default: return false;
    }
}

// Towards zero, saturated; NaN counts as a number beyond every range.
int32_t float_to_int32(float x) {
    if (!(std::fabs(x) < 2147483648.0f)) {
        return std::signbit(x) ? INT32_MIN : INT32_MAX;
    }
    return static_cast<int32_t>(x);
}
uint32_t float_to_uint32(float x) {
    if (std::signbit(x) || x < 1.0f) {
        return 0;
    }
    return x < 4294967296.0f ? static_cast<uint32_t>(x) : UINT32_MAX;
}
// To nearest, saturated at both ends.
uint32_t float_to_uint16(float x) { return uint32_t(std::nearbyint(std::min(std::max(x, 0.0f), 65535.0f))); }
// Towards zero, then the low byte: values outside wrap.
uint32_t float_to_uint8(float x) {
    return std::fabs(x) < 2147483648.0f ? uint32_t(static_cast<int32_t>(x)) & 0xffu : 0u;
}

template <class Function>
void convert(uint32_t* tile, Function function) {
    for (uint32_t i = 0; i < kTileElements; ++i) {
        tile[i] = function(tile[i]);
    }
}

uint32_t round_to_bfloat16_even(uint32_t bits) {
    if ((bits & 0x7f800000u) == 0x7f800000u) {
        return bits;
    }
    return (bits + 0x7fffu + ((bits >> 16) & 1u)) & 0xffff0000u;
}
uint32_t round_to_bfloat16_away(float x) { return (as_bits(x) + 0x8000u) & 0xffff0000u; }

void from_float(uint32_t* tile, DataFormat out) {
    switch (out) {
        case DataFormat::Int32: return convert(tile, [](uint32_t w) { return uint32_t(float_to_int32(as_float(w))); });
        case DataFormat::UInt32: return convert(tile, [](uint32_t w) { return float_to_uint32(as_float(w)); });
        case DataFormat::UInt16: return convert(tile, [](uint32_t w) { return float_to_uint16(as_float(w)); });
        default: return convert(tile, [](uint32_t w) { return float_to_uint8(as_float(w)); });  // UInt8, Int8
    }
}

template <class Value>
void to_float(uint32_t* tile, DataFormat out, Value value) {
    if (out == DataFormat::Float32) {
        convert(tile, [&, kept = dest_bits()](uint32_t w) { return stored(value(w), kept); });
    } else {
        convert(tile, [&](uint32_t w) { return round_to_bfloat16_away(value(w)); });
    }
}

void from_integer_to_float(uint32_t* tile, DataFormat in, DataFormat out) {
    switch (in) {
        case DataFormat::Int32: return to_float(tile, out, [](uint32_t w) { return float(int32_t(w)); });
        case DataFormat::Int8: return to_float(tile, out, [](uint32_t w) { return float(int8_t(w & 0xff)); });
        case DataFormat::UInt16: return to_float(tile, out, [](uint32_t w) { return float(w & 0xffffu); });
        default: return to_float(tile, out, [](uint32_t w) { return float(w); });  // UInt32, UInt8
    }
}

void between_integers(uint32_t* tile, DataFormat in, DataFormat out) {
    if (in == DataFormat::Int8) {
        convert(tile, [](uint32_t w) { return uint32_t(int32_t(int8_t(w & 0xff))); });
        in = DataFormat::Int32;
        if (out == DataFormat::UInt8) {
            return convert(tile, [](uint32_t w) { return w & 0xffu; });
        }
    }
    if (out == DataFormat::UInt16) {
        if (in == DataFormat::Int32) {
            convert(tile, [](uint32_t w) { return uint32_t(std::clamp(int32_t(w), 0, 65535)); });
        } else {
            convert(tile, [](uint32_t w) { return std::min(w, 65535u); });
        }
    } else if (out == DataFormat::UInt8 || out == DataFormat::Int8) {
        convert(tile, [](uint32_t w) { return w & 0xffu; });
    }
}

}  // namespace
}  // namespace tw::sfpu

using namespace tw;
using namespace tw::sfpu;

extern "C" {

void tw_sfpu_typecast(uint32_t dst, uint32_t in_format, uint32_t out_format) {
    TW_VECTOR_CALL
    uint32_t* tile = dst_for_sfpu(dst);
    DataFormat in = DataFormat(in_format), out = DataFormat(out_format);
    if (is_float(in) && is_float(out)) {
        if (in == DataFormat::Float32 && (out == DataFormat::Float16_b)) {
            convert(tile, round_to_bfloat16_even);
        }
    } else if (is_float(in)) {
        from_float(tile, out);
    } else if (is_float(out)) {
        from_integer_to_float(tile, in, out);
    } else {
        between_integers(tile, in, out);
    }
}

void tw_sfpu_copy(uint32_t dst_in, uint32_t dst_out, uint32_t is_float) {
    TW_VECTOR_CALL
    const uint32_t* from = dst_for_sfpu(dst_in);
    uint32_t* to = dst_for_sfpu(dst_out);
    const uint32_t kept = dest_bits();
    taint_slot_copy(compute_state(), dst_in, dst_out);
    for (uint32_t i = 0; i < kTileElements; ++i) {
        to[i] = is_float ? stored(as_float(from[i]), kept) : from[i];
    }
}

void tw_sfpu_mask(uint32_t dst, uint32_t value_bits, uint32_t integer_mask) {
    TW_VECTOR_CALL
    uint32_t* tile = dst_for_sfpu(dst);
    const uint32_t* mask = dst_for_sfpu(dst + 1);  // the hardware looks there whatever index the kernel names
    uint32_t ignored_bits = integer_mask ? 0u : 0x80000000u;
    taint_slot_mask(compute_state(), dst, dst + 1, ignored_bits);
    for (uint32_t i = 0; i < kTileElements; ++i) {
        tile[i] = (mask[i] & ~ignored_bits) == 0 ? value_bits : tile[i];
    }
}
}
