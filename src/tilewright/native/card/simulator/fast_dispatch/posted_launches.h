// SPDX-License-Identifier: Apache-2.0
// Programs of several cards that dispatchers told to go. They may wait for each other's packets, so that none runs before
// the programs of the other cards are there, too. Their workers have completed nothing until then, so that each queue
// stops at the next command that waits for them.
//
// The programs of one workload have the number of one device operation. They run together when the host's call of the
// operation ends, or when the host waits: it has then posted a batch that writes to the host and is not executed yet.
// Of several workloads the one that was posted first runs first: no program of it can be behind one of another workload
// in a queue. The server lets programs with sockets wait for those at the other end (_card/server.py).
#pragma once

#include <cstdint>
#include <exception>
#include <set>
#include <utility>
#include <vector>

#include "card/simulator/memory.h"
#include "card/simulator/server.h"
#include "dispatcher.h"
#include "workers.h"

namespace card {

class CommandQueues;

class PostedLaunches {
public:
    explicit PostedLaunches(Server& server) : server_(server) {}

    void add(CommandQueues& queues) { queues_.push_back(&queues); }
    void remove(CommandQueues& queues) { std::erase(queues_, &queues); }

    // Notes that the host posts a batch to a card; its place in the order of batches. Batches that the host posts to
    // different cards one after another have the same place.
    uint64_t order_of_post(uint32_t card);
    void post(const Memory& memory, WorkerLaunch launch);
    // Runs programs and executes commands behind them: all that can run, or as long as the host waits. `posting` is the
    // dispatcher of the batch that the host takes back if there is an error.
    void finish_operation();
    void run_while_host_waits(Dispatcher* posting);
    // Only the first error since the last take_failure is kept.
    void note_failure(const std::exception_ptr& failure) { failure_ = failure_ ? failure_ : failure; }
    std::exception_ptr take_failure() { return std::exchange(failure_, nullptr); }
    bool has_failed() const { return failure_ != nullptr; }

private:
    struct Posted {
        const Memory* memory;
        WorkerLaunch launch;
    };

    bool host_waits() const;
    void execute();
    // Runs the workload that was posted first; false: there is none.
    bool run_next();
    std::vector<Posted> take_first();
    void run(std::vector<Posted> launches);
    bool run_waiting();
    static void finish(std::vector<Posted> launches);

    Server& server_;
    std::vector<CommandQueues*> queues_;
    std::vector<Posted> posted_;
    std::vector<Posted> waiting_;  // in the server, for programs at the other end of global circular buffers or sockets
    std::set<uint32_t> posted_to_;  // cards, in the present place of the order
    uint64_t order_ = 0;
    bool has_idle_card_ = false, has_program_ = false;  // of go signals since the last operation
    std::exception_ptr failure_;
};

}  // namespace card
