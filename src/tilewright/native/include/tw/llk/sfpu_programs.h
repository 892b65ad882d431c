// SPDX-License-Identifier: Apache-2.0
// How a kernel runs a vector-unit program of its own over a tile, and what such programs take from the low-level library.
#pragma once

#include <cstdint>
#include <utility>

#include "ckernel.h"
#include "sfpi.h"
#include "tw/engine.h"

#define TW_SFPU_EXPAND(...) __VA_ARGS__
#define SFPU_UNARY_CALL(sync, fp32, function, templates, dst, ...) \
    _llk_math_eltwise_unary_sfpu_params_(::ckernel::sfpu::function<TW_SFPU_EXPAND templates>, dst, __VA_ARGS__)
#define SFPU_UNARY_CALL_NO_TEMPLATE_ARGS(sync, fp32, function, dst, ...) \
    _llk_math_eltwise_unary_sfpu_params_(::ckernel::sfpu::function, dst, __VA_ARGS__)
#define SFPU_BINARY_CALL(sync, fp32, function, templates, in0, in1, out, ...) \
    _llk_math_eltwise_binary_sfpu_params_( \
        ::ckernel::sfpu::function<TW_SFPU_EXPAND templates>, in0, in1, out, __VA_ARGS__)
#define SFPU_BINARY_CALL_NO_TEMPLATE_ARGS(sync, fp32, function, in0, in1, out, ...) \
    _llk_math_eltwise_binary_sfpu_params_(::ckernel::sfpu::function, in0, in1, out, __VA_ARGS__)
#define SFPU_TERNARY_CALL(sync, fp32, function, templates, in0, in1, in2, out, ...) \
    _llk_math_eltwise_ternary_sfpu_params_( \
        ::ckernel::sfpu::function<TW_SFPU_EXPAND templates>, in0, in1, in2, out, __VA_ARGS__)

#define SFPU_UNARY_INIT(...) ::tw::vector_program_init()
#define SFPU_BINARY_INIT(...) ::tw::vector_program_init()
#define SFPU_TERNARY_INIT(...) ::tw::vector_program_init()
#define SFPU_UNARY_INIT_FN(op, function, templates) ::tw::vector_program_init(function<TW_SFPU_EXPAND templates>)
#define SFPU_UNARY_INIT_FN_NO_ARGS(op, function) ::tw::vector_program_init(function)
#define SFPU_UNARY_INIT_FN_ARGS(op, function, templates, ...) \
    ::tw::vector_program_init(function<TW_SFPU_EXPAND templates>, __VA_ARGS__)
#define SFPU_BINARY_INIT_FN(op, function, templates) ::tw::vector_program_init(function<TW_SFPU_EXPAND templates>)
#define SFPU_BINARY_INIT_FN_NO_ARGS(op, function) ::tw::vector_program_init(function)
#define SFPU_TERNARY_INIT_FN(op, function, templates) ::tw::vector_program_init(function<TW_SFPU_EXPAND templates>)

// Recorded instruction sequences.
namespace lltt {

enum ExecBool : bool { NoExec = false, Exec = true };
template <ExecBool exec = NoExec>
inline void record(std::uint32_t start, std::uint32_t count) {
    tw_vector_record(start, count, exec);
}
inline void replay(std::uint32_t start, std::uint32_t count) { tw_vector_replay(start, count); }

}  // namespace lltt

