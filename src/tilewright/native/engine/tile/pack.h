// SPDX-License-Identifier: Apache-2.0
// DST words to bytes in L1, as the packer writes them.
#pragma once

#include <cstdint>

#include "dst.h"

namespace tw {

inline constexpr uint32_t kNoReduceMask = 0;

// Whether packing is only a format conversion.
inline bool packs_plainly(const ComputeState& state) {
    return state.pack_relu_mode == 0 && !state.pack_l1_accumulate && state.scratch[kReduceMask] == kNoReduceMask &&
           state.scratch[kHasIntegers] == 0;
}

DataFormat pack_format(const ComputeState& state, const char* call);

// One tile; words == nullptr packs zeros.
void pack_words(
    const ComputeState& state, const uint32_t* words, const TileGeometry& geometry, uint8_t* bytes, const char* call);
// `count` data in a row (row-major output): relu and accumulation apply, masks do not.
void pack_row(
    const ComputeState& state,
    const uint32_t* words,
    uint32_t count,
    DataFormat format,
    uint8_t* bytes,
    const char* call);

}  // namespace tw
