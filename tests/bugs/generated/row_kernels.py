# SPDX-License-Identifier: Apache-2.0
"""The kernels of rows: phases on rows of tiles, chosen by arguments. The first argument is the fault.

Buffers: c_0 input rows, c_1 scaler, c_2 row operand, c_3 scalar operand, c_5 results of reductions, c_6 to c_9 tiles
between phases, c_16 output.
"""

READER = """
#include "api/dataflow/dataflow_api.h"

// Ones in the first row of each face for the columns that exist, zeros elsewhere.
void fill_scaler(uint32_t address, uint32_t valid_columns, bool whole) {
    auto tile = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(address);
    for (uint32_t face = 0; face < 4; face++) {
        for (uint32_t i = 0; i < (whole ? 256 : 8); i++) {
            const bool is_one = i < 16 && face % 2 * 16 + i < valid_columns;
            tile[face * 256 + i] = is_one ? 0x3f80 : 0;
        }
    }
}

void kernel_main() {
    const uint32_t fault = get_arg_val<uint32_t>(0);
    const uint32_t num_rows = get_arg_val<uint32_t>(1);
    const uint32_t first_row = get_arg_val<uint32_t>(2);
    const uint32_t wt = get_arg_val<uint32_t>(3);
    const uint32_t width = get_arg_val<uint32_t>(4);
    const uint32_t row_major = get_arg_val<uint32_t>(5);
    const uint32_t page_bytes = get_arg_val<uint32_t>(6);
    const uint32_t reduces = get_arg_val<uint32_t>(7);
    const uint32_t num_banks = get_arg_val<uint32_t>(8);
    constexpr auto src_args = TensorAccessorArgs<0>();
    constexpr auto row_args = TensorAccessorArgs<src_args.next_compile_time_args_offset()>();
    constexpr auto scalar_args = TensorAccessorArgs<row_args.next_compile_time_args_offset()>();
    const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0), page_bytes);
    const auto row_operand = TensorAccessor(row_args, get_common_arg_val<uint32_t>(1));
    const auto scalar_operand = TensorAccessor(scalar_args, get_common_arg_val<uint32_t>(2));
    constexpr uint32_t cb_in = 0;
    constexpr uint32_t cb_scaler = 1;
    constexpr uint32_t cb_row = 2;
    constexpr uint32_t cb_scalar = 3;
    const uint32_t tile_bytes = get_tile_size(cb_in);
    const uint32_t in_pages = fault == PUSH_STICKS || fault == PAGES_OF_STICKS ? 32 : wt;

    cb_reserve_back(cb_row, wt);
    for (uint32_t tile = 0; tile < wt; tile++) {
        noc_async_read_page(tile, row_operand, get_write_ptr(cb_row) + tile * tile_bytes);
    }
    cb_reserve_back(cb_scalar, 1);
    noc_async_read_page(0, scalar_operand, get_write_ptr(cb_scalar));
    noc_async_read_barrier();
    cb_push_back(cb_row, wt);
    cb_push_back(cb_scalar, 1);
    if (reduces) {
        // The first scaler is for whole tiles, the second for the last one.
        cb_reserve_back(cb_scaler, 2);
        const uint32_t left = fault == SUM_PADDING ? 32 : width - (wt - 1) * 32;
        fill_scaler(get_write_ptr(cb_scaler), 32, fault != HALF_A_SCALER);
        fill_scaler(get_write_ptr(cb_scaler) + tile_bytes, left, fault != HALF_A_SCALER);
        cb_push_back(cb_scaler, 2);
    }
    for (uint32_t row = first_row; row < first_row + num_rows; row++) {
        cb_reserve_back(cb_in, in_pages);
        if (row_major) {
            for (uint32_t stick = 0; stick < 32; stick++) {
                const uint32_t to = get_write_ptr(cb_in) + stick * wt * 64;
                const uint32_t page = row * 32 + stick;
                uint64_t from = src.get_noc_addr(page);
                if (fault == PACKED_STRIDE) {
                    const uint32_t base = get_common_arg_val<uint32_t>(0);
                    from = get_noc_addr_from_bank_id<true>(page % num_banks, base + page / num_banks * page_bytes);
                }
                noc_async_read(from, to, width * 2);  // AT PACKED_STRIDE
            }
        } else {
            for (uint32_t tile = 0; tile < wt; tile++) {
                noc_async_read_page(row * wt + tile, src, get_write_ptr(cb_in) + tile * tile_bytes);
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_in, in_pages);  // AT PUSH_STICKS
    }
}
"""

