// SPDX-License-Identifier: Apache-2.0
#include "check/compute/operands.h"

#include <string>

#include "check/checks.h"
#include "core.h"
#include "run/scheduler.h"
#include "run/threads.h"
#include "tile/dst.h"
#include "tile/formats.h"

namespace tw {

namespace {

// A card's format registers have four bits: formats that differ only above them are equal.
bool same_format(DataFormat one, DataFormat other) {
    return (static_cast<uint32_t>(one) & 0xf) == (static_cast<uint32_t>(other) & 0xf);
}

TileShape shape_of(const TileGeometry& geometry) { return {geometry.num_faces, geometry.face_rows}; }

bool same_shape(TileShape one, TileShape other) {
    return one.num_faces == 0 || other.num_faces == 0 ||
           (one.num_faces == other.num_faces && one.face_rows == other.face_rows);
}

// The loop takes as many faces as its init was for, so an unpacker set for more faces gives the right ones.
bool holds_shape(TileShape set, TileShape needed) {
    return set.num_faces == 0 || needed.num_faces == 0 ||
           (set.face_rows == needed.face_rows && set.num_faces >= needed.num_faces);
}

const char* broadcast_suffix(uint32_t broadcast) {
    switch (static_cast<Broadcast>(broadcast)) {
        case Broadcast::Col: return "_bcast_cols";
        case Broadcast::Row: return "_bcast_rows";
        case Broadcast::Scalar: return "_bcast_scalar";
        default: return "";
    }
}

std::string binary_init_name(uint32_t detail) {
    const uint32_t op = detail & 0xf, broadcast = detail >> 4 & 0xf, reuse = detail >> 8;
    std::string name = op == 0 ? "add" : op == 1 ? "sub" : "mul";
    name += broadcast_suffix(broadcast);
    return name + (reuse != 0 ? "_reuse_dest_init" : "_init");
}

std::string reduce_init_name(uint32_t detail) {
    if (detail == kAnyDetail) {
        return "tilizeA_B_reduce_init";
    }
    const uint32_t pool = detail & 0xf, axis = detail >> 4;
    const std::string along = axis == 0 ? "REDUCE_ROW" : axis == 1 ? "REDUCE_COL" : "REDUCE_SCALAR";
    return (pool == static_cast<uint32_t>(Pool::Max) ? "reduce_init<MAX, " : "reduce_init<SUM, ") + along + ">";
}

std::string unary_broadcast_name(uint32_t broadcast) {
    const char* const names[] = {"NONE", "COL", "ROW", "SCALAR"};
    return std::string("unary_bcast_init<") + names[broadcast & 3] + ">";
}

// `unpack` is the loop of the same init: tilize_init and untilize_init set the maths side to copy.
std::string math_init_name(LoopSetup setup, uint32_t unpack) {
    switch (static_cast<MathLoop>(setup.loop)) {
        case MathLoop::None: return "no init call";
        case MathLoop::Copy:
            return unpack == static_cast<uint32_t>(UnpackLoop::Tilize)     ? "tilize_init"
                   : unpack == static_cast<uint32_t>(UnpackLoop::Untilize) ? "untilize_init"
                                                                           : "copy_init";
        case MathLoop::UnaryBroadcast: return unary_broadcast_name(setup.detail);
        case MathLoop::Binary: return binary_init_name(setup.detail);
        case MathLoop::Matmul: return "matmul_init";
        case MathLoop::Reduce: return reduce_init_name(setup.detail);
        case MathLoop::TransposeDest: return "transpose_dest_init";
        case MathLoop::Other: break;
    }
    return "another init";
}

std::string unpack_init_name(LoopSetup setup) {
    switch (static_cast<UnpackLoop>(setup.loop)) {
        case UnpackLoop::None: return "no init call";
        case UnpackLoop::Copy: return "copy_init";
        case UnpackLoop::Transpose: return "transpose_init";
        case UnpackLoop::UnaryBroadcast: return unary_broadcast_name(setup.detail);
        case UnpackLoop::Binary:
            return std::string("an init of two operands") + (setup.detail ? " with broadcast" : " without broadcast");
        case UnpackLoop::ReuseDest: return "an init that takes DST as an operand";
        case UnpackLoop::Matmul: return "matmul_init";
        case UnpackLoop::Reduce: return reduce_init_name(setup.detail);
        case UnpackLoop::Tilize: return "tilize_init for " + std::to_string(setup.detail) + " tiles a row";
        case UnpackLoop::Untilize: return "untilize_init";
        case UnpackLoop::TilizeReduce: return "tilizeA_B_reduce_init";
        case UnpackLoop::Other: break;
    }
    return "another init";
}

bool runs(LoopSetup has, uint32_t loop, uint32_t detail, uint32_t other) {
    return loop == other || has.loop == other ||
           (has.loop == loop && (has.detail == detail || has.detail == kAnyDetail || detail == kAnyDetail));
}

OperandChecks* checks_of(const ComputeState& state) {
    return state.checks != nullptr ? &state.checks->operands : nullptr;
}

OperandChecks* running_checks() { return checks_of(compute_state()); }

// Whether other checks make sense: leftover tilize or untilize settings make every other unpacking wrong.
bool unpacker_undone(OperandChecks& checks, UnpackLoop needs, uint32_t cb, const char* call) {
    if (checks.left == UnpackLoop::None || needs == checks.left || needs == UnpackLoop::Other) {
        return true;
    }
    const bool tilize = checks.left == UnpackLoop::Tilize;
    note_finding(
        *checks.instance,
        Rule::UninitMissing,
        cb,
        0,
        "%s reads c_%u while the unpacker is still set up by %s: %s is missing",
        call,
        cb,
        tilize ? "tilize_init" : "untilize_init",
        tilize ? "tilize_uninit" : "untilize_uninit");
    return false;
}

}  // namespace

void checked::check_loops(const ComputeState& state, const LoopNeeds& needs, uint32_t cb, const char* call) {
    OperandChecks* checks = checks_of(state);
    const LoopSetup math{static_cast<uint32_t>(needs.math), needs.math_detail};
    const bool unpacks = runs_on(*checks->instance, kUnpackThread);
    if (unpacks && !unpacker_undone(*checks, needs.unpack, cb, call)) {
        return;
    }
    const bool computes = runs_on(*checks->instance, kMathThread);
    if (computes && !runs(checks->math, math.loop, math.detail, static_cast<uint32_t>(MathLoop::Other))) {
        note_finding(
            *checks->instance,
            Rule::InitMissing,
            cb,
            0,
            "%s needs %s, but the maths side was last set up by %s",
            call,
            math_init_name(math, static_cast<uint32_t>(needs.unpack)).c_str(),
            math_init_name(checks->math, checks->unpack.loop).c_str());
        return;
    }
    const LoopSetup unpack{static_cast<uint32_t>(needs.unpack), needs.unpack_detail};
    if (unpacks && !runs(checks->unpack, unpack.loop, unpack.detail, static_cast<uint32_t>(UnpackLoop::Other))) {
        note_finding(
            *checks->instance,
            Rule::InitMissing,
            cb,
            0,
            "%s needs %s, but the unpackers were last set up by %s",
            call,
            unpack_init_name(unpack).c_str(),
            unpack_init_name(checks->unpack).c_str());
        return;
    }
    if (cb == kNoCb || needs.unpack == UnpackLoop::Other || !unpacks) {
        return;
    }
    const TileGeometry& geometry = tile_geometry(cb);
    if (!same_shape(checks->loop_shape, shape_of(geometry))) {
        note_finding(
            *checks->instance,
            Rule::GeometryMismatch,
            cb,
            0,
            "%s reads tiles of c_%u with %u faces of %u rows, but its init was for tiles with %u faces of %u rows",
            call,
            cb,
            geometry.num_faces,
            geometry.face_rows,
            checks->loop_shape.num_faces,
            checks->loop_shape.face_rows);
    }
}

// On a card the lower half of such a word has no place in 16-bit DST. A float loses only precision.
void checked::check_dst_width(const ComputeState& state, uint32_t cb, const char* call) {
    const DataFormat format = tile_geometry(cb).format;
    if (state.fp32_dest || (format != DataFormat::Int32 && format != DataFormat::UInt32)) {
        return;
    }
    note_finding(
        *checks_of(state)->instance,
        Rule::DstWidth,
        cb,
        0,
        "%s brings %s of c_%u to DST, which has 16 bits for each element: fp32_dest_acc_en is not set",
        call,
        format_name(format),
        cb);
}

void checked::check_source(const ComputeState& state, const TileGeometry& unpacker, uint32_t cb, const char* call) {
    OperandChecks* checks = checks_of(state);
    const TileGeometry& geometry = tile_geometry(cb);
    const bool is_a = &unpacker == &state.src_a;
    const char* side = is_a ? "SrcA" : "SrcB";
    if (!same_format(unpacker.format, geometry.format)) {
        note_finding(
            *checks->instance,
            Rule::FormatMismatch,
            cb,
            0,
            "%s reads c_%u, which holds %s, while %s is set to %s",
            call,
            cb,
            format_name(geometry.format),
            side,
            format_name(unpacker.format));
        return;
    }
    const TileShape set = is_a ? checks->shape_a : checks->shape_b;
    if (runs_on(*checks->instance, kUnpackThread) && (is_a || &unpacker == &state.src_b) &&
        !holds_shape(set, shape_of(geometry))) {
        note_finding(
            *checks->instance,
            Rule::GeometryMismatch,
            cb,
            0,
            "%s reads tiles of c_%u with %u faces of %u rows, but the unpacker of %s is set to %u faces of %u rows",
            call,
            cb,
            geometry.num_faces,
            geometry.face_rows,
            side,
            set.num_faces,
            set.face_rows);
    }
}

void checked::check_pack(const ComputeState& state, uint32_t cb, PackLoop needs, const char* call) {
    OperandChecks* checks = checks_of(state);
    const TileGeometry& geometry = tile_geometry(cb);
    if (!same_format(state.pack.format, geometry.format)) {
        note_finding(
            *checks->instance,
            Rule::FormatMismatch,
            cb,
            0,
            "%s writes c_%u, which holds %s, while the packer is set to %s",
            call,
            cb,
            format_name(geometry.format),
            format_name(state.pack.format));
    }
    if (needs == checks->pack) {
        return;
    }
    if (needs == PackLoop::Default) {
        note_finding(
            *checks->instance,
            Rule::UninitMissing,
            cb,
            0,
            "%s writes c_%u while the packer is still set up by pack_untilize_init: pack_untilize_uninit is missing",
            call,
            cb);
    } else {
        note_finding(
            *checks->instance,
            Rule::InitMissing,
            cb,
            0,
            "%s needs pack_untilize_init, but the packer is set up to write tiles",
            call);
    }
}

void checked::check_pack_mask(const ComputeState& state, uint32_t slot, uint32_t cb, const char* call) {
    OperandChecks* checks = checks_of(state);
    if (!state.taints || state.scratch[kReduceMask] == 0 || (dst_of(state)->plain_slots >> slot & 1) == 0) [[likely]] {
        return;
    }
    const auto axis = static_cast<ReduceAxis>(state.scratch[kReduceMask] - 1);
    note_finding(
        *checks->instance,
        Rule::UninitMissing,
        cb,
        0,
        "%s writes DST tile %u to c_%u with the packer mask of reduce_init, which keeps only %s, but the tile is not "
        "the result of a reduction: reduce_uninit is missing",
        call,
        slot,
        cb,
        axis == ReduceAxis::Row   ? "column 0"
        : axis == ReduceAxis::Col ? "row 0"
                                  : "element [0, 0]");
}

void checked::note_dst_write(const ComputeState& state, uint32_t slot, bool is_reduction) {
    if (!state.taints) {
        return;
    }
    uint32_t& plain_slots = dst_of(state)->plain_slots;
    plain_slots = (plain_slots & ~(1u << slot)) | (is_reduction ? 0u : 1u << slot);
}

void remember_dst_call(const ComputeState& state) {
    if (OperandChecks* checks = checks_of(state)) [[unlikely]] {
        const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
        checks->num_frames = walk_frames(*checks->instance->stack, here, checks->frames, kFindingFrames);
    }
}

void check_dst_at_end(KernelInstance& instance) {
    const ComputeState* state = instance.core->compute.get();
    if (instance.context.kind != static_cast<uint8_t>(KernelKind::Compute) || state->phase == DstPhase::Idle) {
        return;
    }
    const bool packer_waits = state->phase == DstPhase::Acquired && packer_waits_for_commit(*state);
    const OperandChecks& checks = *checks_of(*state);
    instance.checks->findings.add(
        instance,
        Rule::DstProtocol,
        kNoCircularBuffer,
        0,
        checks.frames,
        checks.num_frames,
        packer_waits ? "tile_regs_wait without a tile_regs_commit until the end of the kernel: the packer waits for "
                       "ever"
        : state->phase == DstPhase::Acquired
            ? "tile_regs_acquire without a tile_regs_commit until the end of the kernel"
            : "tile_regs_acquire without a tile_regs_release until the end of the kernel");
}

void check_vector_unit(const ComputeState& state, SfpuConstants needs, const char* call) {
    static constexpr const char* kConstants[] = {
        "",
        "recip, sigmoid or division",
        "sqrt or rsqrt",
        "log",
        "log1p",
        "exp2",
        "expm1",
        "tanh",
        "cbrt",
        "power",
        "a power of two tiles",
        "sin or cos",
        "tan",
        "the approximate exp"};
    static_assert(sizeof kConstants / sizeof *kConstants == static_cast<size_t>(SfpuConstants::Count));
    OperandChecks* checks = checks_of(state);
    if (checks == nullptr) [[likely]] {
        return;
    }
    if (!checks->vector_unit_ready) {
        note_finding(
            *checks->instance,
            Rule::InitMissing,
            kNoCircularBuffer,
            0,
            "%s before any init call of the vector unit (<name>_tile_init)",
            call);
    } else if (needs != SfpuConstants::None && needs != checks->constants) {
        const bool none = checks->constants == SfpuConstants::None;
        note_finding(
            *checks->instance,
            Rule::InitMissing,
            kNoCircularBuffer,
            0,
            "%s needs the vector unit's constants for %s, but %s%s",
            call,
            kConstants[static_cast<uint32_t>(needs)],
            none ? "no init call has set any" : "the last init call set those of ",
            none ? "" : kConstants[static_cast<uint32_t>(checks->constants)]);
    }
}

}  // namespace tw

