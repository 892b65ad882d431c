// SPDX-License-Identifier: Apache-2.0
#include "check/noc/multicast_receivers.h"

#include <algorithm>

#include "check/checks.h"
#include "check/memory/memory_names.h"
#include "program.h"

namespace tw {

static bool same_place(const CallPlace& a, const CallPlace& b) {
    return a.instance == b.instance && a.num_frames == b.num_frames &&
           std::equal(a.frames, a.frames + a.num_frames, b.frames);
}

static std::string core_name(const Core& core) {
    return "(" + std::to_string(core.x) + "," + std::to_string(core.y) + ")";
}

void MulticastReceivers::start(Program& program) {
    program_ = &program;
    sent_.assign(program.instances.size(), {});
    signals_.clear();
    missed_.clear();
}

uint32_t MulticastReceivers::index_of(const Core& core) const {
    return core.y * program_->chip.config().grid_x + core.x;
}

void MulticastReceivers::sent(KernelInstance& by, const Core& core, uint32_t address, uint32_t bytes) {
    Sent& sent = sent_[by.number];
    if (&core == by.core) {
        return;
    }
    sent.cores.resize(program_->chip.cores().size());
    sent.num_cores += sent.cores[index_of(core)] ? 0 : 1;
    sent.cores[index_of(core)] = true;
    sent.offset = address & kL1OffsetMask;
    sent.bytes = bytes;
}

void MulticastReceivers::signalled(KernelInstance& by, uint32_t offset, const std::vector<Core*>& cores) {
    Sent& sent = sent_[by.number];
    if (sent.num_cores != 0) {
        note_missed(by, offset, cores, sent);
        sent = {};
    }
    const CallPlace place = call_place(by);
    const bool is_known = std::any_of(signals_.begin(), signals_.end(), [&](const Signal& each) {
        return each.offset == offset && each.cores == cores && same_place(each.place, place);
    });
    if (!is_known) {
        signals_.push_back({&by, offset, cores, place});
    }
}

// Only if no other kernel has written there: a flag may also end a wait of cores that get their data from elsewhere.
void MulticastReceivers::note_missed(
    KernelInstance& by, uint32_t offset, const std::vector<Core*>& cores, const Sent& sent) {
    if (by.checks->is_fast) {
        return;  // it is not known what was written
    }
    for (const Core* core : cores) {
        const auto* data = reinterpret_cast<const void*>(uintptr_t{core->l1_base} + sent.offset);
        if (core != by.core && !sent.cores[index_of(*core)] && by.checks->memory.all_undefined(data, sent.bytes)) {
            missed_.push_back({&by, core, core->l1_base + offset, sent.num_cores, call_place(by)});
        }
    }
}

void MulticastReceivers::finish(const Semaphores& semaphores, Findings& findings) {
    for (const Missed& missed : missed_) {
        if (!semaphores.is_awaited(missed.word)) {
            continue;
        }
        const std::string text = "multicasts " + semaphores.name(missed.word) +
                                 ", where a kernel waits for it, but the " + "data before it went to " +
                                 std::to_string(missed.num_others) +
                                 (missed.num_others == 1 ? " other core" : " other cores") + " and not to that one";
        findings.add(
            *missed.by,
            Rule::NocMulticastMisses,
            kNoCircularBuffer,
            0,
            missed.place.frames,
            missed.place.num_frames,
            text);
    }
}

void MulticastReceivers::stuck(KernelInstance& waiting, uint32_t address, const Semaphores& semaphores) {
    const Signal* candidate = nullptr;
    for (const Signal& each : signals_) {
        if (each.offset != (address & kL1OffsetMask)) {
            continue;
        }
        if (std::find(each.cores.begin(), each.cores.end(), waiting.core) != each.cores.end()) {
            return;
        }
        candidate = &each;
    }
    if (candidate == nullptr) {
        return;
    }
    const std::string text = "multicasts to cores " + core_name(*candidate->cores.front()) + " to " +
                             core_name(*candidate->cores.back()) + " what " + kernel_on_core(waiting) +
                             " waits for in " + semaphores.name(address) + ": that core is not among them";
    waiting.checks->findings.add(
        *candidate->by,
        Rule::NocMulticastMisses,
        kNoCircularBuffer,
        0,
        candidate->place.frames,
        candidate->place.num_frames,
        text,
        waiting_place(waiting));
}

}  // namespace tw
