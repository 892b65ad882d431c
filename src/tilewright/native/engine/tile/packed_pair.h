// SPDX-License-Identifier: Apache-2.0
// Two vectors of DST words as the bfloat16s that the packer makes of them.
#pragma once

#include "numerics.h"

namespace tw {

// Rows of L1 lie too far apart for the hardware prefetcher: the lines of the tile after next are prefetched while one
// is written.
inline constexpr uint32_t kPackAhead = 2 * 32 * sizeof(uint16_t);

// Denormals and -0 become +0, the rest is rounded to nearest, ties away; NaN stays NaN.
inline VectorU rounded_for_packer(VectorU value) {
    value = bits_of(without_denormals(floats_of(value)));
    // A NaN of all ones must not be rounded up into a zero.
    constexpr uint32_t kLargest = 0x7fff7fffu;
    const VectorU magnitude = value & kMagnitudeMask;
    const VectorU limited = magnitude < kLargest ? magnitude : splat_bits(kLargest);
    return ((value & ~kMagnitudeMask) | limited) + 0x8000u;
}

// Wide: the words come from 32-bit DST and are rounded, else they fit 16 bits already. Normal: none is a denormal or -0.
// Rounds: no NaN is so large that rounding would overflow.
template <bool Wide, bool Normal = false, bool Rounds = false>
inline void pack_pair(VectorU first, VectorU second, uint8_t* bytes) {
    if constexpr (Wide) {
        const VectorF one = Normal ? floats_of(first) : without_denormals(floats_of(first));
        const VectorF two = Normal ? floats_of(second) : without_denormals(floats_of(second));
        if (Rounds || !any_nan(one, two)) [[likely]] {
            first = bits_of(one) + 0x8000u;
            second = bits_of(two) + 0x8000u;
        } else {
            first = rounded_for_packer(first);
            second = rounded_for_packer(second);
        }
    }
    store_upper_halves(bytes, first, second);
}

}  // namespace tw
