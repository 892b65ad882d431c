// SPDX-License-Identifier: Apache-2.0
#include "check/memory/tensor_places.h"

#include <algorithm>
#include <iterator>

#include "program.h"

namespace tw {

void TensorPlaces::start(const Program& program) {
    stretches_.clear();
    for (uint32_t index = 0; index < program.host_memory.size(); index++) {
        const HostMemory& memory = program.host_memory[index];
        const uint32_t banks = program.chip.num_banks(memory.is_dram);
        // A tensor of a mesh lies at the same addresses on every die.
        for (uint32_t die = 0; die < program.chip.num_dies() && memory.layout != HostLayout::Unknown; die++) {
            for (uint32_t bank = 0; bank < banks; bank++) {
                const uint8_t* begin = program.chip.bank(die, memory.is_dram, bank).memory + memory.address;
                stretches_.push_back({begin, begin + memory.bytes_per_bank(banks), &memory, index, bank, banks});
            }
        }
    }
    std::sort(stretches_.begin(), stretches_.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
}

const TensorPlaces::Stretch* TensorPlaces::stretch(const uint8_t* address) const {
    const auto is_before = [](const uint8_t* at, const Stretch& each) { return at < each.begin; };
    const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), address, is_before);
    return after == stretches_.begin() || address >= std::prev(after)->end ? nullptr : &*std::prev(after);
}

TensorPlace TensorPlaces::find(const uint8_t* address) const {
    const Stretch* found = stretch(address);
    if (found == nullptr) {
        return {};
    }
    const HostMemory& memory = *found->memory;
    const auto distance = static_cast<uint64_t>(address - found->begin);
    const uint64_t page = memory.page_at(found->bank, found->banks, distance);
    const uint64_t offset = distance % memory.stride;
    return page != HostMemory::kNoPage && offset < memory.page_bytes ? TensorPlace{&memory, found->tensor, page, offset}
                                                                     : TensorPlace{};
}

HostLayout TensorPlaces::layout(const uint8_t* address) const {
    const Stretch* found = stretch(address);
    return found == nullptr ? HostLayout::Unknown : found->memory->layout;
}

}  // namespace tw
