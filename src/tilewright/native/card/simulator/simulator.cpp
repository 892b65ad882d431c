// SPDX-License-Identifier: Apache-2.0
// The nine functions that tt-metal calls in a simulator library (TT_METAL_SIMULATOR), and a few that our Python calls.
// There is no clock to advance: a program runs to its end when it is launched (launches.h). Several cards are devices of
// one PCI bus; a tt-metal release that loads a copy of the library per card uses the first device of each copy.
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "fast_dispatch/host_memory.h"
#include "host_errors.h"
#include "host_python.h"
#include "launch_group.h"
#include "launches.h"
#include "memory.h"
#include "pcie_windows.h"
#include "server.h"
#include "times.h"

namespace card {

static constexpr uint32_t kMaxCards = 32;  // PCI has five bits for a device
static std::mutex g_opening;

// A forked process gets the lock open, whatever another thread did with it.
static void keep_lock_through_forks() {
    static std::once_flag once;
    std::call_once(once, [] {
        const auto unlock = [] { g_opening.unlock(); };
        pthread_atfork([] { g_opening.lock(); }, unlock, unlock);
    });
}

// Number of cards (_card/environment.py).
static uint32_t num_cards() {
    const char* count = std::getenv("TILEWRIGHT_CARDS");
    return count == nullptr ? 1 : std::clamp<uint32_t>(static_cast<uint32_t>(std::atoi(count)), 1, kMaxCards);
}

// What the cards share: one server, which runs the programs of all, and the files of their memory.
struct System {
    Server server;
    MappedFiles files{server.files};
    LaunchGroup launches{server, num_cards()};
};

struct Card {
    Card(uint32_t number, const std::shared_ptr<System>& of) :
        system(of),
        windows(of->server.greeting.pci_id, number),
        memory(of->server.nodes_of(number), of->files),
        launches(number, memory, host, of->server, of->launches) {}

    std::shared_ptr<System> system;
    PcieWindows windows;
    HostMemory host{windows};
    Memory memory;
    Launches launches;
};

using Cards = std::array<std::shared_ptr<Card>, kMaxCards>;
static std::shared_ptr<System> g_system;
static Cards g_cards;  // a call holds the card it uses: another thread may close it meanwhile

static std::shared_ptr<System> opened_system() {
    const std::lock_guard lock(g_opening);
    return g_system;
}

// Further cards are started when the host first accesses them.
static std::shared_ptr<Card> opened(uint64_t number = 0) {
    const std::lock_guard lock(g_opening);
    if (!g_system || number >= num_cards()) {
        throw std::runtime_error("tilewright: the simulated card was used before it was initialised");
    }
    std::shared_ptr<Card>& card = g_cards[number];
    if (!card) {
        card = std::make_shared<Card>(static_cast<uint32_t>(number), g_system);
    }
    return card;
}

static void write_node(Card& card, uint32_t x, uint32_t y, uint64_t address, const void* data, uint32_t bytes) {
    card.memory.write(x, y, address, data, bytes);
    card.launches.after_write(x, y, address, bytes);
    card.launches.queues.after_write(x, y, address, bytes);
}

static void write_target(Card& card, const Target& target, const void* data, uint32_t bytes) {
    if (!target.multicast) {
        write_node(card, target.x_end, target.y_end, target.address, data, bytes);
        return;
    }
    for (uint32_t x = target.x_begin; x <= target.x_end; x++) {
        for (uint32_t y = target.y_begin; y <= target.y_end; y++) {
            const auto& nodes = card.memory.nodes(x, y);
            if (!nodes.empty() && nodes.front().kind == CardNodeKind::Worker) {
                write_node(card, x, y, target.address, data, bytes);
            }
        }
    }
}

// An error with the operation that was launched, if that has returned since.
static std::string launched_error(const LaunchError& error) {
    const std::string launched = launched_operation(error.launch);
    if (error.in_trace) {
        return "ttnn.execute_trace" + (launched.empty() ? "" : ", " + launched + " of the trace") + ": " + error.what();
    }
    return (launched.empty() ? "" : launched + ", launched before: ") + error.what();
}

// The same, with the operation that it is raised in.
static std::string named_error(const LaunchError& error) {
    const std::string current = error.in_trace ? "" : current_operation();
    return (current.empty() ? "" : current + ": ") + launched_error(error);
}

// An error is raised with the ttnn operation it came from, if the host is a Python script. Nothing is locked by then,
// so waiting for Python is safe.
template <typename Access>
static void with_operation(Access access) {
    try {
        access();
    } catch (const LaunchError& error) {
        throw std::runtime_error(named_error(error));
    } catch (const std::runtime_error& error) {
        const std::string operation = current_operation();
        if (operation.empty()) {
            throw;
        }
        throw std::runtime_error(operation + ": " + error.what());
    }
}

// Has the host's Python end each operation with what it launched (_card/operations.py), refuse a mesh that does not fit,
// and for `tilewright exec --compare` compare operations with their golden functions.
static void watch_operations() {
    const std::string refusal = call_host_python("tilewright._card.operations", "watch_operations");
    if (!refusal.empty()) {
        throw std::runtime_error("tilewright: " + refusal);
    }
    if (std::getenv("TILEWRIGHT_CARD_COMPARE") == nullptr) {
        return;
    }
    const std::string answer = call_host_python("tilewright._card.golden.compare", "compare_operations");
    if (answer != "ready") {
        throw std::runtime_error(
            "tilewright: --compare: " +
            (answer.empty() ? "the host is no Python that has tilewright and ttnn installed" : answer));
    }
}

static void read_window(uint64_t address, void* data, uint32_t bytes) {
    const std::shared_ptr<Card> held = opened(address / kCardStretch);
    Card& card = *held;
    const uint64_t offset = address % kCardStretch;
    const TransferTime time(&Times::reading, &Times::bytes_read, bytes);
    if (card.windows.access_registers(false, offset, data, bytes)) {
        return;
    }
    if (const auto target = card.windows.target(offset)) {
        card.launches.before_read(target->x_end, target->y_end, target->address, bytes);
        card.memory.read(target->x_end, target->y_end, target->address, data, bytes);
    } else {
        std::memset(data, 0, bytes);
    }
}

static void write_window(uint64_t address, const void* data, uint32_t bytes) {
    const std::shared_ptr<Card> held = opened(address / kCardStretch);
    Card& card = *held;
    const uint64_t offset = address % kCardStretch;
    const TransferTime time(&Times::writing, &Times::bytes_written, bytes);
    if (card.windows.access_registers(true, offset, const_cast<void*>(data), bytes)) {
        return;
    }
    if (const auto target = card.windows.target(offset)) {
        write_target(card, *target, data, bytes);
    }
}

static void read_tile(uint32_t x, uint32_t y, uint64_t address, void* data, uint32_t bytes) {
    const std::shared_ptr<Card> card = opened();
    const TransferTime time(&Times::reading, &Times::bytes_read, bytes);
    card->launches.before_read(x, y, address, bytes);
    card->memory.read(x, y, address, data, bytes);
}

static void write_tile(uint32_t x, uint32_t y, uint64_t address, const void* data, uint32_t bytes) {
    const TransferTime time(&Times::writing, &Times::bytes_written, bytes);
    write_node(*opened(), x, y, address, data, bytes);
}

// Only command queues have traces. A host without Python does without names of captured operations.
static void watch_traces() {
    if (std::getenv("TT_METAL_SLOW_DISPATCH_MODE") == nullptr) {
        call_host_python("tilewright._card.traces", "watch_traces");
    }
}

}  // namespace card

