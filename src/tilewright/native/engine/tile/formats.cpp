// SPDX-License-Identifier: Apache-2.0
#include "formats.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core.h"
#include "packed_pair.h"

namespace tw {

namespace {

// A small float: exponent and mantissa bits, bias. Used for float16 and the 8-bit floats.
struct SmallFloat {
    uint32_t exponent_bits, mantissa_bits;
    bool has_infinity;  // else the topmost exponent holds ordinary numbers and only the all-ones mantissa is NaN

    int32_t bias() const { return (1 << (exponent_bits - 1)) - 1; }
    uint32_t top_exponent() const { return (1u << exponent_bits) - 1; }
    uint32_t mantissa_mask() const { return (1u << mantissa_bits) - 1; }
};

constexpr SmallFloat kFloat16{5, 10, true};
constexpr SmallFloat kFloat8E5M2{5, 2, true};
constexpr SmallFloat kFloat8E4M3{4, 3, false};

uint32_t widen(uint32_t code, SmallFloat format) {
    const uint32_t sign = (code >> (format.exponent_bits + format.mantissa_bits)) << 31;
    const uint32_t exponent = (code >> format.mantissa_bits) & format.top_exponent();
    const uint32_t mantissa = code & format.mantissa_mask();
    if (exponent == format.top_exponent()) {
        if (format.has_infinity) {
            return sign | kExponentMask | (mantissa << (23 - format.mantissa_bits));
        }
        if (mantissa == format.mantissa_mask()) {
            return sign | 0x7fc00000u;
        }
    }
    if (exponent == 0) {  // denormals of the small format are normal floats
        const float value =
            static_cast<float>(mantissa) *
            std::bit_cast<float>(
                static_cast<uint32_t>(127 + 1 - format.bias() - static_cast<int32_t>(format.mantissa_bits)) << 23);
        return sign | std::bit_cast<uint32_t>(value);
    }
    return sign | ((exponent + 127 - format.bias()) << 23) | (mantissa << (23 - format.mantissa_bits));
}

// Nearest, ties away; too small is zero, too large is infinity (or the largest number).
uint32_t narrow(uint32_t bits, SmallFloat format) {
    const uint32_t sign = (bits >> 31) << (format.exponent_bits + format.mantissa_bits);
    const uint32_t magnitude = bits & kMagnitudeMask;
    const uint32_t infinity = format.top_exponent() << format.mantissa_bits;
    const uint32_t not_a_number = infinity | format.mantissa_mask();
    if (magnitude > kExponentMask) {
        return sign | not_a_number;
    }
    const uint32_t drop = 23 - format.mantissa_bits;
    const int32_t rounded = static_cast<int32_t>((magnitude + (1u << (drop - 1))) >> drop);
    const int32_t code = rounded - ((127 - format.bias()) << format.mantissa_bits);
    if (code < static_cast<int32_t>(1u << format.mantissa_bits)) {
        return 0;
    }
    const uint32_t largest = format.has_infinity ? infinity : not_a_number - 1;
    return sign | std::min(static_cast<uint32_t>(code), largest);
}

template <class Storage, class Convert>
void decode_each(const uint8_t* bytes, uint32_t count, uint32_t* __restrict words, Convert convert) {
    for (uint32_t i = 0; i < count; i++) {
        Storage value;
        std::memcpy(&value, bytes + i * sizeof value, sizeof value);
        words[i] = convert(value);
    }
}

template <class Storage, class Convert>
void encode_each(const uint32_t* words, uint32_t count, uint8_t* __restrict bytes, Convert convert) {
    for (uint32_t i = 0; i < count; i++) {
        const Storage value = static_cast<Storage>(convert(words[i]));
        std::memcpy(bytes + i * sizeof value, &value, sizeof value);
    }
}

struct BlockFloat {
    uint32_t bits;          // per datum, sign included
    int32_t exponent_bias;  // of the shared exponent, against float's 127
};

BlockFloat block_float(DataFormat format) {
    switch (format) {
        case DataFormat::Bfp8: return {8, 15};
        case DataFormat::Bfp4: return {4, 15};
        case DataFormat::Bfp2: return {2, 15};
        case DataFormat::Bfp8_b: return {8, 127};
        case DataFormat::Bfp4_b: return {4, 127};
        default: return {2, 127};
    }
}

// Shared exponents come first, one byte per face row, in a section of whole 16-byte words.
uint32_t exponent_section_bytes(const TileGeometry& geometry) {
    return (static_cast<uint32_t>(geometry.num_faces) * geometry.face_rows + 15u) & ~15u;
}

template <uint32_t Bits>
void decode_block_row(const uint8_t* codes, int32_t exponent_bias, uint32_t exponent, uint32_t* words) {
    constexpr uint32_t kPerByte = 8 / Bits;
    constexpr uint32_t kMagnitudes = (1u << (Bits - 1)) - 1;
    // value = magnitude * 2 ^ scale; scales no float has give zero or infinity
    const int32_t scale = static_cast<int32_t>(exponent) - exponent_bias - static_cast<int32_t>(Bits - 2);
    const float factor = std::bit_cast<float>(static_cast<uint32_t>(std::clamp(scale + 127, 0, 255)) << 23);
    if constexpr (Bits == 8) {
        for (uint32_t i = 0; i < 16; i += kLanes) {
            const VectorU code = widen_bytes(codes + i);
            const VectorI magnitude = signed_of(code & kMagnitudes);
            const VectorU sign = (code >> (Bits - 1)) << 31;
            const VectorU value = bits_of(__builtin_convertvector(magnitude, VectorF) * factor) | sign;
            const VectorU nothing = sign != 0 ? splat_bits(kMinusInfinity) : splat_bits(0);
            store(words + i, magnitude != 0 ? value : nothing);
        }
        return;
    }
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t code = codes[i / kPerByte] >> (i % kPerByte * Bits);
        const uint32_t magnitude = code & kMagnitudes;
        const uint32_t sign = (code >> (Bits - 1)) << 31;
        const uint32_t value = std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(magnitude)) * factor);
        // a card reads "minus nothing" as -infinity
        words[i] = magnitude != 0 ? value | sign : sign != 0 ? kMinusInfinity : 0;
    }
}

