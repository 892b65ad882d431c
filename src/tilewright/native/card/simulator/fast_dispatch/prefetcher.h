// SPDX-License-Identifier: Apache-2.0
// Prefetch commands. The host writes them to the issue queue, a ring in host memory, and the size of each batch to the
// fetch queue in the prefetch core's L1. The prefetcher relays dispatch commands, with data from the batch, from DRAM or
// from host memory, to the dispatchers' streams. A trace is a buffer in DRAM with such commands.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "banks.h"
#include "card/simulator/memory.h"
#include "dispatcher.h"
#include "host_memory.h"
#include "noc_place.h"
#include "numbers.h"

namespace card {

class Prefetcher {
public:
    Prefetcher(
        Memory& memory,
        const HostMemory& host,
        const Banks& banks,
        Dispatcher& dispatcher,
        const Numbers& commands,
        const Numbers& defines);

    // Whether bytes that the host wrote touch the fetch queue.
    bool is_fetch_queue(uint64_t address, uint64_t bytes) const;
    // Takes the batches that the host has posted. `order` says when: batches of all cards are in this order.
    void take_posted(uint64_t order);
    // Executes a command; false: there is none, or it must wait.
    bool step();
    // The host takes back what it wrote to the fetch queue: the next entry comes to the same place.
    void take_back(uint64_t address);
    bool is_idle() const { return batch_.is_empty() && trace_.is_empty() && posted_.empty(); }
    // Whether the host waits for data or an event of a batch that is not executed yet.
    bool host_waits() const;
    // Whether the host has ended this kernel.
    bool is_terminated() const { return is_terminated_; }
    NocPlace core() const { return core_; }

private:
    struct Batch {
        std::vector<uint8_t> bytes;
        uint64_t position = 0, order = 0;
        bool writes_to_host = false;
        bool is_empty() const { return position >= bytes.size(); }
    };

    bool writes_to_host(const Batch& batch) const;
    uint64_t length(const uint8_t* command) const;
    // Bytes to the next command; 0: the command must wait.
    uint64_t execute(const uint8_t* command);
    uint64_t relay_linear(const uint8_t* command);
    uint64_t relay_paged(const uint8_t* command);
    uint64_t relay_paged_packed(const uint8_t* command);
    uint64_t relay_linear_packed(const uint8_t* command);
    uint64_t relay_inline(const uint8_t* command, bool flushes);
    uint64_t relay_ringbuffer(const uint8_t* command);
    uint64_t execute_buffer(const uint8_t* command);
    uint64_t fill_ringbuffer(const uint8_t* command);
    uint64_t set_ringbuffer_offset(const uint8_t* command);
    void read_from(uint32_t encoded, uint64_t address, uint8_t* data, uint64_t bytes);
    uint64_t field(const uint8_t* command, NumberName name, uint32_t bytes) const;

    Memory& memory_;
    const HostMemory& host_;
    const Banks& banks_;
    Dispatcher& dispatcher_;
    const Numbers& commands_;
    NocPlace core_, pcie_;
    uint32_t shift_, entry_bytes_;
    uint64_t issue_begin_, issue_bytes_, issue_position_;
    uint64_t fetch_begin_, fetch_bytes_, fetch_position_, read_pointer_;
    uint64_t header_bytes_, bare_bytes_;
    std::deque<Batch> posted_;  // behind the batch that is being executed
    Batch batch_, trace_;  // the trace's commands come before the rest of the batch
    std::vector<uint8_t> ringbuffer_;
    uint64_t ringbuffer_write_ = 0, ringbuffer_offset_ = 0;
    uint32_t stalls_ = 0;
    bool is_terminated_ = false;
};

}  // namespace card
