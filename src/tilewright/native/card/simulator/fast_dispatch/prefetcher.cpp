// SPDX-License-Identifier: Apache-2.0
#include "prefetcher.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace card {

static constexpr uint64_t kSizeUnit = 16;  // of entries in the fetch queue

Prefetcher::Prefetcher(
    Memory& memory,
    const HostMemory& host,
    const Banks& banks,
    Dispatcher& dispatcher,
    const Numbers& commands,
    const Numbers& defines) :
    memory_(memory),
    host_(host),
    banks_(banks),
    dispatcher_(dispatcher),
    commands_(commands),
    core_{defines.word("MY_NOC_X"), defines.word("MY_NOC_Y")},
    pcie_{defines.word("PCIE_NOC_X"), defines.word("PCIE_NOC_Y")},
    shift_(commands.word("NOC_COORD_REG_OFFSET")),
    entry_bytes_(defines.word("PREFETCH_Q_ENTRY_BITS") / 8),
    issue_begin_(defines.at("PCIE_BASE")),
    issue_bytes_(defines.at("PCIE_SIZE")),
    issue_position_(issue_begin_),
    fetch_begin_(defines.at("PREFETCH_Q_BASE")),
    fetch_bytes_(defines.at("PREFETCH_Q_SIZE")),
    fetch_position_(fetch_begin_),
    read_pointer_(defines.at("PREFETCH_Q_RD_PTR_ADDR")),
    header_bytes_(commands.at("CQPrefetchCmd")),
    bare_bytes_(commands.at("pcie_alignment")),
    ringbuffer_(defines.at("RINGBUFFER_SIZE")) {}

bool Prefetcher::is_fetch_queue(uint64_t address, uint64_t bytes) const {
    return address < fetch_begin_ + fetch_bytes_ && address + bytes > fetch_begin_;
}

uint64_t Prefetcher::field(const uint8_t* command, NumberName name, uint32_t bytes) const {
    uint64_t value = 0;
    std::memcpy(&value, command + commands_.at(name), bytes);
    return value;
}

// An entry is a size, and in its highest bit whether the prefetcher stalls after the batch, which a prefetcher that
// executes one batch after another does anyway. The batch is read at once: so the queue always has room.
void Prefetcher::take_posted(uint64_t order) {
    for (;;) {
        uint32_t entry = 0;
        memory_.read(core_.x, core_.y, fetch_position_, &entry, entry_bytes_);
        const uint64_t bytes = (entry & ~(1u << (8 * entry_bytes_ - 1))) * kSizeUnit;
        if (bytes == 0) {
            return;
        }
        if (issue_position_ + bytes > issue_begin_ + issue_bytes_) {
            issue_position_ = issue_begin_;
        }
        Batch batch;
        batch.bytes.resize(bytes);
        batch.order = order;
        host_.read(issue_position_, batch.bytes.data(), bytes);
        batch.writes_to_host = writes_to_host(batch);
        posted_.push_back(std::move(batch));
        issue_position_ += bytes;
        const uint32_t empty = 0;
        memory_.write(core_.x, core_.y, fetch_position_, &empty, entry_bytes_);
        const auto consumed = static_cast<uint32_t>(fetch_position_);
        memory_.write(core_.x, core_.y, read_pointer_, &consumed, sizeof(consumed));
        fetch_position_ += entry_bytes_;
        if (fetch_position_ == fetch_begin_ + fetch_bytes_) {
            fetch_position_ = fetch_begin_;
        }
    }
}

void Prefetcher::take_back(uint64_t address) {
    if (!posted_.empty()) {
        posted_.pop_back();
    }
    fetch_position_ = address;
}

// tt-metal puts each dispatch command into a prefetch command of its own.
bool Prefetcher::writes_to_host(const Batch& batch) const {
    const auto is_inline = [&](const uint8_t* command) {
        return command[0] == commands_.at("CQ_PREFETCH_CMD_RELAY_INLINE") ||
               command[0] == commands_.at("CQ_PREFETCH_CMD_RELAY_INLINE_NOFLUSH");
    };
    for (uint64_t position = 0; position + header_bytes_ < batch.bytes.size();) {
        const uint8_t* command = batch.bytes.data() + position;
        if (is_inline(command) && command[header_bytes_] == commands_.at("CQ_DISPATCH_CMD_WRITE_LINEAR_H_HOST")) {
            return true;
        }
        const uint64_t bytes = length(command);
        if (bytes == 0) {
            return false;
        }
        position += bytes;
    }
    return false;
}

