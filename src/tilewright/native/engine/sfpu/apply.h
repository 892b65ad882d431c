// SPDX-License-Identifier: Apache-2.0
// Runs one element-wise function over the faces of a tile that a call selects.
#pragma once

#include <cmath>
#include <cstdint>

#include "abi/sfpu.h"
#include "check/values/values.h"
#include "registers.h"
#include "vector.h"

namespace tw::sfpu {

struct Parameters {
    uint32_t word[3];
    float f0, f1, f2;  // the same, as floats
};

// The parts of a tile one call touches; at most one per face.
struct Ranges {
    DataRange part[4];
    uint32_t count;

    bool covers_tile() const { return count == 1 && part[0].begin == 0 && part[0].end == kTileElements; }
};
Ranges ranges_of(uint32_t vector_mode, uint32_t vectors);

struct Call {
    const uint32_t* in[3];
    uint32_t* out;
    Ranges ranges;
    Parameters parameters;
    bool fp32_dest;
    uint8_t repeats = 0;  // bit per input: only row 0 of its upper faces is stored, every row reads as that
};

template <class Body>
TW_INLINE void for_each_vector(const Call& call, Body body) {
    for (uint32_t part = 0; part < call.ranges.count; ++part) {
        const DataRange range = call.ranges.part[part];
        for (uint32_t i = range.begin; i < range.end; i += kLanes) {
            body(i);
        }
    }
}

template <Rounding rounding, bool fp32_dest, class Function>
TW_INLINE void map_floats_in(const Call& call, Function function) {
    for_each_vector(call, [&](uint32_t i) TW_LAMBDA_INLINE {
        if constexpr (requires(Floats x) { function(x, call.parameters); }) {
            Floats x = from_dest<fp32_dest>(call.in[0] + i);
            store(call.out + i, to_dest<rounding, fp32_dest>(function(x, call.parameters)));
        } else if constexpr (requires(Floats x) { function(x, x, call.parameters); }) {
            Floats a = from_dest<fp32_dest>(call.in[0] + i);
            Floats b = from_dest<fp32_dest>(call.in[1] + i);
            store(call.out + i, to_dest<rounding, fp32_dest>(function(a, b, call.parameters)));
        } else {
            Floats a = from_dest<fp32_dest>(call.in[0] + i);
            Floats b = from_dest<fp32_dest>(call.in[1] + i);
            Floats c = from_dest<fp32_dest>(call.in[2] + i);
            store(call.out + i, to_dest<rounding, fp32_dest>(function(a, b, c, call.parameters)));
        }
    });
}
// function(Floats..., const Parameters&) on every vector, rounded to DST's width.
template <Rounding rounding, class Function>
inline void map_floats(const Call& call, Function function) {
    if (call.fp32_dest) {
        map_floats_in<rounding, true>(call, function);
    } else {
        map_floats_in<rounding, false>(call, function);
    }
}

// An input of a loop over the rows of a face, one vector wide: row 0 stays in a register if all rows repeat it.
template <bool repeats>
struct FaceColumn {
    const uint32_t* words;
    Floats first;

