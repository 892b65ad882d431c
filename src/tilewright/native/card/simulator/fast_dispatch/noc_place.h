// SPDX-License-Identifier: Apache-2.0
// NoC coordinates as commands encode them: x and y in six bits each, and for a multicast the first corner above the
// last one. Wormhole's encoding starts at bit 4, Blackhole's at bit 0.
#pragma once

#include <cstdint>

namespace card {

struct NocPlace {
    uint32_t x, y;
};

struct NocRectangle {
    NocPlace first, last;
};

inline NocPlace decode_place(uint32_t encoded, uint32_t shift) {
    return {encoded >> shift & 63u, encoded >> (shift + 6) & 63u};
}

inline NocRectangle decode_rectangle(uint32_t encoded, uint32_t shift) {
    return {decode_place(encoded, shift + 12), decode_place(encoded, shift)};
}

}  // namespace card
