// SPDX-License-Identifier: Apache-2.0
// The tensor of the program at an address of the chip's memory.
#pragma once

#include <cstdint>
#include <vector>

#include "check/memory/host_memory.h"

namespace tw {

class Program;

// A place in a tensor given to the program.
struct TensorPlace {
    const HostMemory* memory = nullptr;  // null: no tensor is there
    uint32_t tensor = 0;
    uint64_t page = 0;
    uint64_t offset = 0;  // in the page
};

class TensorPlaces {
public:
    void start(const Program& program);
    TensorPlace find(const uint8_t* address) const;
    // Layout of the tensor; also between two of its pages.
    HostLayout layout(const uint8_t* address) const;

private:
    // The part of a tensor in one bank.
    struct Stretch {
        const uint8_t* begin;
        const uint8_t* end;
        const HostMemory* memory;
        uint32_t tensor, bank, banks;
    };
    const Stretch* stretch(const uint8_t* address) const;

    std::vector<Stretch> stretches_;  // by address
};

}  // namespace tw
