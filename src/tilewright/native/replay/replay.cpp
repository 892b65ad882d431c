// SPDX-License-Identifier: Apache-2.0
// Every processor executes its steps with its own time. A step that needs an event of another processor (pages, a Src
// bank, a half of DST, a semaphore's value) looks up when that happened; if it has not happened yet, the processor
// waits. So there is no event queue, and circular-buffer programs, whose steps do not depend on time, are followed
// exactly.
//
// Only banks and ports depend on the order of requests. So cores advance together, one window of time after another: no
// core is ahead of another by more than a window when it uses a bank.
#include "replay.h"

#include <algorithm>

#include "abi/noc.h"
#include "abi/record.h"

namespace tw::replay {

static constexpr double kWindow = 256;  // cycles
static constexpr uint64_t kSrcBanks = 2;
static constexpr uint32_t kL1OffsetMask = (2u << 20) - 1;
static constexpr size_t kMostEvents = 4u << 20;
// Math on a tile begins when its first faces are there, and its last part when the last faces are.
static constexpr double kFirstFaces = 0.3, kLastPart = 0.25;

const Mark* PageCount::reached(uint64_t total) {
    while (at_ > 0 && marks_[at_ - 1].total >= total) {
        at_--;
    }
    while (at_ < marks_.size() && marks_[at_].total < total) {
        at_++;
    }
    return at_ < marks_.size() ? &marks_[at_] : nullptr;
}

Semaphore& CoreState::semaphore(uint32_t address) {
    const auto found = std::find_if(
        semaphores.begin(), semaphores.end(), [&](const Semaphore& each) { return each.address == address; });
    if (found != semaphores.end()) {
        return *found;
    }
    semaphores.push_back({.address = address, .coming = {}});
    return semaphores.back();
}

void Replay::run() {
    double horizon = 0;
    size_t turn = 0;
    while (num_unfinished_ > 0) {
        horizon += kWindow;
        bool moved = false;
        for (bool again = true; again;) {
            again = false;
            for (size_t i = 0; i < cores_.size(); i++) {
                CoreState& core = *cores_[i + turn < cores_.size() ? i + turn : i + turn - cores_.size()];
                if (core.next_time <= horizon) {
                    again |= advance(core, horizon);
                }
            }
            moved |= again;
        }
        turn = turn + 1 < cores_.size() ? turn + 1 : 0;
        if (!moved) {
            // Processors within the horizon all wait. If that is all of them, the event they wait for was not recorded.
            const auto earlier = [](const auto& one, const auto& other) { return one->next_time < other->next_time; };
            const double next = (*std::min_element(cores_.begin(), cores_.end(), earlier))->next_time;
            if (next == kNever) {
                force();
            } else {
                horizon = next;
            }
        }
    }
    report();
}

// Lets the earliest waiting processor continue.
void Replay::force() {
    Lane* earliest = nullptr;
    for (Lane& lane : lanes_) {
        if (!lane.is_done() && (earliest == nullptr || lane.time < earliest->time)) {
            earliest = &lane;
        }
    }
    earliest->next++;
    num_unfinished_ -= earliest->is_done() ? 1 : 0;
    cores_[earliest->core]->next_time = 0;
    forced_++;
}

// Runs each processor of a core until it is beyond the horizon or waits. Only a semaphore changed by another core can
// wake one before the core's next time.
bool Replay::advance(CoreState& core, double horizon) {
    const size_t count = core.turns.size();
    bool moved = false;
    for (size_t i = 0, standing = 0; standing < count; i = i + 1 < count ? i + 1 : 0) {
        Turn& turn = core.turns[i];
        const bool moves = turn.time <= horizon && advance(core, lanes_[turn.lane], horizon);
        if (moves) {
            const Lane& lane = lanes_[turn.lane];
            turn.time = lane.is_done() ? kNever : lane.time;
        }
        standing = moves ? 1 : standing + 1;
        moved |= moves;
    }
    core.next_time = kNever;
    for (const Turn& turn : core.turns) {
        if (turn.time > horizon) {
            core.next_time = std::min(core.next_time, turn.time);
        }
    }
    return moved;
}

bool Replay::advance(CoreState& core, Lane& lane, double horizon) {
    const Step* const before = lane.next;
    while (!lane.is_done() && lane.time <= horizon && take(core, lane, *lane.next)) {
        lane.next++;
    }
    num_steps_ += lane.next - before;
    num_unfinished_ -= lane.next != before && lane.is_done() ? 1 : 0;
    return lane.next != before;
}

void Replay::keep_event(
    const Lane& lane, EventKind kind, double begin, double end, uint32_t amount, uint32_t what, uint32_t cb) {
    if (events_.size() < kMostEvents) {
        const auto number = static_cast<uint32_t>(&lane - lanes_.data());
        const uint32_t entry = lane.next->entry;
        const auto call = static_cast<uint16_t>(what), buffer = static_cast<uint16_t>(cb);
        events_.push_back({begin, end, number, amount, kind, call, buffer, entry});
    }
}

inline void Replay::keep(
    const Lane& lane, EventKind kind, double begin, double end, uint32_t amount, uint32_t what, uint32_t cb) {
    if (input_.keep_events != 0) [[unlikely]] {
        keep_event(lane, kind, begin, end, amount, what, cb);
    }
}

inline void Replay::spend(Lane& lane, const Step& step, double cycles) {
    const EventKind kind = step.kind == StepKind::Push  ? EventKind::Push
                           : step.kind == StepKind::Pop ? EventKind::Pop
                                                        : EventKind::Call;
    keep(lane, kind, lane.time, lane.time + cycles, step.count, step.call, step.cb);
    lane.time += cycles;
    lane.busy += cycles;
}

inline void Replay::work(Lane& lane, const Step& step) { spend(lane, step, step.cost); }

void Replay::wait_until(Lane& lane, double time, WaitFor what, uint32_t cb, double poll) {
    if (time <= lane.time) {
        return;
    }
    const double until = time + poll;
    auto sum = std::find_if(
        lane.waits.begin(), lane.waits.end(), [&](const WaitSum& each) { return each.what == what && each.cb == cb; });
    if (sum == lane.waits.end()) {
        sum = lane.waits.insert(sum, {what, cb, 0, 0});
    }
    sum->cycles += until - lane.time;
    sum->times++;
    keep(lane, EventKind::Wait, lane.time, until, 0, static_cast<uint32_t>(what), cb);
    lane.time = until;
}

// Executes a step. False: something it needs has not happened yet.
inline bool Replay::take(CoreState& core, Lane& lane, const Step& step) {
    CircularBuffer& buffer = core.cb[step.cb & (kBuffers - 1)];
    switch (step.kind) {
        case StepKind::Work:
        case StepKind::Pack: work(lane, step); return true;
        case StepKind::Wait: {
            const Mark* there = buffer.in.reached(buffer.out.total() + step.count);
            if (there == nullptr) {
                return false;
            }
            wait_until(lane, there->time, WaitFor::PagesFront, step.cb, k_.poll);
            work(lane, step);
            return true;
        }
        case StepKind::Reserve: {
            const uint64_t needed = buffer.in.total() + step.count;
            if (needed > buffer.pages) {
                const Mark* there = buffer.out.reached(needed - buffer.pages);
                if (there == nullptr) {
                    return false;
                }
                wait_until(lane, there->time, WaitFor::PagesBack, step.cb, k_.poll);
            }
            work(lane, step);
            return true;
        }
        case StepKind::Push:
            work(lane, step);
            buffer.in.add(step.count, lane.time);
            return true;
        case StepKind::Pop:
            work(lane, step);
            buffer.out.add(step.count, lane.time);
            return true;
        case StepKind::Unpack: return take_unpack(core, lane, step);
        case StepKind::Math: return take_math(core, lane, step);
        case StepKind::Acquire:
            if (core.acquired >= core.dst_halves) {
                const uint64_t release = core.acquired - core.dst_halves;
                if (core.released.count() <= release) {
                    return false;
                }
                wait_until(lane, core.released.at(release), WaitFor::DstFree, 0, 0);
            }
            core.acquired++;
            work(lane, step);
            return true;
        case StepKind::Commit:
            work(lane, step);
            core.committed.add(lane.time);
            return true;
        case StepKind::AwaitCommit: {
            // The wait tests a semaphore that only the release counts down: a kernel may wait twice for one commit.
            const uint64_t number = core.released.count();
            if (core.committed.count() <= number) {
                return false;
            }
            wait_until(lane, core.committed.at(number), WaitFor::DstData, 0, 0);
            work(lane, step);
            return true;
        }
        case StepKind::Release:
            work(lane, step);
            core.released.add(lane.time);
            return true;
        case StepKind::Barrier: take_barrier(lane, step); return true;
        case StepKind::SemaphoreEqual:
        case StepKind::SemaphoreAtLeast: return take_semaphore(lane, step);
        case StepKind::SemaphoreSet:
            spend(lane, step, k_.mover_semaphore);
            change_semaphore(lane.core, step.address, {lane.time, step.count, false});
            return true;
        default: take_transfer(lane, step); return true;
    }
}

bool Replay::take_unpack(CoreState& core, Lane& lane, const Step& step) {
    const uint64_t number = core.unpack_end.count();
    if (number >= kSrcBanks) {
        if (core.math_end.count() <= number - kSrcBanks) {
            return false;
        }
        wait_until(lane, core.math_end.at(number - kSrcBanks), WaitFor::SrcBank, 0, 0);
    }
    core.unpack_begin.add(lane.time);
    work(lane, step);
    core.unpack_end.add(lane.time);
    return true;
}

bool Replay::take_math(CoreState& core, Lane& lane, const Step& step) {
    const uint64_t number = core.math_end.count();
    if (core.unpack_end.count() <= number) {
        return false;
    }
    const double begin = core.unpack_begin.at(number), end = core.unpack_end.at(number);
    wait_until(lane, begin + (end - begin) * kFirstFaces, WaitFor::SrcData, 0, 0);
    const double last = end + step.cost * kLastPart + k_.math_latency;
    work(lane, step);
    wait_until(lane, last, WaitFor::SrcData, 0, 0);
    core.math_end.add(lane.time);
    return true;
}

void Replay::take_transfer(Lane& lane, const Step& step) {
    const uint32_t noc = step.noc;
    const bool with_state = (step.flags & kRecordedWithState) != 0;
    const auto note_tagged = [&](TaggedTimes::OfNoc TaggedTimes::* times, double done) {
        if (step.cb != 0) {
            double& time = (lane.tagged_times().*times)[noc][(step.cb - 1) % kTransactionIds];
            time = std::max(time, done);
        }
    };
    const auto note = [&](const Written& written) {
        keep(lane, EventKind::Write, lane.time, written.acknowledged, step.count, step.call, 0);
        lane.sent[0][noc] = std::max(lane.sent[0][noc], written.sent);
        lane.acknowledged[0][noc] = std::max(lane.acknowledged[0][noc], written.acknowledged);
        note_tagged(&TaggedTimes::sent, written.sent);
        note_tagged(&TaggedTimes::acknowledged, written.acknowledged);
    };
    const auto tell = [&](double time) {
        const bool adds = step.kind == StepKind::Increment || step.kind == StepKind::IncrementMulticast;
        return SemaphoreChange{time, step.count, adds};
    };
    switch (step.kind) {
        case StepKind::Read: {
            const Place from = machine_.place(step.address, noc);
            spend(lane, step, machine_.read_issue(lane.core, from, step.count, with_state, step.cost));
            const double done = machine_.read(lane.core, noc, from, step.count, lane.time);
            keep(lane, EventKind::Read, lane.time, done, step.count, step.call, 0);
            lane.reads[0][noc] = std::max(lane.reads[0][noc], done);
            note_tagged(&TaggedTimes::reads, done);
            break;
        }
        case StepKind::Write: {
            const Place to = machine_.place(step.address, noc);
            spend(lane, step, machine_.write_issue(to, step.count, with_state) + step.cost);
            note(machine_.write(lane.core, noc, to, step.count, lane.time));
            break;
        }
        case StepKind::Multicast:
            spend(lane, step, k_.issue_multicast);
            note(machine_.multicast(lane.core, noc, step.count, lane.time));
            break;
        case StepKind::WriteWord:
        case StepKind::Increment: {
            const Place to = machine_.place(step.address, noc);
            const double issue = step.kind == StepKind::Increment ? k_.issue_atomic : k_.issue_l1_write;
            spend(lane, step, issue + step.cost);
            const Written written = machine_.write(lane.core, noc, to, 4, lane.time);
            note(written);
            if (to.core >= 0) {
                change_semaphore(static_cast<uint32_t>(to.core), step.address, tell(written.arrived));
            }
            break;
        }
        default: {
            spend(lane, step, k_.issue_multicast);
            const Written written = machine_.multicast(lane.core, noc, 4, lane.time);
            note(written);
            machine_.for_each_in_rectangle(step.address, [&](uint32_t core) {
                if (core != lane.core || (step.flags & kNocLoopback) != 0) {
                    change_semaphore(core, step.address, tell(written.arrived));
                }
            });
        }
    }
}

void Replay::take_barrier(Lane& lane, const Step& step) {
    if (step.flags != 0) {
        wait_for_tagged(lane, step);
    } else {
        wait_for_all(lane, step);
    }
    work(lane, step);
}

// Waits for the transfers of one transaction id.
void Replay::wait_for_tagged(Lane& lane, const Step& step) {
    const auto kind = static_cast<Barrier>(step.cb);
    const bool is_read = kind == Barrier::Read;
    const TaggedTimes& tagged = lane.tagged_times();
    const auto& written = kind == Barrier::WriteSent ? tagged.sent : tagged.acknowledged;
    const auto& times = is_read ? tagged.reads : written;
    const uint32_t id = (step.flags - 1) % kTransactionIds;
    wait_until(lane, times[step.noc][id], is_read ? WaitFor::Reads : WaitFor::Writes, 0, 0);
}

void Replay::wait_for_all(Lane& lane, const Step& step) {
    const uint32_t noc = step.noc;
    const uint32_t reads_from = input_.change.reads_ahead != 0 ? 1 : 0;
    const uint32_t writes_from = input_.change.writes_ahead != 0 ? 1 : 0;
    const auto kind = static_cast<Barrier>(step.cb);
    if (kind == Barrier::Read || kind == Barrier::Full) {
        wait_until(lane, lane.reads[reads_from][noc], WaitFor::Reads, 0, 0);
        lane.reads[1][noc] = lane.reads[0][noc];
    }
    if (kind == Barrier::WriteAck || kind == Barrier::Atomic || kind == Barrier::Full) {
        wait_until(lane, lane.acknowledged[writes_from][noc], WaitFor::Writes, 0, 0);
        lane.acknowledged[1][noc] = lane.acknowledged[0][noc];
    } else if (kind != Barrier::Read) {
        wait_until(lane, lane.sent[writes_from][noc], WaitFor::Writes, 0, 0);
        lane.sent[1][noc] = lane.sent[0][noc];
    }
}

void Replay::change_semaphore(uint32_t core, uint64_t address, SemaphoreChange change) {
    cores_[core]->next_time = 0;
    std::vector<SemaphoreChange>& coming = cores_[core]->semaphore(address & kL1OffsetMask).coming;
    const auto later = [](double time, const SemaphoreChange& each) { return time < each.time; };
    coming.insert(std::upper_bound(coming.begin(), coming.end(), change.time, later), change);
}

bool Replay::take_semaphore(Lane& lane, const Step& step) {
    Semaphore& semaphore = cores_[lane.core]->semaphore(step.address & kL1OffsetMask);
    const auto is_met = [&] {
        return step.kind == StepKind::SemaphoreEqual ? semaphore.value == step.count : semaphore.value >= step.count;
    };
    double time = lane.time;
    size_t used = 0;
    while (used < semaphore.coming.size() && (semaphore.coming[used].time <= lane.time || !is_met())) {
        const SemaphoreChange& change = semaphore.coming[used++];
        semaphore.value = change.is_increment ? semaphore.value + change.value : change.value;
        time = std::max(time, change.time);
    }
    semaphore.coming.erase(semaphore.coming.begin(), semaphore.coming.begin() + static_cast<ptrdiff_t>(used));
    if (!is_met()) {
        return false;
    }
    wait_until(lane, time, WaitFor::Semaphore, 0, k_.poll);
    spend(lane, step, k_.mover_semaphore);
    return true;
}

ReplayTotals Replay::totals() const {
    ReplayTotals totals{};
    double first = lanes_.empty() ? 0 : lanes_[0].begin, last = first;
    for (const Lane& lane : lanes_) {
        first = std::min(first, lane.begin);
        last = std::max(last, lane.time);
    }
    totals.cycles = last - first;
    totals.dram_read_bytes = machine_.dram_read_bytes;
    totals.dram_write_bytes = machine_.dram_write_bytes;
    totals.noc_bytes = machine_.noc_bytes;
    totals.bank_busy = machine_.bank_busy;
    totals.matmul_tiles = counts_.matmul_tiles;
    totals.matmul_phases = counts_.matmul_phases;
    totals.unmeasured = counts_.unmeasured;
    totals.steps = num_steps_;
    totals.forced = forced_;
    totals.polls = counts_.polls;
    totals.unknown_nodes = machine_.unknown_nodes;
    return totals;
}

void Replay::report() {
    for (uint32_t number = 0; number < lanes_.size(); number++) {
        const Lane& lane = lanes_[number];
        const CoreState& core = *cores_[lane.core];
        lane_reports_.push_back(
            {lane.kernel, core.x, core.y, static_cast<Processor>(lane.processor), lane.begin, lane.time, lane.busy});
        for (const WaitSum& sum : lane.waits) {
            wait_reports_.push_back({number, sum.what, sum.cb, sum.times, sum.cycles});
        }
    }
}

}  // namespace tw::replay
