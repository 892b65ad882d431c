// SPDX-License-Identifier: Apache-2.0
// The server process that runs launched programs of all cards. This library starts one for each process that opens a
// card, and it ends with that process. Environment variables select its Python (TILEWRIGHT_CARD_PYTHON) and the card
// (TILEWRIGHT_CARD).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wire/card.h"

namespace card {

using namespace tw::wire;

class Server {
public:
    // Starts it and waits for its greeting. Throws std::runtime_error with its message if it fails to start.
    Server();
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    CardGreeting greeting{};
    // Nodes of one card.
    std::vector<CardNode> nodes_of(uint32_t card) const;
    std::vector<int> files;

    enum class Outcome {
        AllDone,  // every core that got a GO
        Done,  // these cores; earlier ones still wait
        Waiting,  // none: these cores wait for others too
    };
    // Runs the program of these cores to its end, or the programs that wait. Throws
    // std::runtime_error with the server's text if it fails, and no program waits any more. Returns AllDone if it was
    // interrupted, so that the host's own signal handler can act.
    // names_operation: the operation that this thread executes launched the program, or the device operation `number` did.
    Outcome launch(
        const LaunchRequest& launch,
        const std::vector<LaunchedCore>& cores,
        bool names_operation = true,
        std::optional<uint32_t> number = {});
    // The same in two steps: posts launches, and waits for the first that was posted. Those posted until then are sent
    // together and run one after another; so they wake the server once.
    void post(const LaunchRequest& launch, const std::vector<LaunchedCore>& cores);
    Outcome finish_posted();
    // Whether it asks for the operation of each launch, which the host knows while it launches only.
    bool wants_operations() const { return greeting.wants_operations != 0; }
    Outcome launch_waiting(bool names_operation = true) { return launch({}, {}, names_operation); }
    // Names and numbers of the kernels on a dispatch core whose memory this is (_card/launches/dispatch_kernels.py).
    std::string describe_dispatch_core(const std::vector<uint8_t>& l1);
    // What the kernel of an ethernet core does: a router writes words into its memory, address and value each
    // (_card/systems/routers.py); of kernels that serve a command queue, names and numbers as above.
    struct EthernetCore {
        std::vector<std::pair<uint32_t, uint32_t>> words;
        std::string dispatch_kernels;
    };
    EthernetCore start_ethernet_core(
        uint32_t card, uint32_t x, uint32_t y, uint64_t go_address, const std::vector<uint8_t>& l1);
    // Sends the tables of banks that firmware would read.
    void send_bank_tables(const std::vector<uint8_t>& tables);

private:
    class InterruptsPassedOn;

    std::vector<CardNode> nodes_;  // of the first card
    std::unique_ptr<InterruptsPassedOn> interrupts_;  // while the server runs launches
    uint32_t num_posted_ = 0, num_unsent_ = 0;
    std::vector<uint8_t> unsent_;  // requests of posted launches

    void start();
    void end();
    void receive_greeting();
    // The kind of the answer and its text. Throws if the server failed.
    std::pair<CardMessageKind, std::string> ask(CardMessageKind kind, const std::vector<uint8_t>& body);
    Outcome receive_outcome();
    void send_text(CardMessageKind kind, const std::string& text);
    void send(const void* data, size_t bytes);
    void receive(void* data, size_t bytes);
    static Outcome take_done(const std::string& answer);
    std::string receive_text(uint32_t bytes);
    [[noreturn]] void fail_lost();

    int socket_ = -1;
    pid_t process_ = -1;
    pid_t owner_ = -1;
};

}  // namespace card
