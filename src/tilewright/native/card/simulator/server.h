// SPDX-License-Identifier: Apache-2.0
// The server process that runs what is launched: started by this library, one for each process that opens a card, and
// gone when this process is. Environment variables say with which Python (TILEWRIGHT_CARD_PYTHON) and for which card
// (TILEWRIGHT_CARD).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "protocol.h"

namespace card {

class Server {
public:
    // Starts it and waits for its greeting. Throws std::runtime_error with what it said if it does not come up.
    Server();
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    Greeting greeting{};
    std::vector<Node> nodes;
    std::vector<int> files;

    enum class Outcome {
        AllDone,  // every core that was told to go
        Done,  // these cores; earlier ones wait still
        Waiting,  // none: these cores wait for others too
    };
    // Runs the program whose cores (x, y) were told to go, to its end; without cores, that of those that wait. Throws
    // std::runtime_error with the server's text if it fails, and nobody waits any more; says all done if it was
    // interrupted, so that whoever handles the signal in this process can.
    Outcome launch(const std::vector<std::pair<uint32_t, uint32_t>>& cores);
    // What firmware would read of its tables of banks.
    void send_bank_tables(const std::vector<uint8_t>& tables);

private:
    void start();
    void end();
    void receive_greeting();
    void send_text(MessageKind kind, const std::string& text);
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
