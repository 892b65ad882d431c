// SPDX-License-Identifier: Apache-2.0
// Pages that a processor fills by its own stores and pushes at once. Stores and credits take different paths: a
// consumer that sends the page over the NoC may send it before the stores have arrived. A load of the last word stored
// returns only after the stores before it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "check/findings.h"
#include "chip/chip.h"

namespace tw {

class Program;
struct Core;

class StoredPages {
public:
    void start(const Program& program);

    void store(const KernelInstance& instance, uint32_t address, uint32_t bytes);
    void load(const KernelInstance& instance, uint32_t address, uint32_t bytes);
    // Called before the write pointer moves.
    void push(KernelInstance& instance, uint32_t cb, uint32_t pages);
    // A kernel's transfer takes bytes from its own core.
    void sent(KernelInstance& instance, uint32_t address, uint32_t bytes);
    // A write by the NoC or the packer.
    void written(uint32_t address, uint32_t bytes);
    // The same by the NoC, which may happen before the push.
    void landed(const Core& core, uint32_t address, uint32_t bytes);

private:
    struct Stretch {
        uint32_t begin, end;
        bool meets(uint32_t from, uint32_t to) const { return begin < to && from < end; }
    };
    struct Pushed {
        uint32_t end;
        uint32_t cb;
        CallPlace push;
    };
    // Of one core, by begin address; disjoint.
    using PushedOnCore = std::map<uint32_t, Pushed>;
    PushedOnCore& on_core_of(uint32_t address) { return pushed_[(address - l1_begin_) / kL1SlotBytes]; }
    // Calls `visit(begin, pushed)` for those that overlap the bytes and removes those for which it returns true.
    template <typename Visit>
    void take_off(uint32_t address, uint32_t bytes, Visit visit);

    // Stores of a kernel that are not known to have arrived, in order.
    std::vector<std::vector<Stretch>> stored_;  // by kernel
    uint32_t l1_begin_ = 0;
    std::vector<PushedOnCore> pushed_;  // by core
};

}  // namespace tw
