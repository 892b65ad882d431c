// SPDX-License-Identifier: Apache-2.0
// Loads and stores of the processors: they must be aligned, read only initialised bytes, be ordered with the stores of
// the core's other kernels, and not read a stale line of Blackhole's cache.
//
// Each word of L1 has its last storer and that kernel's step; the next load or store of it must happen after that
// (check/ordering.h). A load of uninitialised bytes is held back for a moment: a copy that stores them unchanged
// elsewhere has not used them, and copies the marks.
//
// A word that a kernel loads repeatedly until it changes is a hand-made flag: what its storer did before happens before
// what follows the last load. Only instructions that were observed to poll count. To observe it, the first load of an
// instruction that is not ordered after the store is shown the old value: on a card, too, it may come first. A polling
// kernel loads again and finds the new value, and the finding about the first load is removed. A kernel that does not
// poll continues with the old value, and the finding stays. It also stays where the word's first store, its
// initialisation, is not ordered before the polling: until then the word holds what an earlier program left there.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "check/findings.h"
#include "check/memory/check_memory.h"
#include "check/memory/shadow_memory.h"
#include "check/memory/stale_lines.h"
#include "check/ordering.h"

namespace tw {

class Program;

class ProcessorMemory {
public:
    ProcessorMemory(Ordering& ordering, ShadowMemory& memory, CheckMemory& kept) :
        ordering_(ordering),
        memory_(memory),
        last_stores_(kept.last_stores),
        replaced_(kept.replaced),
        first_stores_(kept.first_stores) {}

    void start(const Program& program);
    void finish(const Program& program, Findings& findings);

    // `address` is a slot pointer. `is_typed`: the compiler assumes the address to be aligned for its type. `is_right`:
    // the place itself is valid, so that order and contents are checked too. `instruction`: the load's address, 0: not
    // known.
    void load(
        KernelInstance& instance,
        uint32_t address,
        uint32_t bytes,
        bool is_typed,
        bool is_right,
        uintptr_t instruction);
    void store(KernelInstance& instance, uint32_t address, uint32_t bytes, bool is_typed, bool is_right);
    // A write by the NoC or the packer.
    void written(const Core& core, uint32_t address, uint32_t bytes);
    // The kernel does something else, so the pending load and store are decided.
    void finish_copy(KernelInstance& instance, Findings& findings);
    void invalidate_cache(KernelInstance& instance);
    // The kernel does something else than load.
    void end_polling(const KernelInstance& instance);
    // Restores the new value after the kernel has loaded the old one.
    void restore_shown(const KernelInstance& instance);

private:
    // A load of uninitialised bytes. It is valid as the first half of a copy: the kernel's next action is a store of as
    // many bytes with the same contents.
    struct UndefinedLoad {
        uint32_t address, bytes;
        Finding finding;
        std::vector<uint8_t> loaded;
        uint32_t stored_to;  // 0: no store yet
    };
    // Consecutive loads of one address. A compiler may rotate a loop so that its first load is a different instruction.
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
        std::unordered_set<uintptr_t> tried;  // instructions that were shown an old value
        Shown shown;  // a word that shows its old value, and the value to restore
        StaleLines cache;
        std::optional<UndefinedLoad> undefined;
    };
    static bool is_sync_word(const KernelInstance& instance, uint32_t address);
    void check_alignment(KernelInstance& instance, uint32_t address, uint32_t bytes, bool is_write);
    void check_order(KernelInstance& instance, uint32_t address, uint32_t bytes, bool is_write);
    const KernelInstance* unordered_storer(const KernelInstance& instance, uint32_t store) const;
    void look(KernelInstance& instance, uint32_t address, uint32_t bytes, uintptr_t instruction);
    void show_replaced(KernelInstance& instance, uint32_t word);
    void note_undefined(KernelInstance& instance, uint32_t address, uint32_t bytes);

    Ordering& ordering_;
    ShadowMemory& memory_;
    std::vector<Kernel> kernels_;
    LastStores& last_stores_;  // the kernel's number on its core plus one, and its step
    LastStores& replaced_;  // the value that the last store replaced
    LastStores& first_stores_;  // likewise, of the store that initialised the word
    std::unordered_set<uint64_t> polling_;  // instructions
    std::unordered_set<uint32_t> racing_flags_;  // polled words whose initialisation is not ordered
    uint32_t unreserved_base_ = 0;
    bool has_cache_ = false;
};

}  // namespace tw
