// SPDX-License-Identifier: Apache-2.0
// Names of the model's constants. Their values and sources are in timing/_constants.py. Times are cycles of the chip's
// clock, rates bytes per cycle.
#pragma once

#include <cstdint>

// clang-format off: a list of names
#define TW_REPLAY_CONSTANTS(X) \
    /* NoC and DRAM */ \
    X(packet_bytes) X(port_rate) X(bank_read_rate) X(bank_write_rate) X(bank_read_interval) X(bank_write_interval) \
    X(bank_mixed_efficiency) X(packet_head) \
    X(issue_dram_read) X(issue_l1_read) X(issue_l1_read_with_state) X(issue_own_l1_read) \
    X(issue_own_l1_read_with_state) X(issue_dram_write) X(issue_l1_write) X(issue_l1_write_with_state) \
    X(page_shifted) X(page_divided) X(issue_packet) X(issue_multicast) X(issue_atomic) \
    X(dram_read_latency) X(dram_write_latency) X(l1_latency) X(hop_latency) X(link_rate) X(link_read_efficiency) X(link_write_efficiency) \
    X(multicast_latency) X(multicast_rate) X(multicast_overhead) \
    /* data-movement processors */ \
    X(mover_wait) X(mover_pop) X(mover_reserve) X(mover_push) X(mover_barrier) X(mover_semaphore) X(mover_block) \
    X(mover_free_blocks) X(poll) \
    /* start of a kernel on each processor */ \
    X(start_brisc) X(start_ncrisc) X(start_trisc) X(start_core) X(start_spread) \
    /* compute processors: hand-over */ \
    X(compute_wait) X(compute_pop) X(compute_reserve) X(compute_push) X(dst_acquire) X(dst_commit) X(dst_wait) \
    X(dst_release) X(math_latency) \
    /* compute processors: set-up */ \
    X(startup_unpack) X(startup_math) X(startup_pack) X(binary_init_math) X(copy_init_unpack) \
    X(matmul_init_unpack) X(unpack_loop) X(math_loop) X(pack_loop) X(pack_mask) \
    X(pack_config) X(reconfig_unpack) X(reconfig_math) X(reconfig_pack) X(sfpu_init) \
    /* a tile through the unpackers */ \
    X(copy_unpack) X(copy_unpack_block_float) X(copy_unpack_fp32) X(copy_unpack_to_dest) X(transpose_unpack) \
    X(binary_unpack) X(binary_unpack_block_float) X(binary_unpack_fp32) X(reuse_unpack) X(reduce_unpack) \
    X(reduce_scalar_unpack) X(matmul_unpack) X(matmul_unpack_block_float) X(tilize_unpack) X(untilize_unpack) \
    X(pack_untilize_unpack) \
    /* a tile through the matrix unit */ \
    X(copy_math) X(add_math) X(multiply_math_1) X(multiply_math_2) X(multiply_math_3) X(multiply_math_4) \
    X(reuse_math) X(reduce_row_math_1) X(reduce_row_math_2) X(reduce_row_math_3) X(reduce_row_math_4) \
    X(reduce_row_max_math) X(reduce_column_math_1) X(reduce_column_math_2) X(reduce_column_math_3) \
    X(reduce_column_math_4) X(reduce_column_max_math) X(reduce_scalar_math_1) X(reduce_scalar_math_2) \
    X(reduce_scalar_math_3) X(reduce_scalar_math_4) X(reduce_scalar_max_math) X(matmul_math_phase) \
    X(matmul_math_tile) X(matmul_math_call) X(matmul_fp32_factor) X(transpose_dest_math) \
    /* a tile through the packer */ \
    X(pack_16) X(pack_block_float) X(pack_32) X(tilize_pack) X(untilize_pack) X(pack_untilize_pack_tile) \
    X(pack_untilize_pack_block) \
    /* the vector unit where nothing was measured */ \
    X(sfpu_unary_default) X(sfpu_binary_default) X(sfpu_ternary_default) X(sfpu_typecast_default) X(sfpu_other_default)
// clang-format on

namespace tw::replay {

struct Constants {
#define TW_FIELD(name) double name;
    TW_REPLAY_CONSTANTS(TW_FIELD)
#undef TW_FIELD
};

}  // namespace tw::replay
