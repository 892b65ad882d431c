// SPDX-License-Identifier: Apache-2.0
#include "dispatcher.h"

#include <cstring>
#include <stdexcept>
#include <string>

namespace card {

static constexpr uint64_t kAlignment = 16;  // of what follows a list of sub-commands
static constexpr uint32_t kStreamBits = 17;  // completion counters wrap there

static uint64_t aligned(uint64_t bytes, uint64_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

static uint64_t number_at(const uint8_t* at, uint32_t bytes) {
    uint64_t value = 0;
    std::memcpy(&value, at, bytes);
    return value;
}

Dispatcher::Dispatcher(
    Memory& memory,
    const HostMemory& host,
    Workers& workers,
    const Banks& banks,
    const Numbers& commands,
    const Numbers& defines,
    uint32_t log_subordinate_page_bytes) :
    memory_(memory),
    host_(host),
    workers_(workers),
    banks_(banks),
    commands_(commands),
    core_{defines.word("MY_NOC_X"), defines.word("MY_NOC_Y")},
    subordinate_core_(core_),
    pcie_{defines.word("PCIE_NOC_X"), defines.word("PCIE_NOC_Y")},
    shift_(commands.word("NOC_COORD_REG_OFFSET")),
    first_stream_(defines.word("FIRST_STREAM_USED")),
    worker_grid_(defines.word("WORKER_MCAST_GRID")),
    header_bytes_(commands.at("CQDispatchCmd")),
    large_header_bytes_(commands.at("CQDispatchCmdLarge")),
    main_(defines.word("DISPATCH_CB_LOG_PAGE_SIZE")),
    subordinate_(log_subordinate_page_bytes),
    completion_queue_(memory, host, defines, core_) {
    if (defines.has("DISTRIBUTED_DISPATCHER") && defines.at("DISTRIBUTED_DISPATCHER") != 0) {
        subordinate_core_ = {
            defines.word("DOWNSTREAM_SUBORDINATE_NOC_X"), defines.word("DOWNSTREAM_SUBORDINATE_NOC_Y")};
        workers.count_also_on(subordinate_core_, core_);
    }
    // As the kernels do when they start. What an earlier opening counted would let commands through that must wait.
    workers.clear_completions(core_);
    workers.clear_completions(subordinate_core_);
}

uint64_t Dispatcher::field(const uint8_t* command, NumberName name, uint32_t bytes) const {
    return number_at(command + commands_.at(name), bytes);
}

void Dispatcher::refuse(const char* dispatcher, uint8_t command) const {
    throw std::runtime_error(
        std::string("tilewright: ") + dispatcher + " command " + std::to_string(command) +
        " of this release of tt-metal is not simulated; use --dispatch slow");
}

bool Dispatcher::run() {
    bool any = false;
    for (bool moved = true; moved;) {
        moved = false;
        if (main_.has_command()) {
            if (const uint64_t bytes = execute_main(main_.command())) {
                main_.advance(bytes);
                moved = any = true;
            }
        }
        if (subordinate_.has_command()) {
            if (const uint64_t bytes = execute_subordinate(subordinate_.command())) {
                subordinate_.advance(bytes);
                moved = any = true;
            }
        }
    }
    return any;
}

// A command of earlier releases: the cores that get go signals one by one, which are ethernet cores and run nothing.
bool Dispatcher::is_unicast_targets(const uint8_t* command) const {
    return commands_.has("CQ_DISPATCH_SET_GO_SIGNAL_NOC_DATA") &&
           command[0] == commands_.at("CQ_DISPATCH_SET_GO_SIGNAL_NOC_DATA");
}

uint64_t Dispatcher::execute_main(const uint8_t* command) {
    const auto is = [&](NumberName name) { return command[0] == commands_.at(name); };
    if (is("CQ_DISPATCH_CMD_WRITE_LINEAR") || is("CQ_DISPATCH_CMD_WRITE_LINEAR_H")) {
        return write_linear(command);
    }
    if (is("CQ_DISPATCH_CMD_WRITE_LINEAR_H_HOST")) {
        return write_to_host(command);
    }
    if (is("CQ_DISPATCH_CMD_WRITE_PAGED")) {
        return write_paged(command);
    }
    if (is("CQ_DISPATCH_CMD_WRITE_PACKED")) {
        return write_packed(command);
    }
    if (is("CQ_DISPATCH_CMD_WRITE_PACKED_LARGE")) {
        return write_packed_large(command);
    }
    if (is("CQ_DISPATCH_CMD_WRITE_PACKED_LARGE_UNICAST")) {
        return write_packed_large_unicast(command);
    }
    if (is("CQ_DISPATCH_CMD_WAIT")) {
        return wait(command, core_);
    }
    if (is("CQ_DISPATCH_CMD_SEND_GO_SIGNAL")) {
        return send_go(command, false);
    }
    if (is("CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL")) {
        notify_subordinate(command);
        return header_bytes_;
    }
    if (is("CQ_DISPATCH_CMD_SET_WRITE_OFFSET")) {
        return set_write_offsets(command);
    }
    if (is_unicast_targets(command)) {
        return header_bytes_ + 4 * field(command, "CQDispatchCmd.set_go_signal_noc_data.num_words", 4);
    }
    if (is("CQ_DISPATCH_SET_SUB_DEVICE_WORKER_COUNTS")) {
        return header_bytes_ + 4 * field(command, "CQDispatchCmd.set_sub_device_worker_counts.num_sub_devices", 4);
    }
    if (is("CQ_DISPATCH_CMD_EXEC_BUF_END") || is("CQ_DISPATCH_CMD_DELAY") || is("CQ_DISPATCH_CMD_SINK") ||
        is("CQ_DISPATCH_CMD_TERMINATE")) {
        return header_bytes_;
    }
    refuse("dispatch", command[0]);
}

uint64_t Dispatcher::execute_subordinate(const uint8_t* command) {
    const auto is = [&](NumberName name) { return command[0] == commands_.at(name); };
    if (is("CQ_DISPATCH_CMD_SEND_GO_SIGNAL")) {
        return send_go(command, true);
    }
    if (is("CQ_DISPATCH_CMD_WAIT")) {
        return wait(command, subordinate_core_);
    }
    if (is("CQ_DISPATCH_CMD_RT_PROFILER_FLUSH")) {
        const auto stream = static_cast<uint32_t>(field(command, "CQDispatchCmd.rt_profiler_flush.wait_stream", 4));
        const auto count = static_cast<uint32_t>(field(command, "CQDispatchCmd.rt_profiler_flush.wait_count", 4));
        return workers_completed(subordinate_core_, stream, count) ? header_bytes_ : 0;
    }
    if (is_unicast_targets(command)) {
        return header_bytes_ + 4 * field(command, "CQDispatchCmd.set_go_signal_noc_data.num_words", 4);
    }
    if (is("CQ_DISPATCH_SET_NUM_WORKER_SEMS") || is("CQ_DISPATCH_SET_SUB_DEVICE_WORKER_COUNTS") ||
        is("CQ_DISPATCH_CMD_TERMINATE")) {
        return header_bytes_;
    }
    refuse("subordinate dispatch", command[0]);
}

void Dispatcher::write_to(uint32_t encoded, bool multicast, uint64_t address, const uint8_t* data, uint64_t bytes) {
    const NocPlace place = decode_place(encoded, shift_);
    if (!multicast && place.x == pcie_.x && place.y == pcie_.y) {
        host_.write(address, data, bytes);
        return;
    }
    const NocRectangle cores = multicast ? decode_rectangle(encoded, shift_) : NocRectangle{place, place};
    for (uint32_t y = cores.first.y; y <= cores.last.y; y++) {
        for (uint32_t x = cores.first.x; x <= cores.last.x; x++) {
            memory_.write(x, y, address, data, bytes);
        }
    }
}

uint64_t Dispatcher::write_linear(const uint8_t* command) {
    const auto place = static_cast<uint32_t>(field(command, "CQDispatchCmdLarge.write_linear.noc_xy_addr", 4));
    const bool multicast = field(command, "CQDispatchCmdLarge.write_linear.num_mcast_dests", 1) != 0;
    const uint64_t index = field(command, "CQDispatchCmdLarge.write_linear.write_offset_index", 1);
    const uint64_t address = field(command, "CQDispatchCmdLarge.write_linear.addr", 8) + write_offsets_.at(index);
    const uint64_t bytes = field(command, "CQDispatchCmdLarge.write_linear.length", 8);
    write_to(place, multicast, address, command + large_header_bytes_, bytes);
    return large_header_bytes_ + bytes;
}

// The command itself goes to the host, too: its length counts it.
uint64_t Dispatcher::write_to_host(const uint8_t* command) {
    const uint64_t bytes = field(command, "CQDispatchCmd.write_linear_host.length", 8);
    try {
        workers_.finish();
    } catch (...) {
        failure_ = failure_ ? failure_ : std::current_exception();
        if (posted_now_) {
            return bytes;  // the host gets the error and does not wait for this
        }
    }
    if (drops_host_writes_) {
        return bytes;
    }
    host_bytes_written_ += completion_queue_.write(command + host_bytes_written_, bytes - host_bytes_written_);
    if (host_bytes_written_ < bytes) {
        return 0;
    }
    host_bytes_written_ = 0;
    return bytes;
}

uint64_t Dispatcher::write_paged(const uint8_t* command) {
    const Banks::Pages pages{
        field(command, "CQDispatchCmd.write_paged.is_dram", 1) != 0,
        field(command, "CQDispatchCmd.write_paged.base_addr", 4),
        field(command, "CQDispatchCmd.write_paged.start_page", 2),
        field(command, "CQDispatchCmd.write_paged.page_size", 4)};
    const uint64_t bytes = pages.page_bytes * field(command, "CQDispatchCmd.write_paged.pages", 4);
    banks_.write(memory_, pages, command + header_bytes_, bytes);
    return header_bytes_ + bytes;
}

uint64_t Dispatcher::write_packed(const uint8_t* command) {
    const uint64_t flags = field(command, "CQDispatchCmd.write_packed.flags", 1);
    const bool multicast = (flags & commands_.at("CQ_DISPATCH_CMD_PACKED_WRITE_FLAG_MCAST")) != 0;
    const bool is_shared = (flags & commands_.at("CQ_DISPATCH_CMD_PACKED_WRITE_FLAG_NO_STRIDE")) != 0;
    const uint64_t count = field(command, "CQDispatchCmd.write_packed.count", 2);
    const uint64_t bytes = field(command, "CQDispatchCmd.write_packed.size", 2);
    const uint64_t index = field(command, "CQDispatchCmd.write_packed.write_offset_index", 2);
    const uint64_t address = field(command, "CQDispatchCmd.write_packed.addr", 4) + write_offsets_.at(index);
    const uint64_t entry = multicast ? commands_.at("CQDispatchWritePackedMulticastSubCmd")
                                     : commands_.at("CQDispatchWritePackedUnicastSubCmd");
    const uint64_t begin = aligned(header_bytes_ + count * entry, kAlignment);
    const uint64_t stride = is_shared ? 0 : aligned(bytes, kAlignment);
    for (uint64_t each = 0; each < count; each++) {
        const auto place = static_cast<uint32_t>(number_at(command + header_bytes_ + each * entry, 4));
        write_to(place, multicast, address, command + begin + each * stride, bytes);
    }
    return begin + (is_shared ? bytes : count * stride);
}

uint64_t Dispatcher::write_packed_large(const uint8_t* command) {
    const uint64_t count = field(command, "CQDispatchCmd.write_packed_large.count", 2);
    const uint64_t alignment = field(command, "CQDispatchCmd.write_packed_large.alignment", 2);
    const uint64_t index = field(command, "CQDispatchCmd.write_packed_large.write_offset_index", 2);
    const uint64_t entry = commands_.at("CQDispatchWritePackedLargeSubCmd");
    uint64_t data = aligned(header_bytes_ + count * entry, kAlignment);
    for (uint64_t each = 0; each < count; each++) {
        const uint8_t* sub = command + header_bytes_ + each * entry;
        const uint64_t bytes = field(sub, "CQDispatchWritePackedLargeSubCmd.length_minus1", 2) + 1;
        const uint64_t address = field(sub, "CQDispatchWritePackedLargeSubCmd.addr", 4) + write_offsets_.at(index);
        const auto place = static_cast<uint32_t>(field(sub, "CQDispatchWritePackedLargeSubCmd.noc_xy_addr", 4));
        write_to(place, true, address, command + data, bytes);
        data += aligned(bytes, alignment);
    }
    return data;
}

uint64_t Dispatcher::write_packed_large_unicast(const uint8_t* command) {
    const uint64_t count = field(command, "CQDispatchCmd.write_packed_large_unicast.count", 2);
    const uint64_t alignment = field(command, "CQDispatchCmd.write_packed_large_unicast.alignment", 2);
    const uint64_t index = field(command, "CQDispatchCmd.write_packed_large_unicast.write_offset_index", 2);
    const uint64_t entry = commands_.at("CQDispatchWritePackedLargeUnicastSubCmd");
    uint64_t data = aligned(header_bytes_ + count * entry, kAlignment);
    for (uint64_t each = 0; each < count; each++) {
        const uint8_t* sub = command + header_bytes_ + each * entry;
        const uint64_t bytes = field(sub, "CQDispatchWritePackedLargeUnicastSubCmd.length", 4);
        const uint64_t address = field(sub, "CQDispatchWritePackedLargeUnicastSubCmd.addr", 4);
        const auto place = static_cast<uint32_t>(field(sub, "CQDispatchWritePackedLargeUnicastSubCmd.noc_xy_addr", 4));
        if (address != commands_.at("CQ_DISPATCH_CMD_PACKED_WRITE_LARGE_UNICAST_ADDR_DISCARD")) {
            write_to(place, false, address + write_offsets_.at(index), command + data, bytes);
        }
        data += aligned(bytes, alignment);
    }
    return data;
}

static bool reaches(uint32_t completions, uint32_t count) {
    return static_cast<int32_t>((completions - count) << (32 - kStreamBits)) >= 0;
}

bool Dispatcher::workers_completed(NocPlace core, uint32_t stream, uint32_t count) const {
    return reaches(workers_.completions(core, stream - first_stream_), count);
}

uint64_t Dispatcher::wait(const uint8_t* command, NocPlace core) {
    const uint64_t flags = field(command, "CQDispatchCmd.wait.flags", 1);
    const auto has = [&](NumberName name) { return (flags & commands_.at(name)) != 0; };
    const auto stream = static_cast<uint32_t>(field(command, "CQDispatchCmd.wait.stream", 2));
    const auto count = static_cast<uint32_t>(field(command, "CQDispatchCmd.wait.count", 4));
    const uint64_t address = field(command, "CQDispatchCmd.wait.addr", 4);
    if (has("CQ_DISPATCH_CMD_WAIT_FLAG_WAIT_MEMORY")) {
        uint32_t value = 0;
        memory_.read(core.x, core.y, address, &value, sizeof(value));
        if (static_cast<int32_t>(value - count) < 0) {
            return 0;
        }
    }
    if (has("CQ_DISPATCH_CMD_WAIT_FLAG_WAIT_STREAM") && !workers_completed(core, stream, count)) {
        return 0;
    }
    if (has("CQ_DISPATCH_CMD_WAIT_FLAG_CLEAR_STREAM")) {
        workers_.clear_completions(core, stream - first_stream_);
    }
    if (has("CQ_DISPATCH_CMD_WAIT_FLAG_CLEAR_MEMORY")) {
        const uint32_t zero = 0;
        memory_.write(core.x, core.y, address, &zero, sizeof(zero));
    }
    if (has("CQ_DISPATCH_CMD_WAIT_FLAG_NOTIFY_PREFETCH")) {
        released_stalls_++;
    }
    return header_bytes_;
}

uint64_t Dispatcher::set_write_offsets(const uint8_t* command) {
    const uint64_t count = field(command, "CQDispatchCmd.set_write_offset.offset_count", 1);
    for (uint64_t each = 0; each < count; each++) {
        write_offsets_.at(each) = static_cast<uint32_t>(number_at(command + header_bytes_ + 4 * each, 4));
    }
    return header_bytes_ + 4 * count;
}

void Dispatcher::notify_subordinate(const uint8_t* command) {
    const uint64_t streams = field(command, "CQDispatchCmd.notify_dispatch_s_go_signal.index_bitmask", 2);
    for (uint32_t stream = 0; stream < notified_.size(); stream++) {
        notified_[stream] += streams >> stream & 1u;
    }
}

uint64_t Dispatcher::send_go(const uint8_t* command, bool is_subordinate) {
    const auto stream = static_cast<uint32_t>(field(command, "CQDispatchCmd.mcast.wait_stream", 4));
    const auto count = static_cast<uint32_t>(field(command, "CQDispatchCmd.mcast.wait_count", 4));
    const uint32_t index = stream - first_stream_;
    if (is_subordinate && sent_.at(index) == notified_.at(index)) {
        return 0;
    }
    // Programs run in the order of their go signals: one may be sent while the program before it runs.
    if (!reaches(workers_.expected_completions(is_subordinate ? subordinate_core_ : core_, index), count)) {
        return 0;
    }
    sent_.at(index) += is_subordinate ? 1 : 0;
    const auto offset = static_cast<uint32_t>(field(command, "CQDispatchCmd.mcast.multicast_go_offset", 1));
    const auto word = static_cast<uint32_t>(field(command, "CQDispatchCmd.mcast.go_signal", 4));
    if (offset != commands_.at("CQ_DISPATCH_CMD_GO_NO_MULTICAST_OFFSET")) {
        try {
            workers_.send_go(decode_rectangle(worker_grid_, shift_), offset, word, origin_);
        } catch (...) {
            failure_ = failure_ ? failure_ : std::current_exception();
        }
    }
    return header_bytes_;
}

}  // namespace card
