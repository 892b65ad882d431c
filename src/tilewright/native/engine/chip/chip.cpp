// SPDX-License-Identifier: Apache-2.0
#include "chip.h"

#include <algorithm>

#include "abi/noc.h"
#include "check/memory/check_memory.h"
#include "fabric/fabric.h"

namespace tw {

static uint64_t noc_bits(uint8_t x, uint8_t y) {
    return (static_cast<uint64_t>(x) << kNocLocalBits) | (static_cast<uint64_t>(y) << (kNocLocalBits + kNocNodeBits));
}

constinit thread_local uint32_t t_die = 0;

Chip::Chip(const ChipConfig& config, const uint8_t* noc_xy, const MemoryFiles& files, bool runs_kernels) :
    config_(config),
    memory_(config, files, runs_kernels),
    cores_(size_t{config.num_dies} * config.grid_x * config.grid_y),
    nodes_(size_t{64} * 64 * config.num_dies) {
    const uint8_t* dram_xy = noc_xy + size_t{2} * cores_per_die();
    for (uint32_t index = 0; index < cores_per_die(); index++) {
        l1_xy_.push_back(noc_bits(noc_xy[2 * index], noc_xy[2 * index + 1]));
    }
    for (uint32_t bank = 0; bank < config_.dram_banks; bank++) {
        dram_xy_.push_back(noc_bits(dram_xy[2 * bank], dram_xy[2 * bank + 1]));
    }
    poison_.reserve(size_t{config_.num_dies} * config_.dram_banks);
    for (uint32_t die = 0; die < config_.num_dies; die++) {
        add_cores(die, noc_xy);
        add_dram(die, dram_xy);
    }
}

void Chip::add_cores(uint32_t die, const uint8_t* noc_xy) {
    for (uint32_t in_die = 0; in_die < cores_per_die(); in_die++) {
        const uint32_t index = die * cores_per_die() + in_die;
        Core& core = cores_[index];
        uint8_t* slot = memory_.l1() + static_cast<size_t>(index) * kL1SlotBytes;
        core.x = static_cast<uint16_t>(index % config_.grid_x);
        core.y = static_cast<uint16_t>(index / config_.grid_x);
        core.die = static_cast<uint16_t>(die);
        core.noc_x = noc_xy[2 * in_die];
        core.noc_y = noc_xy[2 * in_die + 1];
        core.l1_base = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(slot));
        core.circular_base = core.l1_base;
        core.memory_state = &memory_.core_state(index);
        core.memory_state->poisoned_bytes = std::max(core.memory_state->poisoned_bytes, config_.unreserved_base);
        l1_.push_back(NocNode{slot, config_.l1_bytes, &core});
        node(die, core.noc_x, core.noc_y) = l1_.back();
    }
}

void Chip::add_dram(uint32_t die, const uint8_t* dram_xy) {
    for (uint32_t in_die = 0; in_die < config_.dram_banks; in_die++) {
        const uint32_t bank = die * config_.dram_banks + in_die;
        uint8_t* memory = memory_.dram_bank(bank);
        poison_.emplace_back(
            memory,
            config_.dram_bank_bytes,
            memory_.notes(),
            memory_.poison_state(bank),
            bank,
            config_.num_dies * config_.dram_banks);
        dram_.push_back(NocNode{memory, config_.dram_bank_bytes, nullptr, &poison_[bank]});
        node(die, dram_xy[2 * in_die], dram_xy[2 * in_die + 1]) = dram_[bank];
    }
}

Chip::~Chip() = default;

void Chip::set_fabric(const wire::FabricRouter* routers, size_t count) {
    fabric_ = count != 0 ? std::make_unique<Fabric>(*this, routers, count) : nullptr;
}

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

const NocNode& Chip::bank(uint32_t die, bool is_dram, uint32_t index) const {
    return (is_dram ? dram_ : l1_)[die * num_banks(is_dram) + index];
}

void Chip::set_l1_banks(const uint16_t* cores) {
    for (uint32_t die = 0; die < num_dies(); die++) {
        for (uint32_t bank = 0; bank < cores_per_die(); bank++) {
            Core& core = cores_[die * cores_per_die() + cores[bank]];
            l1_[die * cores_per_die() + bank] = node(die, core.noc_x, core.noc_y);
            l1_xy_[bank] = noc_bits(core.noc_x, core.noc_y);
        }
    }
}

uint64_t Chip::bank_noc_address(bool is_dram, uint32_t bank, uint64_t local) const {
    return (is_dram ? dram_xy_[bank] : l1_xy_[bank]) | local;
}

}  // namespace tw
