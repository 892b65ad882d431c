// SPDX-License-Identifier: Apache-2.0
#include "check/fabric/packet_checks.h"

#include <algorithm>
#include <string>

#include "check/checks.h"
#include "check/fabric/packet_hooks.h"
#include "check/memory/memory_names.h"
#include "check/noc/noc_memory.h"

namespace tw {

namespace {

constexpr uint64_t kConnectionKeys = uint64_t{1} << 62;  // behind the keys of words and circular buffers

std::string chips_of(const std::vector<const Core*>& cores) {
    std::string names;
    for (const Core* core : cores) {
        names += (names.empty() ? "" : ", ") + std::to_string(core->die);
    }
    return (cores.size() == 1 ? "chip " : "chips ") + names;
}

}  // namespace

namespace {

// While it lives, hooks see the kernel as it was when it sent the packet, on the die the packet has arrived at.
class AsSent {
public:
    AsSent(KernelInstance& by, const SendNote& note, uint32_t die) :
        by_(by), on_(die), clock_(note.clock), scheduler_(this_scheduler()), current_(by.scheduler->current) {
        this_scheduler() = by.scheduler;
        by.scheduler->current = &by;
        by.acts_at = &note.place;
        by.checks->ordering.swap_clock(by, clock_);
    }
    ~AsSent() {
        by_.checks->ordering.swap_clock(by_, clock_);
        by_.acts_at = nullptr;
        by_.scheduler->current = current_;
        this_scheduler() = scheduler_;
    }
    AsSent(const AsSent&) = delete;
    AsSent& operator=(const AsSent&) = delete;

private:
    KernelInstance& by_;
    const OnDie on_;
    Ordering::Clock clock_;
    Scheduler* const scheduler_;
    KernelInstance* const current_;
};

}  // namespace

void checked::on_packet_sent(KernelInstance& instance, Flight& flight, bool multicast) {
    Checks& checks = *instance.checks;
    if (!checks.is_fast) {
        checks.processors.finish_copy(instance, checks.findings);
        checks.processors.end_polling(instance);
    }
    flight.note = std::make_shared<SendNote>(call_place(instance), checks.ordering.clock(instance));
    checks.ordering.advance(instance);
    checks.packets.sent(instance, flight, multicast);
}

void checked::on_packet_arrives(KernelInstance& instance, const Flight& flight, const PacketEffect& effect) {
    const AsSent as_sent(instance, *flight.note, PacketPath::die(effect.path.arrived));
    Checks& checks = *instance.checks;
    if (effect.bytes != 0) {
        const uint8_t* values = flight.packet + effect.from;
        checks.noc.packet_write(instance, effect.address, effect.bytes, values);
        if (!checks.is_fast) {
            const auto to = reinterpret_cast<uintptr_t>(effect.to);
            checks.history.touch_by_packet(instance, to, effect.bytes, values, effect.path);
        }
        packet_wrote(instance, effect.to, effect.bytes);
        return;
    }
    if (effect.flushes && !checks.is_fast) {
        checks.history.packets_arrived(instance, effect.path);
    }
    checks.noc.packet_increment(instance, effect.address, effect.amount);
    checked::noc_puts(instance, effect.to, sizeof effect.amount, nullptr, false);
    packet_wrote(instance, effect.to, sizeof effect.amount);
}

void checked::on_connection(KernelInstance& instance, uint32_t end, bool opens) {
    Checks& checks = *instance.checks;
    const uint64_t key = kConnectionKeys | end;
    opens ? checks.ordering.acquire(instance, key) : checks.ordering.release(instance, key);
    checks.packets.connected(instance, end, opens);
}

void checked::on_stream_raised(KernelInstance& instance, const Core& core, uint32_t word) {
    Checks& checks = *instance.checks;
    if (!checks.is_fast) {
        checks.history.signalled(instance, core);
    }
    checks.ordering.release(instance, Ordering::word_key(word));
}

void checked::on_stream_access(KernelInstance& instance, uint32_t word, bool is_write) {
    Ordering& ordering = instance.checks->ordering;
    is_write ? ordering.release(instance, Ordering::word_key(word))
             : ordering.acquire(instance, Ordering::word_key(word));
}

void PacketChecks::sent(const KernelInstance& by, const Flight& flight, bool multicast) {
    std::vector<Word> words;
    for (const Flight::Stop& stop : flight.stops) {
        for (const PacketEffect& effect : stop.effects) {
            if (effect.node->core != nullptr && (effect.bytes == 0 || effect.bytes == sizeof(uint32_t))) {
                words.push_back({effect.node->core, static_cast<uint32_t>(reinterpret_cast<uintptr_t>(effect.to))});
            }
        }
    }
    if (!multicast || words.empty()) {
        return;
    }
    const auto is_same = [&](const Multicast& known) {
        return known.by == &by &&
               std::equal(
                   words.begin(),
                   words.end(),
                   known.words.begin(),
                   known.words.end(),
                   [](const Word& a, const Word& b) { return a.core == b.core && a.address == b.address; });
    };
    if (std::none_of(multicasts_.begin(), multicasts_.end(), is_same)) {
        multicasts_.push_back({&by, words, call_place(by)});
    }
}

void PacketChecks::connected(const KernelInstance& by, uint32_t end, bool opens) {
    if (opens) {
        open_[end] = {&by, call_place(by)};
    } else {
        open_.erase(end);
    }
}

void PacketChecks::exit(const KernelInstance& instance) {
    for (const auto& [end, opened] : open_) {
        if (opened.by != &instance) {
            continue;
        }
        const std::string text = "opens the connection to chip " + std::to_string(PacketPath::die(end)) + " channel " +
                                 std::to_string(PacketPath::channel(end)) + " and ends without closing it";
        instance.checks->findings.add(
            instance, Rule::FabricNotClosed, kNoCircularBuffer, 0, opened.place.frames, opened.place.num_frames, text);
    }
}

// A multicast raised the word at this place on other dies and never here.
void PacketChecks::stuck(KernelInstance& waiting, uint32_t address, const Semaphores& semaphores) const {
    const Core& core = *waiting.core;
    const Multicast* candidate = nullptr;
    std::vector<const Core*> reached;
    for (const Multicast& each : multicasts_) {
        std::vector<const Core*> others;
        for (const Word& word : each.words) {
            if (word.address == address) {
                return;  // it was raised here: another cause
            }
            if (((word.address ^ address) & kL1OffsetMask) == 0 && word.core->noc_x == core.noc_x &&
                word.core->noc_y == core.noc_y) {
                others.push_back(word.core);
            }
        }
        if (!others.empty()) {
            candidate = &each;
            reached = std::move(others);
        }
    }
    if (candidate == nullptr) {
        return;
    }
    const std::string text = "multicasts to " + chips_of(reached) + " what " + kernel_on_core(waiting) +
                             " waits for in " + semaphores.name(core, address) + ": that chip is not among them";
    waiting.checks->findings.add(
        *candidate->by,
        Rule::FabricMulticastMisses,
        kNoCircularBuffer,
        0,
        candidate->place.frames,
        candidate->place.num_frames,
        text,
        waiting_place(waiting));
}

}  // namespace tw