using namespace tw;

extern "C" {

void tw_unpack_loop(uint32_t loop, uint32_t detail, uint32_t cb) {
    if (OperandChecks* checks = running_checks()) [[unlikely]] {
        checks->unpack = {loop, detail};
        checks->loop_shape = cb != kNoCb ? shape_of(tile_geometry(cb)) : TileShape{};
        const auto kind = static_cast<UnpackLoop>(loop);
        if (kind == UnpackLoop::Tilize || kind == UnpackLoop::Untilize) {
            checks->left = kind;
        }
    }
}

void tw_math_loop(uint32_t loop, uint32_t detail) {
    if (OperandChecks* checks = running_checks()) [[unlikely]] {
        checks->math = {loop, detail};
    }
}

void tw_pack_loop(uint32_t loop) {
    if (OperandChecks* checks = running_checks()) [[unlikely]] {
        checks->pack = static_cast<PackLoop>(loop);
    }
}

void tw_unpack_restored(uint32_t cb) {
    if (OperandChecks* checks = running_checks()) [[unlikely]] {
        checks->left = UnpackLoop::None;
        checks->shape_a = shape_of(tile_geometry(cb));
    }
}

void tw_unpack_shape_a(uint32_t cb) {
    if (OperandChecks* checks = running_checks()) [[unlikely]] {
        checks->shape_a = shape_of(tile_geometry(cb));
    }
}

void tw_unpack_shape_b(uint32_t cb) {
    if (OperandChecks* checks = running_checks()) [[unlikely]] {
        checks->shape_b = shape_of(tile_geometry(cb));
    }
}

void tw_sfpu_init(uint32_t constants) {
    if (OperandChecks* checks = running_checks()) [[unlikely]] {
        checks->vector_unit_ready = true;
        if (constants != 0) {
            checks->constants = static_cast<SfpuConstants>(constants);
        }
    }
}
}
