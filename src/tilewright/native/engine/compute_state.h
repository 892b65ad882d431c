// SPDX-License-Identifier: Apache-2.0
// The Tensix side of one core: destination registers, operand formats, packer state. Tile math (engine/tile,
// engine/sfpu) works on it.
//
// Each of a compute kernel's three threads makes all init and reconfig calls itself. So each has its own
// ComputeSettings while the threads are split (threads.h).
#pragma once

#include <cstdint>

#include "abi/data_format.h"
#include "sfpu/machine.h"
#include "wire/runner.h"

namespace tw {

using ::DataFormat;

inline constexpr uint32_t kTileElements = 1024;
inline constexpr uint32_t kFaceElements = 256;
inline constexpr uint32_t kDstSlots = 16;

// Shape and format of a CB's tiles, set by the host per CB index.
struct TileGeometry {
    DataFormat format = DataFormat::Invalid;
    uint8_t num_faces = 4;
    uint8_t face_rows = 16;
    uint8_t tile_rows = 32;
    uint8_t tile_cols = 32;
    uint32_t tile_bytes = 0;
    uint8_t unpack_to_dest_fp32 = 0;
};

using wire::DstPhase;

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
    uint8_t pack_l1_accumulate = 0;
    uint8_t pack_relu_mode = 0;  // 0 none, 1 zero, 2 min threshold, 3 max threshold
    uint32_t pack_relu_threshold = 0;
    DstPhase phase = DstPhase::Idle;
    // State that init calls leave for later calls (transpose flags, reduce masks, ...).
    uint8_t copy_transpose = 0;
    uint32_t scratch[24] = {};
    // Vector-unit registers, 32 lanes each, that keep values between calls (running sums, init constants).
    uint32_t sfpu_registers[12][32] = {};
    sfpu::Machine vector_machine;  // registers of vector-unit programs that a kernel contains
    ComputeChecks* checks = nullptr;  // of a checked run
    bool taints = false;  // values are tracked: a checked run with all rules

    // DST tiles reachable in this mode: 16/8 with 16-bit DST (full/half), 8/4 with 32-bit.
    uint32_t dst_capacity() const { return (full_sync ? 16u : 8u) >> (fp32_dest ? 1 : 0); }
};

// A DST slot whose words are not computed yet (tile/deferred_dst.h): tiles in L1, and the steps to apply to them.
struct DeferredTile {
    // Steps on one tile of bfloat16s, each including the ones before. Product: of two tiles of float32s.
    enum class Step : uint8_t { Minus, Times, Weighted, Product };

    const uint16_t* tile;
    const uint32_t* factors[2];
    uint32_t mask;  // bits of the factors that Src keeps
    Step last_step;
    alignas(64) float minus[32];  // per row, as is `times`
    alignas(64) float times[32];
    alignas(64) float weight[32];  // per column, as is `offset`: offset + value * weight
    alignas(64) float offset[32];
};

// A tile in L1 as an unpacker with this format and mask reads it.
struct KnownTile {
    const uint8_t* bytes = nullptr;
    DataFormat format = DataFormat::Invalid;
    uint32_t mask = 0;

    bool operator==(const KnownTile&) const = default;
};

// What calls have read of the tiles that they broadcast again and again (tile/known_operands.h).
struct KnownOperands {
    struct Column {
        KnownTile tile;
        bool differences_stay_normal;
        alignas(64) float values[32];
    };
    Column columns[2];
    uint32_t oldest_column;
    KnownTile ones;  // a scaler of ones in row 0 and zeros below
};

struct ComputeState : ComputeSettings {
    alignas(64) DstTile dst_memory[kDstSlots];
    DeferredTile deferred[kDstSlots];
    KnownOperands known;
    uint64_t random_state = 0x9E3779B97F4A7C15ull;  // carried over from kernel to kernel until one seeds it
};

// Resets the state at the start of a kernel. DST and the random state keep what the last kernel left, as on a card.
void reset_compute_state(ComputeState& state);

}  // namespace tw
