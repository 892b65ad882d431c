// SPDX-License-Identifier: Apache-2.0
// What a kernel of a recorded run tells the engine about its calls, for the model of a card's time (timing/).
//
// Such a kernel is compiled with TW_RECORDED: every call of the engine that costs a card time is first written down,
// one entry of 64 bits, and a second one where an address goes with it. Kernels of other runs know nothing of it. The
// compiler also counts the basic blocks a kernel goes through; how many lie between two calls is an entry of its own.
//
//     entry = call | a << 8 | b << 16 | c << 32        a: 8 bits, b: 16 bits, c: 32 bits
#pragma once

#include <cstdint>

namespace tw {

// The comment says what a, b and c hold.
enum class RecordedCall : uint8_t {
    Blocks = 1,             // c: basic blocks since the call before
    // --- circular buffers; a: index, c: pages
    CbWaitFront, CbReserveBack, CbPushBack, CbPopFront,
    CbPoll,                 // asked how many pages there are
    // --- NoC; a: NoC, b: flags, c: bytes; the next entry is the address
    NocRead, NocWrite, NocWriteMulticast,
    NocWriteWord, NocWriteWordMulticast,  // 4 bytes or an inline value; c: the value
    NocIncrement, NocIncrementMulticast,  // c: by how much
    NocBarrier,             // a: NoC, b: Barrier; no address
    // --- words of L1 others may write; c: value; the next entry is the address in L1
    SemaphoreEqual, SemaphoreAtLeast, SemaphoreSet,
    Poll,                   // gives others a turn in a loop of its own
    Mailbox,                // a: thread; b: 1 write, 0 read
    // --- set-up; a, b, c: circular buffers
    Startup, ReconfigSrcA, ReconfigSrcB, ReconfigPack,
    ReconfigSrcAIfDifferent, ReconfigSrcBIfDifferent, ReconfigPackIfDifferent,
    CopyInit, BinaryInit, MatmulInit, UnpackLoop, MathLoop, PackLoop, PackMask, PackConfig, SfpuInit,
    // --- DST
    DstAcquire, DstCommit, DstWait, DstRelease, DstAcquireBoth, DstReleaseBoth,
    // --- tiles; a: first circular buffer
    CopyTile, TransposeTile, UnaryBroadcast,
    BinaryTiles,            // b: BinaryOp, c: second circular buffer
    BinaryReuseDest,        // b: BinaryOp
    ReduceTile,             // b: Pool | ReduceAxis << 4
    ReduceTileMath,
    UnpackTilize,           // c: tiles
    MatmulTiles,            // b: second circular buffer
    MatmulBlock,            // b: second circular buffer, c: columns | rows << 16
    MatmulFidelity,         // c: phases
    TransposeDest, PackTile,
    TilizeBlock, UntilizeBlock,  // b: out, c: tiles
    PackUntilizeBlock,      // b: out, c: columns | rows << 16
    PackUntilizeDest,       // a: out, c: columns | rows << 16
    PackRows,
    // --- vector unit
    SfpuUnary,              // a: SfpuFaces, b: SfpuUnary, c: vectors of each face
    SfpuBinary, SfpuTernary,  // b: the operation
    SfpuTypecast,           // b: from | to << 8
    SfpuOther,              // of the rest, each a pass over a tile
    Count
};

}  // namespace tw

extern "C" {
void tw_record(uint32_t call, uint32_t a, uint32_t b, uint32_t c);
void tw_record_address(uint32_t call, uint32_t a, uint32_t b, uint32_t c, uint64_t address);
// A write whose 4 bytes may be a semaphore's value; they lie at source_l1.
void tw_record_write(uint32_t multicast, uint32_t noc, uint32_t flags, uint32_t bytes, uint64_t to, uint32_t source_l1);
}