COMPUTE = """
#include "api/compute/bcast.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_unary/negative.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/tilize.h"
#include "api/compute/untilize.h"

enum : uint32_t { TILIZE, UNTILIZE, COPY, NEGATE, ADD_ROW, SUB_SCALAR, MUL_SCALAR, SUM, MAXIMUM, SUB_SUM, ADD_SELF };

constexpr uint32_t cb_scaler = 1;
constexpr uint32_t cb_row = 2;
constexpr uint32_t cb_scalar = 3;
constexpr uint32_t cb_sum = 5;
constexpr uint32_t cb_half_tiles = 10;

struct Phase {
    uint32_t kind, in, out, keeps;
};

void set_formats(uint32_t a, uint32_t b, uint32_t out, uint32_t fault) {
    if (fault != SKIP_RECONFIG) {
        reconfig_data_format(a, b);
    }
    if (fault != SKIP_PACK_RECONFIG) {
        pack_reconfig_data_format(out);
    }
}

void tilize(const Phase& phase, uint32_t wt, uint32_t fault) {
    set_formats(phase.in, phase.in, phase.out, 0);
    tilize_init(phase.in, wt, phase.out);
    cb_wait_front(phase.in, wt);
    cb_reserve_back(phase.out, wt);
    tilize_block(phase.in, wt, phase.out);  // AT PAGES_OF_STICKS
    cb_push_back(phase.out, wt);
    cb_pop_front(phase.in, wt);
    if (fault != SKIP_UNINIT) {
        tilize_uninit(phase.in, phase.out);
    }
}

void untilize(const Phase& phase, uint32_t wt, uint32_t fault) {
    set_formats(phase.in, phase.in, phase.out, 0);
    untilize_init(phase.in);
    cb_wait_front(phase.in, wt);  // AT SHALLOW_MIDDLE
    cb_reserve_back(phase.out, wt);
    untilize_block(phase.in, wt, phase.out);  // AT SKIP_UNINIT
    cb_push_back(phase.out, wt);
    cb_pop_front(phase.in, wt);
    if (fault != SKIP_UNINIT) {
        untilize_uninit(phase.in);
    }
}

template <PoolType pool>
void reduce(const Phase& phase, uint32_t wt, uint32_t fault) {
    constexpr ReduceDim rows = ReduceDim::REDUCE_ROW;
    if constexpr (pool == PoolType::SUM) {
        set_formats(cb_scaler, phase.in, cb_sum, 0);
    } else {
        set_formats(phase.in, cb_scaler, cb_sum, 0);
    }
    reduce_init<pool, rows>(phase.in, cb_scaler, cb_sum);
    cb_wait_front(phase.in, wt);  // AT SHALLOW_MIDDLE
    cb_wait_front(cb_scaler, 2);
    cb_reserve_back(cb_sum, 1);
    tile_regs_acquire();
    for (uint32_t tile = 0; tile < wt; tile++) {
        const uint32_t scaler = pool == PoolType::SUM && tile + 1 == wt ? 1 : 0;
        reduce_tile<pool, rows>(phase.in, cb_scaler, tile, scaler, 0);  // AT SUM_PADDING HALF_A_SCALER SKIP_UNINIT
    }
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb_sum);  // AT SUM_PADDING HALF_A_SCALER SKIP_UNINIT
    tile_regs_release();
    if (fault != SKIP_UNINIT) {
        reduce_uninit();
    }
    cb_push_back(cb_sum, 1);
    if (!phase.keeps) {
        cb_pop_front(phase.in, wt);
    }
}

void subtract_sum(const Phase& phase, uint32_t wt, uint32_t fault) {
    set_formats(phase.in, cb_sum, phase.out, fault);
    if (fault == SPREAD_THE_OTHER_WAY) {
        sub_bcast_rows_init(phase.in, cb_sum);
    } else {
        sub_bcast_cols_init(phase.in, cb_sum);
    }
    cb_wait_front(phase.in, wt);  // AT SHALLOW_MIDDLE
    cb_wait_front(cb_sum, 1);  // AT POP_THE_SUM
    for (uint32_t tile = 0; tile < wt; tile++) {
        cb_reserve_back(phase.out, 1);
        tile_regs_acquire();
        if (fault == SPREAD_THE_OTHER_WAY) {
            sub_tiles_bcast_rows(phase.in, cb_sum, tile, 0, 0);  // AT SPREAD_THE_OTHER_WAY
        } else {
            sub_tiles_bcast_cols(phase.in, cb_sum, tile, 0, 0);  // AT SKIP_RECONFIG SKIP_UNINIT POP_THE_SUM
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, phase.out);  // AT SKIP_PACK_RECONFIG SKIP_UNINIT SPREAD_THE_OTHER_WAY
        tile_regs_release();
        cb_push_back(phase.out, 1);
        if (fault == POP_THE_SUM) {
            cb_pop_front(cb_sum, 1);  // AT POP_THE_SUM
        }
    }
    if (fault != POP_THE_SUM) {
        cb_pop_front(cb_sum, 1);
    }
    cb_pop_front(phase.in, wt);
}

void start(const Phase& phase, uint32_t fault) {
    const uint32_t other = phase.kind == ADD_ROW ? cb_row : phase.kind == ADD_SELF ? phase.in : cb_scalar;
    set_formats(phase.in, other, phase.out, fault);
    if (fault == INIT_OF_ANOTHER) {
        matmul_init(phase.in, phase.in);
        return;
    }
    if (fault == INIT_FOR_HALF_TILES) {
        copy_init(cb_half_tiles);
        if (phase.kind == NEGATE) {
            negative_tile_init();
        }
        return;
    }
    switch (phase.kind) {
        case ADD_ROW: add_bcast_rows_init(phase.in, cb_row); break;
        case SUB_SCALAR: sub_bcast_scalar_init(phase.in, cb_scalar); break;
        case MUL_SCALAR: mul_bcast_scalar_init(phase.in, cb_scalar); break;
        case ADD_SELF: add_init(phase.in, phase.in); break;
        default: copy_init(phase.in); break;
    }
    if (phase.kind == NEGATE) {
        negative_tile_init();
    }
}

// What one tile of the input becomes.
void calculate(const Phase& phase, uint32_t tile) {
    switch (phase.kind) {
        // NEXT AT SKIP_RECONFIG SKIP_UNINIT INIT_OF_ANOTHER INIT_FOR_HALF_TILES
        case ADD_ROW: add_tiles_bcast_rows(phase.in, cb_row, 0, tile, 0); break;
        // NEXT AT SKIP_RECONFIG SKIP_UNINIT INIT_OF_ANOTHER INIT_FOR_HALF_TILES
        case SUB_SCALAR: sub_tiles_bcast_scalar(phase.in, cb_scalar, 0, 0, 0); break;
        // NEXT AT SKIP_RECONFIG SKIP_UNINIT INIT_OF_ANOTHER INIT_FOR_HALF_TILES
        case MUL_SCALAR: mul_tiles_bcast_scalar(phase.in, cb_scalar, 0, 0, 0); break;
        // NEXT AT SKIP_RECONFIG SKIP_UNINIT INIT_OF_ANOTHER INIT_FOR_HALF_TILES
        case ADD_SELF: add_tiles(phase.in, phase.in, 0, 0, 0); break;
        case NEGATE:
            copy_tile(phase.in, 0, 0);  // AT SKIP_RECONFIG SKIP_UNINIT INIT_OF_ANOTHER INIT_FOR_HALF_TILES
            negative_tile(0);
            break;
        // NEXT AT SKIP_RECONFIG SKIP_UNINIT INIT_OF_ANOTHER INIT_FOR_HALF_TILES
        default: copy_tile(phase.in, 0, 0); break;
    }
}

void tile_by_tile(const Phase& phase, uint32_t wt, uint32_t fault) {
    start(phase, fault);
    for (uint32_t tile = 0; tile < wt; tile++) {
        cb_wait_front(phase.in, 1);
        cb_reserve_back(phase.out, 1);  // AT SHALLOW_MIDDLE
        tile_regs_acquire();
        calculate(phase, tile);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, phase.out);  // AT SKIP_PACK_RECONFIG SKIP_UNINIT SHALLOW_MIDDLE
        tile_regs_release();
        cb_push_back(phase.out, 1);
        cb_pop_front(phase.in, 1);
    }
}

void run(const Phase& phase, uint32_t wt, uint32_t fault) {
    switch (phase.kind) {
        case TILIZE: tilize(phase, wt, fault); break;
        case UNTILIZE: untilize(phase, wt, fault); break;
        case SUM: reduce<PoolType::SUM>(phase, wt, fault); break;
        case MAXIMUM: reduce<PoolType::MAX>(phase, wt, fault); break;
        case SUB_SUM: subtract_sum(phase, wt, fault); break;
        default: tile_by_tile(phase, wt, fault); break;
    }
}

void kernel_main() {
    const uint32_t fault = get_arg_val<uint32_t>(0);
    const uint32_t num_rows = get_arg_val<uint32_t>(1);
    const uint32_t wt = get_arg_val<uint32_t>(2);
    const uint32_t num_phases = get_arg_val<uint32_t>(3);
    const uint32_t faulty_phase = get_arg_val<uint32_t>(4);
    const uint32_t reduces = get_arg_val<uint32_t>(5);
    compute_kernel_hw_startup(0, 0, 16);
    cb_wait_front(cb_row, wt);
    cb_wait_front(cb_scalar, 1);
    for (uint32_t row = 0; row < num_rows; row++) {
        for (uint32_t p = 0; p < num_phases; p++) {
            const uint32_t at = 6 + 4 * p;
            const Phase phase{
                get_arg_val<uint32_t>(at),
                get_arg_val<uint32_t>(at + 1),
                get_arg_val<uint32_t>(at + 2),
                get_arg_val<uint32_t>(at + 3)};
            run(phase, p > 0 && phase.in == cb_sum ? 1 : wt, p == faulty_phase ? fault : 0);
        }
    }
    cb_pop_front(cb_row, wt);
    cb_pop_front(cb_scalar, 1);
    if (reduces) {
        cb_pop_front(cb_scaler, 2);
    }
}
"""

