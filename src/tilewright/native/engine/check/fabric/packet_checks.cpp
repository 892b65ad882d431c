// SPDX-License-Identifier: Apache-2.0
#include "check/fabric/packet_checks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "check/checks.h"
#include "check/fabric/packet_hooks.h"
#include "check/memory/memory_names.h"

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

void checked::on_packet_write(
    KernelInstance& instance,
    uint64_t address,
    uint8_t* to,
    uint32_t bytes,
    const uint8_t* values,
    const PacketPath& path) {
    Checks& checks = *instance.checks;
    checks.noc.packet_write(instance, address, bytes, values);
    if (!checks.is_fast) {
        checks.history.touch_by_packet(instance, reinterpret_cast<uintptr_t>(to), bytes, values, path);
    }
}

void checked::on_packet_increment(
    KernelInstance& instance, uint64_t address, uint32_t amount, bool flushes, const PacketPath& path) {
    Checks& checks = *instance.checks;
    if (flushes && !checks.is_fast) {
        checks.history.packets_arrived(instance, path);
    }
    checks.noc.packet_increment(instance, address, amount);
}

void checked::on_packet_sent(KernelInstance& instance, bool multicast) {
    instance.checks->packets.sent(instance, multicast);
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

void PacketChecks::sent(const KernelInstance& by, bool multicast) {
    const std::vector<Word> words = std::exchange(raised_, {});
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
    waiting.note_stack();
    CallPlace wait;
    wait.instance = &waiting;
    wait.num_frames = std::min(waiting.noted.num_frames, kCallPlaceFrames);
    std::copy_n(waiting.noted.frames, wait.num_frames, wait.frames);
    waiting.checks->findings.add(
        *candidate->by,
        Rule::FabricMulticastMisses,
        kNoCircularBuffer,
        0,
        candidate->place.frames,
        candidate->place.num_frames,
        text,
        wait);
}

}  // namespace tw
