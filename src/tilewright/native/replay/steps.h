// SPDX-License-Identifier: Apache-2.0
// The calls of a kernel as steps of the processors that make them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "abi/record.h"
#include "constants.h"
#include "wire/replay.h"

namespace tw::replay {

using namespace wire;

enum class StepKind : uint8_t {
    Work,       // cost
    Wait,
    Reserve,
    Push,
    Pop,  // cb, count: pages
    Read,
    Write,
    Multicast,    // count: bytes, cb: transaction id + 1, 0 without one
    WriteWord,
    WriteWordMulticast,
    Increment,
    IncrementMulticast,  // count: the value
    Barrier,    // cb: Barrier, flags: transaction id + 1, 0 for all transfers
    SemaphoreEqual,
    SemaphoreAtLeast,
    SemaphoreSet,  // count: the value
    Unpack,     // a tile into a Src bank
    Math,       // on the tile of a Src bank
    Acquire,
    Commit,
    AwaitCommit,
    Release,  // DST
    Pack,
};

inline constexpr uint32_t kLastEntry = (1u << 24) - 1;

struct Step {
    StepKind kind;
    uint8_t cb = 0, noc = 0, flags = 0;
    uint32_t count = 0;
    float cost = 0;
    uint32_t call : 8 = 0;    // RecordedCall it comes from
    uint32_t entry : 24 = 0;  // which of the kernel's entries that is; those behind the last number share it
    uint64_t address = 0;
};

inline constexpr auto kBrisc = static_cast<uint32_t>(Processor::Brisc);
inline constexpr auto kNcrisc = static_cast<uint32_t>(Processor::Ncrisc);
inline constexpr auto kUnpack = static_cast<uint32_t>(Processor::Unpack);
inline constexpr auto kMath = static_cast<uint32_t>(Processor::Math);
inline constexpr auto kPack = static_cast<uint32_t>(Processor::Pack);
inline constexpr uint32_t kNumProcessors = 5;

struct BufferShape {
    uint32_t pages = 0, page_bytes = 0, format = 0, to_dest = 0;
};

// What is counted while calls are read.
struct Counts {
    double matmul_tiles = 0, matmul_phases = 0, unmeasured = 0;
    uint64_t polls = 0;
};

// Steps of the one processor of a data-movement kernel, or of the three of a compute kernel.
struct Steps {
    std::vector<Step> of[3];
    Counts counts;
};

Steps steps_of(
    const ReplayInput& input,
    const ReplayKernel& kernel,
    const BufferShape* buffers,  // of the core, 64 of them
    const uint64_t* entries,
    uint64_t num_entries);

// Whether the word behind an entry of this call is an address.
bool has_address(RecordedCall call);

}  // namespace tw::replay
