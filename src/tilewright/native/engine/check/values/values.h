// SPDX-License-Identifier: Apache-2.0
// Taint tracking of meaningless values: unwritten memory, padding of tensors, and what a reduction leaves beside its
// result. Every element of a tile carries the kinds it has taken in, from L1 through DST back to L1. A finding is made
// where one reaches an element of a tensor.
//
// Operations combine the marks of their operands as they combine values: sums and products mix rows and columns, a zero
// factor removes marks, broadcasts copy them, masks replace them. A mark carries its origin, the operation that mixed
// it into a result and the first that read it: the finding is made at that operation, not at the writer.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "abi/tile.h"
#include "check/findings.h"
#include "check/hook.h"
#include "check/memory/shadow_memory.h"
#include "compute_state.h"

namespace tw {

struct KernelInstance;
struct Operand;

// Bits of one element.
enum Taint : uint8_t { kUnwritten = 1, kPadding = 2, kBeside = 4 };
inline constexpr uint32_t kTaintKinds = 3;

// Where a kind first came in.
struct Origin {
    enum class Kind : uint8_t { None, Tensor, CircularBuffer, Reduction };
    Kind kind = Kind::None;
    uint8_t axis = 0;  // ReduceAxis of a reduction
    uint32_t index = 0;  // of the tensor or circular buffer
    uint64_t page = 0;  // of the tensor
    const CallPlace* taken_in = nullptr;  // the tile operation that mixed it in, if any
    const CallPlace* read_by = nullptr;  // the first that read it, whatever the result
};

struct Origins {
    Origin of[kTaintKinds];
};

// One tile in face order.
struct TileTaint {
    bool clean = true;  // then `of` means nothing
    alignas(64) uint8_t of[kTileElements];
    Origins origins;

    TileTaint() {}  // leaves `of` uninitialised: plain runs have such tiles too
    TileTaint(const TileTaint& from) { *this = from; }
    TileTaint& operator=(const TileTaint& from);

    uint8_t at(uint32_t datum) const { return clean ? 0 : of[datum]; }
    // Initialises `of`.
    void open();
    void take_origins(const TileTaint& from);
};

// A half of DST of one core, or all of it.
struct DstTaint {
    uint32_t plain_slots = 0;  // bit per slot: holds the result of an operation other than a reduction
    TileTaint slot[kDstSlots];
    TileTaint in1[kDstSlots];  // of the columns of a matmul block
    uint8_t running[32] = {};  // marks of a running sum down the columns
};

// State shared by the whole program.
struct ValueChecks {
    explicit ValueChecks(ShadowMemory& beside) : beside(beside) {}

