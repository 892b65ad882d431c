// SPDX-License-Identifier: Apache-2.0
#include "posted_launches.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <tuple>

#include "card/simulator/launch_key.h"
#include "command_queues.h"

namespace card {

static LaunchError failure_of(const WorkerLaunch& launch, const std::runtime_error& error) {
    return {error.what(), launch.number, launch.origin.in_trace};
}

uint64_t PostedLaunches::order_of_post(uint32_t card) {
    if (!posted_to_.insert(card).second) {
        order_++;
        posted_to_ = {card};
    }
    return order_;
}

void PostedLaunches::post(const Memory& memory, WorkerLaunch launch) {
    if (launch.cores.empty()) {
        has_idle_card_ = true;
        launch.finish(true);
        return;
    }
    has_program_ = true;
    posted_.push_back({&memory, std::move(launch)});
}

bool PostedLaunches::host_waits() const {
    return std::any_of(queues_.begin(), queues_.end(), [](const CommandQueues* each) { return each->host_waits(); });
}

void PostedLaunches::execute() {
    for (CommandQueues* each : queues_) {
        each->execute();
    }
}

void PostedLaunches::finish_operation() {
    execute();
    while (run_next()) {
        execute();
    }
    if (has_idle_card_ && !has_program_) {
        note_failure(
            std::make_exception_ptr(
                std::runtime_error(
                    "tilewright: go signals reached no core with a kernel on any chip; call quiesce_devices() of the "
                    "mesh before "
                    "a submesh is used after it or before it is used after a submesh, and close the mesh after an "
                    "error inside "
                    "a trace")));
    }
    has_idle_card_ = has_program_ = false;
}

void PostedLaunches::run_while_host_waits(Dispatcher* posting) {
    while (host_waits() && (run_next() || run_waiting())) {
        if (posting != nullptr) {
            posting->set_drops_host_writes(has_failed());
        }
        execute();
    }
    if (posting != nullptr) {
        posting->set_drops_host_writes(false);
    }
}

// Operations of a trace have numbers of their capture: of batches at one place of the order it comes last.
std::vector<PostedLaunches::Posted> PostedLaunches::take_first() {
    const auto key = [](const Posted& each) {
        return std::make_tuple(each.launch.origin.order, each.launch.origin.in_trace, each.launch.number);
    };
    const auto first = std::min_element(
        posted_.begin(), posted_.end(), [&](const Posted& a, const Posted& b) { return key(a) < key(b); });
    const uint32_t number = first->launch.number;
    const bool in_trace = first->launch.origin.in_trace;
    const auto rest = std::stable_partition(posted_.begin(), posted_.end(), [&](const Posted& each) {
        return each.launch.number == number && each.launch.origin.in_trace == in_trace;
    });
    std::vector<Posted> taken(std::make_move_iterator(posted_.begin()), std::make_move_iterator(rest));
    posted_.erase(posted_.begin(), rest);
    return taken;
}

bool PostedLaunches::run_next() {
    if (posted_.empty()) {
        return false;
    }
    run(take_first());
    return true;
}

void PostedLaunches::run(std::vector<Posted> launches) {
    LaunchKey key;
    std::vector<LaunchedCore> cores;
    for (Posted& each : launches) {
        for (LaunchedCore& core : each.launch.cores) {
            key.add(*each.memory, server_.greeting.launch, core);
            cores.push_back(core);
        }
    }
    Server::Outcome outcome = Server::Outcome::AllDone;
    try {
        outcome = server_.launch(key.request(), cores, true, launches.front().launch.number);
    } catch (const std::runtime_error& error) {
        note_failure(std::make_exception_ptr(failure_of(launches.front().launch, error)));
    }
    if (outcome == Server::Outcome::Waiting) {
        std::move(launches.begin(), launches.end(), std::back_inserter(waiting_));
        return;
    }
    finish(std::move(launches));
    if (outcome == Server::Outcome::AllDone) {
        finish(std::exchange(waiting_, {}));
    }
}

bool PostedLaunches::run_waiting() {
    if (waiting_.empty()) {
        return false;
    }
    std::vector<Posted> launches = std::exchange(waiting_, {});
    try {
        server_.launch(LaunchRequest{}, {}, true, launches.front().launch.number);
    } catch (const std::runtime_error& error) {
        note_failure(std::make_exception_ptr(failure_of(launches.front().launch, error)));
    }
    finish(std::move(launches));
    return true;
}

void PostedLaunches::finish(std::vector<Posted> launches) {
    for (const Posted& each : launches) {
        each.launch.finish(true);
    }
}

}  // namespace card
