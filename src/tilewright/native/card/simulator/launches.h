// SPDX-License-Identifier: Apache-2.0
// Decides when the program of a card runs. The host configures its cores (kernels, circular buffers, semaphores, arguments), then
// sends each a launch message and GO, and polls for DONE much later. The program runs as soon as every core configured
// since the last launch has its GO: the host is still inside the call that launched it, and an error is raised there.
// If the host polls for DONE earlier, it runs then. Programs of several cards always run then (launch_group.h).
//
// A program whose global circular buffers lead to cores without a GO may depend on those. If the host may launch them
// before it polls for DONE (ttnn.enable_asynchronous_slow_dispatch), the program waits for them, and all run together;
// else it runs when the host polls, or starts the cores anew. Until then its cores are not done.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fast_dispatch/command_queues.h"
#include "launch_group.h"
#include "launch_key.h"
#include "memory.h"
#include "server.h"

namespace card {

class Launches {
public:
    Launches(uint32_t card, Memory& memory, const HostMemory& host, Server& server, LaunchGroup& group);
    ~Launches() { group_.remove(*this); }
    Launches(const Launches&) = delete;
    Launches& operator=(const Launches&) = delete;

    // Called after the host wrote there.
    void after_write(uint32_t x, uint32_t y, uint64_t address, uint64_t bytes);
    // Called before the host reads there.
    void before_read(uint32_t x, uint32_t y, uint64_t address, uint64_t bytes);

    // Fast dispatch: the program of workers that the dispatcher told to go runs now, or together with the programs that its
    // global circular buffers lead to; at the latest before the host learns of anything that follows. With several cards
    // it runs later (posted_launches.h). Of a trace, a program that ran before is posted: the server runs it with those
    // posted behind it when a command must wait for one, and before the host goes on.
    void run_workers(WorkerLaunch launch);
    void finish_workers();
    // Waits for the program that was posted first; false: there is none. Throws its error.
    bool collect_posted();

    // Adds the cores that got a GO, which are done from now on: the host must be able to continue after an error, too.
    void take_armed(LaunchKey& key, std::vector<LaunchedCore>& cores);

private:
    using Core = std::pair<uint32_t, uint32_t>;

    // The node whose go word these bytes touch; null: none.
    const Memory::Mapped* with_go_word(uint32_t x, uint32_t y, uint64_t address, uint64_t bytes) const;
    void take_signal(const Memory::Mapped& node, Core core);
    void send_bank_tables(Core core);
    void start_dispatch_core(Core core);
    void start_ethernet_core(const Memory::Mapped& node, Core core);
    void start_queues(Core core, const std::string& described);
    void set_signal(const Memory::Mapped& node, Core core, uint32_t signal);
    bool can_post(const WorkerLaunch& launch, const LaunchRequest& request) const;
    void post(const LaunchRequest& request, WorkerLaunch launch);
    void take_posted();
    void take_all_posted();
    void take_outcome(Server::Outcome outcome);
    void note_known(const LaunchRequest& request);
    void run();
    // Runs the programs that wait for others, without those.
    void run_waiting();
    void launch_waiting();
    void finish_waiting();
    void set_signals(const std::set<Core>& cores, uint32_t signal);

    const uint32_t card_;
    Memory& memory_;
    Server& server_;
    LaunchGroup& group_;
    std::recursive_mutex& mutex_;
    std::set<Core> configured_, armed_, waiting_;
    std::string waiting_operation_;  // the operation that launched the last of them
    bool tables_sent_ = false;  // since the last launch
    std::vector<uint8_t> bank_tables_;
    bool workers_wait_ = false;
    std::deque<WorkerLaunch> posted_;
    std::exception_ptr posted_failure_;  // the first that collect_posted has not thrown
    // Keys of programs that ran. The server need not read their launch messages: it remembers twice as many.
    std::set<std::pair<uint64_t, uint64_t>> known_;

public:
    // The queues that kernels on dispatch cores serve.
    CommandQueues queues;
};

}  // namespace card
