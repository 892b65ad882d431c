// SPDX-License-Identifier: Apache-2.0
// SFPU programs written out in a kernel (sfpi vectors, raw instructions, the macros that run them over a tile). None of
// this is modelled: a kernel that holds such a program compiles, and stops with its name where it would run it.
#pragma once

#include <cstdint>

#include "ckernel.h"
#include "tw/engine.h"

#define SFPU_UNARY_INIT(...) tw_sfpu_init(0)
#define SFPU_UNARY_INIT_FN(...) tw_sfpu_init(0)
#define SFPU_BINARY_INIT(...) tw_sfpu_init(0)
#define SFPU_BINARY_INIT_FN(...) tw_sfpu_init(0)
#define SFPU_UNARY_CALL(sync, fp32, function, ...) tw_not_modelled("SFPU program " #function)
#define SFPU_UNARY_CALL_NO_TEMPLATE_ARGS(sync, fp32, function, ...) tw_not_modelled("SFPU program " #function)
#define SFPU_BINARY_CALL(sync, fp32, function, ...) tw_not_modelled("SFPU program " #function)
#define SFPU_BINARY_CALL_NO_TEMPLATE_ARGS(sync, fp32, function, ...) tw_not_modelled("SFPU program " #function)

// A lane-wise branch. There are no lanes to branch over, so the condition itself stops the run.
#define v_if(condition) { if (static_cast<bool>(condition))
#define v_elseif(condition) else if (static_cast<bool>(condition))
#define v_else else
#define v_endif }
#define sfpi_inline inline

namespace sfpi {

// 32 lanes on a card. Making one from anything is where a program starts, and where we stop.
struct Vector {
    Vector() { tw_not_modelled("an SFPU program written with sfpi"); }
    template <typename T>
    Vector(const T&) : Vector() {}
    template <typename T>
    Vector& operator=(const T&) {
        return *this;
    }
    operator bool() const { return false; }
};

using vFloat = Vector;
using vFloat16a = Vector;
using vFloat16b = Vector;
using vInt = Vector;
using vUInt = Vector;
using vSMag = Vector;

#define TW_SFPI_OPERATOR(Result, op)                            \
    template <typename T>                                       \
    Result operator op(const Vector& vector, const T&) {        \
        return vector;                                          \
    }                                                           \
    inline Result operator op(float, const Vector& vector) { return vector; }
TW_SFPI_OPERATOR(Vector, +)
TW_SFPI_OPERATOR(Vector, -)
TW_SFPI_OPERATOR(Vector, *)
TW_SFPI_OPERATOR(bool, <)
TW_SFPI_OPERATOR(bool, >)
TW_SFPI_OPERATOR(bool, <=)
TW_SFPI_OPERATOR(bool, >=)
TW_SFPI_OPERATOR(bool, ==)
TW_SFPI_OPERATOR(bool, !=)
#undef TW_SFPI_OPERATOR
inline Vector operator-(const Vector&) { return Vector(); }

struct DestinationRegister {
    Vector& operator[](int) const { tw_not_modelled("sfpi::dst_reg"); }
    void operator++(int) const { tw_not_modelled("sfpi::dst_reg"); }
    void operator+=(int) const { tw_not_modelled("sfpi::dst_reg"); }
};
inline constexpr DestinationRegister dst_reg{};

enum class ExponentMode { Biased, Unbiased };
enum class RoundMode { Nearest, Stochastic };

template <typename... Arguments>
Vector exexp(Arguments...) {
    return Vector();
}
template <typename... Arguments>
Vector setexp(Arguments...) {
    return Vector();
}
template <typename... Arguments>
Vector approx_recip(Arguments...) {
    return Vector();
}
template <typename... Arguments>
Vector clamp(Arguments...) {
    return Vector();
}
template <typename T = Vector, typename... Arguments>
T as(Arguments...) {
    return T();
}
template <typename T = Vector, typename... Arguments>
T convert(Arguments...) {
    return T();
}
template <typename T = Vector, typename... Arguments>
T reinterpret(Arguments...) {
    return T();
}

constexpr std::uint32_t SFPLOADI_MOD0_FLOATB = 0;
constexpr std::uint32_t SFPLOADI_MOD0_USHORT = 2;
constexpr std::uint32_t SFPLOADI_MOD0_UPPER = 8;
constexpr std::uint32_t SFPLOADI_MOD0_LOWER = 10;
constexpr std::uint32_t SFPIADD_MOD1_ARG_IMM = 1;
constexpr std::uint32_t SFPIADD_MOD1_CC_NONE = 4;
constexpr std::uint32_t SFPSETCC_MOD1_LREG_EQ0 = 6;

}  // namespace sfpi

