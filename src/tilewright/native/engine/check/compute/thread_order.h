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

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
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
    // Steps of the threads of one core, three for each kernel. A core has three kernels at most.
    using Clock = std::array<uint32_t, 16>;
    struct Credits {
        uint64_t total;
        Clock clock;
    };
    // The latest credits of a circular buffer, the oldest first.
    class CreditList {
    public:
        void add(const Credits& credits, size_t num_kept);
        const Credits* begin() const { return all_.data() + first_; }
        const Credits* end() const { return all_.data() + all_.size(); }
        bool empty() const { return first_ == all_.size(); }

    private:
        std::vector<Credits> all_;
        size_t first_ = 0;  // those before are forgotten
    };
    // The clocks at the last few events.
    template <size_t Kept>
    class LastClocks {
    public:
        void add(const Clock& clock) { clocks_[count_++ % Kept] = clock; }
        // The one before `back` others; null: there were not so many events.
        const Clock* find(size_t back) const {
            return back < std::min(count_, Kept) ? &clocks_[(count_ - 1 - back) % Kept] : nullptr;
        }

    private:
        std::array<Clock, Kept> clocks_;
        size_t count_ = 0;
    };
    struct Use {
        uint32_t step = 0;  // of the thread; 0: none
        uint32_t place = 0;
    };
    struct Page {
        Use read, written;
    };
    struct Kernel {
        LastClocks<3> maths;  // at the last operations
        std::vector<Clock> sections_committed;  // and not released
        LastClocks<2> sections_released;
        bool waits_early = false;  // the packer's wait stands before the commit in the source
        std::unordered_map<uint32_t, Page> pages;  // by address
        std::vector<Page*> pages_of[kMaxCircularBuffers];  // the same by circular buffer and index, once used
    };

    struct CoreClocks {
        std::vector<Clock> of;  // by number()
        std::array<CreditList, kMaxCircularBuffers> pushes, pops;
    };

    // Index of a thread among those of its core.
    size_t number(const KernelInstance& instance, Actor actor) const;
    CoreClocks& core(const KernelInstance& instance);
    Clock& clock(const KernelInstance& instance, Actor actor) { return core(instance).of[number(instance, actor)]; }
    void step(const KernelInstance& instance, Actor actor) { clock(instance, actor)[number(instance, actor)]++; }
    void join(const KernelInstance& instance, Actor actor, const Clock& from);
    void release(CreditList& credits, uint64_t total, const KernelInstance& instance, Actor actor, size_t num_kept);
    void acquire(const CreditList& credits, uint64_t total, const KernelInstance& instance, Actor actor);
    static const Clock* clock_at(const CreditList& credits, uint64_t total);
    Page& page(const KernelInstance& instance, uint32_t cb, uint32_t index);
    void check(KernelInstance& instance, uint32_t cb, const Page& page, bool is_write);

    std::unordered_map<const Core*, CoreClocks> cores_;
    std::vector<CoreClocks*> core_of_;  // by number of the instance
    std::vector<Kernel> kernels_;  // by number of the instance
    std::vector<uint32_t> places_;  // of the instance among those of its core
};

}  // namespace tw
