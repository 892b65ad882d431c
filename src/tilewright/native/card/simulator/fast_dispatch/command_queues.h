// SPDX-License-Identifier: Apache-2.0
// The command queues of a card. A queue exists from the GO that starts its prefetch and dispatch kernels until the GO
// that starts them again. Each write of the host to a fetch queue, or of a completion queue's read pointer, executes what
// can be executed; a command that waits for the other queue or for room in the completion queue is taken up then.
//
// Programs of several cards run together, and later (posted_launches.h).
//
// Errors of a program are thrown to the thread that posts commands, at the call that ran it if the queue did not have to
// wait, else at the next write to a fetch queue. An error in a trace is always thrown at the next one.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "banks.h"
#include "card/simulator/memory.h"
#include "dispatcher.h"
#include "host_memory.h"
#include "numbers.h"
#include "prefetcher.h"
#include "workers.h"

namespace card {

class PostedLaunches;

// A kernel on a dispatch core: its file's name without ending, and its defines.
struct DispatchKernel {
    std::string name;
    Numbers defines;
};

class CommandQueues {
public:
    // `finish` runs programs that still wait for others, `collect` waits for posted ones. `together`: the programs of all cards, if there are several.
    CommandQueues(
        uint32_t card,
        Memory& memory,
        const HostMemory& host,
        std::recursive_mutex& mutex,
        PostedLaunches* together,
        Workers::Run run,
        Workers::Finish finish,
        Workers::Collect collect);
    ~CommandQueues();
    CommandQueues(const CommandQueues&) = delete;
    CommandQueues& operator=(const CommandQueues&) = delete;

    // Starts kernels on a dispatch core. `bank_tables` are those of the workers' firmware.
    void start(const Numbers& commands, std::vector<DispatchKernel> kernels, const std::vector<uint8_t>& bank_tables);
    // After the host wrote there.
    void after_write(uint32_t x, uint32_t y, uint64_t address, uint64_t bytes);
    // Executes commands until every queue is empty or waits.
    void execute();
    // Whether the host waits for something that a queue has still to write to it.
    bool host_waits() const;
    // Whether the host has a queue that it has not terminated.
    bool are_open() const;

private:
    struct Queue {
        std::unique_ptr<Banks> banks;
        std::unique_ptr<Dispatcher> dispatcher;
        std::unique_ptr<Prefetcher> prefetcher;
        uint64_t read_pointer;  // of the completion queue, on the dispatch core
    };

    void connect(const std::vector<uint8_t>& bank_tables);
    // Executes what can be executed after the host posted to a queue, or freed room in a completion queue.
    void execute_alone(Queue* posts, uint64_t address);
    void execute_together(Queue* posts, uint64_t address);
    void execute_queues();
    bool collect();
    void note_failure(const std::exception_ptr& failure);

    const uint32_t card_;
    Memory& memory_;
    const HostMemory& host_;
    std::recursive_mutex& mutex_;
    PostedLaunches* together_;
    Workers::Run run_;
    Workers::Finish finish_;
    Workers::Collect collect_;
    bool is_executing_ = false;
    Numbers commands_;
    std::unique_ptr<Workers> workers_;
    std::vector<DispatchKernel> started_;  // not connected to a queue yet
    std::vector<Queue> queues_;
    std::exception_ptr failure_;
};

}  // namespace card