WRITER = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t num_rows = get_arg_val<uint32_t>(0);
    const uint32_t first_row = get_arg_val<uint32_t>(1);
    const uint32_t wt = get_arg_val<uint32_t>(2);
    const uint32_t row_major = get_arg_val<uint32_t>(3);
    const uint32_t page_bytes = get_arg_val<uint32_t>(4);
    constexpr auto dst_args = TensorAccessorArgs<0>();
    const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(0), page_bytes);
    constexpr uint32_t cb_out = 16;
    for (uint32_t row = first_row; row < first_row + num_rows; row++) {
        cb_wait_front(cb_out, wt);
        if (row_major) {
            const uint32_t stride = wt * 64;
            for (uint32_t stick = 0; stick < 32; stick++) {
                const uint32_t from = get_read_ptr(cb_out) + stick * stride;
                // NEXT AT SKIP_UNTILIZE SUM_PADDING HALF_A_SCALER SPREAD_THE_OTHER_WAY
                noc_async_write(from, dst.get_noc_addr(row * 32 + stick), page_bytes);
            }
        } else {
            for (uint32_t tile = 0; tile < wt; tile++) {
                // NEXT AT SUM_PADDING HALF_A_SCALER SPREAD_THE_OTHER_WAY SKIP_UNINIT
                noc_async_write_page(row * wt + tile, dst, get_read_ptr(cb_out) + tile * get_tile_size(cb_out));
            }
        }
        noc_async_write_barrier();
        cb_pop_front(cb_out, wt);
    }
}
"""
