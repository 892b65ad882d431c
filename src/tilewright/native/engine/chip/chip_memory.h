// SPDX-License-Identifier: Apache-2.0
// The memory of one chip in three memory files, so that another process can map the same memory.
//
//   l1     the slot of core i (row by row over the grid) from i * kL1SlotBytes on; the rest of a slot behind its L1
//          is not used
//   dram   bank i from i * bank_stride() on
//   state  bookkeeping: a CoreMemoryState of each core, a PoisonState of each DRAM bank, and from notes_begin() on the
//          notes of deferred poison (lazy_poison.h)
//
// The files are sparse: untouched memory costs nothing. They outlive a process that dies.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lazy_poison.h"
#include "wire/runner.h"

namespace tw {

using wire::ChipConfig;

// L1 offsets [begin, end).
struct L1Range {
    uint32_t begin = 0, end = 0;
    bool contains(uint64_t offset) const { return offset - begin < end - begin; }
    void cover(uint32_t offset, uint32_t bytes) {
        begin = end == 0 ? offset : std::min(begin, offset);
        end = std::max(end, offset + bytes);
    }
};

// Bookkeeping of one core's L1.
struct CoreMemoryState {
    L1Range overwritten;  // overwritten by another core since this core's last run (shared_l1.h)
    uint32_t poisoned_bytes = 0;  // L1 below this offset has been touched or poisoned; 0: below the unreserved part
};

// Numbers of open files; -1: none.
struct MemoryFiles {
    int32_t l1 = -1, dram = -1, state = -1;
};

class ChipMemory {
public:
    // Creates the files, or maps duplicates of those given. Where kernels run, slots lie below 4 GiB: a kernel's 32-bit
    // address is a pointer.
    ChipMemory(const ChipConfig& config, const MemoryFiles& given, bool runs_kernels);
    ~ChipMemory();
    ChipMemory(const ChipMemory&) = delete;
    ChipMemory& operator=(const ChipMemory&) = delete;

    const MemoryFiles& files() const { return files_; }
    uint64_t bank_stride() const { return bank_stride_; }
    uint64_t notes_begin() const { return notes_begin_; }
    uint8_t* l1() const { return l1_; }
    uint8_t* dram_bank(uint32_t bank) const { return dram_ + bank * bank_stride_; }
    uint8_t* notes() const { return state_ + notes_begin_; }
    CoreMemoryState& core_state(uint32_t core) { return reinterpret_cast<CoreMemoryState*>(state_)[core]; }
    PoisonState& poison_state(uint32_t bank);
    // Announces a tensor at these offsets of every DRAM bank.
    void expect_tensor(uint64_t address, uint64_t bytes_per_bank);

private:
    void open_files(const MemoryFiles& given);
    void map_l1_for_kernels();
    void unmap();

    const uint32_t cores_, l1_bytes_, banks_;
    const uint64_t bank_stride_, notes_begin_, state_bytes_;
    MemoryFiles files_;
    uint8_t* l1_ = nullptr;
    uint8_t* dram_ = nullptr;
    uint8_t* state_ = nullptr;
    uint64_t huge_end_ = 0;  // DRAM below this offset of each bank may use large pages
};

}  // namespace tw