// The largest exponent of each row of a face.
void largest_exponents(const uint32_t* face, uint32_t* largest) {
    const auto larger = [](VectorU a, VectorU b) { return a > b ? a : b; };
    for (uint32_t first = 0; first < 16; first += kLanes) {
        VectorU rows[kLanes];
        for (uint32_t row = 0; row < kLanes; row++) {
            VectorU exponents[kRowVectors];
            for (uint32_t i = 0; i < kRowVectors; i++) {
                exponents[i] = (load<VectorU>(face + (first + row) * 16 + i * kLanes) >> 23) & 0xffu;
            }
            rows[row] = fold_vectors(exponents, larger);
        }
        store(largest + first, fold_rows(rows, larger));
    }
}

// Every datum is first rounded to 7 bits of mantissa (without carrying into its exponent), then shifted to the row's
// exponent `reference` and rounded again; narrower formats cut the 7 bits.
template <uint32_t Bits>
VectorU encode_block_data(VectorU words, uint32_t reference) {
    const auto smaller = [](VectorU a, uint32_t b) { return a < b ? a : splat_bits(b); };
    const VectorU own = (words >> 23) & 0xffu;
    const VectorU mantissa8 = ((words >> 16) & 0x7fu) | 0x80u;
    const VectorU mantissa7 = smaller((mantissa8 + 1) >> 1, 127);
    const VectorU shift = smaller(reference - own, 8);  // wraps where own > reference, which saturates below
    const VectorU aligned = ((mantissa7 << 1) + (splat_bits(1) << shift)) >> (shift + 1);
    const VectorU kept = ((own == 0) | (shift > 7)) != 0 ? splat_bits(0) : smaller(aligned, 127);
    const VectorU magnitude = (own > reference ? splat_bits(127) : kept) >> (8 - Bits);
    return magnitude != 0 ? magnitude | (words >> 31 << (Bits - 1)) : magnitude;
}

