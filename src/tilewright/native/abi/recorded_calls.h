// SPDX-License-Identifier: Apache-2.0
// The engine's functions as a recorded kernel calls them: written down (record.h), then called.
#pragma once

#include "circular_buffer.h"
#include "noc.h"
#include "record.h"
#include "sfpu.h"
#include "tile.h"

namespace tw::recorded {

using Call = RecordedCall;

inline void note(Call call, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
    tw_record(static_cast<uint32_t>(call), a, b, c);
}
inline void note_at(Call call, uint32_t a, uint32_t b, uint32_t c, uint64_t address) {
    tw_record_address(static_cast<uint32_t>(call), a, b, c, address);
}
inline uint32_t l1_address(const volatile uint32_t* pointer) {
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pointer));
}
// noc_semaphore_set is a plain store, so the header it stands in says it here.
inline void semaphore_set(const volatile uint32_t* address, uint32_t value) {
    note_at(Call::SemaphoreSet, 0, 0, value, l1_address(address));
}

// Parameters, arguments, then what is noted. Functions that give something back are written out below.
#define TW_RECORDED_CALL(name, parameters, arguments, ...) \
    inline void name parameters {                          \
        __VA_ARGS__;                                       \
        ::tw_##name arguments;                             \
    }
#define U uint32_t

// --- circular buffers
TW_RECORDED_CALL(cb_wait_front, (U cb, U pages), (cb, pages), note(Call::CbWaitFront, cb, 0, pages))
TW_RECORDED_CALL(cb_reserve_back, (U cb, U pages), (cb, pages), note(Call::CbReserveBack, cb, 0, pages))
TW_RECORDED_CALL(cb_push_back, (U cb, U pages), (cb, pages), note(Call::CbPushBack, cb, 0, pages))
TW_RECORDED_CALL(cb_pop_front, (U cb, U pages), (cb, pages), note(Call::CbPopFront, cb, 0, pages))
inline U cb_pages_at_front(U cb) {
    note(Call::CbPoll, cb);
    return ::tw_cb_pages_at_front(cb);
}
inline U cb_pages_free(U cb) {
    note(Call::CbPoll, cb);
    return ::tw_cb_pages_free(cb);
}
inline volatile U* cb_counter(U cb, U acked) {
    note(Call::CbPoll, cb);
    return ::tw_cb_counter(cb, acked);
}

// --- NoC
TW_RECORDED_CALL(
    noc_read, (uint64_t source, U to, U bytes, U noc, U transaction), (source, to, bytes, noc, transaction),
    note_at(Call::NocRead, noc, 0, bytes, source))
TW_RECORDED_CALL(
    noc_write, (U source, uint64_t to, U bytes, U noc, U flags, U transaction),
    (source, to, bytes, noc, flags, transaction), tw_record_write(0, noc, flags, bytes, to, source))
TW_RECORDED_CALL(
    noc_write_multicast, (U source, uint64_t to, U bytes, U count, U noc, U flags, U transaction),
    (source, to, bytes, count, noc, flags, transaction), tw_record_write(1, noc, flags, bytes, to, source))
TW_RECORDED_CALL(
    noc_inline_write, (uint64_t to, U value, U enable, U noc, U flags), (to, value, enable, noc, flags),
    note_at(Call::NocWriteWord, noc, flags, value, to))
TW_RECORDED_CALL(
    noc_inline_write_multicast, (uint64_t to, U value, U count, U noc, U flags), (to, value, count, noc, flags),
    note_at(Call::NocWriteWordMulticast, noc, flags, value, to))
TW_RECORDED_CALL(
    noc_zero, (uint64_t to, U bytes, U noc), (to, bytes, noc), note_at(Call::NocWrite, noc, 0, bytes, to))
TW_RECORDED_CALL(
    noc_atomic_increment, (uint64_t to, U by, U wrap, U noc, U flags), (to, by, wrap, noc, flags),
    note_at(Call::NocIncrement, noc, flags, by, to))
