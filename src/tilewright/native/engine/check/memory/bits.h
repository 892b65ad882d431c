// SPDX-License-Identifier: Apache-2.0
// Planes of bits, one per byte of memory. A plane has at least 16 bytes more than its bits need.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tw {

inline uint64_t low_bits(uint32_t count) { return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

// Up to 64 bits from bit `first` on.
inline uint64_t get_bits(const uint8_t* plane, uint64_t first, uint32_t count) {
    const uint8_t* bytes = plane + first / 8;
    const uint32_t shift = first % 8;
    uint64_t low;
    std::memcpy(&low, bytes, 8);
    uint64_t bits = low >> shift;
    if (shift != 0) {
        bits |= static_cast<uint64_t>(bytes[8]) << (64 - shift);
    }
    return bits & low_bits(count);
}

inline void put_bits(uint8_t* plane, uint64_t first, uint32_t count, uint64_t bits) {
    uint8_t* bytes = plane + first / 8;
    const uint32_t shift = first % 8;
    const uint64_t mask = low_bits(count);
    uint64_t low;
    std::memcpy(&low, bytes, 8);
    low = (low & ~(mask << shift)) | ((bits & mask) << shift);
    std::memcpy(bytes, &low, 8);
    if (shift + count > 64) {
        const auto high_mask = static_cast<uint8_t>(mask >> (64 - shift));
        bytes[8] = static_cast<uint8_t>((bytes[8] & ~high_mask) | ((bits >> (64 - shift)) & high_mask));
    }
}

inline void fill_bits(uint8_t* plane, uint64_t first, uint64_t count, bool value) {
    const uint64_t pattern = value ? ~uint64_t{0} : 0;
    if (count <= 64) {
        put_bits(plane, first, static_cast<uint32_t>(count), pattern);
        return;
    }
    const auto head = static_cast<uint32_t>((8 - first % 8) % 8);
    put_bits(plane, first, head, pattern);
    first += head;
    count -= head;
    std::memset(plane + first / 8, value ? 0xff : 0, count / 8);
    put_bits(plane, first + count / 8 * 8, count % 8, pattern);
}

inline bool any_bit(const uint8_t* plane, uint64_t first, uint64_t count) {
    uint64_t any = 0;
    uint64_t done = 0;
    for (; first % 8 == 0 && done + 64 <= count; done += 64) {
        uint64_t bits;
        std::memcpy(&bits, plane + (first + done) / 8, sizeof bits);
        any |= bits;
    }
    for (; done < count; done += 64) {
        any |= get_bits(plane, first + done, static_cast<uint32_t>(std::min<uint64_t>(64, count - done)));
    }
    return any != 0;
}

}  // namespace tw
