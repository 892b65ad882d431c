// SPDX-License-Identifier: Apache-2.0
// Top-k of long rows, for Blackhole: sequences of K words in DST, sorted, merged by keeping the larger of each pair, and
// sorted again. A word is a bfloat16 with 16 bits below it that say where it came from (fused), or values and indices
// are sequences of their own.
#pragma once

#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/tile_move_copy.h"
#include "tw/llk/sfpu_programs.h"
#include "tw/sfpu_calls.h"

namespace ckernel {

// For kernels that program the loop of a merge by themselves.
namespace sfpu {
template <bool fused>
inline void topk_mop_config() {
    tw::programs_maths(tw::MathLoop::Other);
}
}  // namespace sfpu

namespace detail {

// The constant of the vector unit in which a kernel keeps what is added to its indices.
constexpr std::uint32_t topk_xl_base = 12;
constexpr std::uint32_t topk_xl_index_bits = 0x4;

template <std::uint32_t K>
constexpr bool is_topk_xl_length = K == 512 || K == 1024 || K == 2048;

inline void topk_xl_set_base(std::uint32_t base) {
    MATH((sfpu_call::init(), sfpu::_sfpu_load_config32_(topk_xl_base, base >> 16, base & 0xffff)));
}
inline std::uint32_t topk_xl_get_base() { return tw_vector_register(topk_xl_base)[0]; }

}  // namespace detail

template <std::uint32_t K, bool fused = true>
ALWI void topk_xl_init() {
    static_assert(detail::is_topk_xl_length<K>, "K must be 512, 1024 or 2048");
    MATH((tw::vector_program_init()));
    tw::programs_maths(tw::MathLoop::Other);
    if constexpr (!fused) {
        MATH((sfpu::_sfpu_load_config32_(0xf, 0, detail::topk_xl_index_bits)));
    }
}
// After a copy, which programs the matrix unit's loop for itself.
template <bool fused = true>
ALWI void topk_xl_reinit_mop_after_copy() {
    tw::programs_maths(tw::MathLoop::Other);
}
ALWI void topk_xl_reinit_unfused_rebuild_after_copy() { tw::programs_maths(tw::MathLoop::Other); }

ALWI void topk_xl_copy_tile_init_short(std::uint32_t cbid) {
    tw_copy_init(cbid, 0, 0);
    tw::programs_maths(tw::MathLoop::Copy);
}
template <bool is_fp32_dest_acc_en = false>
ALWI void topk_xl_copy_tile_init(std::uint32_t cbid, std::uint32_t call_line = __builtin_LINE()) {
    state_configure<Operand::SRCA>(cbid, call_line);
    reconfig_data_format_srca(cbid);
    topk_xl_copy_tile_init_short(cbid);
}

// The first num_elements of one tile or two, -inf behind them.
template <std::uint32_t K>
ALWI void topk_xl_copy_tile(
    std::uint32_t in_cb_id,
    std::uint32_t dst_start_tile_index,
    std::uint32_t in_tile_index_base,
    std::uint32_t num_elements) {
    static_assert(detail::is_topk_xl_length<K>, "K must be 512, 1024 or 2048");
    constexpr std::uint32_t tile = TILE_R_DIM * TILE_C_DIM;
    tw_copy_elements(in_cb_id, in_tile_index_base, dst_start_tile_index, num_elements < tile ? num_elements : tile);
    if constexpr (K > tile) {
        const std::uint32_t rest = num_elements > tile ? num_elements - tile : 0;
        tw_copy_elements(in_cb_id, in_tile_index_base + 1, dst_start_tile_index + 1, rest);
    }
}

ALWI void topk_xl_add_lsb_indices_init() { MATH((tw::vector_program_init())); }
template <std::uint32_t K, std::uint32_t core_id, bool row_major = false>
ALWI void topk_xl_add_lsb_indices(std::uint32_t idst) {
    static_assert(detail::is_topk_xl_length<K>, "K must be 512, 1024 or 2048");
    MATH((tw_sfpu_topk_xl_stamp(idst, K, core_id, row_major)));
}
template <std::uint32_t K>
ALWI void topk_xl_add_lsb_indices_rt(std::uint32_t idst, std::uint32_t chunk_id) {
    static_assert(detail::is_topk_xl_length<K>, "K must be 512, 1024 or 2048");
    MATH((tw_sfpu_topk_xl_stamp(idst, K, chunk_id, false)));
}

template <std::uint32_t K>
ALWI void topk_xl_local_sort(std::uint32_t idst, bool ascending) {
    static_assert(detail::is_topk_xl_length<K>, "K must be 512, 1024 or 2048");
    MATH((tw_sfpu_topk_xl_sort(idst, K, ascending)));
}
// With early_exit_K64 each column of 64 by itself.
template <std::uint32_t K, bool early_exit_K64 = false>
ALWI void topk_xl_local_sort_generic(std::uint32_t idst, bool ascending) {
    static_assert(detail::is_topk_xl_length<K>, "K must be 512, 1024 or 2048");
    if constexpr (early_exit_K64) {
        static_assert(K >= 1024, "early_exit_K64 needs columns of 64: K of 1024 or 2048");
        MATH((tw_sfpu_topk_xl_sort_columns(idst, K, ascending)));
    } else {
        static_assert(K <= 1024, "K of 2048 is topk_xl_local_sort's");
        MATH((tw_sfpu_topk_xl_sort(idst, K, ascending)));
    }
}
template <std::uint32_t K, bool fused = true>
ALWI void topk_xl_merge(std::uint32_t idst) {
    static_assert(detail::is_topk_xl_length<K>, "K must be 512, 1024 or 2048");
    MATH((tw_sfpu_topk_xl_merge(idst, K, fused)));
}
template <std::uint32_t K, bool fused = true>
ALWI void topk_xl_rebuild(std::uint32_t idst, bool ascending) {
    static_assert(detail::is_topk_xl_length<K>, "K must be 512, 1024 or 2048");
    MATH((tw_sfpu_topk_xl_rebuild(idst, K, ascending, fused)));
}

// Only what came from where, for the packer.
ALWI void topk_xl_remove_msb_values_init() {}
template <std::uint32_t K>
ALWI void topk_xl_remove_msb_values(std::uint32_t idst) {
    static_assert(detail::is_topk_xl_length<K>, "K must be 512, 1024 or 2048");
    PACK((tw_sfpu_topk_xl_remove_values(idst, K)));
}

// Values here, indices one sequence further: the stamp with group_id in front of it.
ALWI void topk_xl_separate_indices_init(std::uint32_t group_id_bit_shift) {
    detail::topk_xl_set_base(group_id_bit_shift);
}
template <std::uint32_t K, std::uint32_t group_id>
ALWI void topk_xl_separate_indices(std::uint32_t idst) {
    static_assert(detail::is_topk_xl_length<K>, "K must be 512, 1024 or 2048");
    MATH((tw_sfpu_topk_xl_split(idst, K, false, 0, group_id << (detail::topk_xl_get_base() & 31))));
}

// The same with the place in the row: within its chunk, and where chunks begin.
ALWI void topk_xl_separate_indices_row_major_init(std::uint32_t chunk_base) { detail::topk_xl_set_base(chunk_base); }
template <std::uint32_t chunk_base_upper16>
ALWI void topk_xl_separate_indices_row_major_init_upper(std::uint32_t chunk_base_low16) {
    detail::topk_xl_set_base(chunk_base_upper16 << 16 | (chunk_base_low16 & 0xffff));
}
template <std::uint32_t chunk_base_upper16, std::uint32_t chunk_base_lower16>
ALWI void topk_xl_separate_indices_row_major_init_static() {
    detail::topk_xl_set_base(chunk_base_upper16 << 16 | chunk_base_lower16);
}
ALWI void topk_xl_separate_indices_row_major_reinit() {}
template <std::uint32_t K>
ALWI void topk_xl_separate_indices_row_major(std::uint32_t idst) {
    static_assert(detail::is_topk_xl_length<K>, "K must be 512, 1024 or 2048");
    MATH((tw_sfpu_topk_xl_split(idst, K, true, 0, detail::topk_xl_get_base())));
}
template <std::uint32_t K>
ALWI void topk_xl_separate_indices_row_major_advance_chunk_base() {
    static_assert(detail::is_topk_xl_length<K>, "K must be 512, 1024 or 2048");
    const std::uint32_t base = detail::topk_xl_get_base() + K;
    MATH((sfpu::_sfpu_load_config32_(detail::topk_xl_base, base >> 16, base & 0xffff)));
}

// The same with the chunk's number taken from the stamp.
ALWI void topk_xl_separate_indices_row_major_global_init() { detail::topk_xl_set_base(0xf800); }
template <std::uint32_t K>
ALWI void topk_xl_separate_indices_row_major_global(std::uint32_t idst) {
    static_assert(detail::is_topk_xl_length<K>, "K must be 512, 1024 or 2048");
    MATH((tw_sfpu_topk_xl_split(idst, K, true, K, 0)));
}
template <std::uint32_t K>
ALWI void topk_xl_separate_indices_row_major_global_base(std::uint32_t idst, std::uint32_t seg_base) {
    static_assert(detail::is_topk_xl_length<K>, "K must be 512, 1024 or 2048");
    MATH((tw_sfpu_topk_xl_split(idst, K, true, K, seg_base)));
}

}  // namespace ckernel