template <uint32_t Bits>
void encode_block_row(const uint32_t* words, uint32_t reference, uint8_t* codes) {
    constexpr uint32_t kPerByte = 8 / Bits;
    alignas(64) uint8_t data[16];
    for (uint32_t i = 0; i < 16; i += kLanes) {
        store_bytes(data + i, encode_block_data<Bits>(load<VectorU>(words + i), reference));
    }
    for (uint32_t byte = 0; byte < 16 / kPerByte; byte++) {
        uint32_t packed = 0;
        for (uint32_t i = 0; i < kPerByte; i++) {
            packed |= static_cast<uint32_t>(data[byte * kPerByte + i]) << (i * Bits);
        }
        codes[byte] = static_cast<uint8_t>(packed);
    }
}

template <uint32_t Bits>
void decode_block_tile(const uint8_t* bytes, int32_t bias, const TileGeometry& geometry, uint32_t* words) {
    const uint8_t* codes = bytes + exponent_section_bytes(geometry);
    for (uint32_t face = 0; face < geometry.num_faces; face++) {
        for (uint32_t row = 0; row < geometry.face_rows; row++, codes += 2 * Bits) {
            decode_block_row<Bits>(codes, bias, *bytes++, words + face * kFaceElements + row * 16);
        }
    }
}

template <uint32_t Bits>
void encode_block_tile(const uint32_t* words, int32_t bias, const TileGeometry& geometry, uint8_t* bytes) {
    uint8_t* codes = bytes + exponent_section_bytes(geometry);
    for (uint32_t face = 0; face < geometry.num_faces; face++, words += kFaceElements) {
        alignas(64) uint32_t largest[16];
        largest_exponents(words, largest);
        for (uint32_t row = 0; row < geometry.face_rows; row++, codes += 2 * Bits) {
            int32_t shared = static_cast<int32_t>(largest[row]) - 127 + bias;
            if (bias != 127) {  // five exponent bits: too small becomes zero, too large saturates
                shared = std::clamp(shared, 0, 31);
            }
            *bytes++ = static_cast<uint8_t>(shared);
            encode_block_row<Bits>(words + row * 16, static_cast<uint32_t>(shared - bias + 127), codes);
        }
    }
}

[[noreturn]] void unknown_format(DataFormat format) {
    kernel_error("data format %u is none the unpacker or packer knows", static_cast<uint32_t>(format));
}

}  // namespace

const char* format_name(DataFormat format) {
    switch (format) {
        case DataFormat::Float32: return "Float32";
        case DataFormat::Float16: return "Float16";
        case DataFormat::Bfp8: return "Bfp8";
        case DataFormat::Bfp4: return "Bfp4";
        case DataFormat::Tf32: return "Tf32";
        case DataFormat::Float16_b: return "Float16_b";
        case DataFormat::Bfp8_b: return "Bfp8_b";
        case DataFormat::Bfp4_b: return "Bfp4_b";
        case DataFormat::Int32: return "Int32";
        case DataFormat::UInt16: return "UInt16";
        case DataFormat::Lf8: return "Lf8";
        case DataFormat::Bfp2: return "Bfp2";
        case DataFormat::Int8: return "Int8";
        case DataFormat::Bfp2_b: return "Bfp2_b";
        case DataFormat::UInt32: return "UInt32";
        case DataFormat::Fp8_e4m3: return "Fp8_e4m3";
        case DataFormat::UInt8: return "UInt8";
        case DataFormat::RawUInt8: return "RawUInt8";
        case DataFormat::RawUInt16: return "RawUInt16";
        case DataFormat::RawUInt32: return "RawUInt32";
        case DataFormat::Invalid: break;
    }
    return "Invalid";
}

