// SPDX-License-Identifier: Apache-2.0
// The run loop. A run proceeds in rounds. In a round every core runs its kernels until all of them wait. Then the flags
// that cores sent to each other arrive (outbox.h), and the loop decides whether the run has ended, continues or is
// stuck.
//
// Within a round a core does not see what others do, as long as the program has no races. So the cores can be
// distributed over OS threads, with a scheduler each. Every core does the same in every round whatever the number of
// threads: same results, same record, same deadlock.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "scheduler.h"

namespace tw {

// The OS threads of a run. The first scheduler runs on the caller's thread.
class ThreadTeam {
public:
    explicit ThreadTeam(std::vector<std::unique_ptr<Scheduler>>& schedulers);
    ~ThreadTeam();
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;

    enum class Task : uint32_t { Round, LookAhead, Leave };
    // Runs the task on every scheduler; returns when all are done.
    void perform(Task task);
    // From within a round: returns when no other scheduler runs kernels. From the next round on schedulers run one at a
    // time.
    void wait_alone(const Scheduler& scheduler);

private:
    enum State : uint32_t { kDone, kBusy, kWantsToBeAlone };
    struct Worker {
        Scheduler* scheduler = nullptr;
        std::atomic<uint32_t> orders{0};
        std::atomic<uint32_t> state{kDone};
        std::thread thread;
    };

    void serve(Worker& hand);
    void begin(Worker& hand);
    static void finish(Worker& hand);
    void work(Worker& hand);

    std::vector<std::unique_ptr<Worker>> workers_;
    Task task_ = Task::Round;
    std::atomic<bool> one_at_a_time_{false};
};

class RunLoop {
public:
    RunLoop(Program& program, const RunOptions& options, std::vector<std::unique_ptr<Scheduler>>& schedulers) :
        program_(program), options_(options), schedulers_(schedulers) {}
    void run();

private:
    bool has_ended();
    bool has_packets() const;
    bool move_packets(bool progressed, bool ran);
    KernelInstance* first_yielded();
    void release_yielded();
    void watch_for_spinning(KernelInstance* polling);
    bool unblock_compute_kernels();
    void report_deadlock();
    uint64_t progress() const;
    template <typename Action>
    void for_each_instance(Action action);

    Program& program_;
    const RunOptions& options_;
    std::vector<std::unique_ptr<Scheduler>>& schedulers_;
    uint32_t quiet_rounds_ = 0, rounds_without_packets_ = 0;
    uint64_t spin_progress_ = 0;
    double spin_since_ = 0;
};

}  // namespace tw
