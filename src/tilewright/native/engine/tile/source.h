// SPDX-License-Identifier: Apache-2.0
// Operands between the unpack thread and the maths thread of a compute kernel.
//
// While the threads go together an operation reads its operands where they lie in L1, when it runs. Once they have
// parted, or where a kernel calls one half of an operation by itself, the unpack thread notes which tiles it has
// unpacked, with the settings it had, and the maths thread takes them from there in the same order.
//
// A card has two banks of each source register, and a bank holds what one instruction hands over: a whole tile for a
// matrix product, a face for everything else. So a thread that pops what it has unpacked can be ahead of the maths
// thread by two tiles or two faces, not more. Popping is all that others see of the unpack thread, so that is where it
// waits; tiles that are popped before the maths thread has taken them are copied first.
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

// What a maths thread that waits for another is to find at the head of the queue (Standing::wait_cb).
inline constexpr uint32_t kWaitsForOperands = 2, kWaitsForBlock = 3;

class SourceQueue {
public:
    bool is_empty() const { return operations_.empty(); }
    bool has_operands() const { return !operations_.empty() && !operations_.front().is_block; }
    bool has_block() const { return !operations_.empty() && operations_.front().is_block; }
    // Everything not yet taken is in the source registers, as far as the hardware goes.
    bool fits_registers() const;
    void copy_tiles();

    // The unpack thread has unpacked these tiles.
    void post(KernelInstance& instance, std::span<const OperandTile> tiles, SourceUse use);
    // The maths thread begins the next operation.
    void take(KernelInstance& instance);
    // Operands of the operation the maths thread runs now.
    bool is_taking() const { return !taken_.tiles.empty(); }
    const uint8_t* taken_tile(uint32_t cb, uint32_t tile) const;
    OperandTile operand(uint32_t index) const;
    void drop_taken() { taken_.tiles.clear(); }

    // A block of rows, or of tiles, that passes to the pack thread in one piece: begins where the unpack thread's read
    // pointer stood, and is gone once packed.
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
        // What the unpackers were set to.
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
// Begins the maths half of an operation whose operands the unpack thread has unpacked by a call of its own. The queue
// then says which they are.
bool take_unpacked(KernelInstance& instance);
// Begins an operation with operands in circular buffers. False where the maths is not for the calling thread to do.
inline bool begin_operation(std::initializer_list<OperandTile> tiles, SourceUse use = SourceUse::Faces) {
    KernelInstance& instance = current_instance();
    if (instance.sources == nullptr && instance.checks == nullptr) [[likely]] {
        return true;
    }
    return pass_through_sources(instance, {tiles.begin(), tiles.size()}, use);
}

// The same for one operand; kNoCb: whatever the unpack thread has unpacked by a call of its own.
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

// A call that unpacks and packs a block by itself (tilize_block ...). True on the thread that moves the data: the only
// one there is, or the pack thread.
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
