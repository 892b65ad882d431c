// SPDX-License-Identifier: Apache-2.0
#include "check/semaphores.h"

#include <algorithm>
#include <string>

#include "check/checks.h"
#include "program.h"

namespace tw {

static constexpr size_t kHeldValues = 32;

static WordEvent* event_of(std::vector<WordEvent>& events, const KernelInstance& by) {
    auto found = std::find_if(events.begin(), events.end(), [&](const WordEvent& event) { return event.by == &by; });
    return found == events.end() ? nullptr : &*found;
}

static void set_event(std::vector<WordEvent>& events, const WordEvent& event) {
    if (WordEvent* known = event_of(events, *event.by)) {
        *known = event;
    } else {
        events.push_back(event);
    }
}

static std::string name_of(const Program& program, const Core& core, uint32_t address) {
    const uint32_t offset = address & kL1OffsetMask;
    const uint32_t base = program.chip.config().config_base;
    char text[96];
    if (offset >= base && offset < base + kNumSemaphores * kSemaphoreStride && (offset - base) % kSemaphoreStride == 0) {
        const uint32_t id = (offset - base) / kSemaphoreStride;
        std::snprintf(text, sizeof text, "semaphore %u of core (%u,%u)", id, core.x, core.y);
    } else {
        std::snprintf(text, sizeof text, "the word at L1 offset 0x%x of core (%u,%u)", offset, core.x, core.y);
    }
    return text;
}

static std::string who(const KernelInstance& instance) {
    char text[160];
    std::snprintf(
        text, sizeof text, "%s on core (%u,%u)", instance.kernel->name.c_str(), instance.core->x, instance.core->y);
    return text;
}

void Semaphores::start(Program& program, Clocks& clocks, Transfers& transfers) {
    program_ = &program;
    clocks_ = &clocks;
    transfers_ = &transfers;
    for (const ProgramSemaphore& semaphore : program.semaphores) {
        for (const CoreXY& where : semaphore.cores) {
            Core& core = program.chip.core(where.x, where.y);
            word(core, core.l1_base + program.chip.config().config_base + semaphore.id * kSemaphoreStride);
        }
    }
}

SyncWord& Semaphores::word(Core& core, uint32_t address) {
    SyncWord& word = words_[address & ~3u];
    if (word.core == nullptr) {
        word.core = &core;
        transfers_->mark(core, address & ~3u, 4, kSyncWord);
    }
    return word;
}

// What the word's raisers knew is known now; and what they answered has arrived.
void Semaphores::learn(KernelInstance& by, const SyncWord& word, const Clocks::Clock& clock) {
    clocks_->acquire(by.number, clock);
    const auto& here = by.core->instances;
    const auto slot = static_cast<size_t>(std::find(here.begin(), here.end(), &by) - here.begin());
    for (const Answer& answer : word.answers) {
        transfers_->acknowledge(by, answer.core, answer.known[slot]);
    }
}

// A value somebody waits for exactly may be gone when he looks, unless this raise is known to come after.
void Semaphores::judge_overshoot(KernelInstance& by, SyncWord& word, uint32_t address, uint32_t value) {
    for (const WordEvent& wait : word.equal_waits) {
        if (wait.by == &by || wait.value == value || clocks_->knows(by.number, wait.by->number) >= wait.time) {
            continue;
        }
        note_finding_with(
            by,
            "semaphore-overshoot",
            kNoCircularBuffer,
            address,
            wait.place,
            "sets %s to %u although nothing says that %s, which waits for exactly %u, has seen that value",
            name_of(*program_, *word.core, address).c_str(),
            value,
            who(*wait.by).c_str(),
            wait.value);
        return;
    }
}

void Semaphores::judge_reset(KernelInstance& by, SyncWord& word, uint32_t address) {
    for (const WordEvent& raise : word.raises) {
        if (raise.by == &by || clocks_->knows(by.number, raise.by->number) >= raise.time) {
            continue;
        }
        note_finding_with(
            by,
            "semaphore-lost-reset",
            kNoCircularBuffer,
            address,
            raise.place,
            "stores to %s without having waited for the raise by %s, which the store may wipe out",
            name_of(*program_, *word.core, address).c_str(),
            who(*raise.by).c_str());
        return;
    }
}

void Semaphores::judge_raise(KernelInstance& by, SyncWord& word, uint32_t address) {
    for (const WordEvent& store : word.stores) {
        if (store.by == &by || clocks_->knows(by.number, store.by->number) >= store.time) {
            continue;
        }
        note_finding_with(
            by,
            "semaphore-lost-reset",
            kNoCircularBuffer,
            address,
            store.place,
            "raises %s although nothing says that the store by %s has happened, which may wipe out the raise",
            name_of(*program_, *word.core, address).c_str(),
            who(*store.by).c_str());
        return;
    }
}

// Two kernels wait for one word and one of them sets it back: what it takes away may have been meant for the other.
void Semaphores::judge_shared(KernelInstance& by, SyncWord& word, uint32_t address) {
    if (event_of(word.waits, by) == nullptr) {
        return;
    }
    for (const WordEvent& wait : word.waits) {
        const bool stored = event_of(word.stores, by) != nullptr || event_of(word.stores, *wait.by) != nullptr;
        if (wait.by == &by || !stored) {
            continue;
        }
        note_finding_with(
            by,
            "semaphore-shared",
            kNoCircularBuffer,
            address,
            wait.place,
            "%s is waited for by %s too, and one of the two sets it back",
            name_of(*program_, *word.core, address).c_str(),
            who(*wait.by).c_str());
        return;
    }
}

void Semaphores::raise(KernelInstance& by, Core& core, uint32_t address, uint32_t value) {
    if (!clocks_->running()) {
        return;
    }
    SyncWord& word = this->word(core, address);
    judge_overshoot(by, word, address, value);
    judge_raise(by, word, address);
    const WordEvent event{&by, clocks_->now(by.number), value, call_place(by)};
    set_event(word.raises, event);
    const uint32_t from = transfers_->core_index(*by.core);
    auto answer = std::find_if(word.answers.begin(), word.answers.end(), [&](const Answer& a) { return a.core == from; });
    if (answer == word.answers.end()) {
        answer = word.answers.insert(word.answers.end(), {from, std::vector<uint32_t>(core.instances.size())});
    }
    for (size_t slot = 0; slot < core.instances.size(); slot++) {
        answer->known[slot] = std::max(answer->known[slot], clocks_->knows(by.number, core.instances[slot]->number));
    }
    clocks_->release(by.number, word.clock);
    if (word.held.size() == kHeldValues) {
        word.held.erase(word.held.begin());
        word.seen -= std::min<size_t>(word.seen, 1);
    }
    word.held.push_back({event, word.clock});
}

void Semaphores::store(KernelInstance& by, uint32_t address) {
    const auto found = words_.find(address & ~3u);
    if (found == words_.end() || !clocks_->running()) {
        return;
    }
    SyncWord& word = found->second;
    judge_reset(by, word, address);
    set_event(word.stores, {&by, clocks_->now(by.number), 0, call_place(by)});
    judge_shared(by, word, address);
    word.held.clear();
    word.seen = 0;
    clocks_->release(by.number, word.clock);
}

void Semaphores::load(KernelInstance& by, uint32_t address) {
    const auto found = words_.find(address & ~3u);
    if (found != words_.end() && clocks_->running()) {
        learn(by, found->second, found->second.clock);
    }
}

void Semaphores::waited(KernelInstance& by, uint32_t address, uint32_t value, bool equal) {
    if (!clocks_->running()) {
        return;
    }
    SyncWord& word = this->word(*by.core, address);
    // Raises past what was waited for may not have happened yet.
    const auto enough = std::find_if(
        word.held.begin(), word.held.end(), [&](const HeldValue& held) { return held.raise.value >= value; });
    learn(by, word, equal || enough == word.held.end() ? word.clock : enough->clock);
    const WordEvent event{&by, clocks_->now(by.number), value, call_place(by)};
    set_event(word.waits, event);
    if (equal) {
        set_event(word.equal_waits, event);
    }
    judge_shared(by, word, address);
    word.seen = word.held.size();
    clocks_->tick(by.number);
}

void Semaphores::stuck(KernelInstance& waiting, uint32_t address, uint32_t value) {
    const auto found = words_.find(address & ~3u);
    if (found == words_.end()) {
        return;
    }
    const std::vector<HeldValue>& held = found->second.held;
    for (size_t index = found->second.seen; index + 1 < held.size(); index++) {
        if (held[index].raise.value != value) {
            continue;
        }
        const WordEvent& next = held[index + 1].raise;
        const std::string text = "waits for exactly " + std::to_string(value) + " in " +
                                 name_of(*program_, *waiting.core, address) + ", which held it until " +
                                 who(*next.by) + " set it to " + std::to_string(next.value);
        waiting.note_stack();
        waiting.checks->findings.add(
            waiting,
            "semaphore-overshoot",
            kNoCircularBuffer,
            address,
            waiting.frames,
            waiting.num_frames,
            text,
            next.place);
        return;
    }
}

}  // namespace tw
