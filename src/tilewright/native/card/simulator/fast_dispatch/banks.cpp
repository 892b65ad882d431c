// SPDX-License-Identifier: Apache-2.0
#include "banks.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace card {

static constexpr uint32_t kNocs = 2;
static constexpr uint32_t kL1Alignment = 16;

Banks::Banks(
    const std::vector<uint8_t>& tables,
    uint32_t num_dram_banks,
    uint32_t num_l1_banks,
    uint32_t coordinate_shift,
    uint32_t dram_alignment) :
    dram_(num_dram_banks), l1_(num_l1_banks), dram_alignment_(dram_alignment) {
    const uint64_t coordinates = 2ull * kNocs * (num_dram_banks + num_l1_banks);
    if (tables.size() < coordinates + 4ull * (num_dram_banks + num_l1_banks)) {
        throw std::runtime_error(
            "tilewright: the host has not written its tables of banks before fast dispatch starts");
    }
    const auto place = [&](uint64_t at) {
        uint16_t encoded = 0;
        std::memcpy(&encoded, tables.data() + at, sizeof(encoded));
        return decode_place(encoded, coordinate_shift);
    };
    const auto offset = [&](uint64_t at) {
        int32_t bytes = 0;
        std::memcpy(&bytes, tables.data() + at, sizeof(bytes));
        return bytes;
    };
    for (uint32_t bank = 0; bank < num_dram_banks; bank++) {
        dram_[bank] = {place(2ull * bank), offset(coordinates + 4ull * bank)};
    }
    for (uint32_t bank = 0; bank < num_l1_banks; bank++) {
        l1_[bank] = {
            place(2ull * (kNocs * num_dram_banks + bank)), offset(coordinates + 4ull * (num_dram_banks + bank))};
    }
}

template <typename Copy>
void Banks::each_page(const Pages& pages, uint64_t bytes, Copy copy) const {
    const std::vector<Bank>& banks = pages.is_dram ? dram_ : l1_;
    const uint64_t alignment = pages.is_dram ? dram_alignment_ : kL1Alignment;
    const uint64_t stride = (pages.page_bytes + alignment - 1) / alignment * alignment;
    uint64_t page = pages.first_page;
    for (uint64_t done = 0; done < bytes; done += pages.page_bytes, page++) {
        const Bank& bank = banks[page % banks.size()];
        const uint64_t address = pages.base + page / banks.size() * stride + static_cast<int64_t>(bank.offset);
        copy(bank.place, address, done, std::min(pages.page_bytes, bytes - done));
    }
}

void Banks::read(Memory& memory, const Pages& pages, uint8_t* data, uint64_t bytes) const {
    each_page(pages, bytes, [&](NocPlace at, uint64_t address, uint64_t done, uint64_t part) {
        memory.read(at.x, at.y, address, data + done, part);
    });
}

void Banks::write(Memory& memory, const Pages& pages, const uint8_t* data, uint64_t bytes) const {
    each_page(pages, bytes, [&](NocPlace at, uint64_t address, uint64_t done, uint64_t part) {
        memory.write(at.x, at.y, address, data + done, part);
    });
}

}  // namespace card