namespace ckernel {

enum class SfpuType { unused, exponential, reciprocal, sigmoid, silu, gelu, topk_local_sort };

constexpr std::uint8_t ADDR_MOD_0 = 0;
constexpr std::uint8_t ADDR_MOD_1 = 1;
constexpr std::uint8_t ADDR_MOD_2 = 2;
constexpr std::uint8_t ADDR_MOD_3 = 3;
constexpr std::uint8_t ADDR_MOD_4 = 4;
constexpr std::uint8_t ADDR_MOD_5 = 5;
constexpr std::uint8_t ADDR_MOD_6 = 6;
constexpr std::uint8_t ADDR_MOD_7 = 7;

// How an instruction moves the register counters on. The vector unit has only the one of DST.
struct addr_mod_t {
    struct Source {
        std::uint8_t incr = 0, clr = 0, cr = 0;
    };
    struct Destination {
        std::int16_t incr = 0;
        std::uint8_t clr = 0, cr = 0, c_to_cr = 0;
    };
    struct Step {
        std::uint8_t incr = 0, clr = 0;
    };
    Source srca{}, srcb{};
    Destination dest{};
    Step fidelity{}, bias{};
    void set(std::uint8_t modifier) const {
        if (dest.clr != 0 || dest.cr != 0 || dest.c_to_cr != 0) {
            tw_not_modelled("addr_mod_t with clr or cr of DST");
        }
        tw_vector_address_step(modifier, dest.incr);
    }
};

namespace math {

constexpr std::uint32_t TILE_ROWS_IN_DEST = 64;

inline void reset_counters(std::uint32_t which) {
    if (which & p_setrwc::SET_D) {
        tw_vector_set_base(0);
    }
}
// Wormhole's vector instructions name four of the eight address modifiers, Blackhole's all of them.
#ifdef ARCH_WORMHOLE
inline void set_addr_mod_base() { tw_vector_address_base(1); }
inline void clear_addr_mod_base() { tw_vector_address_base(0); }
#endif
template <DstTileShape shape, UnpackDestination destination>
inline void set_dst_write_addr(std::uint32_t tile) {
    static_assert(shape == Tile32x32, "only 32 x 32 tiles in DST are modelled");
    tw_vector_set_base(tile * TILE_ROWS_IN_DEST);
}
inline void clear_dst_reg_addr() { tw_vector_set_base(0); }
template <std::uint32_t rows = 8>
inline void inc_dst_addr() {
    TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_D, rows, 0, 0, p_setrwc::SET_D);
}

}  // namespace math

