// SPDX-License-Identifier: Apache-2.0
// The engine's functions that Python calls (_wire/engine.py): a chip's memory. Programs run in the runner's process.
#include <algorithm>
#include <cstring>
#include <exception>
#include <string>

#include "check/memory/host_memory.h"
#include "chip/chip.h"
#include "wire/engine.h"

namespace tw::wire {

static thread_local std::string t_last_error;

namespace {

// Where the pages of a buffer lie: round-robin over the banks, or for each page bank * pages_per_bank + page of the bank.
struct Places {
    const Chip& chip;
    bool is_dram;
    const uint32_t* places;
    uint64_t pages_per_bank;

    const NocNode& bank(uint64_t page) const {
        const uint64_t bank = places != nullptr ? places[page] / pages_per_bank : page % chip.num_banks(is_dram);
        return chip.bank(is_dram, static_cast<uint32_t>(bank));
    }
    uint64_t in_bank(uint64_t page) const {
        return places != nullptr ? places[page] % pages_per_bank : page / chip.num_banks(is_dram);
    }
};

}  // namespace

extern "C" {

const char* tw_last_error() { return t_last_error.c_str(); }

// A chip with its own memory, or with `files` on an existing chip's memory, possibly of another process. The file
// numbers stay the caller's.
void* tw_chip_new(const ChipConfig* config, const uint8_t* noc_xy, const MemoryFileNumbers* files) {
    try {
        const MemoryFiles given = files != nullptr ? MemoryFiles{files->l1, files->dram, files->state} : MemoryFiles{};
        return new Chip(*config, noc_xy, given, false);
    } catch (const std::exception& error) {
        t_last_error = error.what();
        return nullptr;
    }
}

void tw_chip_files(void* chip, MemoryFileNumbers* files) {
    const ChipMemory& memory = static_cast<Chip*>(chip)->memory();
    *files = {memory.files().l1, memory.files().dram, memory.files().state, kL1SlotBytes, memory.bank_stride()};
}

// Writes all deferred poison of DRAM.
void tw_chip_settle(void* chip) { static_cast<Chip*>(chip)->settle_poison(); }

// The core (row by row over the grid) that holds each bank of L1, for as many banks as the chip has cores.
void tw_chip_set_l1_banks(void* chip, const uint16_t* cores) { static_cast<Chip*>(chip)->set_l1_banks(cores); }

void tw_chip_free(void* chip) { delete static_cast<Chip*>(chip); }

// Whether the L1 still holds what the core's last run left there.
uint32_t tw_core_kept_l1(void* chip, uint32_t x, uint32_t y, uint32_t offset, uint32_t bytes) {
    const L1Range& overwritten = static_cast<Chip*>(chip)->core(x, y).memory_state->overwritten;
    return offset >= overwritten.end || offset + bytes <= overwritten.begin;
}

uint64_t tw_core_l1(void* chip, uint32_t x, uint32_t y) {
    Chip& target = *static_cast<Chip*>(chip);
    const size_t core = y * target.config().grid_x + x;
    return reinterpret_cast<uintptr_t>(target.memory().l1() + core * kL1SlotBytes);
}

// Pages are distributed round-robin over the banks, or as `places` says; `data` holds them consecutively.
void tw_write_pages(
    void* chip,
    uint32_t is_dram,
    uint64_t address,
    uint64_t page_bytes,
    uint64_t stride,
    uint64_t count,
    const uint32_t* places,
    uint64_t pages_per_bank,
    const uint8_t* data) {
    const Places pages{*static_cast<Chip*>(chip), is_dram != 0, places, pages_per_bank};
    for (uint64_t page = 0; page < count; page++) {
        const NocNode& bank = pages.bank(page);
        const uint64_t offset = address + pages.in_bank(page) * stride;
        if (bank.poison != nullptr) {
            bank.poison->before_overwrite(offset, page_bytes);
        }
        std::memcpy(bank.memory + offset, data + page * page_bytes, page_bytes);
    }
}

void tw_read_pages(
    void* chip,
    uint32_t is_dram,
    uint64_t address,
    uint64_t page_bytes,
    uint64_t stride,
    uint64_t count,
    const uint32_t* places,
    uint64_t pages_per_bank,
    uint8_t* data) {
    const Places pages{*static_cast<Chip*>(chip), is_dram != 0, places, pages_per_bank};
    for (uint64_t page = 0; page < count; page++) {
        const NocNode& bank = pages.bank(page);
        const uint64_t offset = address + pages.in_bank(page) * stride;
        if (bank.poison != nullptr) {
            bank.poison->before_access(offset, page_bytes);
        }
        std::memcpy(data + page * page_bytes, bank.memory + offset, page_bytes);
    }
}

// Fills whole pages. A place stands for all pages of its bank up to the one it names.
void tw_fill_pages(
    void* chip,
    uint32_t is_dram,
    uint64_t address,
    uint64_t stride,
    uint64_t count,
    const uint32_t* places,
    uint64_t pages_per_bank,
    uint32_t word) {
    Chip& target = *static_cast<Chip*>(chip);
    const Places pages{target, is_dram != 0, places, pages_per_bank};
    const uint64_t banks = target.num_banks(is_dram != 0);
    const bool is_sharded = places != nullptr;
    if (is_dram != 0) {
        target.memory().expect_tensor(address, (is_sharded ? pages_per_bank : (count + banks - 1) / banks) * stride);
    }
    for (uint64_t page = 0; page < (is_sharded ? count : std::min(count, banks)); page++) {
        const uint64_t length = is_sharded ? pages.in_bank(page) + 1 : (count - page + banks - 1) / banks;
        const NocNode& node = pages.bank(page);
        if (node.poison != nullptr) {
            node.poison->fill(address, length * stride, word);
        } else {
            std::fill_n(reinterpret_cast<uint32_t*>(node.memory + address), length * stride / sizeof(uint32_t), word);
        }
    }
}

// Number of pages of a tensor with an unwritten element, and the first of them.
uint64_t tw_unwritten_pages(
    void* chip, const HostBufferMessage* buffer, const uint8_t* outside, const uint32_t* places, uint64_t* first) {
    Chip& target = *static_cast<Chip*>(chip);
    target.settle_poison();
    const UnwrittenPages found = unwritten_pages(target, HostMemory(*buffer, outside, places));
    *first = found.first;
    return found.count;
}
}

}  // namespace tw::wire