extern "C" {

void libttsim_init() {
    card::in_host([] {
        card::keep_lock_through_forks();
        {
            const std::lock_guard lock(card::g_opening);
            if (card::g_system) {
                return;
            }
        }
        // Without the lock: Python may have to wait for a thread that waits for the lock.
        auto opening = std::make_shared<card::System>();
        card::watch_operations();
        card::watch_traces();
        const std::lock_guard lock(card::g_opening);
        if (!card::g_system) {
            card::g_system = std::move(opening);
        }
    });
}

void libttsim_exit() {
    card::Cards closing;
    std::shared_ptr<card::System> system;
    const std::lock_guard lock(card::g_opening);
    std::swap(closing, card::g_cards);  // each is destroyed after the last call that uses it
    std::swap(system, card::g_system);
}

void libttsim_clock(uint32_t) {}

void libttsim_set_pci_dma_mem_callbacks(card::DmaRead read, card::DmaWrite write) {
    card::set_dma_callbacks(read, write);
}

uint32_t libttsim_pci_config_rd32(uint32_t bus_device_function, uint32_t offset) {
    constexpr uint32_t kFunctions = 8;  // of each device on a bus
    const uint32_t device = bus_device_function / kFunctions;
    uint32_t word = 0xffffffffu;
    if (bus_device_function % kFunctions == 0 && device < card::num_cards()) {
        card::in_host([=, &word] { word = card::opened(device)->windows.config_word(offset); });
    }
    return word;
}

void libttsim_pci_mem_rd_bytes(uint64_t address, void* data, uint32_t bytes) {
    card::in_host([=] { card::with_operation([=] { card::read_window(address, data, bytes); }); });
}

void libttsim_pci_mem_wr_bytes(uint64_t address, const void* data, uint32_t bytes) {
    card::in_host([=] { card::with_operation([=] { card::write_window(address, data, bytes); }); });
}

void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t address, void* data, uint32_t bytes) {
    card::in_host([=] { card::with_operation([=] { card::read_tile(x, y, address, data, bytes); }); });
}

void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t address, const void* data, uint32_t bytes) {
    card::in_host([=] { card::with_operation([=] { card::write_tile(x, y, address, data, bytes); }); });
}

// Not called by tt-metal: runs the programs that the cards of a system were told to go with (_card/operations.py). The
// text of an error, which stays until this thread's next call, or null.
const char* libttsim_finish_operation() {
    return card::failure_of([] {
        if (const auto system = card::opened_system()) {
            try {
                system->launches.finish_operation();
            } catch (const card::LaunchError& error) {
                throw std::runtime_error(card::launched_error(error));
            }
        }
    });
}

// Not called by tt-metal: whether the host has command queues on any card (_card/operations.py).
uint32_t libttsim_has_command_queues() {
    const std::lock_guard lock(card::g_opening);
    return std::any_of(card::g_cards.begin(), card::g_cards.end(), [](const std::shared_ptr<card::Card>& each) {
        return each && each->launches.queues.are_open();
    });
}

// Not called by tt-metal: the times since the first query (_card/times.py).
void libttsim_times(card::Times* times) {
    card::keep_times();
    *times = card::times();
}
}
