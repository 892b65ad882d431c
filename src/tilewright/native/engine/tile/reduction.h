// SPDX-License-Identifier: Apache-2.0
// One reduction of a tile, as the loops over sums (reduce_sum.cpp) and maxima (reduce_max.cpp) see it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "numerics.h"
#include "unpack.h"

namespace tw {

struct Reduction {
    const ComputeState& state;
    const Operand& data;
    const Operand& scaler;
    uint32_t* words;
    bool fresh;  // DST was zero: for a maximum that is "nothing yet"
    uint32_t num_faces;

    uint32_t faces_per_row() const { return num_faces == 1 ? 1 : data.faces_per_row(); }
    uint32_t face_row_count() const { return (num_faces + faces_per_row() - 1) / faces_per_row(); }
    uint32_t face_rows() const { return data.geometry.face_rows; }
    uint32_t scaler_face(uint32_t face) const { return std::min<uint32_t>(face, scaler.geometry.num_faces - 1); }
    bool wide() const { return state.fp32_dest; }
    Passes passes(bool a_has_low, bool b_has_low) const {
        return without_empty(passes_for(state.fidelity, wide()), a_has_low, b_has_low);
    }
};

struct FaceRow {
    alignas(64) float values[16];
};

// Along rows, along columns, of the whole tile; into words of DST.
void sum_along_rows(const Reduction& reduction);
void sum_along_columns(const Reduction& reduction);
void sum_whole_tile(const Reduction& reduction);
void max_along_rows(const Reduction& reduction);
void max_along_columns(const Reduction& reduction);
void max_of_whole_tile(const Reduction& reduction);

// Adds the row sums of a whole tile to a DST slot that keeps only a column. The product must take one pass, and the
// scaler must be ones in row 0 and zeros below.
void add_to_column(const Reduction& reduction, uint32_t* column);
bool sums_in_one_pass(const Reduction& reduction);
bool multiplies_by_ones(const Reduction& reduction);
// The two halves of a whole-tile sum: the column sums of all faces, and the sum of those added to the first element.
void pool_tile(const Reduction& reduction, FaceRow& pooled);
void add_pooled(const Reduction& reduction, const FaceRow& pooled);

}  // namespace tw