uint32_t datum_bytes(DataFormat format, const char* call) {
    switch (format) {
        case DataFormat::Float32:
        case DataFormat::Tf32:
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::RawUInt32: return 4;
        case DataFormat::Float16:
        case DataFormat::Float16_b:
        case DataFormat::UInt16: return 2;
        case DataFormat::Lf8:
        case DataFormat::Fp8_e4m3:
        case DataFormat::UInt8:
        case DataFormat::Int8: return 1;
        default:
            kernel_error("%s: %s data have no row-major form, their exponents are shared", call, format_name(format));
    }
}

void decode_data(const uint8_t* bytes, DataFormat format, uint32_t count, uint32_t* words) {
    switch (format) {
        case DataFormat::Float32:
        case DataFormat::Tf32:
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::RawUInt32: std::memcpy(words, bytes, count * 4); return;
        case DataFormat::Float16_b:
            decode_each<uint16_t>(bytes, count, words, [](uint32_t value) { return value << 16; });
            return;
        case DataFormat::Float16:
            decode_each<uint16_t>(bytes, count, words, [](uint32_t value) { return widen(value, kFloat16); });
            return;
        case DataFormat::Lf8:
            decode_each<uint8_t>(bytes, count, words, [](uint32_t value) { return widen(value, kFloat8E5M2); });
            return;
        case DataFormat::Fp8_e4m3:
            decode_each<uint8_t>(bytes, count, words, [](uint32_t value) { return widen(value, kFloat8E4M3); });
            return;
        case DataFormat::UInt16:
            decode_each<uint16_t>(bytes, count, words, [](uint32_t value) { return value; });
            return;
        case DataFormat::UInt8: decode_each<uint8_t>(bytes, count, words, [](uint32_t value) { return value; }); return;
        case DataFormat::Int8:
            decode_each<int8_t>(bytes, count, words, [](int32_t value) { return static_cast<uint32_t>(value); });
            return;
        default: unknown_format(format);
    }
}

template <bool Wide>
static void encode_bfloat16(const uint32_t* words, uint32_t count, uint8_t* bytes) {
    uint32_t i = 0;
    for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
        pack_pair<Wide>(load<VectorU>(words + i), load<VectorU>(words + i + kLanes), bytes + 2 * i);
    }
    for (; i + kLanes <= count; i += kLanes) {
        const VectorU value = load<VectorU>(words + i);
        store_halves(bytes + 2 * i, (Wide ? rounded_for_packer(value) : value) >> 16);
    }
    encode_each<uint16_t>(words + i, count - i, bytes + 2 * i, [](uint32_t word) {
        const uint32_t rounded = Wide ? round_to_bfloat16(word) : word;
        return Wide && (rounded & kExponentMask) == 0 ? 0 : rounded >> 16;
    });
}

template <bool Wide>
static void encode_bfloat16_rows(
    const uint32_t* left, const uint32_t* right, uint32_t num_rows, uint8_t* bytes, size_t row_bytes) {
    for (uint32_t row = 0; row < num_rows; row++, left += 16, right += 16, bytes += row_bytes) {
        __builtin_prefetch(bytes + kPackAhead, 1);
        if constexpr (kRowVectors == 1) {
            pack_pair<Wide>(load<VectorU>(left), load<VectorU>(right), bytes);
        } else {
            for (uint32_t i = 0; i < 16; i += 2 * kLanes) {
                pack_pair<Wide>(load<VectorU>(left + i), load<VectorU>(left + i + kLanes), bytes + 2 * i);
                pack_pair<Wide>(load<VectorU>(right + i), load<VectorU>(right + i + kLanes), bytes + 32 + 2 * i);
            }
        }
    }
}

void encode_bfloat16_rows(
    const uint32_t* left, const uint32_t* right, uint32_t num_rows, bool wide, uint8_t* bytes, size_t row_bytes) {
    wide ? encode_bfloat16_rows<true>(left, right, num_rows, bytes, row_bytes)
         : encode_bfloat16_rows<false>(left, right, num_rows, bytes, row_bytes);
}

