// SPDX-License-Identifier: Apache-2.0
// The engine's functions as a recorded kernel calls them. Those of circular buffers are in circular_buffer.h.
#pragma once

#include "circular_buffer.h"
#include "noc.h"
#include "recorded_call.h"
#include "sfpu.h"
#include "threads.h"
#include "tile.h"

namespace tw::recorded {

// --- NoC
TW_RECORDED_CALL(noc_read, note.at(Call::NocRead, arg[3] | tag(arg, 4), 0, arg[2], arg[0]))
TW_RECORDED_CALL(noc_write, tw_record_write(0, arg[3] | tag(arg, 5), arg[4], arg[2], arg[1], arg[0], note.blocks))
TW_RECORDED_CALL(noc_write_multicast, tw_record_write(1, arg[4], arg[5], arg[2], arg[1], arg[0], note.blocks))
TW_RECORDED_CALL(noc_inline_write, note.at(Call::NocWriteWord, arg[3], arg[4], arg[1], arg[0]))
TW_RECORDED_CALL(noc_inline_write_multicast, note.at(Call::NocWriteWordMulticast, arg[3], arg[4], arg[1], arg[0]))
TW_RECORDED_CALL(noc_zero, note.at(Call::NocWrite, arg[2], 0, arg[1], arg[0]))
TW_RECORDED_CALL(noc_atomic_increment, note.at(Call::NocIncrement, arg[3], arg[4], arg[1], arg[0]))
TW_RECORDED_CALL(noc_atomic_increment_multicast, note.at(Call::NocIncrementMulticast, arg[3], arg[4], arg[1], arg[0]))
TW_RECORDED_CALL(noc_barrier, note(Call::NocBarrier, arg[1] | tag(arg, 2), arg[0]))
TW_RECORDED_CALL(noc_barrier_done, note(Call::NocBarrier, arg[1] | tag(arg, 2), arg[0]))
TW_RECORDED_CALL(semaphore_wait_equal, note.at(Call::SemaphoreEqual, 0, 0, arg[1], arg[0]))
TW_RECORDED_CALL(semaphore_wait_at_least, note.at(Call::SemaphoreAtLeast, 0, 0, arg[1], arg[0]))
TW_RECORDED_CALL(poll_yield, note(Call::Poll))
TW_RECORDED_CALL(mailbox_write, note(Call::Mailbox, arg[0], 1))
TW_RECORDED_CALL(mailbox_read, note(Call::Mailbox, arg[0], 0))

// --- set-up
TW_RECORDED_CALL(hw_startup, note(Call::Startup, arg[0], arg[1], arg[2]))
TW_RECORDED_CALL(reconfig_src_a, note(Call::ReconfigSrcA, arg[0]))
TW_RECORDED_CALL(reconfig_src_b, note(Call::ReconfigSrcB, arg[0]))
TW_RECORDED_CALL(reconfig_pack, note(Call::ReconfigPack, arg[0]))
TW_RECORDED_CALL(reconfig_src_a_if_different, note(Call::ReconfigSrcAIfDifferent, arg[0], arg[1]))
TW_RECORDED_CALL(reconfig_src_b_if_different, note(Call::ReconfigSrcBIfDifferent, arg[0], arg[1]))
TW_RECORDED_CALL(reconfig_pack_if_different, note(Call::ReconfigPackIfDifferent, arg[0], arg[1]))
TW_RECORDED_CALL(copy_init, note(Call::CopyInit, arg[0], arg[1] | arg[2] << 1))
TW_RECORDED_CALL(binary_init, note(Call::BinaryInit, arg[3], arg[0] | arg[1] << 4, arg[4]))
TW_RECORDED_CALL(matmul_init, note(Call::MatmulInit, arg[0], arg[1], arg[3] | arg[4] << 16))
TW_RECORDED_CALL(unpack_loop, note(Call::UnpackLoop, arg[2], arg[0], arg[1]))
TW_RECORDED_CALL(math_loop, note(Call::MathLoop, 0, arg[0], arg[1]))
TW_RECORDED_CALL(pack_loop, note(Call::PackLoop, 0, arg[0]))
TW_RECORDED_CALL(pack_reduce_mask, note(Call::PackMask, 0, arg[0]))
TW_RECORDED_CALL(pack_reduce_mask_clear, note(Call::PackMask, 1))
TW_RECORDED_CALL(pack_relu_config, note(Call::PackConfig))
TW_RECORDED_CALL(pack_l1_accumulate, note(Call::PackConfig, 1))
TW_RECORDED_CALL(sfpu_init, note(Call::SfpuInit, 0, arg[0]))
TW_RECORDED_CALL(sfpu_set_constants, note(Call::SfpuInit))
TW_RECORDED_CALL(sfpu_seed, note(Call::SfpuInit))
TW_RECORDED_CALL(sfpu_ema_constants, note(Call::SfpuInit))

// --- DST
TW_RECORDED_CALL(tile_regs_acquire, note(Call::DstAcquire))
TW_RECORDED_CALL(tile_regs_commit, note(Call::DstCommit))
TW_RECORDED_CALL(tile_regs_wait, note(Call::DstWait))
TW_RECORDED_CALL(tile_regs_release, note(Call::DstRelease))
TW_RECORDED_CALL(tile_regs_release_keep, note(Call::DstRelease))
TW_RECORDED_CALL(acquire_dst, note(Call::DstAcquireBoth))
TW_RECORDED_CALL(release_dst, note(Call::DstReleaseBoth))

// --- tiles
TW_RECORDED_CALL(copy_tile, note(Call::CopyTile, arg[0]))
TW_RECORDED_CALL(copy_elements, note(Call::CopyTile, arg[0]))
TW_RECORDED_CALL(transpose_tile, note(Call::TransposeTile, arg[0]))
TW_RECORDED_CALL(unary_broadcast, note(Call::UnaryBroadcast, arg[1], arg[0]))
TW_RECORDED_CALL(binary_tiles, note(Call::BinaryTiles, arg[2], arg[0], arg[3]))
TW_RECORDED_CALL(binary_tiles_broadcast_row, note(Call::BinaryTiles, arg[1], arg[0], arg[2]))
TW_RECORDED_CALL(sub_columns_compensated, note(Call::BinaryTiles, arg[0], number(BinaryOp::Sub), arg[1]))
TW_RECORDED_CALL(binary_reuse_dest, note(Call::BinaryReuseDest, arg[3], arg[0]))
TW_RECORDED_CALL(reduce_tile, note(Call::ReduceTile, arg[2], arg[0] | arg[1] << 4))
TW_RECORDED_CALL(binary_scalar_of_dest, note(Call::BinaryReuseDest, arg[1], arg[0]))
TW_RECORDED_CALL(reduce_dest, note(Call::ReduceTileMath, 0, 2 << 4))
TW_RECORDED_CALL(reduce_tile_math, note(Call::ReduceTileMath, 0, arg[0] | arg[1] << 4))
TW_RECORDED_CALL(unpack_tilize_a_b, note(Call::UnpackTilize, arg[0], arg[1], arg[2]))
TW_RECORDED_CALL(matmul_tiles, note(Call::MatmulTiles, arg[0], arg[1]))
TW_RECORDED_CALL(matmul_block, note(Call::MatmulBlock, arg[0], arg[1], arg[6] | arg[7] << 16))
TW_RECORDED_CALL(matmul_fidelity, note(Call::MatmulFidelity, 0, 0, arg[0]))
TW_RECORDED_CALL(transpose_dest, note(Call::TransposeDest))
TW_RECORDED_CALL(transpose_dest_within_faces, note(Call::TransposeDest))
TW_RECORDED_CALL(pack_tile, note(Call::PackTile, arg[1]))
TW_RECORDED_CALL(tilize_block, note(Call::TilizeBlock, arg[0], arg[2], arg[1]))
TW_RECORDED_CALL(untilize_block, note(Call::UntilizeBlock, arg[0], arg[2], arg[1]))
TW_RECORDED_CALL(fast_untilize_row, note(Call::PackUntilizeBlock, arg[0], arg[2], arg[1] | 1u << 16))
TW_RECORDED_CALL(pack_untilize_block, note(Call::PackUntilizeBlock, arg[0], arg[3], arg[1] | arg[2] << 16))
TW_RECORDED_CALL(pack_untilize_dest, note(Call::PackUntilizeDest, arg[0], arg[5] | arg[6] << 8, arg[1] | arg[2] << 16))
TW_RECORDED_CALL(pack_untilize_dest_narrow, note(Call::PackUntilizeDest, arg[0], 0, arg[1] | arg[2] << 16))
TW_RECORDED_CALL(pack_rows, note(Call::PackRows, arg[1]))
TW_RECORDED_CALL(pack_rows_to_address, note(Call::PackRows))

// --- vector unit
TW_RECORDED_CALL(sfpu_unary, note(Call::SfpuUnary, arg[2], arg[0], kSfpuVectorsPerFace))
TW_RECORDED_CALL(sfpu_unary_vectors, note(Call::SfpuUnary, arg[2], arg[0], arg[3]))
TW_RECORDED_CALL(sfpu_binary, note(Call::SfpuBinary, arg[4], arg[0]))
TW_RECORDED_CALL(sfpu_quantize, note(Call::SfpuBinary, number(SfpuFaces::All), arg[0]))
TW_RECORDED_CALL(sfpu_ternary, note(Call::SfpuTernary, arg[5], arg[0]))
TW_RECORDED_CALL(sfpu_typecast, note(Call::SfpuTypecast, 0, arg[1] | arg[2] << 8))
TW_RECORDED_CALL(sfpu_copy, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_mask, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_binary_broadcast, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_normalize, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_cumsum, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_reduce, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_add_top_row, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_ema, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_welford_update, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_two_pass_sum, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_two_pass_squares, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_topk_local_sort, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_topk_merge, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_topk_rebuild, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_reshuffle_rows, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_max_with_indices, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_sum_int, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_add_int_next, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_triangle_solve, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_topk_canonicalize_zeros, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_topk_stamp_runs, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_topk_stamp_tile, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_topk_fuse, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_topk_defuse, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_topk_xl_stamp, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_topk_xl_sort, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_topk_xl_sort_columns, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_topk_xl_merge, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_topk_xl_rebuild, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_topk_xl_split, note(Call::SfpuOther))
TW_RECORDED_CALL(sfpu_topk_xl_remove_values, note(Call::SfpuOther))

#undef TW_RECORDED_CALL

}  // namespace tw::recorded

// From here on a recorded kernel's calls are these: a macro for each TW_RECORDED_CALL of this folder, written by
// _build/generated_headers.py.
#include "tw/recorded_names.h"
