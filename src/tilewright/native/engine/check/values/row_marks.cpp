// SPDX-License-Identifier: Apache-2.0
#include "check/values/row_marks.h"

#include <cstring>

#include "check/memory/bits.h"
#include "check/values/values.h"

namespace tw {

namespace {

// Bytes that are 1 where a bit is, for the low 8 bits.
uint64_t bytes_of_bits(uint64_t bits) {
    const uint64_t each = (bits & 0xff) * 0x0101010101010101u & 0x8040201008040201u;
    return (each + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
}
// The reverse: bits of eight bytes that are 0 or 1.
uint64_t bits_of_bytes(uint64_t bytes) { return bytes * 0x0102040810204080u >> 56; }

// One bit for each `width` bits of which any is set; for 16 data.
uint64_t narrow_bits(uint64_t bits, uint32_t width) {
    if (width == 2) {
        bits = (bits | bits >> 1) & 0x55555555u;
        bits = (bits | bits >> 1) & 0x33333333u;
        bits = (bits | bits >> 2) & 0x0f0f0f0fu;
        bits = (bits | bits >> 4) & 0x00ff00ffu;
        return (bits | bits >> 8) & 0xffffu;
    }
    if (width == 4) {
        bits |= bits >> 1;
        bits = (bits | bits >> 2) & 0x1111111111111111u;
        bits = (bits | bits >> 3) & 0x0303030303030303u;
        bits = (bits | bits >> 6) & 0x000f000f000f000fu;
        bits = (bits | bits >> 12) & 0x000000ff000000ffu;
        return (bits | bits >> 24) & 0xffffu;
    }
    return bits;
}
// The reverse: `width` bits for each.
uint64_t widen_bits(uint64_t bits, uint32_t width) {
    if (width == 2) {
        bits = (bits | bits << 8) & 0x00ff00ffu;
        bits = (bits | bits << 4) & 0x0f0f0f0fu;
        bits = (bits | bits << 2) & 0x33333333u;
        return ((bits | bits << 1) & 0x55555555u) * 3;
    }
    if (width == 4) {
        bits = (bits | bits << 24) & 0x000000ff000000ffu;
        bits = (bits | bits << 12) & 0x000f000f000f000fu;
        bits = (bits | bits << 6) & 0x0303030303030303u;
        return ((bits | bits << 3) & 0x1111111111111111u) * 15;
    }
    return bits;
}

// Of `data` data in `bytes` bytes, where each has whole bytes; 0 otherwise.
uint32_t datum_width(uint32_t data, uint32_t bytes) {
    const uint32_t width = bytes / data;
    return bytes % data == 0 && (width == 1 || width == 2 || width == 4) ? width : 0;
}

}  // namespace

void row_to_data(const RowMarks& marks, uint32_t data, uint32_t bytes, uint8_t* of) {
    const uint32_t width = datum_width(data, bytes);
    if (data == kRowData && width != 0) {
        const uint64_t unwritten = narrow_bits(marks.unwritten, width), padding = narrow_bits(marks.padding, width);
        const uint64_t beside = narrow_bits(marks.beside, width);
        for (uint32_t half = 0; half < 2; half++) {
            const uint64_t kinds = bytes_of_bits(unwritten >> 8 * half) * kUnwritten |
                                   bytes_of_bits(padding >> 8 * half) * kPadding |
                                   bytes_of_bits(beside >> 8 * half) * kBeside;
            std::memcpy(of + 8 * half, &kinds, 8);
        }
        return;
    }
    for (uint32_t i = 0; i < data; i++) {
        const uint32_t first = i * bytes / data, last = ((i + 1) * bytes + data - 1) / data;
        const uint64_t mask = low_bits(last - first) << first;
        of[i] = static_cast<uint8_t>(
            ((marks.unwritten & mask) ? kUnwritten : 0) | ((marks.padding & mask) ? kPadding : 0) |
            ((marks.beside & mask) ? kBeside : 0));
    }
}

RowMarks data_to_row(const uint8_t* of, uint32_t data, uint32_t bytes) {
    const uint32_t width = datum_width(data, bytes);
    RowMarks marks;
    if (data == kRowData && width != 0) {
        constexpr uint64_t kOnes = 0x0101010101010101u;
        uint64_t unwritten = 0, padding = 0, beside = 0;
        for (uint32_t half = 0; half < 2; half++) {
            uint64_t kinds;
            std::memcpy(&kinds, of + 8 * half, 8);
            unwritten |= bits_of_bytes(kinds & kOnes) << 8 * half;
            padding |= bits_of_bytes(kinds >> 1 & ~kinds & kOnes) << 8 * half;
            beside |= bits_of_bytes(kinds >> 2 & kOnes) << 8 * half;
        }
        return {widen_bits(unwritten, width), widen_bits(padding, width), widen_bits(beside, width)};
    }
    for (uint32_t i = 0; i < data; i++) {
        if (of[i] == 0) {
            continue;
        }
        const uint32_t first = i * bytes / data, last = ((i + 1) * bytes + data - 1) / data;
        const uint64_t mask = low_bits(last - first) << first;
        marks.unwritten |= (of[i] & kUnwritten) ? mask : 0;
        marks.padding |= (of[i] & kPadding) && !(of[i] & kUnwritten) ? mask : 0;
        marks.beside |= (of[i] & kBeside) ? mask : 0;
    }
    return marks;
}

}  // namespace tw
