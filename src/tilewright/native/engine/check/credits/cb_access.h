// SPDX-License-Identifier: Apache-2.0
// The contract of circular buffers: a kernel writes pages it has reserved, reads pages it has waited for, pushes and
// pops no others, and each buffer has one producer and one consumer.
//
// Each kernel has an access window on each buffer: the pages reserved from its write pointer on, and the pages waited
// for from its read pointer on. An access is looked up in the map of L1 and must lie in a window of its kernel. A
// kernel that never waits or reserves may access pages that happens-before (check/ordering.h) shows to be filled or
// free. Accesses outside are kept until the end: a buffer that is never pushed is private memory. A run of stores that
// continues from one buffer into the next, and an access to a buffer whose pointer the kernel never took, are reported
// as leaving the intended buffer.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "check/findings.h"
#include "check/memory/l1_map.h"
#include "check/ordering.h"
#include "chip/chip.h"

namespace tw {

class Program;
struct ProgramCircularBuffer;

// The unit that accesses memory for a kernel.
enum class Accessor : uint8_t { Processor, Noc };

// The storing instruction, and the caller of its function; 0: not known.
struct CodePlace {
    uintptr_t instruction = 0, caller = 0;
    bool operator==(const CodePlace&) const = default;
};

// `bytes` bytes at a slot pointer of the kernel's own core.
struct MemoryAccess {
    uint32_t address;
    uint32_t bytes;
    bool is_write;
    Accessor by;
    CodePlace place = {};

    uint32_t end() const { return address + bytes; }
};

class CbAccess {
public:
    explicit CbAccess(Ordering& ordering) : ordering_(ordering) {}

    void start(const Program& program);
    // At the end of a run: the findings that need it.
    void finish(Program& program, Findings& findings);

    // Credits. Pushes and pops are reported before the counts change, reservations and waits once they are met.
    void reserved(KernelInstance& instance, uint32_t cb, uint32_t pages);
    void pushing(KernelInstance& instance, uint32_t cb, uint32_t pages);
    void waiting(KernelInstance& instance, uint32_t cb);
    void waited(KernelInstance& instance, uint32_t cb, uint32_t pages);
    void popping(KernelInstance& instance, uint32_t cb, uint32_t pages);
    // The kernel reads the credit counters itself, which counts as a wait or reservation for what they show.
    void saw_counters(KernelInstance& instance, uint32_t cb);
    bool sees_counters(const KernelInstance& instance, uint32_t cb) const;

    // The last push of a kernel of the core; null: none.
    const CallPlace* last_push(const Core& core, uint32_t cb) const;

    // False if the access is part of a finding.
    bool access(KernelInstance& instance, const MemoryAccess& access);
    // For tile operations, which name the buffer.
    void access_pages(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, bool is_write);
    // The NoC accesses another core's memory for a kernel.
    void access_remote(KernelInstance& by, const Core& core, uint32_t address, uint32_t bytes, bool is_write);
    // The kernel takes the address of its read or write pointer.
    void took_pointer(KernelInstance& instance, uint32_t cb, bool write);
    // The kernel does anything other than store, which ends a run of stores.
    void called(const KernelInstance& instance);

private:
    // A kernel's window on one circular buffer.
    struct Window {
        uint32_t reserved = 0;  // pages from the kernel's write pointer on
        uint32_t waited = 0;  // pages from its read pointer on
        bool sees_counters = false;
        bool took_read_pointer = false, took_write_pointer = false;
        bool reads = false;  // anything of the buffer
        uint32_t full_looks = 0;  // consecutive loads of the counters that showed a full buffer
        uint32_t push_step = 0, wait_step = 0, pop_step = 0;  // of the last one, as counted by Ordering; 0: never
        uint32_t pushed_last = 0, popped_last = 0;  // pages of the last one
        uint64_t written = 0, written_last = 0;  // bytes written since the last push, and before it
        bool pushes_alike = true;  // all pushes have the same number of pages and bytes
        uint32_t num_noted = 0;
        CallPlace push, wait, pop;  // of the last one
    };
    struct Range {
        uint32_t begin = 0, end = 0;
        bool holds(uint32_t from, uint32_t to) const { return begin <= from && to <= end; }
    };
    // Consecutive stores of one instruction, each beginning where the last ended.
    struct StoreRun {
        uint32_t end = 0;
        CodePlace place;
    };
    struct Kernel {
        std::unique_ptr<Window> windows[kMaxCircularBuffers];
        Range allowed[2];  // last range found valid, for loads and stores
        uint32_t last_cb[2] = {kNoCircularBuffer, kNoCircularBuffer};  // of the last valid access
        uint32_t last_pointer = kNoCircularBuffer;  // buffer whose write pointer the kernel took last
        uint64_t pointed_to = 0;  // bit per circular buffer that a loaded word points into
        StoreRun stores;
    };