TW_RECORDED_CALL(
    noc_atomic_increment_multicast, (uint64_t to, U by, U count, U noc, U flags), (to, by, count, noc, flags),
    note_at(Call::NocIncrementMulticast, noc, flags, by, to))
TW_RECORDED_CALL(
    noc_barrier, (U kind, U noc, U transaction), (kind, noc, transaction), note(Call::NocBarrier, noc, kind))
inline U noc_barrier_done(U kind, U noc, U transaction) {
    note(Call::NocBarrier, noc, kind);
    return ::tw_noc_barrier_done(kind, noc, transaction);
}
TW_RECORDED_CALL(
    semaphore_wait_equal, (volatile U * address, U value), (address, value),
    note_at(Call::SemaphoreEqual, 0, 0, value, l1_address(address)))
TW_RECORDED_CALL(
    semaphore_wait_at_least, (volatile U * address, U value), (address, value),
    note_at(Call::SemaphoreAtLeast, 0, 0, value, l1_address(address)))
TW_RECORDED_CALL(poll_yield, (), (), note(Call::Poll))
TW_RECORDED_CALL(mailbox_write, (U to, U value), (to, value), note(Call::Mailbox, to, 1))
inline U mailbox_read(U from) {
    note(Call::Mailbox, from, 0);
    return ::tw_mailbox_read(from);
}

// --- set-up
TW_RECORDED_CALL(hw_startup, (U a, U b, U out), (a, b, out), note(Call::Startup, a, b, out))
TW_RECORDED_CALL(reconfig_src_a, (U cb), (cb), note(Call::ReconfigSrcA, cb))
TW_RECORDED_CALL(reconfig_src_b, (U cb), (cb), note(Call::ReconfigSrcB, cb))
TW_RECORDED_CALL(reconfig_pack, (U cb), (cb), note(Call::ReconfigPack, cb))
TW_RECORDED_CALL(
    reconfig_src_a_if_different, (U from, U to), (from, to), note(Call::ReconfigSrcAIfDifferent, from, to))
TW_RECORDED_CALL(
    reconfig_src_b_if_different, (U from, U to), (from, to), note(Call::ReconfigSrcBIfDifferent, from, to))
TW_RECORDED_CALL(reconfig_pack_if_different, (U from, U to), (from, to), note(Call::ReconfigPackIfDifferent, from, to))
TW_RECORDED_CALL(
    copy_init, (U cb, U faces, U within), (cb, faces, within), note(Call::CopyInit, cb, faces | within << 1))
TW_RECORDED_CALL(
    binary_init, (U op, U broadcast, U reuse, U a, U b, U accumulate), (op, broadcast, reuse, a, b, accumulate),
    note(Call::BinaryInit, a, op | broadcast << 4, b))
TW_RECORDED_CALL(
    matmul_init, (U a, U b, U transpose, U ct, U rt, U kt), (a, b, transpose, ct, rt, kt),
    note(Call::MatmulInit, a, b, ct | rt << 16))
TW_RECORDED_CALL(unpack_loop, (U loop, U detail, U cb), (loop, detail, cb), note(Call::UnpackLoop, cb, loop, detail))
TW_RECORDED_CALL(math_loop, (U loop, U detail), (loop, detail), note(Call::MathLoop, 0, loop, detail))
TW_RECORDED_CALL(pack_loop, (U loop), (loop), note(Call::PackLoop, 0, loop))
TW_RECORDED_CALL(pack_reduce_mask, (U axis), (axis), note(Call::PackMask, 0, axis))
TW_RECORDED_CALL(pack_reduce_mask_clear, (), (), note(Call::PackMask, 1))
TW_RECORDED_CALL(pack_relu_config, (U mode, U threshold), (mode, threshold), note(Call::PackConfig))
TW_RECORDED_CALL(pack_l1_accumulate, (U on), (on), note(Call::PackConfig, 1))
TW_RECORDED_CALL(sfpu_init, (U constants), (constants), note(Call::SfpuInit, 0, constants))