// Bytes to the next command.
uint64_t Prefetcher::length(const uint8_t* command) const {
    const auto is = [&](NumberName name) { return command[0] == commands_.at(name); };
    if (is("CQ_PREFETCH_CMD_RELAY_INLINE") || is("CQ_PREFETCH_CMD_RELAY_INLINE_NOFLUSH") ||
        is("CQ_PREFETCH_CMD_EXEC_BUF_END")) {
        return field(command, "CQPrefetchCmd.relay_inline.stride", 4);
    }
    if (is("CQ_PREFETCH_CMD_RELAY_PAGED_PACKED")) {
        return field(command, "CQPrefetchCmd.relay_paged_packed.stride", 4);
    }
    if (is("CQ_PREFETCH_CMD_RELAY_LINEAR_PACKED") || is("CQ_PREFETCH_CMD_RELAY_LINEAR_PACKED_H")) {
        return field(command, "CQPrefetchCmd.relay_linear_packed.stride", 4);
    }
    if (is("CQ_PREFETCH_CMD_RELAY_RINGBUFFER")) {
        return field(command, "CQPrefetchCmd.relay_ringbuffer.stride", 4);
    }
    if (is("CQ_PREFETCH_CMD_DEBUG")) {
        return field(command, "CQPrefetchCmd.debug.stride", 4);
    }
    return bare_bytes_;
}

bool Prefetcher::host_waits() const {
    if (batch_.writes_to_host && !(batch_.is_empty() && dispatcher_.is_idle())) {
        return true;
    }
    return std::any_of(posted_.begin(), posted_.end(), [](const Batch& each) { return each.writes_to_host; });
}

bool Prefetcher::step() {
    if (trace_.is_empty() && batch_.is_empty()) {
        if (posted_.empty()) {
            return false;
        }
        batch_ = std::move(posted_.front());
        posted_.pop_front();
    }
    Batch& batch = trace_.is_empty() ? batch_ : trace_;
    const bool is_trace = &batch == &trace_;
    const uint8_t* command = batch.bytes.data() + batch.position;
    const bool ends_trace = is_trace && command[0] == commands_.at("CQ_PREFETCH_CMD_EXEC_BUF_END");
    dispatcher_.set_origin({batch_.order, is_trace});
    const uint64_t bytes = execute(command);
    if (bytes == 0) {
        return false;
    }
    batch.position = ends_trace ? batch.bytes.size() : batch.position + bytes;
    return true;
}

uint64_t Prefetcher::execute(const uint8_t* command) {
    const auto is = [&](NumberName name) { return command[0] == commands_.at(name); };
    if (is("CQ_PREFETCH_CMD_RELAY_INLINE") || is("CQ_PREFETCH_CMD_EXEC_BUF_END")) {
        return relay_inline(command, true);
    }
    if (is("CQ_PREFETCH_CMD_RELAY_INLINE_NOFLUSH")) {
        return relay_inline(command, false);
    }
    if (is("CQ_PREFETCH_CMD_RELAY_LINEAR") || is("CQ_PREFETCH_CMD_RELAY_LINEAR_H")) {
        return relay_linear(command);
    }
    if (is("CQ_PREFETCH_CMD_RELAY_PAGED")) {
        return relay_paged(command);
    }
    if (is("CQ_PREFETCH_CMD_RELAY_PAGED_PACKED")) {
        return relay_paged_packed(command);
    }
    if (is("CQ_PREFETCH_CMD_RELAY_LINEAR_PACKED") || is("CQ_PREFETCH_CMD_RELAY_LINEAR_PACKED_H")) {
        return relay_linear_packed(command);
    }
    if (is("CQ_PREFETCH_CMD_RELAY_RINGBUFFER")) {
        return relay_ringbuffer(command);
    }
    if (is("CQ_PREFETCH_CMD_PAGED_TO_RINGBUFFER")) {
        return fill_ringbuffer(command);
    }
    if (is("CQ_PREFETCH_CMD_SET_RINGBUFFER_OFFSET")) {
        return set_ringbuffer_offset(command);
    }
    if (is("CQ_PREFETCH_CMD_EXEC_BUF")) {
        return execute_buffer(command);
    }
    if (is("CQ_PREFETCH_CMD_STALL")) {
        if (dispatcher_.released_stalls() <= stalls_) {
            return 0;
        }
        stalls_++;
        return bare_bytes_;
    }
    if (is("CQ_PREFETCH_CMD_DEBUG") || is("CQ_PREFETCH_CMD_TERMINATE")) {
        is_terminated_ = is_terminated_ || is("CQ_PREFETCH_CMD_TERMINATE");
        return length(command);
    }
    throw std::runtime_error(
        "tilewright: prefetch command " + std::to_string(command[0]) +
        " of this release of tt-metal is not simulated; use --dispatch slow");
}

