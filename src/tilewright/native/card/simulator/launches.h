// SPDX-License-Identifier: Apache-2.0
// When a program runs. The host configures its cores (kernels, circular buffers, semaphores, arguments), then sends
// each a launch message and GO, and looks for DONE much later. The program runs as soon as every core that was
// configured since the last launch has its GO: then the host is still inside the call that launched it, and an error
// is raised there. Should the host look for DONE earlier, it runs then.
//
// A program whose global circular buffers lead to cores that were not told to go may need those to get on. Where the host
// may launch them too before it looks for DONE (ttnn.enable_asynchronous_slow_dispatch), it waits for them, and all run
// together; else it runs when the host looks, or starts the cores anew. Until then its cores are not done.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "memory.h"
#include "server.h"

namespace card {

class Launches {
public:
    Launches(Memory& memory, Server& server);

    // After the host wrote there.
    void after_write(uint32_t x, uint32_t y, uint64_t address, uint64_t bytes);
    // Before the host reads there.
    void before_read(uint32_t x, uint32_t y, uint64_t address, uint64_t bytes);

private:
    using Core = std::pair<uint32_t, uint32_t>;

    // The node there whose go word these bytes touch; null: none.
    const Memory::Mapped* with_go_word(uint32_t x, uint32_t y, uint64_t address, uint64_t bytes) const;
    void take_signal(const Memory::Mapped& node, Core core);
    void send_bank_tables(Core core);
    void set_signal(const Memory::Mapped& node, Core core, uint32_t signal);
    void run();
    // Runs those that wait for others, as they are.
    void run_waiting();
    void finish_waiting();
    void set_signals(const std::set<Core>& cores, uint32_t signal);

    Memory& memory_;
    Server& server_;
    std::recursive_mutex mutex_;
    std::set<Core> configured_, armed_, waiting_;
    std::string waiting_operation_;  // that launched the last of them
    bool tables_sent_ = false;  // since the last launch
};

}  // namespace card
