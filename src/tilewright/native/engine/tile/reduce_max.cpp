// SPDX-License-Identifier: Apache-2.0
// Maxima along rows, columns or a whole tile (reduce.cpp has the algorithm).
#include <algorithm>
#include <cstring>

#include "reduction.h"

namespace tw {

namespace {

struct Keys {
    alignas(64) int32_t values[16];
};

// An object, not a function: folds call it a hundred times a tile, and a pointer would not be inlined.
constexpr auto larger = [](VectorI a, VectorI b) { return a > b ? a : b; };

Keys nothing_yet() {
    Keys keys;
    std::fill_n(keys.values, 16, order_key(kMinusInfinity));
    return keys;
}

Keys keys_of(const uint32_t* words) {
    Keys keys;
    for (uint32_t i = 0; i < 16; i++) {
        keys.values[i] = order_key(words[i]);
    }
    return keys;
}

// The maximum is multiplied by the scaler's first value after it was found.
Keys scaled(const Reduction& reduction, uint32_t face, const Keys& found) {
    Keys keys = found;
    const float scale = reduction.scaler.value(reduction.scaler_face(face) * kFaceElements);
    if (scale != 1.0f) {
        for (int32_t& key : keys.values) {
            const float value = std::bit_cast<float>(bits_of_key(key)) * scale;
            key = order_key(std::bit_cast<uint32_t>(as_in_dst(value, reduction.wide())));
        }
    }
    return keys;
}

void keep_larger(Keys& keys, const Keys& others) {
    for (uint32_t i = 0; i < 16; i++) {
        keys.values[i] = std::max(keys.values[i], others.values[i]);
    }
}

template <class Reader>
Keys row_maxima(Reader data, uint32_t face) {
    Keys result;
    for (uint32_t first = 0; first < 16; first += kLanes) {
        VectorI rows[kLanes];
        for (uint32_t row = 0; row < kLanes; row++) {
            VectorI keys[kRowVectors];
            for (uint32_t i = 0; i < kRowVectors; i++) {
                const size_t datum = face * kFaceElements + (first + row) * 16 + i * kLanes;
                keys[i] = order_key(bits_of(data.at(datum)));
            }
            rows[row] = fold_vectors(keys, larger);
        }
        store(result.values + first, fold_rows(rows, larger));
    }
    return result;
}

template <class Reader>
Keys column_maxima(Reader data, uint32_t face, uint32_t face_rows) {
    Keys result;
    for (uint32_t i = 0; i < kRowVectors; i++) {
        VectorI keys = order_key(splat_bits(kMinusInfinity));
        for (uint32_t row = 0; row < face_rows; row++) {
            keys = larger(keys, order_key(bits_of(data.at(face * kFaceElements + row * 16 + i * kLanes))));
        }
        store(result.values + i * kLanes, keys);
    }
    return result;
}

}  // namespace

void max_along_rows(const Reduction& reduction) {
    const uint32_t faces_per_row = reduction.faces_per_row();
    for (uint32_t row = 0; row < reduction.face_row_count(); row++) {
        uint32_t* words = reduction.words + row * faces_per_row * kFaceElements;
        Keys keys = reduction.fresh ? nothing_yet() : keys_of(words);
        for (uint32_t i = 0; i < faces_per_row; i++) {
            const uint32_t face = row * faces_per_row + i;
            const Keys found = with_reader(reduction.data, [&](auto reader) { return row_maxima(reader, face); });
            keep_larger(keys, scaled(reduction, face, found));
        }
        if (reduction.fresh) {
            std::memset(words, 0, kFaceElements * 4);
        }
        for (uint32_t i = 0; i < 16; i++) {
            const uint32_t through_src = bits_of_key(keys.values[i]) & src_float_mask(reduction.state);
            words[i] = through_src;
            words[i * 16] = through_src;
        }
    }
}

void max_along_columns(const Reduction& reduction) {
    for (uint32_t face = 0; face < reduction.num_faces; face++) {
        uint32_t* words = reduction.words + face % reduction.faces_per_row() * kFaceElements;
        const bool first = reduction.fresh && face < reduction.faces_per_row();
        Keys keys = first ? nothing_yet() : keys_of(words);
        const Keys found = with_reader(
            reduction.data, [&](auto reader) { return column_maxima(reader, face, reduction.face_rows()); });
        keep_larger(keys, scaled(reduction, face, found));
        for (uint32_t i = 0; i < 16; i++) {
            words[i] = bits_of_key(keys.values[i]);
        }
    }
}

void max_of_whole_tile(const Reduction& reduction) {
    Keys keys = nothing_yet();
    for (uint32_t face = 0; face < reduction.num_faces; face++) {
        const Keys found = with_reader(
            reduction.data, [&](auto reader) { return column_maxima(reader, face, reduction.face_rows()); });
        keep_larger(keys, scaled(reduction, face, found));
    }
    int32_t largest = reduction.fresh ? order_key(kMinusInfinity) : order_key(reduction.words[0]);
    for (int32_t key : keys.values) {
        largest = std::max(largest, order_key(bits_of_key(key) & src_float_mask(reduction.state)));
    }
    reduction.words[0] = bits_of_key(largest);
}

}  // namespace tw
