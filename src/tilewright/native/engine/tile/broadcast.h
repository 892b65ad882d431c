// SPDX-License-Identifier: Apache-2.0
// The second operand of a broadcast: its column, row or scalar, laid out for the faces of the first.
#pragma once

#include <cstring>

#include "numerics.h"
#include "unpack.h"

namespace tw {

// Values of operand b, per row or per column of each face of `shape`.
struct BroadcastOperand {
    alignas(64) float values[64] = {};
};

inline void broadcast_column(const Operand& b, const TileGeometry& shape, BroadcastOperand& operand) {
    const uint32_t faces_per_row = shape.tile_cols > 16 ? 2 : 1;
    with_reader(b, [&](auto reader) {
        for (uint32_t face = 0; face < shape.num_faces; face += faces_per_row) {
            float* values = operand.values + face * 16;
            const uint32_t from = face / faces_per_row * b.faces_per_row() * kFaceElements;
            for (uint32_t row = 0; row < 16; row += kLanes) {
                store(values + row, reader.column(from + row * 16));
            }
            if (faces_per_row == 2) {
                std::memcpy(values + 16, values, 16 * sizeof(float));
            }
        }
    });
}

inline void broadcast_row(const Operand& b, const TileGeometry& shape, uint32_t row, BroadcastOperand& operand) {
    const uint32_t faces_per_row = shape.tile_cols > 16 ? 2 : 1;
    with_reader(b, [&](auto reader) {
        for (uint32_t face = 0; face < shape.num_faces; face++) {
            const uint32_t from = row / 16 * b.faces_per_row() + face % faces_per_row;
            for (uint32_t column = 0; column < 16; column += kLanes) {
                const VectorF values = reader.at(from * kFaceElements + row % 16 * 16 + column);
                store(operand.values + face * 16 + column, values);
            }
        }
    });
}

inline void broadcast_scalar(const Operand& b, BroadcastOperand& operand) {
    for (float& value : operand.values) {
        value = b.value(0);
    }
}

// Whether no difference to one of these 16 can be a denormal or -0, which DST does not keep. A Src number has at most 11
// bits: from 2^-116 on its last bit is no denormal, nor is any sum of such numbers, and smaller numbers cannot come
// near 2^-115.
inline bool differences_stay_normal(const float* values) {
    constexpr uint32_t kSmallest = (127 - 115) << 23;
    VectorI small{};
    for (uint32_t i = 0; i < 16; i += kLanes) {
        small |= (load<VectorU>(values + i) & kMagnitudeMask) < kSmallest;
    }
    return !any_set(reinterpret_cast<VectorU>(small), ~0u);
}

inline bool differences_stay_normal(const BroadcastOperand& operand, uint32_t num_faces, uint32_t faces_per_row) {
    for (uint32_t face = 0; face < num_faces; face += faces_per_row) {
        if (!differences_stay_normal(operand.values + face * 16)) {
            return false;
        }
    }
    return true;
}

}  // namespace tw
