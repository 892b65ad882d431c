// SPDX-License-Identifier: Apache-2.0
// Dispatch from a call of the kernel API to the vector unit's function: checks operands and chooses faces.
#include "apply.h"
#include "check/compute/operands.h"
#include "check/values/values.h"
#include "tile/deferred_dst.h"
#include "tile/dst.h"

namespace tw::sfpu {

void refuse_vector_call(const ComputeState& state, uint32_t slot) {
    if (state.phase == DstPhase::Idle) {
        rule_error(Rule::DstProtocol, "vector-unit call outside tile_regs_acquire ... tile_regs_release");
    }
    rule_error(
        Rule::DstIndex, "DST index %u given to a vector-unit call, allowed are 0..%u", slot, state.dst_capacity() - 1);
}

Ranges ranges_of(uint32_t vector_mode, uint32_t vectors) {
    constexpr uint32_t kWordsPerVector = 32;
    const uint32_t words = vectors * kWordsPerVector;
    const bool one_range = vector_mode == uint32_t(SfpuFaces::First) || vector_mode == uint32_t(SfpuFaces::FirstOnly);
    // Two vectors are the even and the odd columns of four rows; only whole rows are modelled.
    if (vectors % 2 != 0 || vectors > (one_range ? 32u : kSfpuVectorsPerFace)) {
        kernel_error(
            "vector-unit call with %u iterations, allowed are even numbers up to 8 (32 in one sweep)", vectors);
    }
    switch (SfpuFaces(vector_mode)) {
        case SfpuFaces::All:
            if (vectors == kSfpuVectorsPerFace) {
                return {{{0, kTileElements}}, 1};
            }
            return {{{0, words}, {256, 256 + words}, {512, 512 + words}, {768, 768 + words}}, 4};
        case SfpuFaces::Row: return {{{0, words}, {256, 256 + words}}, 2};
        case SfpuFaces::Column: return {{{0, words}, {512, 512 + words}}, 2};
        case SfpuFaces::First:
        case SfpuFaces::FirstOnly: return {{{0, words}}, 1};
    }
    kernel_error("VectorMode %u, allowed are None, R, C, RC and RC_custom", vector_mode);
}

namespace {

using Function = void (*)(const Call&);
constexpr Function kUnary[] = {
#define TW_SFPU_UNARY(name, ...) unary_##name,
#include "abi/sfpu_functions.inl"
};
constexpr Function kBinary[] = {
#define TW_SFPU_BINARY(name, ...) binary_##name,
#include "abi/sfpu_functions.inl"
};
constexpr Function kTernary[] = {
#define TW_SFPU_TERNARY(name, ...) ternary_##name,
#include "abi/sfpu_functions.inl"
};

// Names in messages.
constexpr const char* kUnaryNames[] = {
#define TW_SFPU_UNARY(name, ...) "the vector unit's " #name,
#include "abi/sfpu_functions.inl"
};
constexpr const char* kBinaryNames[] = {
#define TW_SFPU_BINARY(name, ...) "the vector unit's " #name,
#include "abi/sfpu_functions.inl"
};
constexpr const char* kTernaryNames[] = {
#define TW_SFPU_TERNARY(name, ...) "the vector unit's " #name,
#include "abi/sfpu_functions.inl"
};

// Whether the result does not depend on the tile's contents.
bool defines_its_result(SfpuUnary op) {
    return op == SfpuUnary::Fill || op == SfpuUnary::FillWord || op == SfpuUnary::Rand;
}

// mac_tile_init records its loop for these tiles; other indices in a call have no effect on a card.
void check_mac_tiles(uint32_t a, uint32_t b, uint32_t c, uint32_t out) {
    if (a != 0 || b != 1 || c != 2 || out != 0) {
        rule_error(
            Rule::DstIndex,
            "mac_tile(%u, %u, %u, %u), but it always takes DST tiles 0, 1 and 2 and leaves its result in 0; "
            "addcmul_tile takes any",
            a,
            b,
            c,
            out);
    }
}

// Gamma and beta of a normalisation: rows that unary_bcast broadcast are not written out for a single use.
bool takes_repeated_rows(SfpuTernary op, const Call& call) {
    return op == SfpuTernary::Addcmul && kProcessorFlushes && call.fp32_dest && call.ranges.covers_tile();
}

Parameters parameters(uint32_t p0, uint32_t p1, uint32_t p2) {
    return {{p0, p1, p2}, as_float(p0), as_float(p1), as_float(p2)};
}

}  // namespace
}  // namespace tw::sfpu

using namespace tw;
using namespace tw::sfpu;

