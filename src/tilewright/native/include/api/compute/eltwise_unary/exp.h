// SPDX-License-Identifier: Apache-2.0
// Exponential.
#pragma once

#include "tw/sfpu_calls.h"

namespace ckernel {

enum class InputClamping : uint8_t { ClampToNegative = 1, None = 0 };

// Only the approximate form takes its scale from here; the exact one takes it from exp_tile.
template <
    bool approx = false,
    uint32_t scale = 0x3F800000,
    InputClamping input_clamping = InputClamping::ClampToNegative,
    bool is_fp32_dest_acc_en = false>
ALWI void exp_tile_init() {
    if constexpr (approx) {
        sfpu_call::init(tw::SfpuUnary::ExpApproximate);
        // An older spelling has a bool there, and its scale behind it.
        tw_sfpu_set_exp_scale(scale <= 1 ? 0x3F800000 : scale);
    } else {
        sfpu_call::init();
    }
}

// scale is a bfloat16 pattern. The clamped approximation always does whole faces.
template <
    bool approx = false,
    bool scale_en = false,
    InputClamping input_clamping = InputClamping::ClampToNegative,
    int iterations = 8,
    bool is_fp32_dest_acc_en = false>
ALWI void exp_tile(
    uint32_t idst, sfpu_call::Faces vector_mode = VectorMode::RC, uint16_t scale = p_sfpu::kCONST_1_FP16B) {
    constexpr tw::SfpuUnary op = approx     ? tw::SfpuUnary::ExpApproximate
                                 : scale_en ? tw::SfpuUnary::ExpScaled
                                            : tw::SfpuUnary::Exp;
    constexpr bool whole_faces = approx && input_clamping == InputClamping::ClampToNegative;
    tw_sfpu_unary_vectors(
        static_cast<uint32_t>(op),
        idst,
        vector_mode.value,
        whole_faces ? tw::kSfpuVectorsPerFace : iterations,
        static_cast<uint32_t>(scale) << 16,
        0,
        0);
}

template <
    bool approx = false,
    uint32_t scale = 0x3F800000,
    InputClamping input_clamping = InputClamping::ClampToNegative,
    bool is_fp32_dest_acc_en = false>
ALWI void exp_packthread_tile_init() {
    PACK((exp_tile_init<approx, scale, input_clamping>()));
}

template <
    bool approx = false,
    bool scale_en = false,
    InputClamping input_clamping = InputClamping::ClampToNegative,
    int iterations = 8,
    bool is_fp32_dest_acc_en = false>
ALWI void exp_packthread_tile(
    uint32_t idst, sfpu_call::Faces vector_mode = VectorMode::RC, uint16_t scale = p_sfpu::kCONST_1_FP16B) {
    PACK((exp_tile<approx, scale_en, input_clamping, iterations>(idst, vector_mode, scale)));
}

// Older spellings.

template <bool approx, bool fast_and_approx, uint32_t scale>
inline void exp_tile_init() {
    exp_tile_init<approx, scale>();
}
template <bool approx, bool fast_and_approx, bool scale_en, bool skip_positive_check = false, int iterations = 8>
inline void exp_tile(
    uint32_t idst, sfpu_call::Faces vector_mode = VectorMode::RC, uint16_t scale = p_sfpu::kCONST_1_FP16B) {
    constexpr InputClamping clamping = skip_positive_check ? InputClamping::None : InputClamping::ClampToNegative;
    exp_tile<approx, scale_en, clamping, iterations>(idst, vector_mode, scale);
}

}  // namespace ckernel
