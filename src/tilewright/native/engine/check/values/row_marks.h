// SPDX-License-Identifier: Apache-2.0
// Conversion between marks of the bytes of a row (one bit each) and marks of its data (one byte each).
#pragma once

#include <cstdint>

namespace tw {

inline constexpr uint32_t kRowData = 16;  // of a face

// Marks of a row of data, one bit per byte.
struct RowMarks {
    uint64_t unwritten = 0, padding = 0, beside = 0;

    bool any() const { return (unwritten | padding | beside) != 0; }
};

// `bytes` bytes hold `data` data. A byte that two data share is marked if either is.
void row_to_data(const RowMarks& marks, uint32_t data, uint32_t bytes, uint8_t* of);
RowMarks data_to_row(const uint8_t* of, uint32_t data, uint32_t bytes);

}  // namespace tw
