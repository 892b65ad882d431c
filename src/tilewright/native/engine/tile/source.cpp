// SPDX-License-Identifier: Apache-2.0
#include "source.h"

#include <algorithm>

#include "abi/threads.h"
#include "abi/tile.h"
#include "check/hooks.h"
#include "dst.h"

namespace tw {

namespace {

constexpr uint32_t kSourceBanks = 2;
// An operand unpacked straight to DST waits for the math thread; a block of rows has more faces than there are banks.
constexpr uint32_t kNoRoom = kSourceBanks + 1;

uint32_t banks_of(std::span<const OperandTile> tiles, SourceUse use) {
    uint32_t banks = 0;
    for (const OperandTile& each : tiles) {
        const TileGeometry& geometry = tile_geometry(each.cb);
        const bool waits = geometry.unpack_to_dest_fp32 || each.is_rows;
        banks = std::max<uint32_t>(banks, waits ? kNoRoom : geometry.num_faces);
    }
    // One side of a product stays in its bank while the other passes through tile by tile.
    return use == SourceUse::WholeTiles ? static_cast<uint32_t>(tiles.size()) - 1 : banks;
}

}  // namespace

bool SourceQueue::fits_registers() const {
    uint32_t banks = 0;
    for (const Operation& operation : operations_) {
        banks += operation.banks;
    }
    return banks <= kSourceBanks;
}

void SourceQueue::copy_tiles() {
    for (Operation& operation : operations_) {
        for (Tile& tile : operation.tiles) {
            if (tile.copy.empty()) {
                tile.copy.assign(tile.bytes, tile.bytes + tile.size);
                tile.bytes = tile.copy.data();
            }
        }
    }
}

SourceQueue::Operation SourceQueue::with_settings(const ComputeState& state) {
    Operation operation;
    operation.src_a = state.src_a;
    operation.src_b = state.src_b;
    operation.copy_transpose = state.copy_transpose;
    operation.matmul_transpose = state.scratch[kMatmulTranspose];
    operation.matmul_column_stride = state.scratch[kMatmulColumnStride];
    operation.tilize_fill = state.scratch[kQueueFill];
    operation.tilize_reloads_b = state.scratch[kQueueReloadsB];
    return operation;
}

void SourceQueue::restore_settings(const Operation& operation, ComputeState& state) {
    state.src_a = operation.src_a;
    state.src_b = operation.src_b;
    state.copy_transpose = operation.copy_transpose;
    state.scratch[kMatmulTranspose] = operation.matmul_transpose;
    state.scratch[kMatmulColumnStride] = operation.matmul_column_stride;
    state.scratch[kQueueFill] = operation.tilize_fill;
    state.scratch[kQueueReloadsB] = operation.tilize_reloads_b;
}

void SourceQueue::post(KernelInstance& instance, std::span<const OperandTile> tiles, SourceUse use) {
    Operation operation = with_settings(*instance.core->compute);
    operation.banks = banks_of(tiles, use);
    for (const OperandTile& each : tiles) {
        const CoreCircularBuffer& buffer = configured_buffer(instance, each.cb, "tile operation");
        const uint8_t* bytes = each.is_rows ? front_rows(each.cb) : unpacked_tile(each.cb, each.tile);
        operation.tiles.push_back({each, bytes, buffer.page_bytes, {}});
    }
    operations_.push_back(std::move(operation));
}

void SourceQueue::post_block(KernelInstance& instance, uint32_t cb) {
    Operation operation = with_settings(*instance.core->compute);
    operation.banks = kNoRoom;
    operation.is_block = true;
    operation.read_pointer = instance.context.cb[cb].fifo_rd_ptr;
    operations_.push_back(std::move(operation));
}

void SourceQueue::take(KernelInstance& instance) {
    if (operations_.empty()) {  // during the deadlock look-ahead, which passes every wait
        taken_ = Operation{};
        return;
    }
    taken_ = std::move(operations_.front());
    operations_.pop_front();
    instance.scheduler->progress++;
    if (instance.threads != kAllThreads) {
        restore_settings(taken_, *instance.core->compute);
    }
}

void SourceQueue::begin_block(KernelInstance& instance, uint32_t cb) {
    if (has_block()) {
        restore_settings(operations_.front(), *instance.core->compute);
        instance.context.cb[cb].fifo_rd_ptr = operations_.front().read_pointer;
    }
}

void SourceQueue::end_block(KernelInstance& instance) {
    if (has_block()) {
        operations_.pop_front();
        instance.scheduler->progress++;
    }
}

const uint8_t* SourceQueue::taken_tile(uint32_t cb, uint32_t tile) const {
    for (const Tile& each : taken_.tiles) {
        if (each.operand.cb == cb && each.operand.tile == tile) {
            return each.bytes;
        }
    }
    const OperandTile first = taken_.tiles.front().operand;
    kernel_error(
        "the maths thread computes with tile %u of c_%u, but what the unpack thread has unpacked begins with tile %u "
        "of "
        "c_%u: their calls come in different orders",
        tile,
        cb,
        first.tile,
        first.cb);
}

const uint8_t* operand_rows(uint32_t cb) {
    const KernelInstance& instance = current_instance();
    return is_taking_operands(instance) ? instance.sources->taken_tile(cb, 0) : front_rows(cb);
}

OperandTile SourceQueue::operand(uint32_t index) const {
    if (index >= taken_.tiles.size()) {
        kernel_error(
            "the maths thread needs %u operands, the unpack thread has unpacked %zu", index + 1, taken_.tiles.size());
    }
    return taken_.tiles[index].operand;
}

std::vector<OperandTile> product_operands(
    uint32_t cb_a,
    uint32_t cb_b,
    uint32_t tile_a,
    uint32_t tile_b,
    uint32_t ct_dim,
    uint32_t rt_dim,
    uint32_t kt_dim,
    uint32_t column_stride) {
    std::vector<OperandTile> tiles;
    tiles.reserve(ct_dim + rt_dim);
    for (uint32_t column = 0; column < ct_dim; column++) {
        tiles.push_back({cb_b, tile_b + column * column_stride});
    }
    for (uint32_t row = 0; row < rt_dim; row++) {
        tiles.push_back({cb_a, tile_a + row * kt_dim});
    }
    return tiles;
}

static SourceQueue& queue_of(KernelInstance& instance) {
    if (instance.sources == nullptr) {
        instance.sources = std::make_unique<SourceQueue>();
    }
    return *instance.sources;
}

// The math thread waits for the unpack thread, or for the pack thread where a block before is still to be packed.
template <class Condition>
static bool wait_for_sources(KernelInstance& instance, bool behind_block, Condition is_met, uint32_t what) {
    return wait_on(instance, kMathThread, behind_block ? WaitKind::DstFree : WaitKind::SourceReady, is_met, what);
}

bool take_unpacked(KernelInstance& instance) {
    SourceQueue& sources = queue_of(instance);
    const auto is_met = [&] { return sources.has_operands(); };
    if (!wait_for_sources(instance, sources.has_block(), is_met, kWaitsForOperands)) {
        return false;
    }
    sources.take(instance);
    return true;
}

// Tells the checker how many operations back the math thread must have started before the first of these tiles finds a
// free bank.
static void note_operands(KernelInstance& instance, std::span<const OperandTile> tiles, SourceUse use) {
    if (instance.checks != nullptr && runs_on(instance, kUnpackThread)) [[unlikely]] {
        const bool to_dst = use == SourceUse::Faces && tile_geometry(tiles.front().cb).unpack_to_dest_fp32;
        on_operands(instance, to_dst ? 0 : banks_of(tiles, use) >= kSourceBanks ? 1 : 2);
    }
}

bool pass_through_sources(KernelInstance& instance, std::span<const OperandTile> tiles, SourceUse use) {
    note_operands(instance, tiles, use);
    if (instance.sources == nullptr) {
        return true;
    }
    SourceQueue& sources = *instance.sources;
    if (instance.threads == kAllThreads && sources.is_empty()) {
        sources.drop_taken();
        return true;
    }
    if (runs_on(instance, kUnpackThread)) {
        sources.post(instance, tiles, use);
    }
    return take_unpacked(instance);
}

// The unpack thread queues the block, the math thread hands it on once it gets there, and the pack thread moves the
// data and frees the source registers. On a card the block goes through DST tile by tile, but no kernel can observe the
// order within it.
BlockSection::BlockSection(uint32_t cb_in, const char* call) : instance_(current_instance()), is_mine_(true) {
    if (runs_on(instance_, kUnpackThread)) {
        on_block(instance_);
    }
    if (instance_.split == nullptr) [[likely]] {
        section_state(call);
        return;
    }
    SourceQueue& sources = *instance_.sources;
    uint32_t& passed = instance_.split->blocks_passed;
    is_mine_ = false;
    if (runs_on(instance_, kUnpackThread)) {
        sources.post_block(instance_, cb_in);
    } else if (
        wait_for_sources(instance_, passed != 0, [&] { return sources.has_block() && passed == 0; }, kWaitsForBlock)) {
        passed = 1;
        instance_.scheduler->progress++;
    } else if (wait_on(instance_, kPackThread, WaitKind::DstReady, [&] { return passed != 0; }, 1)) {
        is_mine_ = true;
        sources.begin_block(instance_, cb_in);
        section_state(call);
    }
}

BlockSection::~BlockSection() {
    if (is_mine_ && instance_.split != nullptr) [[unlikely]] {
        instance_.sources->end_block(instance_);
        instance_.split->blocks_passed = 0;
    }
}

}  // namespace tw

