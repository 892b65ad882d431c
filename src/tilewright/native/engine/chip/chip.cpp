// SPDX-License-Identifier: Apache-2.0
#include "chip.h"

#include <algorithm>

#include "abi/noc.h"
#include "check/memory/check_memory.h"

namespace tw {

static uint64_t noc_bits(uint8_t x, uint8_t y) {
    return (static_cast<uint64_t>(x) << kNocLocalBits) | (static_cast<uint64_t>(y) << (kNocLocalBits + kNocNodeBits));
}

Chip::Chip(const ChipConfig& config, const uint8_t* noc_xy, const MemoryFiles& files, bool runs_kernels) :
    config_(config), memory_(config, files, runs_kernels), cores_(config.grid_x * config.grid_y), nodes_(64 * 64) {
    for (uint32_t index = 0; index < cores_.size(); index++) {
        Core& core = cores_[index];
        uint8_t* slot = memory_.l1() + static_cast<size_t>(index) * kL1SlotBytes;
        core.x = static_cast<uint16_t>(index % config_.grid_x);
        core.y = static_cast<uint16_t>(index / config_.grid_x);
        core.noc_x = noc_xy[2 * index];
        core.noc_y = noc_xy[2 * index + 1];
        core.l1_base = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(slot));
        core.circular_base = core.l1_base;
        core.memory_state = &memory_.core_state(index);
        core.memory_state->poisoned_bytes = std::max(core.memory_state->poisoned_bytes, config_.unreserved_base);
        l1_.push_back(NocNode{slot, config_.l1_bytes, &core});
        l1_xy_.push_back(noc_bits(core.noc_x, core.noc_y));
        node(core.noc_x, core.noc_y) = l1_.back();
    }
    const uint8_t* dram_xy = noc_xy + 2 * cores_.size();
    poison_.reserve(config_.dram_banks);
    for (uint32_t bank = 0; bank < config_.dram_banks; bank++) {
        uint8_t* memory = memory_.dram_bank(bank);
        poison_.emplace_back(
            memory, config_.dram_bank_bytes, memory_.notes(), memory_.poison_state(bank), bank, config_.dram_banks);
        dram_.push_back(NocNode{memory, config_.dram_bank_bytes, nullptr, &poison_[bank]});
        dram_xy_.push_back(noc_bits(dram_xy[2 * bank], dram_xy[2 * bank + 1]));
        node(dram_xy[2 * bank], dram_xy[2 * bank + 1]) = dram_[bank];
    }
}

Chip::~Chip() = default;

CheckMemory& Chip::fresh_check_memory() {
    if (!check_memory_) {
        check_memory_ = std::make_unique<CheckMemory>(*this);
    }
    check_memory_->clear();
    return *check_memory_;
}

void Chip::settle_poison() {
    for (LazyPoison& bank : poison_) {
        bank.settle_all();
    }
}

const NocNode& Chip::bank(bool is_dram, uint32_t index) const { return is_dram ? dram_[index] : l1_[index]; }

void Chip::set_l1_banks(const uint16_t* cores) {
    for (size_t bank = 0; bank < cores_.size(); bank++) {
        Core& core = cores_[cores[bank]];
        l1_[bank] = node(core.noc_x, core.noc_y);
        l1_xy_[bank] = noc_bits(core.noc_x, core.noc_y);
    }
}

uint64_t Chip::bank_noc_address(bool is_dram, uint32_t bank, uint64_t local) const {
    return (is_dram ? dram_xy_[bank] : l1_xy_[bank]) | local;
}

}  // namespace tw
