// SPDX-License-Identifier: Apache-2.0
#include "run_loop.h"

#include <sched.h>

#include <algorithm>
#include <numeric>
#include <system_error>
#include <utility>

#include "check/hooks.h"
#include "deadlock_lookahead.h"
#include "debug/debugger.h"
#include "fabric/fabric.h"
#include "threads.h"

namespace tw {

// Without progress, before kernels count as waiting: between two looks at its memory a kernel yields twice.
static constexpr uint32_t kQuietRounds = 2;
// So that kernels which go on for ever get their packets; a worker fills up to 16 slots, each in two rounds.
static constexpr uint32_t kMostRoundsWithoutPackets = 32;

ThreadTeam::ThreadTeam(std::vector<std::unique_ptr<Scheduler>>& schedulers) {
    for (auto& scheduler : schedulers) {
        workers_.push_back(std::make_unique<Worker>());
        workers_.back()->scheduler = scheduler.get();
        scheduler->team = this;
    }
    for (size_t index = 1; index < workers_.size(); index++) {
        Worker& hand = *workers_[index];
        try {
            hand.thread = std::thread([this, &hand] { serve(hand); });
        } catch (const std::system_error&) {
            break;  // no further thread available: the caller's thread does the work
        }
    }
}

ThreadTeam::~ThreadTeam() {
    task_ = Task::Leave;
    for (auto& hand : workers_) {
        if (hand->thread.joinable()) {
            begin(*hand);
            hand->thread.join();
        }
    }
}

void ThreadTeam::work(Worker& hand) {
    Scheduler& scheduler = *hand.scheduler;
    this_scheduler() = &scheduler;
    if (task_ == Task::Round) {
        scheduler.run_round();
    } else {
        look_ahead(scheduler);
    }
    hide_l1_window(scheduler);
    this_scheduler() = nullptr;
}

void ThreadTeam::serve(Worker& hand) {
    const KernelMode mode;
    for (uint32_t round = 0;; round++) {
        hand.orders.wait(round, std::memory_order_acquire);
        if (task_ == Task::Leave) {
            return;
        }
        work(hand);
        hand.state.store(kDone, std::memory_order_release);
        hand.state.notify_one();
    }
}

void ThreadTeam::begin(Worker& hand) {
    hand.state.store(kBusy, std::memory_order_relaxed);
    if (hand.thread.joinable()) {
        hand.orders.fetch_add(1, std::memory_order_release);
        hand.orders.notify_one();
    }
}

void ThreadTeam::finish(Worker& hand) {
    for (uint32_t state; (state = hand.state.load(std::memory_order_acquire)) != kDone;) {
        hand.state.wait(state, std::memory_order_acquire);
    }
}

void ThreadTeam::perform(Task task) {
    task_ = task;
    const bool side_by_side = !one_at_a_time_.load();
    for (auto& hand : workers_) {
        if (side_by_side && hand->thread.joinable()) {
            begin(*hand);
        }
    }
    for (auto& hand : workers_) {
        if (!hand->thread.joinable()) {
            begin(*hand);
            work(*hand);
            hand->state.store(kDone);
            hand->state.notify_one();
        } else if (!side_by_side) {
            begin(*hand);
            finish(*hand);
        }
    }
    for (auto& hand : workers_) {
        finish(*hand);
    }
}

// Runs in a signal handler: uses only atomics and system calls.
void ThreadTeam::wait_alone(const Scheduler& scheduler) {
    one_at_a_time_.store(true);
    Worker& own = *workers_[scheduler.index];
    own.state.store(kWantsToBeAlone);
    const auto in_the_way = [&](const auto& hand) {
        const uint32_t state = hand->state.load();
        const bool is_earlier = hand->scheduler->index < scheduler.index;
        return hand.get() != &own && (state == kBusy || (state == kWantsToBeAlone && is_earlier));
    };
    while (std::any_of(workers_.begin(), workers_.end(), in_the_way) && !scheduler.stopped()) {
        sched_yield();
    }
    own.state.store(kBusy);
}

template <typename Action>
void RunLoop::for_each_instance(Action action) {
    for (auto& scheduler : schedulers_) {
        for (Core* core : scheduler->cores) {
            for (KernelInstance* instance : core->instances) {
                action(*instance);
            }
        }
    }
}

// Of several failures the one of the first core, in the order of cores, is reported.
bool RunLoop::has_ended() {
    for (auto& scheduler : schedulers_) {
        const KernelFailure& failure = scheduler->failure;
        if (failure.instance != nullptr && !program_.stop.load()) {
            program_.fail(RunStatus::KernelError, failure.instance, failure.text);
            program_.error_rule = failure.rule;
        }
    }
    const auto finished = [](auto& scheduler) { return scheduler->all_finished(); };
    const bool all_finished =
        static_cast<size_t>(std::count_if(schedulers_.begin(), schedulers_.end(), finished)) == schedulers_.size();
    return program_.stop.load() || (all_finished && !has_packets());
}

// Whether packets are on their way between chips.
bool RunLoop::has_packets() const {
    const Fabric* fabric = program_.chip.fabric();
    return fabric != nullptr && !fabric->links().empty();
}

// Packets between chips go on, one hop, when kernels wait: a worker may fill its slots before a router moves any.
// Returns whether any did; none for ever is an error of a kernel that sent one.
bool RunLoop::move_packets(bool progressed, bool ran) {
    Scheduler& scheduler = *schedulers_.front();
    if (!has_packets() || scheduler.failure.instance != nullptr) {
        return false;
    }
    Links& links = program_.chip.fabric()->links();
    quiet_rounds_ = progressed ? 0 : quiet_rounds_ + 1;
    if (ran && quiet_rounds_ < kQuietRounds && ++rounds_without_packets_ < kMostRoundsWithoutPackets) {
        return false;
    }
    rounds_without_packets_ = 0;
    if (links.step(scheduler.randomness())) {
        scheduler.progress++;
        return true;
    }
    Links::Circle circle = links.circle();
    scheduler.failure = {circle.sender, std::move(circle.text), Rule::FabricDeadlock};
    return false;
}

KernelInstance* RunLoop::first_yielded() {
    KernelInstance* first = nullptr;
    for_each_instance([&](KernelInstance& instance) {
        for_each_fiber(instance, [&](const FiberStatus& each) {
            first = first == nullptr && each.state == InstanceState::Yielded ? &instance : first;
        });
    });
    return first;
}

// Lets yielded kernels run again, once all others had their time slice.
void RunLoop::release_yielded() {
    for_each_instance([](KernelInstance& instance) {
        for_each_fiber(instance, [](FiberStatus& each) {
            each.state = each.state == InstanceState::Yielded ? InstanceState::Ready : each.state;
        });
    });
}

uint64_t RunLoop::progress() const {
    return std::accumulate(
        schedulers_.begin(), schedulers_.end(), uint64_t{0}, [](uint64_t sum, const auto& scheduler) {
            return sum + scheduler->progress;
        });
}

static void show_hang(const KernelInstance& waiting) {
    if (g_debugger != nullptr) {
        g_debugger->on_hang(waiting);
    }
}

// Ends kernels that only poll memory which nothing changes, after the spin limit.
void RunLoop::watch_for_spinning(KernelInstance* polling) {
    const uint64_t moved = progress();
    if (polling == nullptr || moved != spin_progress_) {
        spin_progress_ = moved;
        spin_since_ = 0;
        return;
    }
    const double now = monotonic_seconds();
    if (spin_since_ == 0) {
        spin_since_ = now;
    } else if (now - spin_since_ > options_.spin_limit_seconds) {
        for_each_fiber(*polling, [](FiberStatus& each) {
            each.wait_kind = each.state == InstanceState::Yielded ? WaitKind::Spin : each.wait_kind;
        });
        show_hang(*polling);
        program_.fail(RunStatus::Spinning, polling, "");
    }
}

// Nothing progresses: lets compute kernels do what they could with split threads. Returns whether any can.
bool RunLoop::unblock_compute_kernels() {
    bool loosened = false;
    for_each_instance([&](KernelInstance& instance) { loosened |= unblock_threads(instance); });
    return loosened;
}

void RunLoop::report_deadlock() {
    KernelInstance* first = nullptr;
    for_each_instance([&](KernelInstance& instance) {
        const bool waits = instance.state == InstanceState::Blocked || instance.state == InstanceState::Polling;
        first = first == nullptr && waits ? &instance : first;
    });
    if (first != nullptr) {
        program_.note_failure(RunStatus::Deadlock, first, "");
        on_stuck(*first);
        show_hang(*first);
    }
}

void RunLoop::run() {
    const KernelMode mode;
    ThreadTeam team(schedulers_);
    for (;;) {
        const uint64_t progress_before = progress();
        team.perform(ThreadTeam::Task::Round);
        bool ran = false;
        for (auto& scheduler : schedulers_) {
            scheduler->outbox.deliver();
            ran |= scheduler->ran;
        }
        const bool moved = move_packets(progress() != progress_before, ran);
        if (has_ended()) {
            return;
        }
        KernelInstance* polling = first_yielded();
        if (!ran && !moved && polling == nullptr) {
            if (unblock_compute_kernels()) {
                continue;
            }
            report_deadlock();
            program_.finish_checks();
            team.perform(ThreadTeam::Task::LookAhead);
            return;
        }
        if (progress() == progress_before && !has_packets()) {
            unblock_compute_kernels();
        }
        watch_for_spinning(polling);
        release_yielded();
    }
}

}  // namespace tw
