// SPDX-License-Identifier: Apache-2.0
// The simulated system: one chip, or several of the same product (dies). Each die has worker cores with L1, DRAM banks,
// and NoC coordinates of its own. Cores are numbered die after die, row by row; logical row y of die d is row
// d * grid_y + y of the system.
#pragma once

#include <bit>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "abi/context.h"
#include "chip_memory.h"
#include "compute_state.h"

namespace tw {

struct CheckMemory;
struct KernelInstance;
struct Router;
class Fabric;

// A circular buffer of one core. Counts never wrap here; a card's 16-bit counters are their low bits.
struct CoreCircularBuffer {
    uint32_t num_pages = 0;  // 0: not configured on this core
    uint32_t page_bytes = 0;
    uint32_t address = 0;  // full slot pointer
    uint32_t total_bytes = 0;
    uint64_t pushed = 0;
    uint64_t popped = 0;
    uint32_t peak = 0;
    // Several kernels pushed to it, together more than fits. Waiting for its pages is an error.
    bool overfilled = false;
    // Credit registers: pages received and acknowledged, wider than a kernel's own 16-bit copies. A kernel that
    // requests them gets their address behind its core's L1, and may write there.
    uint32_t counters[2] = {};
    volatile uint32_t* shown = nullptr;
    TileGeometry geometry;

    uint32_t occupied() const { return static_cast<uint32_t>(pushed - popped); }
    // 0 for good after more pages were popped than pushed: a card takes the difference for a full buffer.
    uint32_t free_pages() const { return occupied() < num_pages ? num_pages - occupied() : 0; }

    void show_counters() {
        if (shown != nullptr) [[unlikely]] {
            shown[0] = counters[0];
            shown[1] = counters[1];
        }
    }
    // Applies a kernel's write to a register: it sets the number of pages, and the difference counts as popped.
    void take_counters() {
        if (shown != nullptr && (shown[0] != counters[0] || shown[1] != counters[1])) [[unlikely]] {
            counters[0] = shown[0];
            counters[1] = shown[1];
            popped = pushed - static_cast<uint16_t>(counters[0] - counters[1]);
        }
    }
};

// Pointers of circular buffers that a core does not have point here, behind every chip's L1. Any use faults, and the
// address tells which buffer it was.
inline constexpr uint32_t kMissingBuffers = 0x180000;
inline constexpr uint32_t kMissingBufferBytes = (kCreditRegisters - kMissingBuffers) / kMaxCircularBuffers;

// The missing circular buffer for such an L1 offset, or kMaxCircularBuffers.
inline uint32_t missing_buffer_at(uint64_t offset) {
    return offset < kMissingBuffers || offset >= kMissingBuffers + kMaxCircularBuffers * kMissingBufferBytes
               ? kMaxCircularBuffers
               : static_cast<uint32_t>(offset - kMissingBuffers) / kMissingBufferBytes;
}

struct MailboxWord {
    uint32_t value;
    uint32_t from;  // thread, as mailboxes number them; kAnyThread: not known
};
inline constexpr uint32_t kAnyThread = ~0u;

// A semaphore between the threads of a compute kernel.
struct ThreadSemaphore {
    uint32_t value = 0, most = 1;
    // below_most: whether it can be incremented; else whether it is not zero.
    bool lets_pass(uint32_t below_most) const { return below_most != 0 ? value < most : value != 0; }
};
inline constexpr uint32_t kNumThreadSemaphores = 8;

struct Core {
    uint16_t x = 0, y = 0;  // logical, in the system
    uint16_t die = 0;
    uint8_t noc_x = 0, noc_y = 0;
    uint32_t l1_base = 0;  // slot pointer
    uint32_t circular_base = 0;  // slot pointer of the L1 that holds its circular buffers (shared_l1.h)
    CoreMemoryState* memory_state = nullptr;
    CoreCircularBuffer cb[kMaxCircularBuffers];
    uint64_t configured = 0;  // its circular buffers, as bits
    std::unique_ptr<ComputeState> compute;
    std::vector<KernelInstance*> instances;  // of the program being run
    bool is_in_use = false;  // by the program loaded last
    std::deque<MailboxWord> mailbox[4];  // words sent to BRISC, unpack, math, pack
    ThreadSemaphore thread_semaphore[kNumThreadSemaphores];
};

// action(index), for circular buffers as bits.
template <typename Action>
void for_each_index(uint64_t bits, Action action) {
    static_assert(kMaxCircularBuffers <= 64);
    for (; bits != 0; bits &= bits - 1) {
        action(static_cast<uint32_t>(std::countr_zero(bits)));
    }
}

// The worker core, ethernet core or DRAM bank at one NoC coordinate.
struct NocNode {
    uint8_t* memory = nullptr;
    uint64_t bytes = 0;
    Core* core = nullptr;  // of a worker core
    LazyPoison* poison = nullptr;  // of DRAM
    Router* router = nullptr;  // of an ethernet core
};

// The die that NoC coordinates and banks belong to: that of the kernel this OS thread runs.
extern constinit thread_local uint32_t t_die __attribute__((tls_model("initial-exec"), visibility("hidden")));

// While it lives, NoC coordinates and banks are those of another die.
class OnDie {
public:
    explicit OnDie(uint32_t die) : before_(t_die) { t_die = die; }
    ~OnDie() { t_die = before_; }
    OnDie(const OnDie&) = delete;
    OnDie& operator=(const OnDie&) = delete;

private:
    uint32_t before_;
};

class Chip {
public:
    // noc_xy: x, y of every worker of a die (row-major over the logical grid), then of every DRAM bank. `files`: an
    // existing chip's memory, possibly of another process.
    Chip(const ChipConfig& config, const uint8_t* noc_xy, const MemoryFiles& files, bool runs_kernels);
    ~Chip();
    Chip(const Chip&) = delete;
    Chip& operator=(const Chip&) = delete;

