// SPDX-License-Identifier: Apache-2.0
#include "command_queues.h"

#include <algorithm>

#include "posted_launches.h"

namespace card {

static bool is_at(const Numbers& defines, NumberName x, NumberName y, const Numbers& other) {
    return defines.at(x) == other.at("MY_NOC_X") && defines.at(y) == other.at("MY_NOC_Y");
}

static bool is_trace_error(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const LaunchError& error) {
        return error.in_trace;
    } catch (...) {
        return false;
    }
}

CommandQueues::CommandQueues(
    uint32_t card,
    Memory& memory,
    const HostMemory& host,
    std::recursive_mutex& mutex,
    PostedLaunches* together,
    Workers::Run run,
    Workers::Finish finish,
    Workers::Collect collect) :
    card_(card),
    memory_(memory),
    host_(host),
    mutex_(mutex),
    together_(together),
    run_(std::move(run)),
    finish_(std::move(finish)),
    collect_(std::move(collect)) {
    if (together_ != nullptr) {
        const std::lock_guard lock(mutex_);
        together_->add(*this);
    }
}

CommandQueues::~CommandQueues() {
    if (together_ != nullptr) {
        const std::lock_guard lock(mutex_);
        together_->remove(*this);
    }
}

void CommandQueues::start(
    const Numbers& commands, std::vector<DispatchKernel> kernels, const std::vector<uint8_t>& bank_tables) {
    const std::lock_guard lock(mutex_);
    commands_ = commands;
    for (DispatchKernel& kernel : kernels) {
        if (kernel.name == "cq_prefetch" || kernel.name == "cq_dispatch") {
            started_.push_back(std::move(kernel));
        }
    }
    connect(bank_tables);
}

// Makes a queue of a prefetch kernel and the dispatch kernel that it feeds, in the order in which they were started.
void CommandQueues::connect(const std::vector<uint8_t>& bank_tables) {
    for (auto prefetch = started_.begin(); prefetch != started_.end(); ++prefetch) {
        const auto dispatch = std::find_if(started_.begin(), started_.end(), [&](const DispatchKernel& each) {
            return prefetch->name == "cq_prefetch" && each.name == "cq_dispatch" &&
                   is_at(prefetch->defines, "DOWNSTREAM_NOC_X", "DOWNSTREAM_NOC_Y", each.defines);
        });
        if (dispatch == started_.end() || prefetch->name != "cq_prefetch") {
            continue;
        }
        const Numbers& defines = prefetch->defines;
        if (!workers_) {
            workers_ = std::make_unique<Workers>(memory_, commands_, run_, finish_);
        }
        Queue queue;
        queue.banks = std::make_unique<Banks>(
            bank_tables,
            defines.word("NUM_DRAM_BANKS"),
            defines.word("NUM_L1_BANKS"),
            commands_.word("NOC_COORD_REG_OFFSET"),
            commands_.word("dram_alignment"));
        queue.dispatcher = std::make_unique<Dispatcher>(
            memory_,
            host_,
            *workers_,
            *queue.banks,
            commands_,
            dispatch->defines,
            defines.word("DISPATCH_S_CB_LOG_PAGE_SIZE"));
        queue.prefetcher =
            std::make_unique<Prefetcher>(memory_, host_, *queue.banks, *queue.dispatcher, commands_, defines);
        queue.read_pointer = dispatch->defines.at("DEV_COMPLETION_Q_RD_PTR");
        const NocPlace core = queue.prefetcher->core();
        std::erase_if(queues_, [&](const Queue& each) {
            return each.prefetcher->core().x == core.x && each.prefetcher->core().y == core.y;
        });
        queues_.push_back(std::move(queue));
        const DispatchKernel* pair[] = {&*prefetch, &*dispatch};
        std::erase_if(started_, [&](const DispatchKernel& each) { return &each == pair[0] || &each == pair[1]; });
        connect(bank_tables);
        return;
    }
}

