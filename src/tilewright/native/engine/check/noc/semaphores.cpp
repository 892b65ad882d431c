// SPDX-License-Identifier: Apache-2.0
#include "check/noc/semaphores.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "check/checks.h"
#include "check/memory/memory_names.h"
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
    const uint32_t base = program.semaphore_base(core);
    char text[96];
    if (offset >= base && offset < base + kNumSemaphores * kSemaphoreStride &&
        (offset - base) % kSemaphoreStride == 0) {
        const uint32_t id = (offset - base) / kSemaphoreStride;
        std::snprintf(text, sizeof text, "semaphore %u of core (%u,%u)", id, core.x, core.y);
    } else {
        std::snprintf(text, sizeof text, "the word at L1 offset 0x%x of core (%u,%u)", offset, core.x, core.y);
    }
    return text;
}

void Semaphores::start(Program& program, Ordering& ordering, Transfers& transfers) {
    program_ = &program;
    ordering_ = &ordering;
    transfers_ = &transfers;
    last_waits_.assign(program.instances.size(), 0);
    for (const ProgramSemaphore& semaphore : program.semaphores) {
        for (const CoreXY& where : semaphore.cores) {
            Core& core = program.chip.core(where.x, where.y);
            word(core, core.l1_base + program.semaphore_base(core) + semaphore.id * kSemaphoreStride);
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

// Writes that the word's raisers have answered have arrived.
void Semaphores::acquire(KernelInstance& by, const SyncWord& word) {
    const auto& here = by.core->instances;
    const auto slot = static_cast<size_t>(std::find(here.begin(), here.end(), &by) - here.begin());
    for (const Answer& answer : word.answers) {
        transfers_->acknowledge(by, answer.core, answer.known[slot]);
    }
}

// Both findings are made where the cure belongs, at the wait and at the store, in whichever order they ran.
static void note_at(
    const WordEvent& event, Rule rule, uint32_t address, const CallPlace& related, const std::string& text) {
    event.by->checks->findings.add(
        *event.by, rule, kNoCircularBuffer, address, event.place.frames, event.place.num_frames, text, related);
}

static void note_lost_reset(
    const Program& program, const SyncWord& word, uint32_t address, const WordEvent& store, const WordEvent& raise) {
    const std::string text = "stores to " + name_of(program, *word.core, address) + ", which " +
                             kernel_on_core(*raise.by) + " may have raised just before: nothing orders the two";
    note_at(store, Rule::SemaphoreLostReset, address, raise.place, text);
}

// A value that is waited for exactly may be gone before the waiter looks, unless this raise is known to come after.
void Semaphores::check_overshoot(SyncWord& word, uint32_t address, const WordEvent& raise) {
    for (const WordEvent& wait : word.equal_waits) {
        if (wait.by == raise.by || wait.value == raise.value || ordering_->is_before(*wait.by, wait.time, *raise.by)) {
            continue;
        }
        const std::string text = "waits for exactly " + std::to_string(wait.value) + " in " +
                                 name_of(*program_, *word.core, address) + ", which " + kernel_on_core(*raise.by) +
                                 " may set to " + std::to_string(raise.value) + " before it looks";
        note_at(wait, Rule::SemaphoreOvershoot, address, raise.place, text);
    }
}

void Semaphores::check_reset(SyncWord& word, uint32_t address, const WordEvent& store) {
    for (const WordEvent& raise : word.raises) {
        if (raise.by != store.by && !ordering_->is_before(*raise.by, raise.time, *store.by)) {
            note_lost_reset(*program_, word, address, store, raise);
        }
    }
}

void Semaphores::check_raise(SyncWord& word, uint32_t address, const WordEvent& raise) {
    for (const WordEvent& store : word.stores) {
        if (store.by != raise.by && !ordering_->is_before(*store.by, store.time, *raise.by)) {
            note_lost_reset(*program_, word, address, store, raise);
        }
    }
}

// A count does not identify its raisers: an early raise can be counted for a missing one.
void Semaphores::check_count(SyncWord& word, uint32_t address, const WordEvent& raise) {
    for (const CountedWait& counted : word.counted) {
        if (counted.wait.by == raise.by || ordering_->is_before(*counted.wait.by, counted.wait.time, *raise.by)) {
            continue;
        }
        for (const Raiser& other : counted.raisers) {
            if (other.by == raise.by || ordering_->is_before(*other.by, other.time, *raise.by)) {
                continue;
            }
            const std::string text = "waits for " + std::to_string(counted.wait.value) + " or more in " +
                                     name_of(*program_, *word.core, address) + ", which " + kernel_on_core(*raise.by) +
                                     " may have raised once more before " + kernel_on_core(*other.by) +
                                     " has raised it";
            note_at(counted.wait, Rule::SemaphoreShared, address, raise.place, text);
            return;
        }
    }
}

static uint32_t word_at(uint32_t address) {
    return *reinterpret_cast<const volatile uint32_t*>(uintptr_t{address & ~3u});
}

static std::string shared_text(const Program& program, const SyncWord& word, uint32_t address, const WordEvent& wait) {
    return name_of(program, *word.core, address) + " is waited for by " + kernel_on_core(*wait.by) +
           " too, and one of the two sets it back";
}

// Two kernels wait for one word and one of them resets it: it may erase a raise meant for the other. That is harmless
// if the other is known to have waited for the last time.
void Semaphores::settle_store(SyncWord& word, uint32_t address) {
    if (word.storing == nullptr) {
        return;
    }
    const WordEvent& store = *event_of(word.stores, *word.storing);
    word.storing = nullptr;
    if (!word.sent_text.empty() && word_at(address) != word.value_before) {
        note_at(store, Rule::NocReuseInFlight, address, word.sent, word.sent_text);
    }
    if (word_at(address) >= word.value_before) {
        return;
    }
    set_event(word.set_backs, store);
    if (!word.disturbed.empty()) {
        const WordEvent& wait = word.disturbed.front();
        note_at(store, Rule::SemaphoreShared, address, wait.place, shared_text(*program_, word, address, wait));
    }
}

// Called before the wait acquires the word. A kernel that knows of the reset by other means may wait for a later value,
// alternating with the other; if the run is stuck, they did not alternate.
void Semaphores::check_shared(const WordEvent& wait, SyncWord& word, uint32_t address, bool is_over) {
    for (const WordEvent& store : word.set_backs) {
        const WordEvent* other = event_of(word.waits, *store.by);
        if (store.by == wait.by || other == nullptr) {
            continue;
        }
        if (!is_over && ordering_->is_before(*store.by, store.time, *wait.by)) {
            set_event(word.turns, wait);
            continue;
        }
        note_at(wait, Rule::SemaphoreShared, address, other->place, shared_text(*program_, word, address, *other));
        return;
    }
}

void Semaphores::raise(KernelInstance& by, Core& core, uint32_t address, uint32_t value, bool adds) {
    SyncWord& word = this->word(core, address);
    settle_store(word, address);
    const WordEvent event{&by, ordering_->now(by.number), value, call_place(by)};
    check_overshoot(word, address, event);
    check_raise(word, address, event);
    if (adds) {
        check_count(word, address, event);
        const auto known =
            std::find_if(word.adders.begin(), word.adders.end(), [&](const Raiser& adder) { return adder.by == &by; });
        const Raiser adder{&by, event.time, event.place};
        known == word.adders.end() ? word.adders.push_back(adder) : void(*known = adder);
    }
    set_event(word.raises, event);
    const uint32_t from = transfers_->core_index(*by.core);
    auto answer =
        std::find_if(word.answers.begin(), word.answers.end(), [&](const Answer& a) { return a.core == from; });
    if (answer == word.answers.end()) {
        answer = word.answers.insert(word.answers.end(), {from, std::vector<uint32_t>(core.instances.size())});
    }
    for (size_t slot = 0; slot < core.instances.size(); slot++) {
        answer->known[slot] = std::max(answer->known[slot], ordering_->known_step(by, *core.instances[slot]));
    }
    ordering_->release(by, Ordering::word_key(address));
    if (word.held.size() == kHeldValues) {
        word.held.erase(word.held.begin());
        word.seen -= std::min<size_t>(word.seen, 1);
    }
    word.held.push_back({event, ordering_->released(Ordering::word_key(address))});
}

void Semaphores::store(KernelInstance& by, uint32_t address, const CallPlace& sent, const std::string& text) {
    const auto found = words_.find(address & ~3u);
    if (found == words_.end()) {
        return;
    }
    SyncWord& word = found->second;
    settle_store(word, address);
    const WordEvent event{&by, ordering_->now(by.number), 0, call_place(by)};
    check_reset(word, address, event);
    set_event(word.stores, event);
    word.storing = &by;
    word.value_before = word_at(address);
    word.sent = sent;
    word.sent_text = text;
    word.disturbed.clear();
    if (event_of(word.waits, by) != nullptr) {
        std::copy_if(
            word.waits.begin(), word.waits.end(), std::back_inserter(word.disturbed), [&](const WordEvent& wait) {
                return wait.by != &by && !ordering_->is_before(*wait.by, wait.time, by);
            });
    }
    word.adders.clear();
    word.counted.clear();
    word.held.clear();
    word.seen = 0;
}

void Semaphores::finish() {
    const bool is_over = program_->status.load() != static_cast<int32_t>(RunStatus::Ok);
    for (auto& [address, word] : words_) {
        settle_store(word, address);
        for (const WordEvent& wait : is_over ? word.turns : std::vector<WordEvent>{}) {
            check_shared(wait, word, address, true);
        }
    }
}

void Semaphores::load(KernelInstance& by, uint32_t address) {
    const auto found = words_.find(address & ~3u);
    if (found != words_.end()) {
        acquire(by, found->second);
    }
}

// Raises past the awaited value may not have happened or arrived yet.
const HeldValue* SyncWord::met_by(uint32_t value, bool equal) const {
    if (equal) {
        const auto last =
            std::find_if(held.rbegin(), held.rend(), [&](const HeldValue& each) { return each.raise.value == value; });
        return last == held.rend() ? nullptr : &*last;
    }
    const auto first =
        std::find_if(held.begin(), held.end(), [&](const HeldValue& each) { return each.raise.value >= value; });
    return first == held.end() ? nullptr : &*first;
}

void Semaphores::waited(KernelInstance& by, uint32_t address, uint32_t value, bool equal) {
    SyncWord& word = this->word(*by.core, address);
    settle_store(word, address);
    const WordEvent event{&by, ordering_->now(by.number), value, call_place(by)};
    check_shared(event, word, address, false);
    if (const HeldValue* met = word.met_by(value, equal)) {
        ordering_->acquire(by, met->clock);
    } else {
        ordering_->acquire(by, Ordering::word_key(address));
    }
    acquire(by, word);
    set_event(word.waits, event);
    if (equal) {
        set_event(word.equal_waits, event);
    } else {
        std::erase_if(word.counted, [&](const CountedWait& counted) { return counted.wait.by == &by; });
        word.counted.push_back({event, word.adders});
    }
    last_waits_[by.number] = address & ~3u;
    word.seen = word.held.size();
    ordering_->advance(by);
}

bool Semaphores::is_awaited(uint32_t address) const {
    const auto found = words_.find(address & ~3u);
    return found != words_.end() && !found->second.waits.empty();
}

std::string Semaphores::name(uint32_t address) const {
    return name_of(*program_, *words_.at(address & ~3u).core, address);
}

std::string Semaphores::name(const Core& core, uint32_t address) const { return name_of(*program_, core, address); }

std::string Semaphores::last_wait(const KernelInstance& instance) const {
    const uint32_t address = last_waits_[instance.number];
    if (address == 0) {
        return "";
    }
    const SyncWord& word = words_.at(address);
    std::string raisers;
    for (const WordEvent& raise : word.raises) {
        raisers += (raisers.empty() ? "" : ", ") + kernel_on_core(*raise.by);
    }
    return "it last waited for " + name_of(*program_, *word.core, address) + ", raised by " +
           (raisers.empty() ? "no kernel over the NoC" : raisers);
}

// Different kernels raised the word past the awaited value: one of them meant another wait.
void Semaphores::note_two_meanings(
    KernelInstance& waiting, uint32_t address, const WordEvent& first, const WordEvent& second) {
    if (first.by->kernel == second.by->kernel) {
        return;
    }
    const std::string text = "waits for " + name_of(*program_, *waiting.core, address) + ", which both " +
                             kernel_on_core(*first.by) + " and " + kernel_on_core(*second.by) + " raise";
    waiting.checks->findings.add(
        waiting,
        Rule::SemaphoreShared,
        kNoCircularBuffer,
        address,
        waiting.noted.frames,
        waiting.noted.num_frames,
        text,
        second.place);
}

// The value was there for a while, and was replaced before the kernel looked.
void Semaphores::note_missed_value(KernelInstance& waiting, uint32_t address, uint32_t value, const SyncWord& word) {
    const std::vector<HeldValue>& held = word.held;
    for (size_t index = word.seen; index + 1 < held.size(); index++) {
        if (held[index].raise.value != value) {
            continue;
        }
        const WordEvent& next = held[index + 1].raise;
        const std::string text = "waits for exactly " + std::to_string(value) + " in " +
                                 name_of(*program_, *waiting.core, address) + ", which held it until " +
                                 kernel_on_core(*next.by) + " set it to " + std::to_string(next.value);
        waiting.checks->findings.add(
            waiting,
            Rule::SemaphoreOvershoot,
            kNoCircularBuffer,
            address,
            waiting.noted.frames,
            waiting.noted.num_frames,
            text,
            next.place);
        note_two_meanings(waiting, address, held[index].raise, next);
        return;
    }
}

void Semaphores::stuck(KernelInstance& waiting, uint32_t address, uint32_t value, bool equal) {
    const auto found = words_.find(address & ~3u);
    if (found == words_.end()) {
        return;
    }
    SyncWord& word = found->second;
    settle_store(word, address);
    WordEvent event{&waiting, ordering_->now(waiting.number), value, waiting_place(waiting)};
    set_event(word.waits, event);
    check_shared(event, word, address, false);
    if (equal) {
        note_missed_value(waiting, address, value, word);
    }
}

}  // namespace tw
