// SPDX-License-Identifier: Apache-2.0
// Races between the unpack and the pack thread of one compute kernel, in memory that both use. The threads run
// concurrently, so source order is no execution order: a tile packed in place may be read before it is written, or
// overwritten before it is read.
//
// Happens-before is kept as vector clocks of all threads of a core: math after the unpacking of its operands, packing
// after the section's tile_regs_commit, a section after the packer has released its half of DST, unpacking after math
// has freed the source registers, a wait after the push that ends it, a reservation after the pop. Any other
// synchronisation of kernels (semaphores, words in memory) counts as ordering all threads: errors may be missed, but
// none is reported falsely.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "check/findings.h"
#include "chip/chip.h"

namespace tw {

class Program;
struct Core;

class ThreadOrder {
public:
    void start(const Program& program);

    // Operands from circular buffers. `lag`: how many operations back math must be done for their first datum to find a
    // free bank; 0: the math of this operation.
    void operands(const KernelInstance& instance, uint32_t lag);
    void block(const KernelInstance& instance);
    void acquired(const KernelInstance& instance);
    void committed(const KernelInstance& instance);
    void waited_for_dst(const KernelInstance& instance);
    void released(const KernelInstance& instance);
    void started(const KernelInstance& instance);  // start-up waits for the packer

    // Credits, with the totals they reach or need.
    void pushed(const KernelInstance& instance, uint32_t cb, uint64_t total);
    void popped(const KernelInstance& instance, uint32_t cb, uint64_t total);
    void waited(const KernelInstance& instance, uint32_t cb, uint64_t total);
    void reserved(const KernelInstance& instance, uint32_t cb, uint64_t total);
    // Whether the unpack thread has acquired the push of the pack thread that made it `total` pages.
    bool knows_pushed(const KernelInstance& instance, uint32_t cb, uint64_t total);
    // A kernel has synchronised in another way.
    void synchronised(const KernelInstance& instance);

    // A tile operation uses a page; `place` is the call, as numbered by AccessHistory.
    void access(KernelInstance& instance, uint32_t cb, uint32_t address, uint32_t bytes, bool is_write, uint32_t place);

private:
    enum Actor : uint32_t { kUnpack, kMath, kPack, kNumActors };
    using Clock = std::vector<uint32_t>;
    struct Credits {
        uint64_t total;
        Clock clock;
    };
    struct Use {
        uint32_t step = 0;  // of the thread; 0: none
        uint32_t place = 0;
    };
    struct Page {
        Use read, written;
    };
    struct Kernel {
        std::deque<Clock> maths;  // at the last operations, the latest first
        std::deque<Clock> sections_committed, sections_released;
        bool waits_early = false;  // the packer's wait stands before the commit in the source
        std::unordered_map<uint32_t, Page> pages;  // by address
        std::vector<Page*> pages_of[kMaxCircularBuffers];  // the same by circular buffer and index, once used
    };

    struct CoreClocks {
        std::vector<Clock> of;  // by number()
        std::unordered_map<uint32_t, std::deque<Credits>> pushes, pops;  // by circular buffer
    };

    // Index of a thread among those of its core.
    size_t number(const KernelInstance& instance, Actor actor) const;
    CoreClocks& core(const KernelInstance& instance);
    Clock& clock(const KernelInstance& instance, Actor actor) { return core(instance).of[number(instance, actor)]; }
    void step(const KernelInstance& instance, Actor actor) { clock(instance, actor)[number(instance, actor)]++; }
    void join(const KernelInstance& instance, Actor actor, const Clock& from);
    void release(
        std::deque<Credits>& credits, uint64_t total, const KernelInstance& instance, Actor actor, size_t num_kept);
    void acquire(const std::deque<Credits>& credits, uint64_t total, const KernelInstance& instance, Actor actor);
    static const Clock* clock_at(const std::deque<Credits>& credits, uint64_t total);
    Page& page(const KernelInstance& instance, uint32_t cb, uint32_t index);
    void check(KernelInstance& instance, uint32_t cb, const Page& page, bool is_write);

    std::unordered_map<const Core*, CoreClocks> cores_;
    std::vector<CoreClocks*> core_of_;  // by number of the instance
    std::vector<Kernel> kernels_;  // by number of the instance
    std::vector<uint32_t> places_;  // of the instance among those of its core
};

}  // namespace tw
