// SPDX-License-Identifier: Apache-2.0
#include "server.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "host_python.h"
#include "times.h"

extern char** environ;

namespace card {

static const char* required_variable(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == 0) {
        throw std::runtime_error(
            std::string("tilewright: ") + name +
            " is not set; run the program with `tilewright exec`, or set up the shell with eval \"$(tilewright env)\"");
    }
    return value;
}

// Ctrl-C while programs run is passed on to their servers, which end the programs, and to the previous handler.
static constexpr size_t kMaxServers = 8;
static std::array<std::atomic<pid_t>, kMaxServers> g_running;  // 0: none
static std::mutex g_handling;
static int g_handled = 0;  // launches that need the handler
static struct sigaction g_earlier_action;

static void pass_interrupt_on(int number, siginfo_t* info, void* context) {
    for (const auto& server : g_running) {
        if (const pid_t process = server.load(); process > 0) {
            kill(process, SIGINT);
        }
    }
    if ((g_earlier_action.sa_flags & SA_SIGINFO) != 0) {
        g_earlier_action.sa_sigaction(number, info, context);
    } else if (g_earlier_action.sa_handler == SIG_DFL) {
        signal(SIGINT, SIG_DFL);
        raise(SIGINT);
    } else if (g_earlier_action.sa_handler != SIG_IGN) {
        g_earlier_action.sa_handler(number);
    }
}

class Server::InterruptsPassedOn {
public:
    explicit InterruptsPassedOn(pid_t server) {
        for (size_t index = 0; index < kMaxServers && place_ == nullptr; index++) {
            pid_t none = 0;
            if (g_running[index].compare_exchange_strong(none, server)) {
                place_ = &g_running[index];
            }
        }
        const std::lock_guard lock(g_handling);
        if (g_handled++ == 0) {
            struct sigaction action{};
            action.sa_sigaction = pass_interrupt_on;
            action.sa_flags = SA_SIGINFO | SA_RESTART;
            sigaction(SIGINT, &action, &g_earlier_action);
        }
    }
    ~InterruptsPassedOn() {
        if (place_ != nullptr) {
            *place_ = 0;
        }
        const std::lock_guard lock(g_handling);
        if (--g_handled == 0) {
            sigaction(SIGINT, &g_earlier_action, nullptr);
        }
    }
    InterruptsPassedOn(const InterruptsPassedOn&) = delete;
    InterruptsPassedOn& operator=(const InterruptsPassedOn&) = delete;

private:
    std::atomic<pid_t>* place_ = nullptr;
};

Server::Server() : owner_(getpid()) {
    start();
    try {
        receive_greeting();
    } catch (...) {
        end();
        throw;
    }
}

Server::~Server() { end(); }

// The server ends when its end of the socket is closed.
void Server::end() {
    for (const int file : files) {
        close(file);
    }
    close(socket_);
    if (getpid() == owner_) {
        waitpid(process_, nullptr, 0);
    }
}

void Server::start() {
    const char* python = required_variable("TILEWRIGHT_CARD_PYTHON");
    const char* directory = required_variable("TILEWRIGHT_CARD");
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        throw std::runtime_error("tilewright: cannot make a socket for the simulated card");
    }
    socket_ = ends[0];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    constexpr int kServerEnd = 3;  // ends[1] may be 3 already, and then keeps its close-on-exec flag
    const int server_end = fcntl(ends[1], F_DUPFD_CLOEXEC, kServerEnd + 1);
    posix_spawn_file_actions_adddup2(&actions, server_end, kServerEnd);
    // Its own process group: Ctrl-C at the terminal goes to the host program, which passes it on.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    const std::string descriptor = std::to_string(kServerEnd);
    const char* arguments[] = {python, "-m", "tilewright._card.server", directory, descriptor.c_str(), nullptr};
    const int error =
        posix_spawn(&process_, python, &actions, &attributes, const_cast<char* const*>(arguments), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(server_end);
    close(ends[1]);
    if (error != 0) {
        throw std::runtime_error(std::string("tilewright: cannot start ") + python + ": " + std::strerror(error));
    }
}

// The files arrive with the first bytes; a server that failed to start sends the reason instead.
void Server::receive_greeting() {
    CardMessageHeader message{};
    iovec part{&message, sizeof(message)};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxFiles)];
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    ssize_t got = 0;
    do {
        got = recvmsg(socket_, &header, MSG_CMSG_CLOEXEC | MSG_WAITALL);
    } while (got < 0 && errno == EINTR);
    if (got != sizeof(message)) {
        fail_lost();
    }
    for (cmsghdr* each = CMSG_FIRSTHDR(&header); each != nullptr; each = CMSG_NXTHDR(&header, each)) {
        if (each->cmsg_level == SOL_SOCKET && each->cmsg_type == SCM_RIGHTS) {
            const size_t count = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            const size_t before = files.size();
            files.resize(before + count);
            std::memcpy(files.data() + before, CMSG_DATA(each), count * sizeof(int));
        }
    }
    if (message.kind == CardMessageKind::Failed) {
        throw std::runtime_error(receive_text(message.bytes));
    }
    receive(&greeting, sizeof(greeting));
    if (greeting.magic != kMagic || greeting.version != kVersion || greeting.num_files != files.size()) {
        throw std::runtime_error("tilewright: the card's library and its server are of different versions");
    }
    nodes_.resize(greeting.num_nodes);
    receive(nodes_.data(), nodes_.size() * sizeof(CardNode));
}

std::vector<CardNode> Server::nodes_of(uint32_t card) const {
    std::vector<CardNode> nodes = nodes_;
    for (CardNode& node : nodes) {
        node.file_offset += card * (node.kind == CardNodeKind::Dram ? greeting.dram_stride : greeting.l1_stride);
    }
    return nodes;
}