// --- DST
TW_RECORDED_CALL(tile_regs_acquire, (), (), note(Call::DstAcquire))
TW_RECORDED_CALL(tile_regs_commit, (), (), note(Call::DstCommit))
TW_RECORDED_CALL(tile_regs_wait, (), (), note(Call::DstWait))
TW_RECORDED_CALL(tile_regs_release, (), (), note(Call::DstRelease))
TW_RECORDED_CALL(tile_regs_release_keep, (), (), note(Call::DstRelease))
TW_RECORDED_CALL(acquire_dst, (), (), note(Call::DstAcquireBoth))
TW_RECORDED_CALL(release_dst, (), (), note(Call::DstReleaseBoth))

// --- tiles
TW_RECORDED_CALL(copy_tile, (U cb, U tile, U dst), (cb, tile, dst), note(Call::CopyTile, cb))
TW_RECORDED_CALL(transpose_tile, (U cb, U tile, U dst), (cb, tile, dst), note(Call::TransposeTile, cb))
TW_RECORDED_CALL(
    unary_broadcast, (U broadcast, U cb, U tile, U dst), (broadcast, cb, tile, dst),
    note(Call::UnaryBroadcast, cb, broadcast))
TW_RECORDED_CALL(
    binary_tiles, (U op, U broadcast, U a, U b, U tile_a, U tile_b, U dst, U accumulate),
    (op, broadcast, a, b, tile_a, tile_b, dst, accumulate), note(Call::BinaryTiles, a, op, b))
TW_RECORDED_CALL(
    binary_tiles_broadcast_row, (U op, U a, U b, U tile_a, U tile_b, U dst, U accumulate, U row),
    (op, a, b, tile_a, tile_b, dst, accumulate, row), note(Call::BinaryTiles, a, op, b))
TW_RECORDED_CALL(
    sub_columns_compensated, (U a, U mean, U tile_a, U dst), (a, mean, tile_a, dst),
    note(Call::BinaryTiles, a, static_cast<U>(BinaryOp::Sub), mean))
TW_RECORDED_CALL(
    binary_reuse_dest, (U op, U broadcast, U reuse, U cb, U tile, U dst), (op, broadcast, reuse, cb, tile, dst),
    note(Call::BinaryReuseDest, cb, op))
TW_RECORDED_CALL(
    reduce_tile, (U pool, U axis, U cb, U scaler, U tile, U tile_scaler, U dst),
    (pool, axis, cb, scaler, tile, tile_scaler, dst), note(Call::ReduceTile, cb, pool | axis << 4))
TW_RECORDED_CALL(
    reduce_tile_math, (U pool, U axis, U dst, U faces), (pool, axis, dst, faces),
    note(Call::ReduceTileMath, 0, pool | axis << 4))
TW_RECORDED_CALL(
    unpack_tilize_a_b, (U a, U b, U tiles, U tile_b, U fill), (a, b, tiles, tile_b, fill),
    note(Call::UnpackTilize, a, b, tiles))
TW_RECORDED_CALL(
    matmul_tiles, (U a, U b, U tile_a, U tile_b, U dst, U transpose), (a, b, tile_a, tile_b, dst, transpose),
    note(Call::MatmulTiles, a, b))
TW_RECORDED_CALL(
    matmul_block, (U a, U b, U tile_a, U tile_b, U dst, U transpose, U ct, U rt, U kt),
    (a, b, tile_a, tile_b, dst, transpose, ct, rt, kt), note(Call::MatmulBlock, a, b, ct | rt << 16))
TW_RECORDED_CALL(matmul_fidelity, (U phases), (phases), note(Call::MatmulFidelity, 0, 0, phases))
TW_RECORDED_CALL(transpose_dest, (U dst), (dst), note(Call::TransposeDest))
TW_RECORDED_CALL(transpose_dest_within_faces, (U dst), (dst), note(Call::TransposeDest))
TW_RECORDED_CALL(
    pack_tile, (U dst, U cb, U tile, U out_of_order), (dst, cb, tile, out_of_order), note(Call::PackTile, cb))
