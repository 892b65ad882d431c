// SPDX-License-Identifier: Apache-2.0
// Dispatch commands: writes to the chip and to the host, waits, go signals. Two dispatchers share a dispatch core, or
// have one each, if these are ethernet cores. The main one writes and waits; the subordinate one sends go signals, after the main one has notified it that the program's
// configuration is written. A command that must wait stays at the head of its stream until a later call.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <utility>

#include "banks.h"
#include "card/simulator/memory.h"
#include "command_stream.h"
#include "completion_queue.h"
#include "host_memory.h"
#include "noc_place.h"
#include "numbers.h"
#include "workers.h"

namespace card {

class Dispatcher {
public:
    Dispatcher(
        Memory& memory,
        const HostMemory& host,
        Workers& workers,
        const Banks& banks,
        const Numbers& commands,
        const Numbers& defines,
        uint32_t log_subordinate_page_bytes);

    CommandStream& main_stream() { return main_; }
    CommandStream& subordinate_stream() { return subordinate_; }
    // Executes commands until both streams are empty or wait; whether any command was executed.
    bool run();
    // Stalls of the prefetcher that waits with this flag have released.
    uint32_t released_stalls() const { return released_stalls_; }
    // Where the commands come from that follow.
    void set_origin(const Origin& origin) { origin_ = origin; }
    // Whether the host is inside the call that posted the commands: it takes them back if that call throws.
    void set_posted_now(bool posted_now) { posted_now_ = posted_now; }
    // The host takes back what it posted last, and does not read what that writes to it.
    void set_drops_host_writes(bool drops) { drops_host_writes_ = drops; }
    bool is_idle() const { return !main_.has_command() && !subordinate_.has_command(); }
    // The first error of a program since the last call; the queue itself goes on after one.
    std::exception_ptr take_failure() { return std::exchange(failure_, nullptr); }
    NocPlace core() const { return core_; }

private:
    // Bytes of the command that was executed; 0: it must wait.
    uint64_t execute_main(const uint8_t* command);
    uint64_t execute_subordinate(const uint8_t* command);
    uint64_t write_linear(const uint8_t* command);
    uint64_t write_to_host(const uint8_t* command);
    uint64_t write_paged(const uint8_t* command);
    uint64_t write_packed(const uint8_t* command);
    uint64_t write_packed_large(const uint8_t* command);
    uint64_t write_packed_large_unicast(const uint8_t* command);
    uint64_t wait(const uint8_t* command, NocPlace core);
    uint64_t set_write_offsets(const uint8_t* command);
    void notify_subordinate(const uint8_t* command);
    uint64_t send_go(const uint8_t* command, bool is_subordinate);
    bool is_unicast_targets(const uint8_t* command) const;
    bool workers_completed(NocPlace core, uint32_t stream, uint32_t count) const;
    void write_to(uint32_t encoded, bool multicast, uint64_t address, const uint8_t* data, uint64_t bytes);
    uint64_t field(const uint8_t* command, NumberName name, uint32_t bytes) const;
    [[noreturn]] void refuse(const char* dispatcher, uint8_t command) const;

    Memory& memory_;
    const HostMemory& host_;
    Workers& workers_;
    const Banks& banks_;
    const Numbers& commands_;
    NocPlace core_, subordinate_core_, pcie_;
    uint32_t shift_, first_stream_, worker_grid_;
    uint64_t header_bytes_, large_header_bytes_;
    CommandStream main_, subordinate_;
    CompletionQueue completion_queue_;
    uint64_t host_bytes_written_ = 0;  // of the write to the host that is under way
    std::array<uint32_t, 4> write_offsets_{};
    std::array<uint32_t, 16> notified_{}, sent_{};  // go signals, by stream
    uint32_t released_stalls_ = 0;
    Origin origin_;
    bool posted_now_ = false, drops_host_writes_ = false;
    std::exception_ptr failure_;
};

}  // namespace card
