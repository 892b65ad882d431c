// SPDX-License-Identifier: Apache-2.0
#include "chip.h"

#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

#include "abi/noc.h"
#include "check/memory/check_memory.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace tw {

static uint64_t noc_bits(uint8_t x, uint8_t y) {
    return (static_cast<uint64_t>(x) << kNocLocalBits) | (static_cast<uint64_t>(y) << (kNocLocalBits + kNocNodeBits));
}

Chip::Chip(const ChipConfig& config, const uint8_t* noc_xy)
    : config_(config), cores_(config.grid_x * config.grid_y), nodes_(64 * 64) {
    try {
        map_l1();
        map_dram();
    } catch (...) {
        unmap();
        throw;
    }
    for (uint32_t index = 0; index < cores_.size(); index++) {
        Core& core = cores_[index];
        core.x = static_cast<uint16_t>(index % config_.grid_x);
        core.y = static_cast<uint16_t>(index / config_.grid_x);
        core.noc_x = noc_xy[2 * index];
        core.noc_y = noc_xy[2 * index + 1];
        core.poisoned_bytes = config_.unreserved_base;
        l1_.push_back(NocNode{l1_region_ + static_cast<size_t>(index) * kL1SlotBytes, config_.l1_bytes, &core});
        l1_xy_.push_back(noc_bits(core.noc_x, core.noc_y));
        node(core.noc_x, core.noc_y) = l1_.back();
    }
    const uint8_t* dram_xy = noc_xy + 2 * cores_.size();
    for (uint32_t bank = 0; bank < config_.dram_banks; bank++) {
        dram_xy_.push_back(noc_bits(dram_xy[2 * bank], dram_xy[2 * bank + 1]));
        node(dram_xy[2 * bank], dram_xy[2 * bank + 1]) = dram_[bank];
    }
}

Chip::~Chip() { unmap(); }

void Chip::unmap() {
    if (l1_region_ != nullptr) {
        munmap(l1_region_, cores_.size() * kL1SlotBytes);
    }
    if (l1_file_ >= 0) {
        close(l1_file_);
    }
    if (poison_notes_ != nullptr) {
        munmap(poison_notes_, LazyPoison::notes_bytes(config_.dram_bank_bytes, config_.dram_banks));
    }
    for (const NocNode& bank : dram_) {
        munmap(bank.memory, bank.bytes);
    }
}

// All slots lie below 4 GiB in one shared file, so that a slot can also be shown at the addresses a card uses
// (see fault.cpp).
void Chip::map_l1() {
    const size_t bytes = cores_.size() * kL1SlotBytes;
    l1_file_ = memfd_create("tilewright-l1", MFD_CLOEXEC);
    if (l1_file_ < 0 || ftruncate(l1_file_, static_cast<off_t>(bytes)) != 0) {
        throw std::runtime_error("cannot create the shared memory for L1");
    }
    for (uint64_t base = 0x40000000ull; base + bytes <= 0x100000000ull; base += 0x8000000ull) {
        void* wanted = reinterpret_cast<void*>(base);
        void* got = mmap(
            wanted, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, l1_file_, 0);
        if (got == wanted) {
            l1_region_ = static_cast<uint8_t*>(got);
            for (size_t index = 0; index < cores_.size(); index++) {
                cores_[index].l1_base = static_cast<uint32_t>(base + index * kL1SlotBytes);
                // A slot is larger than an L1: what lies behind it must fault, not be somebody's memory.
                uint8_t* end = l1_region_ + index * kL1SlotBytes + config_.l1_bytes;
                mprotect(end, kL1SlotBytes - config_.l1_bytes, PROT_NONE);
            }
            return;
        }
        if (got != MAP_FAILED) {
            munmap(got, bytes);
        }
    }
    throw std::runtime_error("no address space left below 4 GiB for L1; close a device first");
}

static void* reserve_memory(uint64_t bytes) {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::runtime_error("cannot reserve address space for the DRAM banks");
    }
    return memory;
}

void Chip::map_dram() {
    const uint64_t notes_bytes = LazyPoison::notes_bytes(config_.dram_bank_bytes, config_.dram_banks);
    poison_notes_ = static_cast<uint8_t*>(reserve_memory(notes_bytes));
    poison_.reserve(config_.dram_banks);
    for (uint32_t bank = 0; bank < config_.dram_banks; bank++) {
        auto* memory = static_cast<uint8_t*>(reserve_memory(config_.dram_bank_bytes));
        poison_.emplace_back(memory, poison_notes_, bank, config_.dram_banks);
        dram_.push_back(NocNode{memory, config_.dram_bank_bytes, nullptr, &poison_[bank]});
    }
}

CheckMemory& Chip::fresh_check_memory() {
    if (!check_memory_) {
        check_memory_ = std::make_unique<CheckMemory>(*this);
    }
    check_memory_->clear();
    return *check_memory_;
}

// Pages of a tensor go round the banks, so with the system's small pages nearly every access would miss the TLB. The
// first touch of a large one takes long, so a small tensor gets none.
void Chip::expect_tensor(uint64_t address, uint64_t bytes_per_bank) {
    constexpr uint64_t kHugePage = 2u << 20;
    const uint64_t whole = (address + bytes_per_bank + kHugePage - 1) & ~(kHugePage - 1);
    const uint64_t end = std::min(config_.dram_bank_bytes, whole);
    if (bytes_per_bank < kHugePage / 2 || end <= huge_end_) {
        return;
    }
    for (const NocNode& bank : dram_) {
        madvise(bank.memory + huge_end_, end - huge_end_, MADV_HUGEPAGE);
    }
    huge_end_ = end;
}

void Chip::settle_poison() {
    for (LazyPoison& bank : poison_) {
        bank.settle_all();
    }
}

const NocNode& Chip::bank(bool is_dram, uint32_t index) const { return is_dram ? dram_[index] : l1_[index]; }

uint64_t Chip::bank_noc_address(bool is_dram, uint32_t bank, uint64_t local) const {
    return (is_dram ? dram_xy_[bank] : l1_xy_[bank]) | local;
}

}  // namespace tw
