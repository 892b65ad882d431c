// SPDX-License-Identifier: Apache-2.0
// Prints the lanes of a vector and a number that depends on every bit of many row sums. Fails where their order is not
// the one of sum_row_halves: neighbours, then pairs, then fours.
#include <bit>
#include <cstdio>
#include <random>

#include "tile/vector.h"

using namespace tw;

namespace {

struct Sums {
    alignas(64) float first[16], last[16];
};

template <class Vector>
Sums sums_of(const uint16_t* rows) {
    Sums sums;
    for (uint32_t start = 0; start < 16; start += kLanes) {
        Vector data[kLanes][kRowVectors], first, last;
        for (uint32_t row = 0; row < kLanes; row++) {
            for (uint32_t i = 0; i < kRowVectors; i++) {
                data[row][i] = floats_of(widen_bfloat16(rows + (start + row) * 16 + i * kLanes));
            }
        }
        sum_row_halves(data, first, last);
        store(sums.first + start, first);
        store(sums.last + start, last);
    }
    return sums;
}

template <class Vector>
bool is_as_with_bfloat16(const uint16_t* rows, const Sums& sums) {
    if constexpr (kLanes == 16) {
        Vector first, last;
        sum_bfloat16_groups(rows, first, last);
        return std::memcmp(&first, sums.first, sizeof first) == 0 && std::memcmp(&last, sums.last, sizeof last) == 0;
    }
    return true;
}

float sum_of_eight(const uint16_t* data) {
    const auto value = [data](uint32_t i) { return std::bit_cast<float>(static_cast<uint32_t>(data[i]) << 16); };
    return ((value(0) + value(1)) + (value(2) + value(3))) + ((value(4) + value(5)) + (value(6) + value(7)));
}

}  // namespace

int main() {
    std::mt19937 random(1);
    uint64_t hash = 0;
    for (uint32_t trial = 0; trial < 5000; trial++) {
        alignas(64) uint16_t rows[256];
        for (uint16_t& datum : rows) {  // of so many sizes that most sums are rounded
            datum = static_cast<uint16_t>((random() & 0x807fu) | ((100 + random() % 50) << 7));
        }
        const Sums sums = sums_of<VectorF>(rows);
        if (!is_as_with_bfloat16<VectorF>(rows, sums)) {
            return 1;
        }
        for (uint32_t row = 0; row < 16; row++) {
            const float first = sum_of_eight(rows + row * 16), last = sum_of_eight(rows + row * 16 + 8);
            if (first != sums.first[row] || last != sums.last[row]) {
                return 2;
            }
            hash = hash * 31 + std::bit_cast<uint32_t>(first) * 17ull + std::bit_cast<uint32_t>(last);
        }
    }
    std::printf("%u %llx\n", kLanes, static_cast<unsigned long long>(hash));
    return 0;
}