    FaceColumn(const uint32_t* tile, uint32_t face, uint32_t column) :
        words(tile + (repeats ? face % 2 : face) * kFaceElements + column), first(floats_of(load(words))) {}
    TW_INLINE Floats at(uint32_t row) const { return repeats ? first : floats_of(load(words + row * 16)); }
};

// Whole tiles of 32-bit data, some of which repeat their row 0.
template <bool a_repeats, bool b_repeats, bool c_repeats, class Function>
inline void map_repeated_rows(const Call& call, Function function) {
    const Parameters parameters = call.parameters;
    for (uint32_t face = 0; face < 4; ++face) {
        for (uint32_t column = 0; column < 16; column += kLanes) {
            const FaceColumn<a_repeats> a(call.in[0], face, column);
            const FaceColumn<b_repeats> b(call.in[1], face, column);
            const FaceColumn<c_repeats> c(call.in[2], face, column);
            uint32_t* out = call.out + face * kFaceElements + column;
            for (uint32_t row = 0; row < 16; ++row) {
                store(out + row * 16, words_of(function(a.at(row), b.at(row), c.at(row), parameters)));
            }
        }
    }
}
template <class Function>
inline void map_repeated_rows(const Call& call, Function function) {
    switch (call.repeats) {
        case 1: return map_repeated_rows<true, false, false>(call, function);
        case 2: return map_repeated_rows<false, true, false>(call, function);
        case 3: return map_repeated_rows<true, true, false>(call, function);
        case 4: return map_repeated_rows<false, false, true>(call, function);
        case 5: return map_repeated_rows<true, false, true>(call, function);
        case 6: return map_repeated_rows<false, true, true>(call, function);
        default: return map_repeated_rows<true, true, true>(call, function);
    }
}

// The same for sums and products of the inputs, whose denormals the processor flushes.
template <Rounding rounding, class Function>
inline void map_arithmetic(const Call& call, Function function) {
    if (!kProcessorFlushes || !call.fp32_dest) {
        return map_floats<rounding>(call, function);
    }
    const Parameters parameters = call.parameters;
    const uint32_t *in0 = call.in[0], *in1 = call.in[1], *in2 = call.in[2];
    uint32_t* out = call.out;
    for_each_vector(call, [=](uint32_t i) TW_LAMBDA_INLINE {
        const Floats a = floats_of(load(in0 + i));
        if constexpr (requires { function(a, parameters); }) {
            store(out + i, words_of(function(a, parameters)));
        } else if constexpr (requires { function(a, a, parameters); }) {
            store(out + i, words_of(function(a, floats_of(load(in1 + i)), parameters)));
        } else {
            store(out + i, words_of(function(a, floats_of(load(in1 + i)), floats_of(load(in2 + i)), parameters)));
        }
    });
}

// The same one element at a time in double precision, for functions whose speed does not matter.
template <Rounding rounding, class Function>
inline void map_doubles(const Call& call, Function function) {
    for (uint32_t part = 0; part < call.ranges.count; ++part) {
        for (uint32_t i = call.ranges.part[part].begin; i < call.ranges.part[part].end; i += kLanes) {
            Floats result{};
            for (uint32_t lane = 0; lane < kLanes; ++lane) {
                double a = as_float(call.in[0][i + lane]);
                if constexpr (requires { function(a, call.parameters); }) {
                    result[lane] = static_cast<float>(function(a, call.parameters));
                } else {
                    double b = as_float(call.in[1][i + lane]);
                    result[lane] = static_cast<float>(function(a, b, call.parameters));
                }
            }
            Words words = call.fp32_dest ? to_dest<rounding, true>(result) : to_dest<rounding, false>(result);
            store(call.out + i, words);
        }
    }
}

// a modulo b with the sign of b.
inline double floored_remainder(double a, double b) {
    double r = std::fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

// Integers: function(int32_t/uint32_t..., const Parameters&) -> word, no rounding.
template <class Integer, class Function>
inline void map_integers(const Call& call, Function function) {
    const Parameters parameters = call.parameters;
    const uint32_t *in0 = call.in[0], *in1 = call.in[1];
    uint32_t* out = call.out;
    for (uint32_t part = 0; part < call.ranges.count; ++part) {
        const uint32_t begin = call.ranges.part[part].begin, end = call.ranges.part[part].end;
        TW_INDEPENDENT_ITERATIONS
        for (uint32_t i = begin; i < end; ++i) {
            Integer a = static_cast<Integer>(in0[i]);
            if constexpr (requires { function(a, parameters); }) {
                out[i] = static_cast<uint32_t>(function(a, parameters));
            } else {
                out[i] = static_cast<uint32_t>(function(a, static_cast<Integer>(in1[i]), parameters));
            }
        }
    }
}

#define TW_SFPU_UNARY(name, ...) void unary_##name(const Call& call);
#define TW_SFPU_BINARY(name, ...) void binary_##name(const Call& call);
#define TW_SFPU_TERNARY(name, ...) void ternary_##name(const Call& call);
#include "abi/sfpu_functions.inl"

// Definitions of operations read as `TW_UNARY(Exp, Nearest, exp(x))`. In the expression x (or a, b, c) is the
// input and p the parameters.
#define TW_UNARY(name, rounding, ...) \
    void unary_##name(const Call& call) { \
        map_floats<Rounding::rounding>( \
            call, \
            [](Floats x, [[maybe_unused]] const Parameters& p) TW_LAMBDA_INLINE -> Floats { return __VA_ARGS__; }); \
    }
#define TW_UNARY_ARITHMETIC(name, rounding, ...) \
    void unary_##name(const Call& call) { \
        map_arithmetic<Rounding::rounding>( \
            call, \
            [](Floats x, [[maybe_unused]] const Parameters& p) TW_LAMBDA_INLINE -> Floats { return __VA_ARGS__; }); \
    }
#define TW_UNARY_DOUBLE(name, rounding, ...) \
    void unary_##name(const Call& call) { \
        map_doubles<Rounding::rounding>( \
            call, [](double x, [[maybe_unused]] const Parameters& p) -> double { return __VA_ARGS__; }); \
    }
#define TW_UNARY_INTEGER(name, type, ...) \
    void unary_##name(const Call& call) { \
        map_integers<type>(call, [](type x, [[maybe_unused]] const Parameters& p) { return __VA_ARGS__; }); \
    }
#define TW_BINARY(name, rounding, ...) \
    void binary_##name(const Call& call) { \
        map_floats<Rounding::rounding>( \
            call, [](Floats a, Floats b, [[maybe_unused]] const Parameters& p) TW_LAMBDA_INLINE -> Floats { \
                return __VA_ARGS__; \
            }); \
    }
#define TW_BINARY_ARITHMETIC(name, rounding, ...) \
    void binary_##name(const Call& call) { \
        map_arithmetic<Rounding::rounding>( \
            call, [](Floats a, Floats b, [[maybe_unused]] const Parameters& p) TW_LAMBDA_INLINE -> Floats { \
                return __VA_ARGS__; \
            }); \
    }
#define TW_BINARY_DOUBLE(name, rounding, ...) \
    void binary_##name(const Call& call) { \
        map_doubles<Rounding::rounding>( \
            call, [](double a, double b, [[maybe_unused]] const Parameters& p) -> double { return __VA_ARGS__; }); \
    }
#define TW_BINARY_INTEGER(name, type, ...) \
    void binary_##name(const Call& call) { \
        map_integers<type>(call, [](type a, type b, [[maybe_unused]] const Parameters& p) { return __VA_ARGS__; }); \
    }
#define TW_TERNARY_ARITHMETIC(name, rounding, ...) \
    void ternary_##name(const Call& call) { \
        map_arithmetic<Rounding::rounding>( \
            call, [](Floats a, Floats b, Floats c, [[maybe_unused]] const Parameters& p) TW_LAMBDA_INLINE -> Floats { \
                return __VA_ARGS__; \
            }); \
    }
#define TW_TERNARY(name, rounding, ...) \
    void ternary_##name(const Call& call) { \
        map_floats<Rounding::rounding>( \
            call, [](Floats a, Floats b, Floats c, [[maybe_unused]] const Parameters& p) TW_LAMBDA_INLINE -> Floats { \
                return __VA_ARGS__; \
            }); \
    }

}  // namespace tw::sfpu
