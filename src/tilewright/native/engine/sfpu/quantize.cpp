// SPDX-License-Identifier: Apache-2.0
// Quantisation: floats to small integers and back with a scale tile and the zero point of the init call.
// An Int8 datum in DST is its byte, 0..255; Int32 data are two's complement.
#include <algorithm>
#include <cmath>

#include "apply.h"

namespace tw::sfpu {
namespace {

float float_of(uint32_t word) { return static_cast<float>(static_cast<int32_t>(word)); }
uint32_t sign_extend_byte(uint32_t word) { return uint32_t(int32_t(int8_t(word & 0xff))); }

// The unit's conversions saturate; the unsigned one first drops the sign.
uint32_t to_int8_range(float x) { return uint32_t(int32_t(std::nearbyint(std::clamp(x, -127.0f, 127.0f)))); }
uint32_t to_uint8_range(float x) { return uint32_t(std::nearbyint(std::min(std::fabs(x), 255.0f))); }
// Biased by 128, cut at zero, and turned into a two's complement byte.
uint32_t to_int8_byte(float x) { return to_uint8_range(std::max(x + 128.0f, 0.0f)) ^ 0x80u; }

template <class ToFloat, class ToWord>
void quantize(const Call& call, ToFloat to_float, ToWord to_word) {
    float zero_point = as_float(constant(kConstant0));
    map_integers<uint32_t>(call, [&](uint32_t a, uint32_t scale, const Parameters&) {
        return to_word(to_float(a) * as_float(scale) + zero_point);
    });
}
template <class ToFloat>
void dequantize(const Call& call, ToFloat to_float) {
    float zero_point = as_float(constant(kConstant0));
    const uint32_t kept = dest_bits();
    map_integers<uint32_t>(call, [&](uint32_t a, uint32_t scale, const Parameters&) {
        return stored((to_float(a) + zero_point) * as_float(scale), kept);
    });
}
float float_of_byte(uint32_t word) { return float_of(sign_extend_byte(word)); }

}  // namespace

void binary_QuantInt32(const Call& call) { quantize(call, as_float, to_int8_range); }
void binary_QuantUint8(const Call& call) { quantize(call, as_float, to_uint8_range); }
void binary_QuantInt8(const Call& call) { quantize(call, as_float, to_int8_byte); }
void binary_RequantInt32(const Call& call) { quantize(call, float_of, to_int8_range); }
void binary_RequantUint8(const Call& call) { quantize(call, float_of, to_uint8_range); }
void binary_RequantInt8(const Call& call) { quantize(call, float_of, to_int8_byte); }
void binary_RequantInt8ToInt32(const Call& call) { quantize(call, float_of_byte, to_int8_range); }
void binary_RequantInt8ToUint8(const Call& call) { quantize(call, float_of_byte, to_uint8_range); }
void binary_RequantInt8ToInt8(const Call& call) { quantize(call, float_of_byte, to_int8_byte); }
void binary_DequantInt32(const Call& call) { dequantize(call, float_of); }
void binary_DequantInt8(const Call& call) { dequantize(call, float_of_byte); }

}  // namespace tw::sfpu
