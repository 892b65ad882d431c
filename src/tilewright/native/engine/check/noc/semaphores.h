// SPDX-License-Identifier: Apache-2.0
// Words of L1 that kernels synchronise by: semaphores, and what else is raised or waited for.
//
// A word remembers the last raise, wait and store of each kernel with the step on its clock (check/ordering.h). A wait
// acquires what the raise released that first made the value enough. Judged are pairs that no clock orders: a raise
// that may pass an exact value before it was seen, a store that may wipe out a raise, a second raise of one sender that
// may stand for another's first, two kernels that wait for one word which one of them sets back.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "check/findings.h"
#include "check/noc/transfers.h"
#include "check/ordering.h"

namespace tw {

// Something a kernel did to a word, and when on its own clock.
struct WordEvent {
    KernelInstance* by = nullptr;
    uint32_t time = 0;
    uint32_t value = 0;
    CallPlace place;
};

// How a word was raised by one kernel: its last raise.
struct Raiser {
    KernelInstance* by = nullptr;
    uint32_t time = 0;
    CallPlace place;
};

// A wait for a count or more, and whose raises had made it up.
struct CountedWait {
    WordEvent wait;
    std::vector<Raiser> raisers;
};

// A value raised to through the NoC, with what whoever waits for it may rely on.
struct HeldValue {
    WordEvent raise;
    Ordering::Clock clock;
};

// A kernel on `core` has signalled: how far it knew each kernel of the word's core to have come.
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
    std::vector<WordEvent> set_backs;  // those of them that left less than there was
    // Waits that knew of all set-backs of others who wait, the last of each kernel: right if they really took turns.
    std::vector<WordEvent> turns;
    // The last store, told before it happens: by whom, what it replaced, and whose waits may still be under way.
    KernelInstance* storing = nullptr;
    uint32_t value_before = 0;
    std::vector<WordEvent> disturbed;
    CallPlace sent;  // from where the word was being sent
    std::string sent_text;
    std::vector<Raiser> adders;  // who has added to it, the last time of each kernel
    std::vector<CountedWait> counted;  // the last of each kernel
    std::vector<Answer> answers;
    std::vector<HeldValue> held;  // since it was last stored to, the latest ones
    size_t seen = 0;  // of those, how many somebody has waited behind

    // The raise that ended a wait for `value`, exactly or at least; null: not known.
    const HeldValue* met_by(uint32_t value, bool equal) const;
};

class Semaphores {
public:
    void start(Program& program, Ordering& ordering, Transfers& transfers);

    bool is_sync_word(uint32_t address) const { return words_.contains(address & ~3u); }
    // A kernel sets a word through the NoC, or adds to it.
    void raise(KernelInstance& by, Core& core, uint32_t address, uint32_t value, bool adds);
    // `sent` and `text`: what to say if the word is being sent and the store changes it; none if it is not.
    void store(KernelInstance& by, uint32_t address, const CallPlace& sent, const std::string& text);
    void load(KernelInstance& by, uint32_t address);
    void waited(KernelInstance& by, uint32_t address, uint32_t value, bool equal);
    std::string last_wait(const KernelInstance& instance) const;
    bool is_awaited(uint32_t address) const;
    // In words.
    std::string name(uint32_t address) const;
    void finish();
    // The run has come to a stop and this kernel waits for `value`, or for at least that.
    void stuck(KernelInstance& waiting, uint32_t address, uint32_t value, bool equal);

private:
    SyncWord& word(Core& core, uint32_t address);
    void learn(KernelInstance& by, const SyncWord& word);
    void judge_overshoot(SyncWord& word, uint32_t address, const WordEvent& raise);
    void judge_reset(SyncWord& word, uint32_t address, const WordEvent& store);
    void judge_raise(SyncWord& word, uint32_t address, const WordEvent& raise);
    void judge_count(SyncWord& word, uint32_t address, const WordEvent& raise);
    void settle_store(SyncWord& word, uint32_t address);
    void judge_shared(const WordEvent& wait, SyncWord& word, uint32_t address, bool is_over);
    void note_missed_value(KernelInstance& waiting, uint32_t address, uint32_t value, const SyncWord& word);
    void note_two_meanings(KernelInstance& waiting, uint32_t address, const WordEvent& first, const WordEvent& second);

    Program* program_ = nullptr;
    Ordering* ordering_ = nullptr;
    Transfers* transfers_ = nullptr;
    std::unordered_map<uint32_t, SyncWord> words_;  // by slot pointer
    std::vector<uint32_t> last_waits_;  // by instance: the word it waited for last
};

}  // namespace tw
