// SPDX-License-Identifier: Apache-2.0
// The record of one kernel's calls on one core (abi/record.h).
#pragma once

#include <cstdint>
#include <vector>

namespace tw {

class Program;

struct CallRecord {
    std::vector<uint64_t> entries;
    uint32_t blocks = 0;   // basic blocks since the last entry
    uint32_t address = 0;  // RecordedAddress of the next transfer
};

// Copies all records of a program: for each kernel on each core its head and its entries (_wire/record.py). Fills at
// most `capacity` words and returns the number there are.
uint64_t copy_calls(const Program& program, uint64_t* words, uint64_t capacity);

}  // namespace tw
