// SPDX-License-Identifier: Apache-2.0
// Words of L1 that kernels synchronise by: semaphores, and other words that are raised or waited for.
//
// A word keeps the last raise, wait and store of each kernel with its step (check/ordering.h). A wait acquires the
// raise that first made the value sufficient. Checked are pairs without happens-before: a raise that may pass an exact
// value before it was seen, a store that may erase a raise, a second raise of one sender that may be counted for
// another's first, and two kernels that wait for one word which one of them resets.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "check/findings.h"
#include "check/noc/transfers.h"
#include "check/ordering.h"

namespace tw {

// An access of a kernel to a word, with its step.
struct WordEvent {
    KernelInstance* by = nullptr;
    uint32_t time = 0;
    uint32_t value = 0;
    CallPlace place;
};

// The last raise of a word by one kernel.
struct Raiser {
    KernelInstance* by = nullptr;
    uint32_t time = 0;
    CallPlace place;
};

// A wait for a count or more, and the kernels whose raises made it up.
struct CountedWait {
    WordEvent wait;
    std::vector<Raiser> raisers;
};

// A value set through the NoC, with the clock that a wait for it acquires.
struct HeldValue {
    WordEvent raise;
    Ordering::Clock clock;
};

// A signal from a kernel on `core`: how far it knew each kernel of the word's core to have come.
struct Answer {
    uint32_t core;
    std::vector<uint32_t> known;
};

struct SyncWord {
    Core* core = nullptr;
    std::vector<WordEvent> raises;  // through the NoC, the last of each kernel
    std::vector<WordEvent> equal_waits;  // the last of each kernel
    std::vector<WordEvent> waits;  // for equal or more, the last of each kernel
    std::vector<WordEvent> stores;  // the last of each kernel
    std::vector<WordEvent> set_backs;  // those stores that lowered the value
    // Waits that happen after all resets by other waiting kernels, the last of each kernel: valid if they really
    // alternate.
    std::vector<WordEvent> turns;
    // The last store, noted before it happens: the kernel, the replaced value, and the waits that may still be in
    // progress.
    KernelInstance* storing = nullptr;
    uint32_t value_before = 0;
    std::vector<WordEvent> disturbed;
    CallPlace sent;  // where the word was being sent from
    std::string sent_text;
    std::vector<Raiser> adders;  // the last addition of each kernel
    std::vector<CountedWait> counted;  // the last of each kernel
    std::vector<Answer> answers;
    std::vector<HeldValue> held;  // since the last store, the latest values
    size_t seen = 0;  // how many of those have been waited past

    // The raise that ended a wait for `value`, exactly or at least; null: not known.
    const HeldValue* met_by(uint32_t value, bool equal) const;
};

class Semaphores {
public:
    void start(Program& program, Ordering& ordering, Transfers& transfers);

    bool is_sync_word(uint32_t address) const { return words_.contains(address & ~3u); }
    // A kernel sets a word through the NoC, or adds to it.
    void raise(KernelInstance& by, Core& core, uint32_t address, uint32_t value, bool adds);
    // `sent` and `text`: the finding to make if the word is in flight and the store changes it; empty if it is not.
    void store(KernelInstance& by, uint32_t address, const CallPlace& sent, const std::string& text);
    void load(KernelInstance& by, uint32_t address);
    void waited(KernelInstance& by, uint32_t address, uint32_t value, bool equal);
    std::string last_wait(const KernelInstance& instance) const;
    bool is_awaited(uint32_t address) const;
    // The word's name in findings.
    std::string name(uint32_t address) const;
    std::string name(const Core& core, uint32_t address) const;
    void finish();
    // The program is stuck and this kernel waits for `value`, or for at least that.
    void stuck(KernelInstance& waiting, uint32_t address, uint32_t value, bool equal);

private:
    SyncWord& word(Core& core, uint32_t address);
    void acquire(KernelInstance& by, const SyncWord& word);
    void check_overshoot(SyncWord& word, uint32_t address, const WordEvent& raise);
    void check_reset(SyncWord& word, uint32_t address, const WordEvent& store);
    void check_raise(SyncWord& word, uint32_t address, const WordEvent& raise);
    void check_count(SyncWord& word, uint32_t address, const WordEvent& raise);
    void settle_store(SyncWord& word, uint32_t address);
    void check_shared(const WordEvent& wait, SyncWord& word, uint32_t address, bool is_over);
    void note_missed_value(KernelInstance& waiting, uint32_t address, uint32_t value, const SyncWord& word);
    void note_two_meanings(KernelInstance& waiting, uint32_t address, const WordEvent& first, const WordEvent& second);

    Program* program_ = nullptr;
    Ordering* ordering_ = nullptr;
    Transfers* transfers_ = nullptr;
    std::unordered_map<uint32_t, SyncWord> words_;  // by slot pointer
    std::vector<uint32_t> last_waits_;  // by instance: the word it waited for last
};

}  // namespace tw
