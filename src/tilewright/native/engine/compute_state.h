// SPDX-License-Identifier: Apache-2.0
// The Tensix side of one core: destination registers, operand formats, packer state.
// Owned by the core; tile maths (engine/tile, engine/sfpu) works on it.
//
// What init and reconfig calls set belongs to whoever made them: each of a compute kernel's three threads makes all of
// them, at its own pace, so each has settings of its own while they run apart (threads.h).
#pragma once

#include <cstdint>

#include "abi/data_format.h"
#include "sfpu/machine.h"

namespace tw {

using ::DataFormat;

inline constexpr uint32_t kTileElements = 1024;
inline constexpr uint32_t kFaceElements = 256;
inline constexpr uint32_t kDstSlots = 16;

// How the tiles of one CB look. Set by the host per CB index.
struct TileGeometry {
    DataFormat format = DataFormat::Invalid;
    uint8_t num_faces = 4;
    uint8_t face_rows = 16;
    uint8_t tile_rows = 32;
    uint8_t tile_cols = 32;
    uint32_t tile_bytes = 0;
    uint8_t unpack_to_dest_fp32 = 0;
};

enum class DstPhase : uint8_t { Idle, Acquired, Committed, Packing };

struct ComputeChecks;

// Tiles in face order (f0 f1 f2 f3, each 16x16 row-major), one 32-bit word per datum: float bits, or an integer. With
// 16-bit DST every float write is rounded to bfloat16 first.
using DstTile = uint32_t[kTileElements];

struct ComputeSettings {
    DstTile* dst = nullptr;  // the half of DST the thread works on

    // Formats the unpackers and the packer were last set to (start-up or reconfig); they stay until changed.
    TileGeometry src_a, src_b, pack;
    uint8_t started = 0;         // compute_kernel_hw_startup has run
    uint8_t fp32_dest = 0;       // 32-bit DST
    uint8_t full_sync = 0;       // DST not split in halves
    uint8_t fidelity = 4;        // number of fidelity phases: 1 LoFi, 2 HiFi2, 3 HiFi3, 4 HiFi4
    uint8_t math_approx = 0;
    uint8_t pack_l1_accumulate = 0;
    uint8_t pack_relu_mode = 0;  // 0 none, 1 zero, 2 min threshold, 3 max threshold
    uint32_t pack_relu_threshold = 0;
    DstPhase phase = DstPhase::Idle;
    // Whatever an init call leaves for the calls after it (transpose flags, reduce masks, ...).
    uint8_t copy_transpose = 0;
    uint32_t scratch[24] = {};
    // Vector-unit registers, 32 lanes each: what one call of it keeps for the next (running sums, init constants).
    uint32_t sfpu_registers[12][32] = {};
    sfpu::Machine vector_machine;  // what programs written in a kernel use of it
    ComputeChecks* checks = nullptr;  // of a checked run

    // DST tiles reachable in this mode: 16/8 with 16-bit DST (full/half), 8/4 with 32-bit.
    uint32_t dst_capacity() const { return (full_sync ? 16u : 8u) >> (fp32_dest ? 1 : 0); }
};

// What is known of a DST slot instead of its words (tile/deferred_dst.h): tiles in L1, and what happened to them.
struct DeferredTile {
    // Of one tile of bfloat16s, each on top of the ones before. Or of two tiles of float32s.
    enum class Step : uint8_t { Minus, Times, Weighted, Product };

    const uint16_t* tile;
    const uint32_t* factors[2];
    uint32_t mask;  // what Src keeps of the factors
    Step last_step;
    DataFormat column_format;
    const uint8_t* column;  // the tile in L1 whose column 0 is `minus`; null where that may have changed
    alignas(64) float minus[32];  // by row, as are factors
    alignas(64) float times[32];
    alignas(64) float weight[32];  // by column, as are offsets: offset + value * weight
    alignas(64) float offset[32];
};

struct ComputeState : ComputeSettings {
    alignas(64) DstTile dst_memory[kDstSlots];
    DeferredTile deferred[kDstSlots];
    uint64_t random_state = 0x9E3779B97F4A7C15ull;  // goes on from kernel to kernel until one seeds it
};

// As at the start of a kernel: formats unset. DST and the random numbers are what the last one left, as on a card.
void reset_compute_state(ComputeState& state);

}  // namespace tw
