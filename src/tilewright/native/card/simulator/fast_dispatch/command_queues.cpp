// SPDX-License-Identifier: Apache-2.0
#include "command_queues.h"

#include <algorithm>

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
            *workers_,
            *queue.banks,
            commands_,
            dispatch->defines,
            defines.word("DISPATCH_S_CB_LOG_PAGE_SIZE"));
        queue.prefetcher = std::make_unique<Prefetcher>(memory_, *queue.banks, *queue.dispatcher, commands_, defines);
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
    Prefetcher* posts = nullptr;
    bool frees = false;
    for (const Queue& queue : queues_) {
        const NocPlace prefetch = queue.prefetcher->core(), dispatch = queue.dispatcher->core();
        if (prefetch.x == x && prefetch.y == y && queue.prefetcher->is_fetch_queue(address, bytes)) {
            posts = queue.prefetcher.get();
        }
        frees |=
            dispatch.x == x && dispatch.y == y && address <= queue.read_pointer && queue.read_pointer < address + bytes;
    }
    if (is_executing_ || (posts == nullptr && !frees)) {
        return;
    }
    for (Queue& queue : queues_) {
        queue.dispatcher->set_posted_now(
            queue.prefetcher.get() == posts && queue.prefetcher->is_idle() && queue.dispatcher->is_idle());
    }
    const bool had_failed = failure_ != nullptr;
    is_executing_ = true;
    try {
        if (had_failed && posts != nullptr) {
            posts->discard_batch();  // the host takes it back when it gets the error
        }
        execute();
    } catch (...) {
        failure_ = failure_ ? failure_ : std::current_exception();
    }
    is_executing_ = false;
    // The host must learn how many workers a trace had before it can be interrupted: its next command gets the error.
    if (!had_failed && failure_ && is_trace_error(failure_)) {
        return;
    }
    if (posts != nullptr && failure_) {
        posts->repeat_entry(address);
        std::rethrow_exception(std::exchange(failure_, nullptr));
    }
}

void CommandQueues::execute() {
    for (bool moved = true; moved;) {
        moved = false;
        for (Queue& queue : queues_) {
            moved |= queue.dispatcher->run();
            while (queue.prefetcher->step()) {
                moved = true;
                queue.dispatcher->run();
            }
            if (std::exception_ptr failure = queue.dispatcher->take_failure(); failure && !failure_) {
                failure_ = failure;
            }
        }
    }
}

}  // namespace card
