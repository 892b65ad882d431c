// SPDX-License-Identifier: Apache-2.0
// C interface of the replay; timing/_replay_library.py mirrors the structures and checks their sizes.
#pragma once

#include <cstdint>

#include "constants.h"

extern "C" {

struct TwReplayKernel {
    uint32_t processor, fidelity, fp32_dest, full_sync;
};

struct TwReplayBuffer {
    uint32_t index, pages, page_bytes, format, to_dest;
    uint32_t first_core, num_cores;  // in the list of places
};

struct TwReplaySemaphore {
    uint32_t address, initial;
    uint32_t first_core, num_cores;
};

// A node of the NoC: a worker core, or a DRAM bank.
struct TwReplayNode {
    uint32_t noc_x, noc_y;       // as kernels address it
    uint32_t place_x[2], place_y[2];  // on the die; a DRAM bank has a port for each NoC
    uint32_t is_dram, index;     // of the core (x | y << 8) or of the bank
};

// Changes to the recorded launch, to see what they would save.
struct TwReplayChange {
    uint32_t deeper_buffer;     // index of a circular buffer with twice its pages; 0xffffffff: none
    uint32_t reads_ahead;       // a barrier waits for the reads before the barrier before it
    uint32_t writes_ahead;      // the same of writes
    uint32_t most_phases;       // of the matrix unit, 1 to 4; 0: as recorded
    uint32_t single_reads;      // a barrier after each read
    uint32_t reserved;
    double math_factor;         // of the time of matrix and vector unit
    double dram_factor;         // of the time DRAM banks need
};

struct TwReplayInput {
    const uint64_t* words;
    uint64_t num_words;
    const TwReplayKernel* kernels;
    const TwReplayBuffer* buffers;
    const TwReplaySemaphore* semaphores;
    const uint32_t* places;     // x | y << 8
    const TwReplayNode* nodes;
    const double* constants;
    const double* sfpu_unary;   // per face: 16-bit DST, then 32-bit DST; negative: not measured
    const double* sfpu_binary;
    const double* sfpu_ternary;
    const double* sfpu_typecast;  // [from][to], 32 x 32
    uint32_t num_kernels, num_buffers, num_semaphores, num_nodes, num_banks, noc_columns, noc_rows, keep_events;
    TwReplayChange change;
};

// One processor of one core: from its first step to its last.
struct TwReplayLane {
    uint32_t kernel, core_x, core_y, processor;  // 0 BRISC, 1 NCRISC, 2 unpack, 3 math, 4 pack
    double begin, end, busy;
};

// How long a processor waited for one thing.
struct TwReplayWait {
    uint32_t lane, kind, cb, times;
    double cycles;
};

// What a processor did from begin to end, what it waited for, or a transfer on its way (EventKind in replay.h).
struct TwReplayEvent {
    double begin, end;
    uint32_t lane, amount;  // pages or bytes
    uint32_t kind;
    uint32_t detail;  // of a call: RecordedCall | circular buffer << 16; of a wait: WaitFor | circular buffer << 16
    uint32_t entry, reserved;  // which of its kernel's entries it comes from
};

struct TwReplayTotals {
    double cycles;
    double dram_read_bytes, dram_write_bytes, noc_bytes;
    double bank_busy;           // cycles, of all banks
    double matmul_tiles;        // products of two tiles
    double matmul_phases;
    double unmeasured;  // cycles that rest on a cost without a published figure
    uint64_t steps, forced, polls, unknown_nodes;
    uint64_t num_lanes, num_waits, num_events;
};
}
