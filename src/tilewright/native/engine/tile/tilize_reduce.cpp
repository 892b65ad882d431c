// SPDX-License-Identifier: Apache-2.0
// Row-major data tilized into SrcA and reduced from there (pooling kernels): unpacking fills a queue that the math side
// empties tile by tile.
#include <algorithm>

#include "check/compute/operands.h"
#include "numerics.h"
#include "reduce.h"
#include "source.h"

using namespace tw;

namespace {

enum Fill : uint32_t { kFillNothing, kFillMinusInfinity, kFillZero };

// The next tile of the queue; missing rows hold the fill value.
Operand next_tile(const ComputeState& state, uint32_t num_faces, uint32_t* words) {
    const uint32_t* queue = state.scratch;
    Operand data;
    data.geometry = tile_geometry(queue[kQueueCbA]);
    data.format = state.src_a.format;
    data.mask = data.format == DataFormat::Float32 || data.format == DataFormat::Tf32 ? src_float_mask(state) : ~0u;
    data.words = words;
    std::fill_n(words, kTileElements, queue[kQueueFill] == kFillMinusInfinity ? kMinusInfinity : 0);
    const uint32_t bytes = datum_bytes(data.format, "unpack_tilizeA_B_block");
    const uint32_t columns = data.geometry.tile_cols, face_rows = data.geometry.face_rows;
    const uint32_t stride = queue[kQueueTiles] * columns * bytes;
    const auto* rows = reinterpret_cast<const uint8_t*>(static_cast<uintptr_t>(queue[kQueueAddress])) +
                       queue[kQueueNext] * columns * bytes;
    for (uint32_t face = 0; face < std::min<uint32_t>(num_faces, data.geometry.num_faces); face++) {
        const uint32_t top = face / data.faces_per_row() * face_rows, left = face % data.faces_per_row() * 16;
        for (uint32_t row = 0; row < face_rows; row++) {
            const uint8_t* from = rows + (top + row) * stride + left * bytes;
            decode_data(from, data.format, 16, words + face * kFaceElements + row * 16);
        }
    }
    if (queue[kQueueFill] != kFillNothing) {
        data.geometry.face_rows = 16;  // the filled rows take part
    }
    return data;
}

// Taint of the next tile of the queue, from the rows it is made of.
TileTaint next_taint(const ComputeState& state) {
    if (!state.taints) [[likely]] {
        return {};
    }
    const uint32_t* queue = state.scratch;
    const TileGeometry& geometry = tile_geometry(queue[kQueueCbA]);
    const uint32_t bytes = datum_bytes(state.src_a.format, "unpack_tilizeA_B_block");
    const uint64_t row_bytes = static_cast<uint64_t>(queue[kQueueTiles]) * geometry.tile_cols * bytes;
    const auto* rows = reinterpret_cast<const uint8_t*>(static_cast<uintptr_t>(queue[kQueueAddress]));
    const FaceRows image{geometry.num_faces, geometry.tile_cols > 16 ? 2u : 1u, geometry.face_rows, bytes, row_bytes};
    return gather_taint(state, image, queue[kQueueCbA], rows + queue[kQueueNext] * geometry.tile_cols * bytes);
}

}  // namespace

extern "C" {

void tw_unpack_tilize_a_b_init(uint32_t fill, uint32_t reloads_b) {
    uint32_t* queue = started_state("tilizeA_B_reduce_init").scratch;
    queue[kQueueFill] = fill;
    queue[kQueueReloadsB] = reloads_b;
}

void tw_unpack_tilize_a_b(uint32_t cb_a, uint32_t cb_b, uint32_t num_tiles, uint32_t tile_b) {
    ComputeState& state = started_state("unpack_tilizeA_B_block");
    check_loops(state, {UnpackLoop::TilizeReduce, 0}, kNoCb, "unpack_tilizeA_B_block");
    check_source(state, state.src_a, cb_a, "unpack_tilizeA_B_block");
    if (!begin_operation({{cb_a, 0, true}, {cb_b, tile_b}})) {
        return;
    }
    uint32_t* queue = state.scratch;
    if (queue[kQueueNext] != queue[kQueueTiles]) {
        kernel_error(
            "unpack_tilizeA_B_block: %u of the %u tiles of the block before were never reduced",
            queue[kQueueTiles] - queue[kQueueNext],
            queue[kQueueTiles]);
    }
    queue[kQueueAddress] = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(operand_rows(cb_a)));
    queue[kQueueNext] = 0;
    queue[kQueueTiles] = num_tiles;
    queue[kQueueCbA] = cb_a;
    queue[kQueueCbB] = cb_b;
    queue[kQueueTileB] = tile_b;
}

void tw_reduce_tile_math(uint32_t pool, uint32_t axis, uint32_t dst, uint32_t num_faces) {
    if (!runs_on(current_instance(), kMathThread)) {
        return;
    }
    check_pool(pool, axis);
    ComputeState& state = math_state("reduce_tile_math");
    check_loops(state, {UnpackLoop::Other, 0, MathLoop::Reduce, reduce_detail(pool, axis)}, kNoCb, "reduce_tile_math");
    uint32_t* queue = state.scratch;
    if (queue[kQueueNext] == queue[kQueueTiles]) {
        kernel_error("reduce_tile_math without a tile from unpack_tilizeA_B_block: the maths side would wait for ever");
    }
    if (num_faces != 1 && num_faces != 2 && num_faces != 4) {
        kernel_error("reduce_tile_math: %u faces, allowed are 1, 2 and 4", num_faces);
    }
    if (static_cast<ReduceAxis>(axis) == ReduceAxis::Row && static_cast<Pool>(pool) != Pool::Max) {
        kernel_error("reduce_tile_math: a row sum needs the data in SrcB, unpack_tilizeA_B_block puts them in SrcA");
    }
    alignas(64) uint32_t words[kTileElements], scaler_buffer[kTileElements];
    const TileTaint data_taint = next_taint(state);
    const Operand data = next_tile(state, num_faces, words);
    queue[kQueueNext]++;
    Operand scaler =
        unpack(state, state.src_b, queue[kQueueCbB], queue[kQueueTileB], scaler_buffer, "reduce_tile_math");
    if (queue[kQueueReloadsB] != 0) {
        scaler.geometry.num_faces = 1;  // used for every face of the data
    }
    const TileTaint scaler_taint = taint_of(state, queue[kQueueCbB], scaler.bytes);
    reduce(
        state,
        static_cast<Pool>(pool),
        static_cast<ReduceAxis>(axis),
        data,
        data_taint,
        scaler,
        scaler_taint,
        num_faces,
        dst);
}
}
