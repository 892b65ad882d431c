// SPDX-License-Identifier: Apache-2.0
#include "chip_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

#include "chip.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

namespace tw {

static constexpr uint64_t kHugePage = 2u << 20;
static constexpr uint64_t kPage = 64u << 10;  // a multiple of every system's page size

static uint64_t rounded_up(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

static uint64_t poison_states_begin(uint32_t cores) { return rounded_up(cores * sizeof(CoreMemoryState), 64); }

static int open_file(const char* name, uint64_t bytes, int given) {
    const int file = given >= 0 ? fcntl(given, F_DUPFD_CLOEXEC, 0) : memfd_create(name, MFD_CLOEXEC);
    if (file < 0 || (given < 0 && ftruncate(file, static_cast<off_t>(bytes)) != 0)) {
        if (file >= 0) {
            close(file);
        }
        throw std::runtime_error("cannot create the shared memory of the chip");
    }
    return file;
}

// Aligned to large pages, so that large pages can be mapped. A forked process inherits nothing: it would write to its
// parent's tensors.
static uint8_t* map_file(int file, uint64_t bytes) {
    const uint64_t room = bytes + kHugePage;
    void* reserved = mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) {
        throw std::runtime_error("cannot reserve address space for the memory of the chip");
    }
    const auto begin = reinterpret_cast<uintptr_t>(reserved);
    const uintptr_t wanted = rounded_up(begin, kHugePage);
    if (wanted != begin) {
        munmap(reserved, wanted - begin);
    }
    munmap(reinterpret_cast<void*>(wanted + bytes), begin + room - (wanted + bytes));
    constexpr int kFlags = MAP_SHARED | MAP_NORESERVE | MAP_FIXED;
    void* memory = mmap(reinterpret_cast<void*>(wanted), bytes, PROT_READ | PROT_WRITE, kFlags, file, 0);
    if (memory == MAP_FAILED) {
        munmap(reinterpret_cast<void*>(wanted), bytes);
        throw std::runtime_error("cannot map the memory of the chip");
    }
    madvise(memory, bytes, MADV_DONTFORK);
    return static_cast<uint8_t*>(memory);
}

ChipMemory::ChipMemory(const ChipConfig& config, const MemoryFiles& given, bool runs_kernels) :
    cores_(config.num_dies * config.grid_x * config.grid_y),
    l1_bytes_(config.l1_bytes),
    banks_(config.num_dies * config.dram_banks),
    bank_stride_(rounded_up(config.dram_bank_bytes, kHugePage)),
    notes_begin_(rounded_up(poison_states_begin(cores_) + banks_ * sizeof(PoisonState), kPage)),
    state_bytes_(notes_begin_ + LazyPoison::notes_bytes(config.dram_bank_bytes, banks_)) {
    try {
        open_files(given);
        if (runs_kernels) {
            map_l1_for_kernels();
        } else {
            l1_ = map_file(files_.l1, cores_ * kL1SlotBytes);
        }
    } catch (...) {
        unmap();
        throw;
    }
}

ChipMemory::~ChipMemory() { unmap(); }

PoisonState& ChipMemory::poison_state(uint32_t bank) {
    return reinterpret_cast<PoisonState*>(state_ + poison_states_begin(cores_))[bank];
}

void ChipMemory::open_files(const MemoryFiles& from) {
    files_.l1 = open_file("tilewright-l1", cores_ * kL1SlotBytes, from.l1);
    files_.dram = open_file("tilewright-dram", banks_ * bank_stride_, from.dram);
    files_.state = open_file("tilewright-state", state_bytes_, from.state);
    dram_ = map_file(files_.dram, banks_ * bank_stride_);
    state_ = map_file(files_.state, rounded_up(state_bytes_, kPage));
}

void ChipMemory::map_l1_for_kernels() {
    const size_t bytes = cores_ * kL1SlotBytes;
    constexpr int kFlags = MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    // Lower addresses only for the many cores of a large system.
    constexpr uint64_t kUsual = 0x40000000ull, kLowest = 0x10000000ull;
    for (uint64_t base = kUsual + bytes <= 0x100000000ull ? kUsual : kLowest; base + bytes <= 0x100000000ull;
         base += 0x8000000ull) {
        void* wanted = reinterpret_cast<void*>(base);
        void* got = mmap(wanted, bytes, PROT_READ | PROT_WRITE, kFlags, files_.l1, 0);
        if (got == wanted) {
            l1_ = static_cast<uint8_t*>(got);
            madvise(l1_, bytes, MADV_DONTFORK);
            for (size_t core = 0; core < cores_; core++) {
                // A slot is larger than an L1: accesses behind the L1 must fault. Only the last page is used, for the
                // credit registers.
                mprotect(l1_ + core * kL1SlotBytes + l1_bytes_, kCreditRegisters - l1_bytes_, PROT_NONE);
            }
            return;
        }
        if (got != MAP_FAILED) {
            munmap(got, bytes);
        }
    }
    throw std::runtime_error("no address space left below 4 GiB for L1; close a device first");
}

void ChipMemory::unmap() {
    if (l1_ != nullptr) {
        munmap(l1_, cores_ * kL1SlotBytes);
    }
    if (dram_ != nullptr) {
        munmap(dram_, banks_ * bank_stride_);
    }
    if (state_ != nullptr) {
        munmap(state_, rounded_up(state_bytes_, kPage));
    }
    for (const int file : {files_.l1, files_.dram, files_.state}) {
        if (file >= 0) {
            close(file);
        }
    }
}

// Consecutive pages of a tensor lie in different banks, so with small pages nearly every access would miss the TLB. The
// first touch of a large page is slow, so none are used while tensors take little of a bank. Most systems give a memory
// file no large pages by default but collapse present pages on request: one page in each is touched first. Other
// systems keep small pages.
void ChipMemory::expect_tensor(uint64_t address, uint64_t bytes_per_bank) {
    const uint64_t end = std::min(bank_stride_, rounded_up(address + bytes_per_bank, kHugePage));
    if (address + bytes_per_bank < kHugePage / 8 || end <= huge_end_) {
        return;
    }
    for (uint32_t bank = 0; bank < banks_; bank++) {
        uint8_t* memory = dram_bank(bank);
        for (uint64_t offset = huge_end_; offset < end; offset += kHugePage) {
            static_cast<void>(*static_cast<volatile uint8_t*>(memory + offset));
        }
        madvise(memory + huge_end_, end - huge_end_, MADV_COLLAPSE);
    }
    huge_end_ = end;
}

}  // namespace tw