extern "C" {

void tw_sfpu_unary_vectors(
    uint32_t op, uint32_t dst, uint32_t vector_mode, uint32_t vectors, uint32_t p0, uint32_t p1, uint32_t p2) {
    TW_VECTOR_CALL
    if (!defines_its_result(SfpuUnary(op))) {
        check_vector_operand(compute_state(), dst, kUnaryNames[op]);
    }
    uint32_t* tile = dst_for_sfpu(dst);
    check_vector_unit(compute_state(), constants_of(SfpuUnary(op)), kUnaryNames[op]);
    bool fp32 = compute_state().fp32_dest != 0;
    const Ranges ranges = ranges_of(vector_mode, vectors);
    taint_vector_unary(compute_state(), defines_its_result(SfpuUnary(op)), dst, ranges.part, ranges.count);
    kUnary[op]({{tile, nullptr, nullptr}, tile, ranges, parameters(p0, p1, p2), fp32});
}

void tw_sfpu_unary(uint32_t op, uint32_t dst, uint32_t vector_mode, uint32_t p0, uint32_t p1, uint32_t p2) {
    tw_sfpu_unary_vectors(op, dst, vector_mode, kSfpuVectorsPerFace, p0, p1, p2);
}

void tw_sfpu_binary(
    uint32_t op, uint32_t dst_a, uint32_t dst_b, uint32_t dst_out, uint32_t vector_mode, uint32_t p0, uint32_t p1) {
    TW_VECTOR_CALL
    const bool on_tiles = SfpuFaces(vector_mode) == SfpuFaces::All;
    if (SfpuBinary(op) == SfpuBinary::Mul && on_tiles && defer_product(compute_state(), dst_a, dst_b, dst_out)) {
        return;
    }
    check_vector_operand(compute_state(), dst_a, kBinaryNames[op]);
    check_vector_operand(compute_state(), dst_b, kBinaryNames[op]);
    const uint32_t* a = dst_for_sfpu(dst_a);
    const uint32_t* b = dst_for_sfpu(dst_b);
    check_vector_unit(compute_state(), constants_of(SfpuBinary(op)), kBinaryNames[op]);
    bool fp32 = compute_state().fp32_dest != 0;
    uint32_t* out = dst_for_sfpu(dst_out);
    const Ranges ranges = ranges_of(vector_mode, kSfpuVectorsPerFace);
    taint_vector_binary(compute_state(), dst_a, dst_b, dst_out, ranges.part, ranges.count);
    kBinary[op]({{a, b, nullptr}, out, ranges, parameters(p0, p1, 0), fp32});
}

void tw_sfpu_ternary(
    uint32_t op, uint32_t dst_a, uint32_t dst_b, uint32_t dst_c, uint32_t dst_out, uint32_t vector_mode, uint32_t p0) {
    TW_VECTOR_CALL
    if (SfpuTernary(op) == SfpuTernary::MultiplyAdd) {
        check_mac_tiles(dst_a, dst_b, dst_c, dst_out);
    }
    ComputeState& state = compute_state();
    if (SfpuTernary(op) == SfpuTernary::Addcmul && SfpuFaces(vector_mode) == SfpuFaces::All && as_float(p0) == 1.0f &&
        (add_deferred_square(state, dst_a, dst_b, dst_c, dst_out) ||
         defer_weighted(state, dst_a, dst_b, dst_c, dst_out))) {
        return;
    }
    const uint32_t slots[] = {dst_a, dst_b, dst_c};
    for (uint32_t slot : slots) {
        check_vector_slot(state, slot);
        check_vector_operand(state, slot, kTernaryNames[op]);
    }
    check_vector_unit(state, SfpuConstants::None, kTernaryNames[op]);
    Call call{
        .out = dst_for_sfpu(dst_out),
        .ranges = ranges_of(vector_mode, kSfpuVectorsPerFace),
        .parameters = parameters(p0, 0, 0),
        .fp32_dest = state.fp32_dest != 0};
    const bool takes_rows = takes_repeated_rows(SfpuTernary(op), call);
    for (uint32_t i = 0; i < 3; i++) {
        const bool repeats = takes_rows && dst_rows_repeat(state, slots[i]);
        call.in[i] = repeats ? state.dst[slots[i]] : dst_words(state, slots[i]);
        call.repeats |= repeats << i;
    }
    const bool is_where = SfpuTernary(op) == SfpuTernary::Where;
    taint_vector_ternary(state, dst_a, dst_b, dst_c, dst_out, is_where, call.ranges.part, call.ranges.count);
    kTernary[op](call);
}

void tw_sfpu_set_constants(uint32_t c0, uint32_t c1) {
    tw_sfpu_init(static_cast<uint32_t>(SfpuConstants::None));
    constant(kConstant0) = c0;
    constant(kConstant1) = c1;
}

void tw_sfpu_quantize(uint32_t op, uint32_t uint8_op, uint32_t dst_a, uint32_t dst_scale, uint32_t dst_out) {
    uint32_t chosen = constant(kConstant1) != 0 ? uint8_op : op;
    tw_sfpu_binary(chosen, dst_a, dst_scale, dst_out, uint32_t(SfpuFaces::All), 0, 0);
}

void tw_sfpu_set_exp_scale(uint32_t scale_bits) { constant(kExpScale) = scale_bits; }
}