void CommandQueues::after_write(uint32_t x, uint32_t y, uint64_t address, uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    Queue* posts = nullptr;
    bool frees = false;
    for (Queue& queue : queues_) {
        const NocPlace prefetch = queue.prefetcher->core(), dispatch = queue.dispatcher->core();
        if (prefetch.x == x && prefetch.y == y && queue.prefetcher->is_fetch_queue(address, bytes)) {
            posts = &queue;
        }
        frees |=
            dispatch.x == x && dispatch.y == y && address <= queue.read_pointer && queue.read_pointer < address + bytes;
    }
    if (is_executing_ || (posts == nullptr && !frees)) {
        return;
    }
    if (together_ != nullptr) {
        execute_together(posts, address);
    } else {
        execute_alone(posts, address);
    }
}

void CommandQueues::execute_alone(Queue* posts, uint64_t address) {
    const bool was_idle = posts != nullptr && posts->prefetcher->is_idle() && posts->dispatcher->is_idle();
    for (Queue& queue : queues_) {
        queue.dispatcher->set_posted_now(was_idle && &queue == posts);
    }
    const bool had_failed = failure_ != nullptr;
    if (posts != nullptr) {
        posts->prefetcher->take_posted(0);
    }
    if (posts != nullptr && had_failed) {
        posts->prefetcher->take_back(address);
    }
    try {
        execute();
    } catch (...) {
        failure_ = failure_ ? failure_ : std::current_exception();
    }
    // The host must learn how many workers a trace had before it can be interrupted: its next command gets the error.
    if (!had_failed && failure_ && is_trace_error(failure_)) {
        return;
    }
    if (posts != nullptr && failure_) {
        if (!had_failed) {
            posts->prefetcher->take_back(address);
        }
        std::rethrow_exception(std::exchange(failure_, nullptr));
    }
}

// An error is thrown when the host posts what it waits for; else it is told when the operation ends.
void CommandQueues::execute_together(Queue* posts, uint64_t address) {
    if (posts != nullptr) {
        posts->prefetcher->take_posted(together_->order_of_post(card_));
    }
    const bool waits = posts != nullptr && posts->prefetcher->host_waits();
    const bool had_failed = together_->has_failed();
    if (waits && had_failed) {
        posts->prefetcher->take_back(address);
        std::rethrow_exception(together_->take_failure());
    }
    execute();
    together_->run_while_host_waits(waits ? posts->dispatcher.get() : nullptr);
    if (waits && together_->has_failed()) {
        posts->prefetcher->take_back(address);
        std::rethrow_exception(together_->take_failure());
    }
}

bool CommandQueues::host_waits() const {
    return std::any_of(
        queues_.begin(), queues_.end(), [](const Queue& queue) { return queue.prefetcher->host_waits(); });
}

bool CommandQueues::are_open() const {
    const std::lock_guard lock(mutex_);
    return std::any_of(
        queues_.begin(), queues_.end(), [](const Queue& queue) { return !queue.prefetcher->is_terminated(); });
}

void CommandQueues::execute() {
    if (is_executing_) {
        return;
    }
    is_executing_ = true;
    try {
        execute_queues();
    } catch (...) {
        while (collect()) {
        }
        is_executing_ = false;
        throw;
    }
    is_executing_ = false;
}

bool CommandQueues::collect() {
    try {
        return collect_();
    } catch (...) {
        note_failure(std::current_exception());
        return true;
    }
}

void CommandQueues::note_failure(const std::exception_ptr& failure) {
    if (together_ != nullptr) {
        together_->note_failure(failure);
    } else if (!failure_) {
        failure_ = failure;
    }
}

// The prefetcher goes on when the dispatchers have executed what it relayed before. No program runs any more when the
// host goes on.
void CommandQueues::execute_queues() {
    for (bool moved = true; moved;) {
        moved = false;
        for (Queue& queue : queues_) {
            moved |= queue.dispatcher->run();
            while (queue.dispatcher->is_idle() && queue.prefetcher->step()) {
                moved = true;
                queue.dispatcher->run();
            }
            if (std::exception_ptr failure = queue.dispatcher->take_failure()) {
                note_failure(failure);
            }
        }
        moved = moved || collect();
    }
}

}  // namespace card