TW_RECORDED_CALL(
    tilize_block, (U in, U tiles, U out, U in_tile, U out_tile), (in, tiles, out, in_tile, out_tile),
    note(Call::TilizeBlock, in, out, tiles))
TW_RECORDED_CALL(
    untilize_block, (U in, U tiles, U out), (in, tiles, out), note(Call::UntilizeBlock, in, out, tiles))
TW_RECORDED_CALL(
    fast_untilize_row, (U in, U tiles, U out, U in_tile, U out_tile), (in, tiles, out, in_tile, out_tile),
    note(Call::PackUntilizeBlock, in, out, tiles | 1u << 16))
TW_RECORDED_CALL(
    pack_untilize_block, (U in, U ct, U rt, U out, U full_ct, U block_c), (in, ct, rt, out, full_ct, block_c),
    note(Call::PackUntilizeBlock, in, out, ct | rt << 16))
TW_RECORDED_CALL(
    pack_untilize_dest, (U out, U ct, U rt, U full_ct, U block_c, U face_rows, U faces, U first),
    (out, ct, rt, full_ct, block_c, face_rows, faces, first), note(Call::PackUntilizeDest, out, 0, ct | rt << 16))
TW_RECORDED_CALL(
    pack_untilize_dest_narrow, (U out, U ct, U rt, U full_ct, U datums, U first),
    (out, ct, rt, full_ct, datums, first), note(Call::PackUntilizeDest, out, 0, ct | rt << 16))
TW_RECORDED_CALL(pack_rows, (U dst, U cb, U tile), (dst, cb, tile), note(Call::PackRows, cb))
TW_RECORDED_CALL(pack_rows_to_address, (U dst, U address), (dst, address), note(Call::PackRows))

// --- vector unit
TW_RECORDED_CALL(
    sfpu_unary, (U op, U dst, U mode, U p0, U p1, U p2), (op, dst, mode, p0, p1, p2),
    note(Call::SfpuUnary, mode, op, kSfpuVectorsPerFace))
TW_RECORDED_CALL(
    sfpu_unary_vectors, (U op, U dst, U mode, U vectors, U p0, U p1, U p2), (op, dst, mode, vectors, p0, p1, p2),
    note(Call::SfpuUnary, mode, op, vectors))
TW_RECORDED_CALL(
    sfpu_binary, (U op, U a, U b, U out, U mode, U p0, U p1), (op, a, b, out, mode, p0, p1),
    note(Call::SfpuBinary, mode, op))
TW_RECORDED_CALL(
    sfpu_quantize, (U op, U uint8_op, U a, U scale, U out), (op, uint8_op, a, scale, out),
    note(Call::SfpuBinary, static_cast<U>(SfpuFaces::All), op))
TW_RECORDED_CALL(
    sfpu_ternary, (U op, U a, U b, U c, U out, U mode, U p0), (op, a, b, c, out, mode, p0),
    note(Call::SfpuTernary, mode, op))
TW_RECORDED_CALL(sfpu_typecast, (U dst, U from, U to), (dst, from, to), note(Call::SfpuTypecast, 0, from | to << 8))
TW_RECORDED_CALL(sfpu_copy, (U from, U to, U is_float), (from, to, is_float), note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_mask, (U dst, U value, U integer), (dst, value, integer), note(Call::SfpuOther))
TW_RECORDED_CALL(
    sfpu_binary_broadcast, (U op, U broadcast, U data, U vector), (op, broadcast, data, vector), note(Call::SfpuOther))
TW_RECORDED_CALL(
    sfpu_normalize, (U data, U residual, U has, U mean, U inverse, U scalar),
    (data, residual, has, mean, inverse, scalar), note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_cumsum, (U dst, U first), (dst, first), note(Call::SfpuOther))
TW_RECORDED_CALL(
    sfpu_reduce, (U pool, U axis, U format, U dst, U ct, U rt), (pool, axis, format, dst, ct, rt),
    note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_add_top_row, (U format, U a, U b, U out), (format, a, b, out), note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_ema, (U dst), (dst), note(Call::SfpuOther))