uint64_t Prefetcher::relay_inline(const uint8_t* command, bool flushes) {
    const uint64_t bytes = field(command, "CQPrefetchCmd.relay_inline.length", 4);
    const bool is_subordinate =
        field(command, "CQPrefetchCmd.relay_inline.dispatcher_type", 1) == commands_.at("DISPATCH_SUBORDINATE");
    CommandStream& stream = is_subordinate ? dispatcher_.subordinate_stream() : dispatcher_.main_stream();
    std::memcpy(stream.extend(bytes), command + header_bytes_, bytes);
    if (flushes) {
        stream.flush();
    }
    return length(command);
}

void Prefetcher::read_from(uint32_t encoded, uint64_t address, uint8_t* data, uint64_t bytes) {
    const NocPlace place = decode_place(encoded, shift_);
    if (place.x == pcie_.x && place.y == pcie_.y) {
        host_.read(address, data, bytes);
    } else {
        memory_.read(place.x, place.y, address, data, bytes);
    }
}

uint64_t Prefetcher::relay_linear(const uint8_t* command) {
    const auto place = static_cast<uint32_t>(field(command, "CQPrefetchCmdLarge.relay_linear.noc_xy_addr", 4));
    const uint64_t bytes = field(command, "CQPrefetchCmdLarge.relay_linear.length", 8);
    CommandStream& stream = dispatcher_.main_stream();
    read_from(place, field(command, "CQPrefetchCmdLarge.relay_linear.addr", 8), stream.extend(bytes), bytes);
    stream.flush();
    return bare_bytes_;
}

uint64_t Prefetcher::relay_linear_packed(const uint8_t* command) {
    const auto place = static_cast<uint32_t>(field(command, "CQPrefetchCmd.relay_linear_packed.noc_xy_addr", 4));
    const uint64_t count = field(command, "CQPrefetchCmd.relay_linear_packed.count", 2);
    CommandStream& stream = dispatcher_.main_stream();
    for (uint64_t each = 0; each < count; each++) {
        const uint8_t* sub = command + header_bytes_ + each * commands_.at("CQPrefetchRelayLinearPackedSubCmd");
        const uint64_t bytes = field(sub, "CQPrefetchRelayLinearPackedSubCmd.length", 4);
        read_from(place, field(sub, "CQPrefetchRelayLinearPackedSubCmd.addr", 8), stream.extend(bytes), bytes);
    }
    stream.flush();
    return length(command);
}

uint64_t Prefetcher::relay_paged(const uint8_t* command) {
    const uint64_t flags = field(command, "CQPrefetchCmd.relay_paged.is_dram_and_length_adjust", 2);
    const Banks::Pages pages{
        (flags >> commands_.at("CQ_PREFETCH_RELAY_PAGED_IS_DRAM_SHIFT") & 1u) != 0,
        field(command, "CQPrefetchCmd.relay_paged.base_addr", 4),
        field(command, "CQPrefetchCmd.relay_paged.start_page", 1),
        field(command, "CQPrefetchCmd.relay_paged.page_size", 4)};
    const uint64_t cut = flags & commands_.at("CQ_PREFETCH_RELAY_PAGED_LENGTH_ADJUST_MASK");
    const uint64_t bytes = pages.page_bytes * field(command, "CQPrefetchCmd.relay_paged.pages", 4) - cut;
    CommandStream& stream = dispatcher_.main_stream();
    banks_.read(memory_, pages, stream.extend(bytes), bytes);
    stream.flush();
    return bare_bytes_;
}

