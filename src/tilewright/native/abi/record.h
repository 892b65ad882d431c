// SPDX-License-Identifier: Apache-2.0
// Records of a kernel's calls, for the timing model (timing/).
//
// A recorded kernel is compiled with TW_RECORDED: every call of the engine that costs a card time is first recorded, as
// one entry of 64 bits, and a second one if it has an address. Kernels of other runs contain none of this. The compiler
// also counts the basic blocks that a kernel executes; the number between two calls is an entry of its own.
//
//     entry = call | a << 8 | b << 16 | c << 32        a: 8 bits, b: 16 bits, c: 32 bits
#pragma once

#include <cstdint>

namespace tw {

// The comments give the meaning of a, b and c.
// clang-format off: a list of names
#define TW_RECORDED_CALLS(X) \
    X(Blocks) /* c: basic blocks since the call before */ \
    /* --- circular buffers; a: index, c: pages */ \
    X(CbWaitFront) X(CbReserveBack) X(CbPushBack) X(CbPopFront) \
    X(CbPoll) /* asked how many pages there are */ \
    /* --- NoC; a: NoC | (transaction id + 1) << 1, 0: none; b: NocFlag and RecordedAddress; c: bytes; the next entry */ \
    /* is the address */ \
    X(NocRead) X(NocWrite) X(NocWriteMulticast) \
    X(NocWriteWord) X(NocWriteWordMulticast) /* 4 bytes or an inline value; c: the value */ \
    X(NocIncrement) X(NocIncrementMulticast) /* c: by how much */ \
    X(NocBarrier) /* a: NoC and transaction id, b: Barrier; no address */ \
    /* --- words of L1 others may write; c: value; the next entry is the address in L1 */ \
    X(SemaphoreEqual) X(SemaphoreAtLeast) X(SemaphoreSet) \
    X(Poll) /* gives others a turn in a loop of its own */ \
    X(Mailbox) /* a: thread; b: 1 write, 0 read */ \
    /* --- set-up; a, b, c: circular buffers */ \
    X(Startup) X(ReconfigSrcA) X(ReconfigSrcB) X(ReconfigPack) X(ReconfigSrcAIfDifferent) \
    X(ReconfigSrcBIfDifferent) X(ReconfigPackIfDifferent) X(CopyInit) X(BinaryInit) X(MatmulInit) X(UnpackLoop) \
    X(MathLoop) X(PackLoop) X(PackMask) X(PackConfig) X(SfpuInit) \
    /* --- DST */ \
    X(DstAcquire) X(DstCommit) X(DstWait) X(DstRelease) X(DstAcquireBoth) X(DstReleaseBoth) \
    /* --- tiles; a: first circular buffer */ \
    X(CopyTile) X(TransposeTile) X(UnaryBroadcast) \
    X(BinaryTiles) /* b: BinaryOp, c: second circular buffer */ \
    X(BinaryReuseDest) /* b: BinaryOp */ \
    X(ReduceTile) X(ReduceTileMath) /* b: Pool | ReduceAxis << 4 */ \
    X(UnpackTilize) /* c: tiles */ \
    X(MatmulTiles) /* b: second circular buffer */ \
    X(MatmulBlock) /* b: second circular buffer, c: columns | rows << 16 */ \
    X(MatmulFidelity) /* c: phases */ \
    X(TransposeDest) X(PackTile) \
    X(TilizeBlock) X(UntilizeBlock) /* b: out, c: tiles */ \
    X(PackUntilizeBlock) /* b: out, c: columns | rows << 16 */ \
    X(PackUntilizeDest) /* a: out, b: rows of a face | faces << 8, 0: a whole tile's; c: columns | rows << 16 */ \
    X(PackRows) \
    /* --- vector unit */ \
    X(SfpuUnary) /* a: SfpuFaces, b: SfpuUnary, c: vectors of each face */ \
    X(SfpuBinary) X(SfpuTernary) /* b: the operation */ \
    X(SfpuTypecast) /* b: from | to << 8 */ \
    X(SfpuOther) /* of the rest, each a pass over a tile */
// clang-format on

enum class RecordedCall : uint8_t {
    None,
#define TW_ENUMERATOR(name) name,
    TW_RECORDED_CALLS(TW_ENUMERATOR)
#undef TW_ENUMERATOR
};

// How the address of a transfer was made; each kind of page counted up to 15.
enum RecordedAddress : uint32_t {
    kRecordedWithState = 1u << 3,  // most of it by a call before, which is what "with_state" calls are for
    kRecordedShiftedPage = 1u << 4,  // from the number of a page, by shifts: pages go round 2^n banks
    kRecordedDividedPage = 1u << 8,  // by a division: they go round another number of banks
};
inline constexpr uint32_t kMostRecordedPages = 15;
inline constexpr uint32_t kRecordedTagShift = 1;

}  // namespace tw

extern "C" {
// Of the next call with an address.
void tw_record_with_state();
void tw_record_page(uint32_t num_banks);
void tw_record(uint32_t call, uint32_t a, uint32_t b, uint32_t c, uint32_t blocks);
void tw_record_address(uint32_t call, uint32_t a, uint32_t b, uint32_t c, uint64_t address, uint32_t blocks);
// A write whose 4 bytes may be a semaphore's value; they lie at source_l1.
void tw_record_write(
    uint32_t multicast, uint32_t noc, uint32_t flags, uint32_t bytes, uint64_t to, uint32_t source_l1, uint32_t blocks);
}
