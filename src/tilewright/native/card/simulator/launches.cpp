// SPDX-License-Identifier: Apache-2.0
#include "launches.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host_python.h"

namespace card {

static bool overlaps(uint64_t address, uint64_t bytes, uint64_t begin, uint64_t end) {
    return address < end && address + bytes > begin;
}

Launches::Launches(uint32_t card, Memory& memory, const HostMemory& host, Server& server, LaunchGroup& group) :
    card_(card),
    memory_(memory),
    server_(server),
    group_(group),
    mutex_(group.mutex),
    queues(
        card,
        memory,
        host,
        group.mutex,
        group.runs_together() ? &group.posted : nullptr,
        [this](WorkerLaunch launch) { run_workers(std::move(launch)); },
        [this] { finish_workers(); },
        [this] { return collect_posted(); }) {
    group.add(*this);
}

const Memory::Mapped* Launches::with_go_word(uint32_t x, uint32_t y, uint64_t address, uint64_t bytes) const {
    for (const Memory::Mapped& node : memory_.nodes(x, y)) {
        if (node.go_address != 0 && overlaps(address, bytes, node.go_address, node.go_address + 4)) {
            return &node;
        }
    }
    return nullptr;
}

void Launches::after_write(uint32_t x, uint32_t y, uint64_t address, uint64_t bytes) {
    const CardGreeting& known = server_.greeting;
    if (overlaps(address, bytes, known.config_begin, known.config_end)) {
        for (const Memory::Mapped& node : memory_.nodes(x, y)) {
            if (node.kind == CardNodeKind::Worker && node.bytes != nullptr) {
                const std::lock_guard lock(mutex_);
                configured_.insert({x, y});
            }
        }
    }
    if (const Memory::Mapped* node = with_go_word(x, y, address, bytes)) {
        const std::lock_guard lock(mutex_);
        take_signal(*node, {x, y});
    }
}

void Launches::before_read(uint32_t x, uint32_t y, uint64_t address, uint64_t bytes) {
    if (with_go_word(x, y, address, bytes) == nullptr) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (armed_.count({x, y}) != 0) {
        if (group_.runs_together()) {
            group_.run(false);
        } else {
            run();
        }
    }
    if (waiting_.count({x, y}) != 0) {
        run_waiting();
    }
}

// Acts on a go word as firmware would.
void Launches::take_signal(const Memory::Mapped& node, Core core) {
    const GoSignals& signals = server_.greeting.signals;
    uint8_t signal = 0;
    memory_.read(core.first, core.second, node.go_address + signals.byte, &signal, 1);
    if (signal == signals.init || signal == signals.reset_read_pointer ||
        signal == signals.reset_read_pointer_from_host) {
        if (signal == signals.init && node.bytes != nullptr) {
            send_bank_tables(core);
        }
        set_signal(node, core, signals.done);
        armed_.erase(core);
        configured_.erase(core);  // writes up to now were the firmware's
        if (waiting_.count(core) != 0) {
            run_waiting();
        }
    } else if (signal == signals.go && node.kind == CardNodeKind::Ethernet) {
        start_ethernet_core(node, core);
    } else if (signal == signals.go) {
        if (node.bytes == nullptr) {
            set_signal(node, core, signals.done);
            start_dispatch_core(core);
            return;
        }
        armed_.insert(core);
        // A core may have been configured for a launch that never came.
        if (armed_.size() >= configured_.size() && !group_.runs_together()) {
            run();
        }
    }
}

// Firmware copies the tables when it starts; programs are then configured over them. They are the same on all cores, so
// those of the first core after a launch suffice.
void Launches::send_bank_tables(Core core) {
    if (!tables_sent_) {
        std::vector<uint8_t> tables(server_.greeting.bank_tables_bytes);
        memory_.read(core.first, core.second, server_.greeting.bank_tables, tables.data(), tables.size());
        server_.send_bank_tables(tables);
        bank_tables_ = std::move(tables);
        tables_sent_ = true;
    }
}

void Launches::set_signal(const Memory::Mapped& node, Core core, uint32_t signal) {
    const auto byte = static_cast<uint8_t>(signal);
    memory_.write(core.first, core.second, node.go_address + server_.greeting.signals.byte, &byte, 1);
}

void Launches::set_signals(const std::set<Core>& cores, uint32_t signal) {
    for (const Core& core : cores) {
        set_signal(memory_.nodes(core.first, core.second).front(), core, signal);
    }
}

// Kernels of the ethernet cores are not run: the server models the routers of the fabric, and here is done what such a
// kernel does for the host. Others serve command queues.
void Launches::start_ethernet_core(const Memory::Mapped& node, Core core) {
    constexpr uint64_t kEthernetL1 = 512ull << 10;
    std::vector<uint8_t> l1(kEthernetL1);
    memory_.read(core.first, core.second, 0, l1.data(), l1.size());
    Server::EthernetCore started;
    try {
        started = server_.start_ethernet_core(card_, core.first, core.second, node.go_address, l1);
    } catch (...) {
        set_signal(node, core, server_.greeting.signals.done);  // ttnn waits for it when it closes the device
        throw;
    }
    for (const auto& [address, value] : started.words) {
        memory_.write(core.first, core.second, address, &value, sizeof(value));
    }
    if (!started.dispatch_kernels.empty()) {
        set_signal(node, core, server_.greeting.signals.done);
        start_queues(core, started.dispatch_kernels);
    }
}

// Kernels of the dispatch cores are not run: their commands are executed here (fast_dispatch/).
void Launches::start_dispatch_core(Core core) {
    constexpr uint64_t kConfigured = 256ull << 10;  // enough for the launch message and the names of its kernels
    std::vector<uint8_t> l1(kConfigured);
    memory_.read(core.first, core.second, 0, l1.data(), l1.size());
    start_queues(core, server_.describe_dispatch_core(l1));
}

void Launches::start_queues(Core core, const std::string& described) {
    Numbers commands;
    std::vector<DispatchKernel> kernels;
    std::istringstream lines(described);
    for (std::string name, value; lines >> name >> value;) {
        if (name == "kernel") {
            kernels.push_back({value, {}});
        } else {
            (kernels.empty() ? commands : kernels.back().defines).set(name, std::stoull(value));
        }
    }
    const bool serves_queues = std::all_of(
        kernels.begin(), kernels.end(), [](const DispatchKernel& kernel) { return kernel.name.starts_with("cq_"); });
    if (kernels.empty() || !serves_queues) {
        throw std::runtime_error(
            "tilewright: a kernel was launched on core " + std::to_string(core.first) + "-" +
            std::to_string(core.second) + ", which is outside the grid of the simulated card");
    }
    queues.start(commands, std::move(kernels), bank_tables_);
}

void Launches::run_workers(WorkerLaunch launch) {
    const std::lock_guard lock(mutex_);
    for (LaunchedCore& core : launch.cores) {
        core.card = card_;
    }
    if (group_.runs_together()) {
        group_.posted.post(memory_, std::move(launch));
        return;
    }
    if (launch.cores.empty()) {
        launch.finish(true);
        throw std::runtime_error(
            "tilewright: a go signal reached no core with a kernel; after an error inside a trace the device must be "
            "closed and opened again");
    }
    LaunchKey key;
    for (LaunchedCore& core : launch.cores) {
        key.add(memory_, server_.greeting.launch, core);
    }
    const LaunchRequest request = key.request();
    if (can_post(launch, request)) {
        post(request, std::move(launch));
        return;
    }
    take_all_posted();
    Server::Outcome outcome{};
    try {
        outcome = server_.launch(request, launch.cores, true, launch.number);
    } catch (const std::runtime_error& error) {
        launch.finish(launch.origin.in_trace);
        throw LaunchError(error.what(), launch.number, launch.origin.in_trace);
    }
    launch.finish(true);
    take_outcome(outcome);
    if (outcome == Server::Outcome::AllDone) {
        note_known(request);
    }
}

void Launches::take_outcome(Server::Outcome outcome) {
    workers_wait_ = outcome != Server::Outcome::AllDone;
    if (outcome == Server::Outcome::Waiting) {
        waiting_operation_ = current_operation();
    }
}

bool Launches::can_post(const WorkerLaunch& launch, const LaunchRequest& request) const {
    return launch.origin.in_trace && !server_.wants_operations() && !workers_wait_ &&
           known_.count({request.key_low, request.key_high}) != 0;
}

void Launches::note_known(const LaunchRequest& request) {
    constexpr size_t kMostKnown = 512;
    if (known_.size() == kMostKnown) {
        known_.clear();
    }
    known_.insert({request.key_low, request.key_high});
}

// So few that neither the library nor the server ever waits for room in their socket.
void Launches::post(const LaunchRequest& request, WorkerLaunch launch) {
    constexpr size_t kMostPosted = 16;
    if (posted_.size() == kMostPosted) {
        take_all_posted();
    }
    server_.post(request, launch.cores);
    launch.leave(true);
    posted_.push_back(std::move(launch));
}

void Launches::take_posted() {
    const WorkerLaunch launch = std::move(posted_.front());
    posted_.pop_front();
    try {
        take_outcome(server_.finish_posted());
    } catch (const std::runtime_error& error) {
        const LaunchError failure(error.what(), launch.number, launch.origin.in_trace);
        posted_failure_ = posted_failure_ ? posted_failure_ : std::make_exception_ptr(failure);
    }
    launch.complete();
}

void Launches::take_all_posted() {
    while (!posted_.empty()) {
        take_posted();
    }
}

bool Launches::collect_posted() {
    const std::lock_guard lock(mutex_);
    if (posted_failure_) {
        std::rethrow_exception(std::exchange(posted_failure_, nullptr));
    }
    if (posted_.empty()) {
        return false;
    }
    take_posted();
    return true;
}

void Launches::finish_workers() {
    const std::lock_guard lock(mutex_);
    take_all_posted();
    if (std::exchange(workers_wait_, false)) {
        launch_waiting();
    }
}

// Without command queues the host writes every launch message to the first place of the ring.
void Launches::take_armed(LaunchKey& key, std::vector<LaunchedCore>& cores) {
    set_signals(armed_, server_.greeting.signals.done);
    for (const auto& [x, y] : std::exchange(armed_, {})) {
        cores.push_back({card_, x, y, 0, 0});
        key.add(memory_, server_.greeting.launch, cores.back());
    }
    configured_.clear();
    tables_sent_ = false;
}

void Launches::run() {
    const std::set<Core> cores = armed_;
    std::vector<LaunchedCore> launched;
    LaunchKey key;
    take_armed(key, launched);
    Server::Outcome outcome{};
    try {
        outcome = server_.launch(key.request(), launched);
    } catch (...) {
        finish_waiting();
        throw;
    }
    if (outcome == Server::Outcome::Waiting && waits_for_each_program()) {
        finish_waiting();
        server_.launch_waiting();
    } else if (outcome == Server::Outcome::Waiting) {
        set_signals(cores, server_.greeting.signals.go);
        waiting_.insert(cores.begin(), cores.end());
        waiting_operation_ = current_operation();
    } else if (outcome == Server::Outcome::AllDone) {
        finish_waiting();
    }
}

void Launches::run_waiting() {
    finish_waiting();
    launch_waiting();
}

void Launches::launch_waiting() {
    try {
        server_.launch_waiting();
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(
            waiting_operation_ + (waiting_operation_.empty() ? "" : ", ") + "launched before: " + error.what());
    }
}

void Launches::finish_waiting() { set_signals(std::exchange(waiting_, {}), server_.greeting.signals.done); }

}  // namespace card
