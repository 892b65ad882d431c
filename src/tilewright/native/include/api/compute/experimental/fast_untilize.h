// SPDX-License-Identifier: Apache-2.0
// pack_untilize of a whole row of tiles, in fewer instructions on a card.
#pragma once

#include "api/compute/pack_untilize.h"

namespace ckernel {

template <std::uint32_t full_ct_dim, bool is_fp32_dest_acc_en = false>
ALWI void fast_untilize_init(uint32_t icb, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    static_assert(full_ct_dim > 0, "a row has at least one tile");
    pack_untilize_init<full_ct_dim, full_ct_dim>(icb, ocb, call_line);
}
template <std::uint32_t full_ct_dim, bool is_fp32_dest_acc_en = false>
ALWI void fast_untilize_init_skip_remap(uint32_t icb, uint32_t ocb, uint32_t call_line = __builtin_LINE()) {
    fast_untilize_init<full_ct_dim>(icb, ocb, call_line);
}

template <std::uint32_t full_ct_dim, bool is_fp32_dest_acc_en = false>
ALWI void fast_untilize_block(
    uint32_t icb, uint32_t ocb, uint32_t input_tile_index = 0, uint32_t output_tile_index = 0) {
#ifdef ARCH_BLACKHOLE
    tw_fast_untilize_row(icb, full_ct_dim, ocb, input_tile_index, output_tile_index);
#else
    // Wormhole has no fast path: the row must fit in DST and starts at the first tile, whatever the indices say.
    pack_untilize_block<full_ct_dim, full_ct_dim>(icb, 1, ocb, 0);
#endif
}

template <std::uint32_t full_ct_dim, bool is_fp32_dest_acc_en = false>
ALWI void fast_untilize_uninit(uint32_t ocb) {
    pack_untilize_uninit(ocb);
}

}  // namespace ckernel
