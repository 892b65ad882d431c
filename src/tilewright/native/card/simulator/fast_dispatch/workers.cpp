// SPDX-License-Identifier: Apache-2.0
#include "workers.h"

#include <cstring>
#include <stdexcept>
#include <utility>

namespace card {

// A go word: which of its bytes say what.
static constexpr uint32_t kStreamByte = 0, kMasterXByte = 1, kMasterYByte = 2, kSignalByte = 3;

static uint8_t byte_of(uint32_t word, uint32_t index) { return static_cast<uint8_t>(word >> (8 * index)); }

Workers::Workers(Memory& memory, const Numbers& numbers, Run run, Finish finish) :
    memory_(memory), run_(std::move(run)), finish_(std::move(finish)) {
    const uint64_t mailbox = numbers.at("MEM_MAILBOX_BASE");
    const uint64_t config = numbers.at("launch_msg_t.kernel_config");
    go_words_ = mailbox + numbers.at("go_message");
    go_index_ = mailbox + numbers.at("mailboxes_t.go_message_index");
    read_pointer_ = mailbox + numbers.at("mailboxes_t.launch_msg_rd_ptr");
    launch_ = mailbox + numbers.at("mailboxes_t.launch");
    launch_bytes_ = numbers.at("launch_msg_t");
    num_launches_ = numbers.at("launch_msg_buffer_num_entries");
    mode_ = config + numbers.at("kernel_config_msg_t.mode");
    enables_ = config + numbers.at("kernel_config_msg_t.enables");
    enables_bytes_ = numbers.at("enables_bytes");
    host_id_ = config + numbers.at("kernel_config_msg_t.host_assigned_id");
    preload_ = config + numbers.at("kernel_config_msg_t.preload");
    mode_device_ = numbers.word("DISPATCH_MODE_DEV");
    go_ = static_cast<uint8_t>(numbers.at("RUN_MSG_GO"));
    done_ = static_cast<uint8_t>(numbers.at("RUN_MSG_DONE"));
    reset_ = static_cast<uint8_t>(numbers.at("RUN_MSG_RESET_READ_PTR"));
    replay_ = static_cast<uint8_t>(numbers.at("RUN_MSG_REPLAY_TRACE"));
}

uint32_t Workers::read_word(NocPlace worker, uint64_t address) {
    uint32_t word = 0;
    memory_.read(worker.x, worker.y, address, &word, sizeof(word));
    return word;
}

bool Workers::listens_to(NocPlace worker, uint32_t index) {
    const auto& nodes = memory_.nodes(worker.x, worker.y);
    return !nodes.empty() && nodes.front().kind == CardNodeKind::Worker && nodes.front().bytes != nullptr &&
           read_word(worker, go_index_) == index;
}

void Workers::add(Counts& counts, uint32_t go_word, uint32_t number) {
    const uint32_t core = key_of({byte_of(go_word, kMasterXByte), byte_of(go_word, kMasterYByte)});
    const uint32_t stream = byte_of(go_word, kStreamByte);
    counts[{core, stream}] += number;
    if (const auto other = also_.find(core); other != also_.end()) {
        counts[{other->second, stream}] += number;
    }
}

uint32_t Workers::completions(NocPlace dispatch_core, uint32_t stream) const {
    const auto found = completions_.find({key_of(dispatch_core), stream});
    return found == completions_.end() ? 0 : found->second;
}

uint32_t Workers::expected_completions(NocPlace dispatch_core, uint32_t stream) const {
    const auto found = left_.find({key_of(dispatch_core), stream});
    return completions(dispatch_core, stream) + (found == left_.end() ? 0 : found->second);
}

void Workers::clear_completions(NocPlace dispatch_core, uint32_t stream) {
    completions_[{key_of(dispatch_core), stream}] = 0;
}

void Workers::clear_completions(NocPlace dispatch_core) {
    std::erase_if(completions_, [&](const auto& each) { return each.first.first == key_of(dispatch_core); });
}

void Workers::reset_pointer(NocPlace worker) {
    const uint32_t zero = 0;
    memory_.write(worker.x, worker.y, read_pointer_, &zero, sizeof(zero));
}

// Takes the message under the read pointer; whether the worker reports completion.
bool Workers::take_launch(NocPlace worker, std::vector<LaunchedCore>& launched) {
    const uint32_t pointer = read_word(worker, read_pointer_);
    const uint64_t message = launch_ + pointer % num_launches_ * launch_bytes_;
    uint8_t mode = 0;
    uint32_t enables = 0;
    memory_.read(worker.x, worker.y, message + mode_, &mode, 1);
    memory_.read(worker.x, worker.y, message + enables_, &enables, enables_bytes_);
    if (enables != 0) {
        launched.push_back({0, worker.x, worker.y, static_cast<uint32_t>(message), 0});
    }
    return mode == mode_device_;
}

void Workers::send_go(const NocRectangle& rectangle, uint32_t index, uint32_t word, const Origin& origin) {
    const uint8_t signal = byte_of(word, kSignalByte);
    std::vector<LaunchedCore> launched;
    std::vector<NocPlace> reporting;
    for (uint32_t y = rectangle.first.y; y <= rectangle.last.y; y++) {
        for (uint32_t x = rectangle.first.x; x <= rectangle.last.x; x++) {
            const NocPlace worker{x, y};
            memory_.write(x, y, go_words_ + 4ull * index, &word, sizeof(word));
            if (!listens_to(worker, index)) {
                continue;
            }
            if (signal == go_) {
                if (take_launch(worker, launched)) {
                    reporting.push_back(worker);
                }
            } else if (signal == reset_ || signal == replay_) {
                reset_pointer(worker);
                count_completion(word);
            }
            memory_.write(x, y, go_words_ + 4ull * index + kSignalByte, &done_, 1);
        }
    }
    if (signal != go_) {
        return;
    }
    const auto count = static_cast<uint32_t>(reporting.size());
    const auto complete = [this, count, word] {
        add(left_, word, 0u - count);
        add(completions_, word, count);
    };
    const auto leave = [this, reporting = std::move(reporting), count, word](bool advances) {
        for (const NocPlace& each : reporting) {
            leave_launch(each, advances);
        }
        add(left_, word, count);
    };
    uint32_t number = 0;
    if (!launched.empty()) {
        const LaunchedCore first = launched.front();
        number = read_word({first.x, first.y}, first.launch_address + host_id_);
    }
    run_({std::move(launched), number, origin, leave, complete});
}

void Workers::leave_launch(NocPlace worker, bool advances) {
    const uint32_t pointer = read_word(worker, read_pointer_);
    const uint64_t message = launch_ + pointer % num_launches_ * launch_bytes_;
    const uint32_t zero = 0;
    memory_.write(worker.x, worker.y, message + enables_, &zero, enables_bytes_);
    memory_.write(worker.x, worker.y, message + preload_, &zero, 1);
    if (advances) {
        const auto next = static_cast<uint32_t>((pointer + 1) % num_launches_);
        memory_.write(worker.x, worker.y, read_pointer_, &next, sizeof(next));
    }
}

}  // namespace card
