// SPDX-License-Identifier: Apache-2.0
// The launches of all cards of a system.
//
// A single card runs its program as soon as it is complete (launches.h). Programs of several cards may wait for each
// other's packets, and tt-metal launches them from a thread per card. So they run together when the host begins to wait
// for any of them: every GO of the workload has arrived by then, with all that was written before it.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "fast_dispatch/posted_launches.h"
#include "server.h"

namespace card {

class Launches;

class LaunchGroup {
public:
    LaunchGroup(Server& server, uint32_t num_cards) : server_(server), runs_together_(num_cards > 1) {}

    bool runs_together() const { return runs_together_; }
    void add(Launches& card);
    void remove(Launches& card);
    // Runs the programs of all cards. names_operation: the operation that this thread executes launched them.
    void run(bool names_operation);
    // The operation that this thread executes ends: its programs run, with or without command queues.
    void finish_operation();

private:
    Server& server_;
    const bool runs_together_;
    std::vector<Launches*> cards_;

public:
    std::recursive_mutex mutex;  // of the launches of all cards
    PostedLaunches posted{server_};  // under fast dispatch
};

}  // namespace card