void encode_data(const uint32_t* words, DataFormat format, uint32_t count, bool wide, uint8_t* bytes) {
    switch (format) {
        case DataFormat::Float32:
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::RawUInt32: std::memcpy(bytes, words, count * 4); return;
        case DataFormat::Tf32:
            encode_each<uint32_t>(words, count, bytes, [](uint32_t word) { return word & kTf32Mask; });
            return;
        case DataFormat::Float16_b:
            wide ? encode_bfloat16<true>(words, count, bytes) : encode_bfloat16<false>(words, count, bytes);
            return;
        case DataFormat::Float16:
            encode_each<uint16_t>(words, count, bytes, [](uint32_t word) { return narrow(word, kFloat16); });
            return;
        case DataFormat::Lf8:
            encode_each<uint8_t>(words, count, bytes, [](uint32_t word) { return narrow(word, kFloat8E5M2); });
            return;
        case DataFormat::Fp8_e4m3:
            encode_each<uint8_t>(words, count, bytes, [](uint32_t word) { return narrow(word, kFloat8E4M3); });
            return;
        case DataFormat::UInt16:
            if (wide) {
                encode_each<uint16_t>(words, count, bytes, [](uint32_t word) { return word; });
            } else {  // the 16 bits there are, be they an integer or a float
                encode_each<uint16_t>(
                    words, count, bytes, [](uint32_t word) { return word >> 16 ? word >> 16 : word; });
            }
            return;
        case DataFormat::UInt8:
            encode_each<uint8_t>(
                words, count, bytes, [](uint32_t word) { return std::clamp(static_cast<int32_t>(word), 0, 255); });
            return;
        case DataFormat::Int8:
            encode_each<uint8_t>(
                words, count, bytes, [](uint32_t word) { return std::clamp(static_cast<int32_t>(word), -128, 127); });
            return;
        default: unknown_format(format);
    }
}

void decode_tile(const uint8_t* bytes, DataFormat format, const TileGeometry& geometry, uint32_t* words) {
    const uint32_t face_data = geometry.face_rows * 16u;
    if (is_block_float(format)) {
        const BlockFloat block = block_float(format);
        switch (block.bits) {
            case 8: decode_block_tile<8>(bytes, block.exponent_bias, geometry, words); break;
            case 4: decode_block_tile<4>(bytes, block.exponent_bias, geometry, words); break;
            default: decode_block_tile<2>(bytes, block.exponent_bias, geometry, words);
        }
    } else if (face_data == kFaceElements) {
        decode_data(bytes, format, geometry.num_faces * kFaceElements, words);
    } else {
        const uint32_t stride = face_data * datum_bytes(format, "unpack");
        for (uint32_t face = 0; face < geometry.num_faces; face++) {
            decode_data(bytes + face * stride, format, face_data, words + face * kFaceElements);
        }
    }
    for (uint32_t face = 0; face < geometry.num_faces && face_data < kFaceElements; face++) {
        std::memset(words + face * kFaceElements + face_data, 0, (kFaceElements - face_data) * 4);
    }
}

void encode_tile(const uint32_t* words, DataFormat format, const TileGeometry& geometry, bool wide, uint8_t* bytes) {
    const uint32_t face_data = geometry.face_rows * 16u;
    if (is_block_float(format)) {
        const BlockFloat block = block_float(format);
        switch (block.bits) {
            case 8: encode_block_tile<8>(words, block.exponent_bias, geometry, bytes); break;
            case 4: encode_block_tile<4>(words, block.exponent_bias, geometry, bytes); break;
            default: encode_block_tile<2>(words, block.exponent_bias, geometry, bytes);
        }
    } else if (face_data == kFaceElements) {
        encode_data(words, format, geometry.num_faces * kFaceElements, wide, bytes);
    } else {
        const uint32_t stride = face_data * datum_bytes(format, "pack");
        for (uint32_t face = 0; face < geometry.num_faces; face++) {
            encode_data(words + face * kFaceElements, format, face_data, wide, bytes + face * stride);
        }
    }
}

}  // namespace tw
