// SPDX-License-Identifier: Apache-2.0
// Loads and stores of the processors themselves: aligned, of bytes somebody wrote, ordered with the stores of the
// core's other kernels, and not through a stale line of Blackhole's cache.
//
// Each word of L1 knows who stored to it last and at which step; whoever loads or stores it next must come after that by
// the clocks (check/ordering.h). A load of bytes nobody wrote is kept back for a moment: a copy that stores them
// unchanged elsewhere has not used them, and takes the marks along.
//
// A word that a kernel looks at again and again until it changes is a flag made by hand: what its storer did before
// comes before what follows the last look. Only an instruction that was seen to look at one place until that changed
// counts. To see it, the first load of an instruction that nothing orders after the store is shown what was there
// before: on a card, too, it may come first. Who polls looks again and finds the new word, and what was said of the first
// look is taken back; who does not goes on with the old one, and has been named.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "check/findings.h"
#include "check/memory/last_stores.h"
#include "check/memory/shadow_memory.h"
#include "check/memory/stale_lines.h"
#include "check/ordering.h"

namespace tw {

class Program;

class ProcessorMemory {
public:
    ProcessorMemory(Ordering& ordering, ShadowMemory& memory, LastStores& last_stores, LastStores& replaced) :
        ordering_(ordering), memory_(memory), last_stores_(last_stores), replaced_(replaced) {}

    void start(const Program& program);
    void finish(const Program& program, Findings& findings);

    // `address` is a slot pointer. `is_typed`: the compiler believes the address to be aligned for its type.
    // `is_right`: nothing is wrong with the place as such, so that order and content are worth a look.
    // `instruction`: the load's, 0 where it is not known.
    void load(
        KernelInstance& instance,
        uint32_t address,
        uint32_t bytes,
        bool is_typed,
        bool is_right,
        uintptr_t instruction);
    void store(KernelInstance& instance, uint32_t address, uint32_t bytes, bool is_typed, bool is_right);
    // Somebody else than a processor wrote: the NoC, the packer.
    void written(const Core& core, uint32_t address, uint32_t bytes);
    // The kernel does something else, so that the load and the store before are judged.
    void leaves_copy(KernelInstance& instance, Findings& findings);
    void invalidate_cache(KernelInstance& instance);
    // The kernel does something else than to look at memory.
    void looks_away(const KernelInstance& instance);
    // The kernel has loaded what it was shown.
    void shows_again(const KernelInstance& instance);

private:
    // A load of bytes nobody wrote. It is fine as the first half of a copy: the next thing the kernel does is a store of
    // as many bytes, and the store leaves the bytes that were loaded.
    struct UndefinedLoad {
        uint32_t address, bytes;
        Finding finding;
        std::vector<uint8_t> loaded;
        uint32_t stored_to;  // 0: no store yet
    };
    // Loads of one address with nothing else between. A compiler turns a loop so that its first look is another
    // instruction than the others.
    struct Look {
        uint32_t address = 0, value = 0;
        uintptr_t first = 0, instruction = 0;
    };
    struct Shown {
        uint32_t address = 0, value = 0;  // 0: none
    };
    static constexpr uint32_t kLooks = 2;  // words polled at a time
    struct Kernel {
        uint32_t number = 0;  // on its core, from 1 on
        Look looks[kLooks];  // since the kernel last did anything else
        uint32_t next_look = 0;
        std::unordered_set<uintptr_t> tried;  // instructions that were shown an old word
        Shown shown;  // a word that holds what was there before, and what it is to hold again
        StaleLines cache;
        std::optional<UndefinedLoad> undefined;
    };
    static bool is_sync_word(const KernelInstance& instance, uint32_t address);
    void check_alignment(KernelInstance& instance, uint32_t address, uint32_t bytes, bool is_write);
    void check_order(KernelInstance& instance, uint32_t address, uint32_t bytes, bool is_write);
    const KernelInstance* unordered_storer(const KernelInstance& instance, uint32_t word) const;
    void look(KernelInstance& instance, uint32_t address, uint32_t bytes, uintptr_t instruction);
    void show_replaced(KernelInstance& instance, uint32_t word);
    void note_undefined(KernelInstance& instance, uint32_t address, uint32_t bytes);

    Ordering& ordering_;
    ShadowMemory& memory_;
    std::vector<Kernel> kernels_;
    LastStores& last_stores_;  // the kernel's number on its core plus one, and its step
    LastStores& replaced_;  // what the last store replaced
    std::unordered_set<uint64_t> polling_;  // instructions
    uint32_t unreserved_base_ = 0;
    bool has_cache_ = false;
};

}  // namespace tw