namespace sfpu {

using sfpi::RoundMode;

// The library's seeds and coefficients live in registers that our functions do not need.
template <bool approximate = false>
inline void sfpu_reciprocal_init() {}
template <bool approximate = false, bool is_fp32_dest_acc_en = false, bool legacy = false>
inline void recip_init() {}
template <bool approximate = false>
inline void sigmoid_init() {}
template <bool approximate = false>
inline void silu_init() {}
inline void _init_sfpu_config_reg() { TTI_SFPCONFIG(0, 0xf, 1); }

inline void _sfpu_load_config32_(std::uint32_t which, std::uint32_t upper, std::uint32_t lower) {
    TT_SFPLOADI(0, sfpi::SFPLOADI_MOD0_LOWER, lower);
    TT_SFPLOADI(0, sfpi::SFPLOADI_MOD0_UPPER, upper);
    TT_SFPCONFIG(0, which, 0);
}

// A result on its way into DST of 16 bits: what the library rounds before it stores.
template <bool is_fp32_dest_acc_en>
inline sfpi::vFloat for_dest(const sfpi::vFloat& value) {
    if constexpr (is_fp32_dest_acc_en) {
        return value;
    } else {
        return sfpi::convert<sfpi::vFloat16b>(value);
    }
}

template <bool is_fp32_dest_acc_en = false>
inline sfpi::vFloat _sfpu_exp_21f_bf16_(sfpi::vFloat value) {
    return for_dest<is_fp32_dest_acc_en>(sfpi::lane_function(tw::LaneFunction::Exp, value));
}
template <bool is_fp32_dest_acc_en = false>
inline sfpi::vFloat _sfpu_exp_accurate_(sfpi::vFloat value) {
    return for_dest<is_fp32_dest_acc_en>(sfpi::lane_function(tw::LaneFunction::Exp, value));
}
template <bool scale_en, bool is_fp32_dest_acc_en>
inline sfpi::vFloat _ckernel_sfpu_exp_accurate_(sfpi::vFloat value, std::uint32_t scale_bf16) {
    const sfpi::vFloat scaled = scale_en ? sfpi::vFloat(value * sfpi::vFloat(sfpi::sFloat16b(scale_bf16))) : value;
    return _sfpu_exp_accurate_<is_fp32_dest_acc_en>(scaled);
}
template <bool is_fp32_dest_acc_en = false>
inline sfpi::vFloat _sfpu_sigmoid_(sfpi::vFloat value) {
    return for_dest<is_fp32_dest_acc_en>(sfpi::lane_function(tw::LaneFunction::Sigmoid, value));
}
template <int iterations = 2>
inline sfpi::vFloat sfpu_reciprocal_iter(sfpi::vFloat value) {
    return sfpi::lane_function(tw::LaneFunction::Reciprocal, value);
}
template <int iterations = 2>
inline sfpi::vFloat _sfpu_reciprocal_(sfpi::vFloat value) {
    return sfpi::lane_function(tw::LaneFunction::Reciprocal, value);
}

// A float's exponent and leading fraction as the bits of an integer: value * 2^23 cut to an integer, for values whose
// exponent is given in a float in [0, 255].
inline sfpi::vInt _float_to_int32_for_exp_21f_(sfpi::vFloat value) {
    const sfpi::vInt exponent = sfpi::exexp(value);
    const sfpi::vMag mantissa = sfpi::exman(value, sfpi::MantissaMode::ImplicitOne);
    return sfpi::shft(sfpi::as<sfpi::vInt>(mantissa), exponent);
}

template <bool is_fp32_dest_acc_en, int iterations = 8>
inline void calculate_silu() {
    for (int i = 0; i < iterations; i++) {
        const sfpi::vFloat x = sfpi::dst_reg[0];
        sfpi::dst_reg[0] = for_dest<is_fp32_dest_acc_en>(x * sfpi::lane_function(tw::LaneFunction::Sigmoid, x));
        sfpi::dst_reg++;
    }
}

// A table of the library's, which is not here.
template <bool approximate, bool is_fp32_dest_acc_en = false>
inline void gelu_init() {}
template <bool approximate, bool is_fp32_dest_acc_en = false, int iterations = 8>
inline void calculate_gelu() {
    tw_not_modelled("calculate_gelu");
}

enum BinopScalar : int { ADD_UNARY = 0, SUB_UNARY = 1, MUL_UNARY = 2, DIV_UNARY = 3, RSUB_UNARY = 4 };
template <bool approximate, int op, int iterations = 8, bool is_fp32_dest_acc_en = false>
inline void calculate_binop_with_scalar(std::uint32_t scalar_bits) {
    const sfpi::vFloat scalar = std::bit_cast<float>(scalar_bits);
    for (int i = 0; i < iterations; i++) {
        const sfpi::vFloat x = sfpi::dst_reg[0];
        if constexpr (op == ADD_UNARY) {
            sfpi::dst_reg[0] = x + scalar;
        } else if constexpr (op == SUB_UNARY) {
            sfpi::dst_reg[0] = x - scalar;
        } else if constexpr (op == RSUB_UNARY) {
            sfpi::dst_reg[0] = scalar - x;
        } else {  // a division is given the reciprocal
            sfpi::dst_reg[0] = x * scalar;
        }
        sfpi::dst_reg++;
    }
}

template <bool approximate, BinaryOp op, int iterations = 8, bool is_fp32_dest_acc_en = false>
inline void calculate_sfpu_binary(std::uint32_t in0, std::uint32_t in1, std::uint32_t out) {
    static_assert(
        op == BinaryOp::ADD || op == BinaryOp::SUB || op == BinaryOp::MUL || op == BinaryOp::RSUB,
        "only sums, differences and products of two tiles are modelled as a program");
    constexpr int vectors_per_tile = 32;
    for (int i = 0; i < iterations; i++) {
        const sfpi::vFloat a = sfpi::dst_reg[in0 * vectors_per_tile], b = sfpi::dst_reg[in1 * vectors_per_tile];
        if constexpr (op == BinaryOp::ADD) {
            sfpi::dst_reg[out * vectors_per_tile] = a + b;
        } else if constexpr (op == BinaryOp::SUB) {
            sfpi::dst_reg[out * vectors_per_tile] = a - b;
        } else if constexpr (op == BinaryOp::RSUB) {
            sfpi::dst_reg[out * vectors_per_tile] = b - a;
        } else {
            sfpi::dst_reg[out * vectors_per_tile] = for_dest<is_fp32_dest_acc_en>(a * b);
        }
        sfpi::dst_reg++;
    }
}

}  // namespace sfpu

}  // namespace ckernel

