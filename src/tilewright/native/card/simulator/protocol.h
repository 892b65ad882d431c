// SPDX-License-Identifier: Apache-2.0
// Messages between the library in tt-metal's process and its server, over one Unix socket. _card/protocol.py has the
// same in Python.
//
// The server speaks first: a Message of kind Done with the files of the chip's memory attached, a Greeting and its
// Nodes; or one of kind Failed if it cannot start. After that the library sends BankTables, which have no answer, and
// Launches with the cores that got a GO. If the Greeting requests it, each Launch follows an Operation with the name of
// ttnn's operation and Tensors with its arguments (_card/tensors.py). The server answers a Launch with any number of
// Prints and one Done (a double, the seconds its kernels ran, and a uint32_t, 1 if cores of earlier launches still
// wait), Waiting, Failed or Interrupted. Waiting is for cores whose global circular buffers lead to others without a
// GO: they run with those, or at a Launch without cores.
#pragma once

#include <cstdint>

namespace card {

inline constexpr uint32_t kMagic = 0x44524157;
inline constexpr uint32_t kVersion = 5;
inline constexpr uint32_t kMaxFiles = 64;

enum class MessageKind : uint32_t {
    Launch = 1,
    Print = 2,
    Done = 3,
    Failed = 4,
    Interrupted = 5,
    BankTables = 6,
    Operation = 7,
    Waiting = 8,
    Tensors = 9,
};

struct Message {
    MessageKind kind;
    uint32_t bytes;  // of what follows
};

enum class NodeKind : uint32_t { Worker = 0, Dram = 1, Ethernet = 2 };

// Memory at one NoC coordinate. A node without a file has memory of its own in the library.
struct Node {
    uint32_t x, y;
    NodeKind kind;
    int32_t file;  // index among the files sent along; -1: none
    uint64_t file_offset;  // where in the file its first byte lies
    uint64_t address;  // NoC address of that byte
    uint64_t bytes;
    uint64_t go_address;  // of the word that starts and stops its firmware; 0: none
};

// How the go word reads, in the byte that carries the signal.
struct GoSignals {
    uint32_t byte;  // which of the word's four
    uint32_t init, go, reset_read_pointer, reset_read_pointer_from_host, done;
};

struct Greeting {
    uint32_t magic, version;
    uint32_t pci_id;  // device and vendor
    uint32_t num_nodes, num_files;
    GoSignals signals;
    uint32_t bank_tables_bytes;
    uint32_t wants_operations;  // 1: launches are announced with their operation and its tensors
    uint64_t config_begin, config_end;  // L1 addresses a program's configuration is written to before it goes
    uint64_t bank_tables;  // L1 address where firmware finds the tables of banks when it starts
};
static_assert(sizeof(Greeting) == 80 && sizeof(Node) == 48, "as _card/protocol.py packs them");

}  // namespace card
