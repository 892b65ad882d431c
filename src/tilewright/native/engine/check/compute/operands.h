// SPDX-License-Identifier: Apache-2.0
// Compares the settings of init and reconfig calls (unpackers, math side, packer) with what tile operations need. On a
// card an operation runs with whatever loop, format and tile shape were set last.
//
// Inits and reconfigs record the loop, the formats and the faces that they set; every operation states its needs, and a
// difference is reported with both. Some settings must be undone: an operation that finds one left over is reported
// with the missing call.
#pragma once

#include <cstdint>

#include "abi/sfpu.h"
#include "abi/tile.h"
#include "check/findings.h"
#include "check/hook.h"
#include "compute_state.h"

namespace tw {

struct KernelInstance;

struct LoopSetup {
    uint32_t loop = 0;  // UnpackLoop or MathLoop
    uint32_t detail = 0;
};

// How an unpacker steps through a tile.
struct TileShape {
    uint8_t num_faces = 0;  // 0: not known
    uint8_t face_rows = 0;
};

struct OperandChecks {
    KernelInstance* instance = nullptr;
    LoopSetup unpack, math;
    PackLoop pack = PackLoop::Default;
    TileShape loop_shape;  // of the operand that the unpackers' loop was set for
    TileShape shape_a, shape_b;  // shapes that the unpackers step through
    UnpackLoop left = UnpackLoop::None;  // tilize or untilize that was not undone
    bool vector_unit_ready = false;
    SfpuConstants constants = SfpuConstants::None;
    // Where DST was last acquired, or where the packer began to wait for it before the math side committed.
    uint32_t num_frames = 0;
    uint64_t frames[kFindingFrames];
};

// Loops that a tile operation needs. kAnyDetail: any.
struct LoopNeeds {
    UnpackLoop unpack = UnpackLoop::Other;  // Other: not checked
    uint32_t unpack_detail = 0;
    MathLoop math = MathLoop::Other;
    uint32_t math_detail = 0;
};

// These hooks do nothing in a plain run.
TW_HOOK(
    state,
    check_loops,
    (const ComputeState& state, const LoopNeeds& needs, uint32_t cb, const char* call),
    (state, needs, cb, call))
// `unpacker` is the side that reads a tile of cb.
TW_HOOK(
    state,
    check_source,
    (const ComputeState& state, const TileGeometry& unpacker, uint32_t cb, const char* call),
    (state, unpacker, cb, call))
// A tile that goes to DST as it is.
TW_HOOK(state, check_dst_width, (const ComputeState& state, uint32_t cb, const char* call), (state, cb, call))
TW_HOOK(
    state,
    check_pack,
    (const ComputeState& state, uint32_t cb, PackLoop needs, const char* call),
    (state, cb, needs, call))
// A DST slot to pack: a reduce mask may only cut off values of a reduction.
TW_HOOK(
    state,
    check_pack_mask,
    (const ComputeState& state, uint32_t slot, uint32_t cb, const char* call),
    (state, slot, cb, call))
TW_HOOK(
    state, note_dst_write, (const ComputeState& state, uint32_t slot, bool is_reduction), (state, slot, is_reduction))
void remember_dst_call(const ComputeState& state);
// At the return of the kernel: DST still held is held for ever.
void check_dst_at_end(KernelInstance& instance);
void check_vector_unit(const ComputeState& state, SfpuConstants needs, const char* call);

}  // namespace tw