    const ChipConfig& config() const { return config_; }
    Core& core(uint32_t x, uint32_t y) { return cores_[y * config_.grid_x + x]; }
    std::vector<Core>& cores() { return cores_; }
    uint32_t num_dies() const { return config_.num_dies; }
    // Cores of one die.
    uint32_t cores_per_die() const { return config_.grid_x * config_.grid_y; }
    uint32_t row_in_die(const Core& core) const { return core.y - core.die * config_.grid_y; }
    NocNode& node(uint32_t noc_x, uint32_t noc_y) { return node(t_die, noc_x, noc_y); }
    NocNode& node(uint32_t die, uint32_t noc_x, uint32_t noc_y) {
        return nodes_[(die * 64u + (noc_y & 63u)) * 64u + (noc_x & 63u)];
    }
    const NocNode& bank(bool is_dram, uint32_t index) const { return bank(t_die, is_dram, index); }
    const NocNode& bank(uint32_t die, bool is_dram, uint32_t index) const;
    // Banks of one die.
    uint32_t num_banks(bool is_dram) const { return is_dram ? config_.dram_banks : cores_per_die(); }
    uint64_t bank_noc_address(bool is_dram, uint32_t bank, uint64_t local) const;
    // The core of its die that holds each bank of L1; by default core i holds bank i.
    void set_l1_banks(const uint16_t* cores);
    ChipMemory& memory() { return memory_; }
    const ChipMemory& memory() const { return memory_; }
    // Links between the dies; null: none is used.
    Fabric* fabric() const { return fabric_.get(); }
    void set_fabric(const wire::FabricRouter* routers, size_t count);
    // Writes all deferred poison of DRAM.
    void settle_poison();
    // The memory of a checked run, without marks.
    CheckMemory& fresh_check_memory();

    std::vector<Core*> cores_in_use;  // cores of the program loaded last

private:
    void add_cores(uint32_t die, const uint8_t* noc_xy);
    void add_dram(uint32_t die, const uint8_t* dram_xy);

    ChipConfig config_;
    ChipMemory memory_;
    std::vector<Core> cores_;
    std::vector<NocNode> nodes_;
    std::vector<NocNode> dram_;
    std::vector<LazyPoison> poison_;  // of each DRAM bank
    std::vector<NocNode> l1_;  // by bank, die after die
    std::vector<uint64_t> dram_xy_;  // NoC address bits of each DRAM bank of a die
    std::vector<uint64_t> l1_xy_;
    std::unique_ptr<Fabric> fabric_;
    std::unique_ptr<CheckMemory> check_memory_;  // from the first checked run on
};

}  // namespace tw