TW_RECORDED_CALL(
    sfpu_welford_update, (U dst, U index, U row, U rows, const U* reciprocals), (dst, index, row, rows, reciprocals),
    note(Call::SfpuOther))
TW_RECORDED_CALL(
    sfpu_two_pass_sum, (U dst, U row, U rows, U anchor, U dual), (dst, row, rows, anchor, dual), note(Call::SfpuOther))
TW_RECORDED_CALL(
    sfpu_two_pass_squares, (U dst, U row, U rows, U dual), (dst, row, rows, dual), note(Call::SfpuOther))
TW_RECORDED_CALL(
    sfpu_topk_local_sort, (U dst, U up, int32_t end, int32_t start, int32_t end_step, int32_t start_step, U tie),
    (dst, up, end, start, end_step, start_step, tie), note(Call::SfpuOther))
TW_RECORDED_CALL(
    sfpu_topk_merge, (U dst, int32_t m, int32_t k, U up, U tie), (dst, m, k, up, tie), note(Call::SfpuOther))
TW_RECORDED_CALL(
    sfpu_topk_rebuild, (U dst, U up, int32_t m, int32_t k, int32_t log_k, int32_t skip, U tie),
    (dst, up, m, k, log_k, skip, tie), note(Call::SfpuOther))

#undef U
#undef TW_RECORDED_CALL

}  // namespace tw::recorded