    Window& window(const KernelInstance& instance, uint32_t cb);
    const Window* known_window(const KernelInstance& instance, uint32_t cb) const;
    const L1Map& map_of(const Core& core) const;
    bool is_tensor(const KernelInstance& instance, uint32_t cb) const;
    bool may_write(const KernelInstance& instance, uint32_t cb, uint32_t from, uint32_t to, Range& range) const;
    bool knows_free(const KernelInstance& instance, uint32_t cb, uint64_t pages) const;
    bool knows_there(const KernelInstance& instance, uint32_t cb, uint64_t pages) const;
    bool may_read(const KernelInstance& instance, uint32_t cb, uint32_t from, uint32_t to, Range& range) const;
    bool own_window_holds(
        const KernelInstance& instance, uint32_t cb, bool is_write, uint32_t from, uint32_t to, Range& range) const;
    void forget_allowed(const Core& core);
    void acquire_free(KernelInstance& instance, uint32_t cb, uint32_t pages);
    bool check_stretches(KernelInstance& instance, const MemoryAccess& access);
    bool overruns_into(const KernelInstance& instance, uint32_t cb, bool is_used) const;
    static bool runs_on(const Kernel& kernel, const MemoryAccess& access);
    void loaded_word(const KernelInstance& instance, uint32_t value);
    bool borrows(KernelInstance& instance, uint32_t cb, uint32_t from, uint32_t to) const;
    bool changes_in_place(const KernelInstance& instance, uint32_t cb, uint32_t from, uint32_t to) const;
    bool may_know(const KernelInstance& instance, const L1Map::Stretch& stretch) const;
    void report_stray(KernelInstance& instance, const MemoryAccess& access, uint32_t from, uint32_t into);
    void check_pointer(KernelInstance& instance, uint32_t cb, const MemoryAccess& access);
    void report_remote(
        KernelInstance& by, const Core& core, uint32_t address, uint32_t bytes, bool is_write, uint32_t from);
    void report_outside(KernelInstance& instance, const MemoryAccess& access, uint32_t from);
    void report_overrun(Findings& findings, KernelInstance& instance, const MemoryAccess& access, uint32_t into);
    void report_write(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes);
    void report_read(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, bool by_tile);
    void check_producers(KernelInstance& instance, uint32_t cb);
    void check_consumers(KernelInstance& instance, uint32_t cb, bool pops);
    void report_stuck_consumers(const Program& program, Findings& findings);
    void report_page_convention(const Core& core, uint32_t cb, Findings& findings);
    void report_left_over(Program& program, Core& core, uint32_t cb, Findings& findings);
    bool is_read(const Core& core, uint32_t cb) const;
    bool consumed_elsewhere(const Program& program, const Core& core, uint32_t cb) const;

    Ordering& ordering_;
    uint32_t grid_x_ = 0;
    std::vector<Kernel> kernels_;
    std::vector<L1Map> maps_;  // by core
    std::vector<uint64_t> tensor_cbs_;  // by core: bit per circular buffer that lies over a tensor
    std::vector<uint64_t> read_remotely_;  // by core: bit per circular buffer that another core has read
    // Accesses outside a window are decided at the end: a buffer that is never pushed is private memory.
    Findings deferred_;
    std::map<uint32_t, Findings> overruns_;  // by the buffer the access lies in
    // Writes and pushes without a reservation to pages that are free in any order. Once is an operand put into a fresh
    // buffer; repeatedly is a stream that is right only by luck.
    Findings lucky_;
};

}  // namespace tw