    ShadowMemory& beside;  // bytes a reduction left beside its result
    // By circular buffer: the latest origin of each kind in its pages. Keys: L1 of the core, index.
    std::map<std::pair<uint32_t, uint32_t>, Origins> origins;
    std::deque<CallPlace> places;  // of tile operations that mixed in marks
};

// Null in a run that does not track values.
DstTaint* dst_of(const ComputeState& state);
// The datum of a broadcast operand that datum i of a result reads; faces: in one row of faces, of the result and of the
// operand.
uint32_t broadcast_source(Broadcast broadcast, uint32_t row, uint32_t i, uint32_t faces, uint32_t b_faces);

// A hook of runs that track values.
#define TW_TAINT_HOOK(name, parameters, arguments) \
    namespace checked { \
    void name parameters; \
    } \
    inline void name parameters { \
        if (state.taints) [[unlikely]] { \
            checked::name arguments; \
        } \
    }

// --- tile operations; each does nothing in a plain run, and is called before the operation changes DST ---
TW_TAINT_HOOK(taint_clear, (const ComputeState& state), (state))  // DST reads as zero
TW_TAINT_HOOK(
    taint_copy,
    (const ComputeState& state,
     uint32_t cb,
     const uint8_t* bytes,
     uint32_t slot,
     uint32_t transpose,
     Broadcast broadcast = Broadcast::None),
    (state, cb, bytes, slot, transpose, broadcast))
// A CB operand of tile math with its taint.
struct TaintedOperand {
    const Operand& operand;
    uint32_t cb;
};
TW_TAINT_HOOK(
    taint_binary,
    (const ComputeState& state,
     BinaryOp op,
     Broadcast broadcast,
     uint32_t row,
     TaintedOperand a,
     TaintedOperand b,
     uint32_t slot,
     bool accumulate),
    (state, op, broadcast, row, a, b, slot, accumulate))
TW_TAINT_HOOK(
    taint_reuse_dest,
    (const ComputeState& state,
     BinaryOp op,
     Broadcast broadcast,
     bool dst_is_a,
     const Operand& from_dst,
     TaintedOperand from_cb,
     uint32_t slot),
    (state, op, broadcast, dst_is_a, from_dst, from_cb, slot))
TW_TAINT_HOOK(
    taint_compensated,
    (const ComputeState& state, TaintedOperand a, TaintedOperand mean, uint32_t slot),
    (state, a, mean, slot))
TW_TAINT_HOOK(
    taint_reduce,
    (const ComputeState& state,
     Pool pool,
     ReduceAxis axis,
     const Operand& data,
     const TileTaint& data_taint,
     const Operand& scaler,
     const TileTaint& scaler_taint,
     uint32_t num_faces,
     uint32_t slot),
    (state, pool, axis, data, data_taint, scaler, scaler_taint, num_faces, slot))
struct MatmulFaces {
    uint32_t m, k, n;
};
// in0 (m x k) and in1 (k x n) as words in face order, in1 already transposed if requested; only zeros matter.
void taint_matmul(
    const ComputeState& state,
    MatmulFaces faces,
    const uint32_t* in0,
    const TileTaint& in0_taint,
    const uint32_t* in1,
    const TileTaint& in1_taint,
    uint32_t slot);
void taint_transpose_dst(const ComputeState& state, uint32_t slot, bool faces);
// The running operation has mixed these kinds into the tile, or only read them; an earlier operation stays the first.
void mixed_in(const ComputeState& state, TileTaint& taint, uint8_t kinds);
void read_unwritten(const ComputeState& state, TileTaint& taint);
void transpose_taint(TileTaint& taint, uint32_t num_faces, bool faces, bool within);

// --- the vector unit; `ranges` are begin, end pairs of data ---
// An operation is about to use DST register `slot`.
TW_HOOK(state, check_vector_operand, (const ComputeState& state, uint32_t slot, const char* call), (state, slot, call))
struct DataRange {
    uint32_t begin, end;
};
TW_TAINT_HOOK(
    taint_vector_unary,
    (const ComputeState& state, bool defines, uint32_t slot, const DataRange* ranges, uint32_t count),
    (state, defines, slot, ranges, count))
TW_TAINT_HOOK(
    taint_vector_binary,
    (const ComputeState& state,
     uint32_t slot_a,
     uint32_t slot_b,
     uint32_t out,
     const DataRange* ranges,
     uint32_t count),
    (state, slot_a, slot_b, out, ranges, count))
void taint_vector_ternary(
    const ComputeState& state,
    uint32_t slot_a,
    uint32_t slot_b,
    uint32_t slot_c,
    uint32_t out,
    bool is_where,
    const DataRange* ranges,
    uint32_t count);
void taint_slot_copy(const ComputeState& state, uint32_t from, uint32_t to);
void taint_slot_mask(const ComputeState& state, uint32_t slot, uint32_t mask_slot, uint32_t ignored_bits);
void taint_slot_broadcast(const ComputeState& state, uint32_t slot, uint32_t vector_slot, Broadcast broadcast);
void taint_slot_add(const ComputeState& state, uint32_t slot, uint32_t other);
void taint_slot_defined(const ComputeState& state, uint32_t slot);
void taint_running_sum(const ComputeState& state, uint32_t slot, bool first);
void taint_vector_reduce(const ComputeState& state, ReduceAxis axis, uint32_t slot, uint32_t ct_dim, uint32_t rt_dim);
void taint_tail_defined(const ComputeState& state, uint32_t slot, uint32_t begin);  // elements from `begin` on
void taint_sequence_mixed(const ComputeState& state, uint32_t first_slot, uint32_t count);  // whole tiles, sorted
// Two value tiles and their indices, sorted down the columns: every `run` of the 64 by itself.
void taint_columns_mixed(const ComputeState& state, uint32_t first_slot, uint32_t run);

// --- between L1 and tiles ---
// The part of a tile that is read: a broadcast reads little of it, and beside a reduction's result the tile is marked.
enum class TileReads : uint8_t { All, Row, LeftColumn, FaceColumns, Scalar };
TileReads reads_of(Broadcast broadcast);
// Taint of the tile of cb at `bytes`; parts that are not read count as unmarked.
TileTaint load_taint(
    const ComputeState& state, uint32_t cb, const uint8_t* bytes, TileReads reads = TileReads::All, uint32_t row = 0);
inline TileTaint taint_of(const ComputeState& state, uint32_t cb, const uint8_t* bytes) {
    return state.taints ? load_taint(state, cb, bytes) : TileTaint();
}
// A DST tile (or anything else as packed) to a whole tile at `bytes`.
void taint_pack(
    const ComputeState& state,
    const TileTaint& taint,
    uint32_t cb,
    const TileGeometry& geometry,
    DataFormat format,
    const uint8_t* bytes);
TW_HOOK(
    state,
    taint_pack_slot,
    (const ComputeState& state, uint32_t slot, uint32_t cb, const TileGeometry& geometry, const uint8_t* bytes),
    (state, slot, cb, geometry, bytes))
// A tile whose face rows lie apart, as in row-major data.
struct FaceRows {
    uint32_t num_faces, faces_per_row, face_rows;
    uint32_t datum_bytes;
    uint64_t row_bytes;
};
TileTaint gather_taint(const ComputeState& state, const FaceRows& image, uint32_t cb, const uint8_t* rows);
void scatter_taint(
    const ComputeState& state, const TileTaint& taint, const FaceRows& image, uint32_t cb, const uint8_t* rows);
const TileTaint& slot_taint(const ComputeState& state, uint32_t slot);
// `count` data one after the other, from `first` on.
void taint_pack_data(
    const ComputeState& state,
    uint32_t slot,
    uint32_t first,
    uint32_t count,
    uint32_t datum_bytes,
    uint32_t cb,
    const uint8_t* bytes);

// --- memory ---
// Called before a NoC transfer's marks are copied: findings at tensors, and origins of a circular buffer's pages.
void taint_noc_copy(KernelInstance& instance, const uint8_t* to, const uint8_t* from, uint64_t bytes, bool is_read);
void taint_defined(KernelInstance& instance, const void* memory, uint64_t bytes);
// Bytes about to be packed into a tensor; `undefined` marks them, a bit per byte.
void check_tensor_bytes(
    KernelInstance& instance,
    const uint8_t* to,
    uint32_t bytes,
    uint64_t unwritten,
    uint64_t padding,
    uint64_t beside,
    uint32_t cb,
    const Origins& origins);
Origins origins_of_cb(KernelInstance& instance, uint32_t cb, const uint8_t* bytes);
void remember_origins(KernelInstance& instance, uint32_t cb, const Origins& origins, uint8_t kinds);

}  // namespace tw