uint64_t Prefetcher::relay_paged_packed(const uint8_t* command) {
    const uint64_t count = field(command, "CQPrefetchCmd.relay_paged_packed.count", 2);
    CommandStream& stream = dispatcher_.main_stream();
    for (uint64_t each = 0; each < count; each++) {
        const uint8_t* sub = command + header_bytes_ + each * commands_.at("CQPrefetchRelayPagedPackedSubCmd");
        const Banks::Pages pages{
            true,
            field(sub, "CQPrefetchRelayPagedPackedSubCmd.base_addr", 4),
            field(sub, "CQPrefetchRelayPagedPackedSubCmd.start_page", 2),
            1ull << field(sub, "CQPrefetchRelayPagedPackedSubCmd.log_page_size", 2)};
        const uint64_t bytes = field(sub, "CQPrefetchRelayPagedPackedSubCmd.length", 4);
        banks_.read(memory_, pages, stream.extend(bytes), bytes);
    }
    stream.flush();
    return length(command);
}

uint64_t Prefetcher::fill_ringbuffer(const uint8_t* command) {
    const uint64_t flags = field(command, "CQPrefetchCmd.paged_to_ringbuffer.flags", 1);
    if ((flags & commands_.at("CQ_PREFETCH_PAGED_TO_RING_BUFFER_FLAG_RESET_TO_START")) != 0) {
        ringbuffer_write_ = 0;
    }
    ringbuffer_offset_ = ringbuffer_write_;
    const Banks::Pages pages{
        true,
        field(command, "CQPrefetchCmd.paged_to_ringbuffer.base_addr", 4),
        field(command, "CQPrefetchCmd.paged_to_ringbuffer.start_page", 1),
        1ull << field(command, "CQPrefetchCmd.paged_to_ringbuffer.log2_page_size", 1)};
    const uint64_t bytes = field(command, "CQPrefetchCmd.paged_to_ringbuffer.length", 4);
    if (ringbuffer_write_ + bytes > ringbuffer_.size()) {
        throw std::runtime_error("tilewright: a prefetch command overruns the prefetcher's ring buffer");
    }
    banks_.read(memory_, pages, ringbuffer_.data() + ringbuffer_write_, bytes);
    ringbuffer_write_ += field(command, "CQPrefetchCmd.paged_to_ringbuffer.wp_offset_update", 4);
    return bare_bytes_;
}

uint64_t Prefetcher::set_ringbuffer_offset(const uint8_t* command) {
    const uint64_t offset = field(command, "CQPrefetchCmd.set_ringbuffer_offset.offset", 4);
    const bool moves_write = field(command, "CQPrefetchCmd.set_ringbuffer_offset.update_wp", 1) != 0;
    (moves_write ? ringbuffer_write_ : ringbuffer_offset_) = offset;
    return bare_bytes_;
}

uint64_t Prefetcher::relay_ringbuffer(const uint8_t* command) {
    const uint64_t count = field(command, "CQPrefetchCmd.relay_ringbuffer.count", 2);
    CommandStream& stream = dispatcher_.main_stream();
    for (uint64_t each = 0; each < count; each++) {
        const uint8_t* sub = command + header_bytes_ + each * commands_.at("CQPrefetchRelayRingbufferSubCmd");
        const uint64_t begin = ringbuffer_offset_ + field(sub, "CQPrefetchRelayRingbufferSubCmd.start", 4);
        const uint64_t bytes = field(sub, "CQPrefetchRelayRingbufferSubCmd.length", 4);
        if (begin + bytes > ringbuffer_.size()) {
            throw std::runtime_error("tilewright: a prefetch command reads past the prefetcher's ring buffer");
        }
        std::memcpy(stream.extend(bytes), ringbuffer_.data() + begin, bytes);
    }
    stream.flush();
    return length(command);
}

uint64_t Prefetcher::execute_buffer(const uint8_t* command) {
    const Banks::Pages pages{
        true,
        field(command, "CQPrefetchCmd.exec_buf.base_addr", 4),
        0,
        1ull << field(command, "CQPrefetchCmd.exec_buf.log_page_size", 4)};
    trace_.bytes.resize(pages.page_bytes * field(command, "CQPrefetchCmd.exec_buf.pages", 4));
    trace_.position = 0;
    banks_.read(memory_, pages, trace_.bytes.data(), trace_.bytes.size());
    return bare_bytes_;
}

}  // namespace card