// Recorded instruction sequences.
namespace lltt {

enum ExecBool : bool { NoExec = false, Exec = true };
template <ExecBool exec = NoExec>
inline void record(std::uint32_t, std::uint32_t) {
    tw_not_modelled("lltt::record");
}
inline void replay(std::uint32_t, std::uint32_t) { tw_not_modelled("lltt::replay"); }

}  // namespace lltt

namespace ckernel {

enum class SfpuType { unused, exponential, reciprocal, sigmoid };

constexpr std::uint8_t ADDR_MOD_0 = 0;
constexpr std::uint8_t ADDR_MOD_1 = 1;
constexpr std::uint8_t ADDR_MOD_2 = 2;
constexpr std::uint8_t ADDR_MOD_3 = 3;
constexpr std::uint8_t ADDR_MOD_4 = 4;
constexpr std::uint8_t ADDR_MOD_5 = 5;
constexpr std::uint8_t ADDR_MOD_6 = 6;
constexpr std::uint8_t ADDR_MOD_7 = 7;

// How an instruction moves the register counters on.
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
    void set(std::uint8_t) const { tw_not_modelled("addr_mod_t::set"); }
};

namespace math {

inline void reset_counters(std::uint32_t) { tw_not_modelled("math::reset_counters"); }
inline void set_addr_mod_base() { tw_not_modelled("math::set_addr_mod_base"); }
inline void clear_addr_mod_base() { tw_not_modelled("math::clear_addr_mod_base"); }
template <DstTileShape shape, UnpackDestination destination>
inline void set_dst_write_addr(std::uint32_t) {
    tw_not_modelled("math::set_dst_write_addr");
}
inline void clear_dst_reg_addr() { tw_not_modelled("math::clear_dst_reg_addr"); }

}  // namespace math

namespace sfpu {

// Constants for programs that do not run.
template <bool approximate = false>
inline void sfpu_reciprocal_init() {}
template <bool approximate = false>
inline void sigmoid_init() {}
inline void _init_sfpu_config_reg() {}

template <bool is_fp32_dest_acc_en = false>
inline void calculate_recip_first_column() {
    tw_not_modelled("SFPU program calculate_recip_first_column");
}
template <bool approximate = false, std::uint16_t scale_bf16 = 0x3F80, bool is_fp32_dest_acc_en = false>
inline void calculate_exponential_first_column() {
    tw_not_modelled("SFPU program calculate_exponential_first_column");
}

inline sfpi::vFloat _sfpu_exp_21f_bf16_(sfpi::vFloat value) { return value; }
template <bool is_fp32_dest_acc_en = false>
inline sfpi::vFloat _sfpu_exp_21f_bf16_(sfpi::vFloat value) {
    return value;
}
inline sfpi::vInt _float_to_int32_for_exp_21f_(sfpi::vFloat value) { return value; }
template <bool is_fp32_dest_acc_en = false>
inline sfpi::vFloat _sfpu_exp_accurate_(sfpi::vFloat value) {
    return value;
}
template <bool is_fp32_dest_acc_en = false>
inline sfpi::vFloat _sfpu_sigmoid_(sfpi::vFloat value) {
    return value;
}
template <int iterations = 2>
inline sfpi::vFloat sfpu_reciprocal_iter(sfpi::vFloat value) {
    return value;
}
template <int iterations = 2>
inline sfpi::vFloat _sfpu_reciprocal_(sfpi::vFloat value) {
    return value;
}

}  // namespace sfpu

}  // namespace ckernel

template <ckernel::SfpuType type = ckernel::SfpuType::unused, bool is_fp32_dest_acc_en = false, typename... Arguments>
inline void llk_math_eltwise_unary_sfpu_init(Arguments...) {
    tw_sfpu_init(0);
}
template <ckernel::SfpuType type = ckernel::SfpuType::unused, typename... Arguments>
inline void llk_math_eltwise_binary_sfpu_init(Arguments...) {
    tw_sfpu_init(0);
}
template <typename... Arguments>
inline void _llk_math_eltwise_unary_sfpu_params_(Arguments...) {
    tw_not_modelled("_llk_math_eltwise_unary_sfpu_params_");
}
template <typename... Arguments>
inline void _llk_math_eltwise_binary_sfpu_params_(Arguments...) {
    tw_not_modelled("_llk_math_eltwise_binary_sfpu_params_");
}
