// SPDX-License-Identifier: Apache-2.0
// Interleaved buffers: pages go round the banks of DRAM or L1. Which bank lies where stands in the tables that the host
// writes to each worker for its firmware: for both NoCs the coordinates of DRAM banks, then of L1 banks; then the
// offsets of DRAM banks and of L1 banks in their memory.
#pragma once

#include <cstdint>
#include <vector>

#include "card/simulator/memory.h"
#include "noc_place.h"

namespace card {

class Banks {
public:
    struct Pages {
        bool is_dram;
        uint64_t base, first_page, page_bytes;
    };

    Banks(
        const std::vector<uint8_t>& tables,
        uint32_t num_dram_banks,
        uint32_t num_l1_banks,
        uint32_t coordinate_shift,
        uint32_t dram_alignment);

    // Bytes of consecutive pages, one page after another.
    void read(Memory& memory, const Pages& pages, uint8_t* data, uint64_t bytes) const;
    void write(Memory& memory, const Pages& pages, const uint8_t* data, uint64_t bytes) const;

private:
    struct Bank {
        NocPlace place;
        int32_t offset;
    };
    template <typename Copy>
    void each_page(const Pages& pages, uint64_t bytes, Copy copy) const;

    std::vector<Bank> dram_, l1_;
    uint32_t dram_alignment_;
};

}  // namespace card