// From here on a recorded kernel means these.
#define tw_cb_wait_front tw::recorded::cb_wait_front
#define tw_cb_reserve_back tw::recorded::cb_reserve_back
#define tw_cb_push_back tw::recorded::cb_push_back
#define tw_cb_pop_front tw::recorded::cb_pop_front
#define tw_noc_read tw::recorded::noc_read
#define tw_noc_write tw::recorded::noc_write
#define tw_noc_write_multicast tw::recorded::noc_write_multicast
#define tw_noc_inline_write tw::recorded::noc_inline_write
#define tw_noc_inline_write_multicast tw::recorded::noc_inline_write_multicast
#define tw_noc_zero tw::recorded::noc_zero
#define tw_noc_atomic_increment tw::recorded::noc_atomic_increment
#define tw_noc_atomic_increment_multicast tw::recorded::noc_atomic_increment_multicast
#define tw_noc_barrier tw::recorded::noc_barrier
#define tw_semaphore_wait_equal tw::recorded::semaphore_wait_equal
#define tw_semaphore_wait_at_least tw::recorded::semaphore_wait_at_least
#define tw_poll_yield tw::recorded::poll_yield
#define tw_mailbox_write tw::recorded::mailbox_write
#define tw_hw_startup tw::recorded::hw_startup
#define tw_reconfig_src_a tw::recorded::reconfig_src_a
#define tw_reconfig_src_b tw::recorded::reconfig_src_b
#define tw_reconfig_pack tw::recorded::reconfig_pack
#define tw_reconfig_src_a_if_different tw::recorded::reconfig_src_a_if_different
#define tw_reconfig_src_b_if_different tw::recorded::reconfig_src_b_if_different
#define tw_reconfig_pack_if_different tw::recorded::reconfig_pack_if_different
#define tw_copy_init tw::recorded::copy_init
#define tw_binary_init tw::recorded::binary_init
#define tw_matmul_init tw::recorded::matmul_init
#define tw_unpack_loop tw::recorded::unpack_loop
#define tw_math_loop tw::recorded::math_loop
#define tw_pack_loop tw::recorded::pack_loop
#define tw_pack_reduce_mask tw::recorded::pack_reduce_mask
#define tw_pack_reduce_mask_clear tw::recorded::pack_reduce_mask_clear
#define tw_pack_relu_config tw::recorded::pack_relu_config
#define tw_pack_l1_accumulate tw::recorded::pack_l1_accumulate
#define tw_sfpu_init tw::recorded::sfpu_init
#define tw_tile_regs_acquire tw::recorded::tile_regs_acquire
#define tw_tile_regs_commit tw::recorded::tile_regs_commit
#define tw_tile_regs_wait tw::recorded::tile_regs_wait
#define tw_tile_regs_release tw::recorded::tile_regs_release
#define tw_tile_regs_release_keep tw::recorded::tile_regs_release_keep
#define tw_acquire_dst tw::recorded::acquire_dst
#define tw_release_dst tw::recorded::release_dst
#define tw_copy_tile tw::recorded::copy_tile
#define tw_transpose_tile tw::recorded::transpose_tile
#define tw_unary_broadcast tw::recorded::unary_broadcast
#define tw_binary_tiles tw::recorded::binary_tiles
#define tw_binary_tiles_broadcast_row tw::recorded::binary_tiles_broadcast_row
#define tw_sub_columns_compensated tw::recorded::sub_columns_compensated
#define tw_binary_reuse_dest tw::recorded::binary_reuse_dest
#define tw_reduce_tile tw::recorded::reduce_tile
#define tw_reduce_tile_math tw::recorded::reduce_tile_math
#define tw_unpack_tilize_a_b tw::recorded::unpack_tilize_a_b
#define tw_matmul_tiles tw::recorded::matmul_tiles
#define tw_matmul_block tw::recorded::matmul_block
#define tw_matmul_fidelity tw::recorded::matmul_fidelity
#define tw_transpose_dest tw::recorded::transpose_dest
#define tw_transpose_dest_within_faces tw::recorded::transpose_dest_within_faces
#define tw_pack_tile tw::recorded::pack_tile
#define tw_tilize_block tw::recorded::tilize_block
#define tw_untilize_block tw::recorded::untilize_block
#define tw_fast_untilize_row tw::recorded::fast_untilize_row
#define tw_pack_untilize_block tw::recorded::pack_untilize_block
#define tw_pack_untilize_dest tw::recorded::pack_untilize_dest
#define tw_pack_untilize_dest_narrow tw::recorded::pack_untilize_dest_narrow
#define tw_pack_rows tw::recorded::pack_rows
#define tw_pack_rows_to_address tw::recorded::pack_rows_to_address
#define tw_sfpu_unary tw::recorded::sfpu_unary
#define tw_sfpu_unary_vectors tw::recorded::sfpu_unary_vectors
#define tw_sfpu_binary tw::recorded::sfpu_binary
#define tw_sfpu_quantize tw::recorded::sfpu_quantize
#define tw_sfpu_ternary tw::recorded::sfpu_ternary
#define tw_sfpu_typecast tw::recorded::sfpu_typecast
#define tw_sfpu_copy tw::recorded::sfpu_copy
#define tw_sfpu_mask tw::recorded::sfpu_mask
#define tw_sfpu_binary_broadcast tw::recorded::sfpu_binary_broadcast
#define tw_sfpu_normalize tw::recorded::sfpu_normalize
#define tw_sfpu_cumsum tw::recorded::sfpu_cumsum
#define tw_sfpu_reduce tw::recorded::sfpu_reduce
#define tw_sfpu_add_top_row tw::recorded::sfpu_add_top_row
#define tw_sfpu_ema tw::recorded::sfpu_ema
#define tw_sfpu_welford_update tw::recorded::sfpu_welford_update
#define tw_sfpu_two_pass_sum tw::recorded::sfpu_two_pass_sum
#define tw_sfpu_two_pass_squares tw::recorded::sfpu_two_pass_squares
#define tw_sfpu_topk_local_sort tw::recorded::sfpu_topk_local_sort
#define tw_sfpu_topk_merge tw::recorded::sfpu_topk_merge
#define tw_sfpu_topk_rebuild tw::recorded::sfpu_topk_rebuild
#define tw_cb_pages_at_front tw::recorded::cb_pages_at_front
#define tw_cb_pages_free tw::recorded::cb_pages_free
#define tw_cb_counter tw::recorded::cb_counter
#define tw_noc_barrier_done tw::recorded::noc_barrier_done
#define tw_mailbox_read tw::recorded::mailbox_read