namespace tw {

// Every init call of the unit also resets the lane settings of an earlier program.
inline void vector_program_init() {
    tw_sfpu_init(0);
    ckernel::sfpu::_init_sfpu_config_reg();
}
template <typename Function, typename... Arguments>
inline void vector_program_init(Function function, Arguments... arguments) {
    vector_program_init();
    function(arguments...);
}

// The program once for each face that the mode names, from the start of that face.
template <typename Program, typename... Arguments>
inline void run_on_faces(std::uint32_t tile, ckernel::VectorMode mode, Program&& program, Arguments&&... arguments) {
    ckernel::math::set_dst_write_addr<ckernel::Tile32x32, ckernel::SrcRegs>(tile);
#ifdef ARCH_WORMHOLE
    ckernel::math::set_addr_mod_base();
#endif
    const bool one_call =
        mode != ckernel::VectorMode::RC && mode != ckernel::VectorMode::R && mode != ckernel::VectorMode::C;
    const int calls = one_call ? 1 : mode == ckernel::VectorMode::RC ? 4 : 2;
    for (int call = 0; call < calls; call++) {
        program(arguments...);
        tw_vector_next_face();
        if (mode == ckernel::VectorMode::C) {
            tw_vector_next_face();
        }
    }
    ckernel::math::clear_dst_reg_addr();
#ifdef ARCH_WORMHOLE
    ckernel::math::clear_addr_mod_base();
#endif
}

}  // namespace tw

template <ckernel::SfpuType type = ckernel::SfpuType::unused, bool is_fp32_dest_acc_en = false, typename... Arguments>
inline void llk_math_eltwise_unary_sfpu_init(Arguments... arguments) {
    tw::vector_program_init(arguments...);
}
template <ckernel::SfpuType type = ckernel::SfpuType::unused, typename... Arguments>
inline void llk_math_eltwise_binary_sfpu_init(Arguments... arguments) {
    tw::vector_program_init(arguments...);
}
template <typename Program, typename... Arguments>
inline void _llk_math_eltwise_unary_sfpu_params_(
    Program&& program, std::uint32_t dst, ckernel::VectorMode mode, Arguments&&... arguments) {
    tw::run_on_faces(dst, mode, program, arguments...);
}
template <typename Program, typename... Arguments>
inline void _llk_math_eltwise_binary_sfpu_params_(
    Program&& program,
    std::uint32_t in0,
    std::uint32_t in1,
    std::uint32_t out,
    ckernel::VectorMode mode,
    Arguments&&... arguments) {
    tw::run_on_faces(0, mode, program, in0, in1, out, arguments...);
}
template <typename Program, typename... Arguments>
inline void _llk_math_eltwise_ternary_sfpu_params_(
    Program&& program,
    std::uint32_t in0,
    std::uint32_t in1,
    std::uint32_t in2,
    std::uint32_t out,
    ckernel::VectorMode mode,
    Arguments&&... arguments) {
    tw::run_on_faces(0, mode, program, in0, in1, in2, out, arguments...);
}
