// SPDX-License-Identifier: Apache-2.0
// The source queue: operands between the unpack thread and the math thread of a compute kernel.
//
// While one fiber runs all threads, an operation reads its operands in L1 when it runs. Once the threads are split, or
// where a kernel calls one half of an operation by itself, the unpack thread queues the tiles it has unpacked with its
// settings, and the math thread takes them in the same order.
//
// A card has two banks of each source register. A bank holds what one instruction hands over: a whole tile for a matrix
// product, a face for everything else. So the unpack thread can be ahead of the math thread by two tiles or two faces.
// Only its pops are visible to other kernels, so it waits there; tiles popped before the math thread has taken them are
// copied first.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <span>
#include <vector>

#include "abi/tile.h"
#include "run/threads.h"

namespace tw {

struct OperandTile {
    uint32_t cb, tile;
    bool is_rows = false;  // row-major data from the read pointer on
};

// How much of the source registers an operation fills.
enum class SourceUse : uint8_t { Faces, WholeTiles };

// What a waiting math thread needs at the head of the queue (FiberStatus::wait_cb).
inline constexpr uint32_t kWaitsForOperands = 2, kWaitsForBlock = 3;

class SourceQueue {
public:
    bool is_empty() const { return operations_.empty(); }
    bool has_operands() const { return !operations_.empty() && !operations_.front().is_block; }
    bool has_block() const { return !operations_.empty() && operations_.front().is_block; }
    // Whether everything not yet taken fits the source registers.
    bool fits_registers() const;
    void copy_tiles();

    // Queues tiles that the unpack thread has unpacked.
    void post(KernelInstance& instance, std::span<const OperandTile> tiles, SourceUse use);
    // Starts the math thread's next operation.
    void take(KernelInstance& instance);
    // Operands of the math thread's current operation.
    bool is_taking() const { return !taken_.tiles.empty(); }
    const uint8_t* taken_tile(uint32_t cb, uint32_t tile) const;
    OperandTile operand(uint32_t index) const;
    void drop_taken() { taken_.tiles.clear(); }

    // A block of rows or tiles that is handed to the pack thread in one piece. It begins at the unpack thread's read
    // pointer and is dropped once packed.
    void post_block(KernelInstance& instance, uint32_t cb);
    void begin_block(KernelInstance& instance, uint32_t cb);
    void end_block(KernelInstance& instance);

private:
    struct Tile {
        OperandTile operand;
        const uint8_t* bytes;
        uint32_t size;
        std::vector<uint8_t> copy;
    };
    struct Operation {
        std::vector<Tile> tiles;
        uint32_t banks = 0;
        bool is_block = false;
        uint32_t read_pointer = 0;  // of a block
        // Settings of the unpackers.
        TileGeometry src_a, src_b;
        uint8_t copy_transpose = 0;
        uint32_t matmul_transpose = 0, matmul_column_stride = 0;
        uint32_t tilize_fill = 0, tilize_reloads_b = 0;
    };
    static Operation with_settings(const ComputeState& state);
    static void restore_settings(const Operation& operation, ComputeState& state);

    std::deque<Operation> operations_;
    Operation taken_;
};

inline bool is_taking_operands(const KernelInstance& instance) {
    return instance.sources != nullptr && runs_on(instance, kMathThread) && instance.sources->is_taking();
}
const uint8_t* operand_rows(uint32_t cb);

// Operands of a matrix product in the order it reads them: columns of b, then rows of a.
std::vector<OperandTile> product_operands(
    uint32_t cb_a,
    uint32_t cb_b,
    uint32_t tile_a,
    uint32_t tile_b,
    uint32_t ct_dim,
    uint32_t rt_dim,
    uint32_t kt_dim,
    uint32_t column_stride);

bool pass_through_sources(KernelInstance& instance, std::span<const OperandTile> tiles, SourceUse use);
// Starts the math half of an operation whose operands the unpack thread has unpacked by a separate call. The queue
// holds them.
bool take_unpacked(KernelInstance& instance);
// Starts an operation with operands in circular buffers. False if the calling fiber does not run the math thread.
inline bool begin_operation(std::initializer_list<OperandTile> tiles, SourceUse use = SourceUse::Faces) {
    KernelInstance& instance = current_instance();
    if (instance.sources == nullptr && instance.checks == nullptr) [[likely]] {
        return true;
    }
    return pass_through_sources(instance, {tiles.begin(), tiles.size()}, use);
}

// The same for one operand. kNoCb: the operand that the unpack thread has unpacked by a separate call.
inline bool begin_single(uint32_t& cb, uint32_t& tile) {
    if (cb != kNoCb) [[likely]] {
        return begin_operation({{cb, tile}});
    }
    KernelInstance& instance = current_instance();
    if (!take_unpacked(instance)) {
        return false;
    }
    cb = instance.sources->operand(0).cb;
    tile = instance.sources->operand(0).tile;
    return true;
}

// A call that unpacks and packs a block itself (tilize_block ...). True on the thread that moves the data: the fiber of
// all threads, or the pack thread.
class BlockSection {
public:
    BlockSection(uint32_t cb_in, const char* call);
    ~BlockSection();
    BlockSection(const BlockSection&) = delete;
    BlockSection& operator=(const BlockSection&) = delete;
    explicit operator bool() const { return is_mine_; }

private:
    KernelInstance& instance_;
    bool is_mine_;
};

}  // namespace tw