using namespace tw;

extern "C" {

void tw_unpack_tiles(const uint32_t* pairs, uint32_t count, uint32_t whole_tiles) {
    KernelInstance& instance = current_instance();
    if (!runs_on(instance, kUnpackThread)) {
        return;
    }
    std::vector<OperandTile> tiles;
    tiles.reserve(count);
    for (uint32_t index = 0; index < count; index++) {
        tiles.push_back({pairs[2 * index], pairs[2 * index + 1]});
    }
    const SourceUse use = whole_tiles != 0 ? SourceUse::WholeTiles : SourceUse::Faces;
    note_operands(instance, tiles, use);
    queue_of(instance).post(instance, tiles, use);
}

void tw_unpack_product(
    uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b, uint32_t ct_dim, uint32_t rt_dim, uint32_t kt_dim) {
    KernelInstance& instance = current_instance();
    if (runs_on(instance, kUnpackThread)) {
        const uint32_t stride = std::max(compute_state().scratch[kMatmulColumnStride], 1u);
        const auto tiles = product_operands(cb_a, cb_b, tile_a, tile_b, ct_dim, rt_dim, kt_dim, stride);
        note_operands(instance, tiles, SourceUse::WholeTiles);
        queue_of(instance).post(instance, tiles, SourceUse::WholeTiles);
    }
}
}