Server::Outcome Server::launch(
    const LaunchRequest& launch,
    const std::vector<LaunchedCore>& cores,
    bool names_operation,
    std::optional<uint32_t> number) {
    const LaunchTime time;
    if (wants_operations()) {
        const LaunchingCall call = names_operation ? launching_call(number) : LaunchingCall{};
        send_text(CardMessageKind::Operation, call.operation);
        send_text(CardMessageKind::Tensors, call.tensors);
    }
    post(launch, cores);
    return receive_outcome();
}

void Server::post(const LaunchRequest& launch, const std::vector<LaunchedCore>& cores) {
    if (getpid() != owner_) {
        throw std::runtime_error("tilewright: the card was opened by another process; a forked one must open its own");
    }
    const uint64_t cores_bytes = cores.size() * sizeof(cores[0]);
    const CardMessageHeader header{CardMessageKind::Launch, static_cast<uint32_t>(sizeof(launch) + cores_bytes)};
    const size_t before = unsent_.size();
    unsent_.resize(before + sizeof(header) + header.bytes);
    uint8_t* request = unsent_.data() + before;
    std::memcpy(request, &header, sizeof(header));
    std::memcpy(request + sizeof(header), &launch, sizeof(launch));
    std::memcpy(request + sizeof(header) + sizeof(launch), cores.data(), cores_bytes);
    num_posted_++;
    num_unsent_++;
}

Server::Outcome Server::finish_posted() {
    const LaunchTime time;
    return receive_outcome();
}

// An answer that is not a printed line ends the launch that was posted first.
Server::Outcome Server::receive_outcome() {
    if (num_unsent_ == num_posted_) {  // else the answer is on its way
        interrupts_ = std::make_unique<InterruptsPassedOn>(process_);
        num_unsent_ = 0;
        const std::vector<uint8_t> requests = std::exchange(unsent_, {});
        send(requests.data(), requests.size());
    }
    CardMessageHeader answer{};
    std::string text;
    for (;;) {
        receive(&answer, sizeof(answer));
        text = receive_text(answer.bytes);
        if (answer.kind != CardMessageKind::Print) {
            break;
        }
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
    }
    if (--num_posted_ == num_unsent_) {
        interrupts_.reset();
    }
    switch (answer.kind) {
        case CardMessageKind::Done: return take_done(text);
        case CardMessageKind::Waiting: return Outcome::Waiting;
        case CardMessageKind::Interrupted: return Outcome::AllDone;
        default: throw std::runtime_error(text);
    }
}

std::pair<CardMessageKind, std::string> Server::ask(CardMessageKind kind, const std::vector<uint8_t>& body) {
    const CardMessageHeader request{kind, static_cast<uint32_t>(body.size())};
    send(&request, sizeof(request));
    send(body.data(), body.size());
    CardMessageHeader answer{};
    receive(&answer, sizeof(answer));
    std::string text = receive_text(answer.bytes);
    if (answer.kind == CardMessageKind::Failed) {
        throw std::runtime_error(text);
    }
    return {answer.kind, std::move(text)};
}

std::string Server::describe_dispatch_core(const std::vector<uint8_t>& l1) {
    return ask(CardMessageKind::DispatchCore, l1).second;
}

Server::EthernetCore Server::start_ethernet_core(
    uint32_t card, uint32_t x, uint32_t y, uint64_t go_address, const std::vector<uint8_t>& l1) {
    const uint32_t place[] = {card, x, y, static_cast<uint32_t>(go_address)};
    std::vector<uint8_t> body(sizeof(place) + l1.size());
    std::memcpy(body.data(), place, sizeof(place));
    std::memcpy(body.data() + sizeof(place), l1.data(), l1.size());
    auto [kind, answer] = ask(CardMessageKind::EthernetCore, body);
    EthernetCore core;
    if (kind == CardMessageKind::DispatchCore) {
        core.dispatch_kernels = std::move(answer);
        return core;
    }
    core.words.resize(answer.size() / sizeof(core.words[0]));
    std::memcpy(static_cast<void*>(core.words.data()), answer.data(), core.words.size() * sizeof(core.words[0]));
    return core;
}

Server::Outcome Server::take_done(const std::string& answer) {
    LaunchDone done{};
    if (answer.size() == sizeof(done)) {
        std::memcpy(&done, answer.data(), sizeof(done));
    }
    add_run(done.seconds, done.is_new);
    return done.others_wait != 0 ? Outcome::Done : Outcome::AllDone;
}

void Server::send_bank_tables(const std::vector<uint8_t>& tables) {
    const CardMessageHeader message{CardMessageKind::BankTables, static_cast<uint32_t>(tables.size())};
    send(&message, sizeof(message));
    send(tables.data(), tables.size());
}

void Server::send_text(CardMessageKind kind, const std::string& text) {
    const CardMessageHeader message{kind, static_cast<uint32_t>(text.size())};
    send(&message, sizeof(message));
    send(text.data(), text.size());
}

void Server::send(const void* data, size_t bytes) {
    const auto* from = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t sent = ::send(socket_, from, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            fail_lost();
        }
        from += sent;
        bytes -= static_cast<size_t>(sent);
    }
}

void Server::receive(void* data, size_t bytes) {
    auto* to = static_cast<char*>(data);
    while (bytes > 0) {
        const ssize_t got = recv(socket_, to, bytes, 0);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            fail_lost();
        }
        to += got;
        bytes -= static_cast<size_t>(got);
    }
}

std::string Server::receive_text(uint32_t bytes) {
    std::string text(bytes, 0);
    receive(text.data(), bytes);
    return text;
}

void Server::fail_lost() {
    throw std::runtime_error(
        "tilewright: the process that runs the simulated card has ended; what it said last is on stderr");
}

}  // namespace card
