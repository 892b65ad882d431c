// SPDX-License-Identifier: Apache-2.0
// Memory that the unpack and the pack thread of one compute kernel both use. They run by themselves, so what stands
// later in the source need not come later: a tile packed in place may be read before it is there, or written over while
// it is still to be read.
//
// What does come later whatever the timing, as vector clocks of all threads of a core: the maths with operands after they were
// unpacked, packing after the section's tile_regs_commit, a section after the packer has given its half of DST back,
// unpacking after the maths has made room in the source registers, a wait after the push that ends it, a reservation
// after the pop. Whatever else ties kernels together (semaphores, words in memory) counts as if it tied all of them:
// then something may be missed, but nothing is said that is not so.
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

    // Operands from circular buffers; `lag`: how many operations back the maths must be done with for their first datum
    // to find a free bank, 0: it waits for the maths of this one.
    void operands(const KernelInstance& instance, uint32_t lag);
    void block(const KernelInstance& instance);
    void acquired(const KernelInstance& instance);
    void committed(const KernelInstance& instance);
    void waited_for_dst(const KernelInstance& instance);
    void released(const KernelInstance& instance);
    void started(const KernelInstance& instance);  // start-up lets the packer finish first

    // Credits, with the totals they make or need.
    void pushed(const KernelInstance& instance, uint32_t cb, uint64_t total);
    void popped(const KernelInstance& instance, uint32_t cb, uint64_t total);
    void waited(const KernelInstance& instance, uint32_t cb, uint64_t total);
    void reserved(const KernelInstance& instance, uint32_t cb, uint64_t total);
    // Whether its unpack thread knows of the push of its pack thread that made it `total` pages, from whichever wait.
    bool knows_pushed(const KernelInstance& instance, uint32_t cb, uint64_t total);
    // A kernel has learnt something in another way.
    void learnt(const KernelInstance& instance);

    // A tile operation uses a page; `place` is where it was called, as AccessHistory numbers places.
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
        bool waits_early = false;  // the packer's wait stands before the commit that ends it
        std::unordered_map<uint32_t, Page> pages;  // by address
        std::vector<Page*> pages_of[kMaxCircularBuffers];  // the same by circular buffer and index, once used
    };

    struct CoreClocks {
        std::vector<Clock> of;  // by number()
        std::unordered_map<uint32_t, std::deque<Credits>> pushes, pops;  // by circular buffer
    };

    // A thread among those of its core.
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
    void judge(KernelInstance& instance, uint32_t cb, const Page& page, bool is_write);

    std::unordered_map<const Core*, CoreClocks> cores_;
    std::vector<CoreClocks*> core_of_;  // by number of the instance
    std::vector<Kernel> kernels_;  // by number of the instance
    std::vector<uint32_t> places_;  // of the instance among those of its core
};

}  // namespace tw
