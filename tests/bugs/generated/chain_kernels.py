# SPDX-License-Identifier: Apache-2.0
"""The kernels of chains: reader, compute stages and writer on every core. The first argument is the fault."""

READER = """
#include "api/dataflow/dataflow_api.h"

enum : uint32_t { BY_BLOCK, BY_TRANSACTION, BY_PAGE };

void use_stack(uint32_t words) {  // AT BIG_STACK
    volatile uint32_t array[words];
    array[0] = 1;
    array[words - 1] = array[0];  // AT BIG_STACK
}

void kernel_main() {  // AT BIG_STACK
    const uint32_t fault = get_arg_val<uint32_t>(0);
    const uint32_t num_tiles = get_arg_val<uint32_t>(1);
    const uint32_t first_tile = get_arg_val<uint32_t>(2);
    const uint32_t block = get_arg_val<uint32_t>(3);
    const uint32_t all_tiles = get_arg_val<uint32_t>(4);
    const uint32_t way = get_arg_val<uint32_t>(5);  // AT LEAVE_OUT_ARGUMENT
    constexpr auto src_args = TensorAccessorArgs<0>();
    constexpr auto bias_args = TensorAccessorArgs<src_args.next_compile_time_args_offset()>();
    const auto src = TensorAccessor(src_args, get_common_arg_val<uint32_t>(0));
    const auto bias = TensorAccessor(bias_args, get_common_arg_val<uint32_t>(1));
    constexpr uint32_t cb_first = 0;
    constexpr uint32_t cb_bias = 1;
    constexpr uint32_t cb_spare = 4;
    const uint32_t tile_bytes = get_tile_size(cb_first);
    auto spare = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_spare));

    if (fault == WAIT_IN_A_CIRCLE) {
        cb_wait_front(cb_spare, 1);  // AT WAIT_IN_A_CIRCLE
    }
    if (fault == SHARE_PRODUCING) {
        cb_reserve_back(cb_spare, 1);  // AT SHARE_PRODUCING
        cb_push_back(cb_spare, 1);  // AT SHARE_PRODUCING
    }
    if (fault == POLL_FOR_EVER) {
        spare[0] = 0;
        while (spare[0] == 0) {  // AT POLL_FOR_EVER
            invalidate_l1_cache();  // AT POLL_FOR_EVER
        }
    }
    if (fault == DIVIDE_BY_ZERO) {
        volatile uint32_t none = 0;
        spare[0] = num_tiles / none;  // AT DIVIDE_BY_ZERO
    }
    if (fault == NO_SUCH_ADDRESS) {
        *reinterpret_cast<volatile uint32_t*>(0x7f000000) = num_tiles;  // AT NO_SUCH_ADDRESS
    }
    if (fault == NO_SUCH_CORE) {
        noc_async_read(get_noc_addr(40, 40, 0), get_write_ptr(cb_spare), 32);  // AT NO_SUCH_CORE
    }
    if (fault == BIG_STACK) {
        use_stack(4096);  // AT BIG_STACK
    }
    if (fault == STORE_OUTSIDE) {
        const uint32_t outside = (get_write_ptr(cb_first) & ~0x1fffffu) | 0x120000u;
        *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(outside) = 1;  // AT STORE_OUTSIDE
    }
    if (fault == LOAD_UNWRITTEN && spare[1] == 3) {  // AT LOAD_UNWRITTEN
        spare[2] = 1;
    }
    spare[0] = num_tiles;  // AT RACE

    cb_reserve_back(cb_bias, 1);
    noc_async_read_page(0, bias, get_write_ptr(cb_bias));  // AT LEAVE_OUT_TENSOR
    noc_async_read_barrier();
    if (fault != SKIP_BIAS_PUSH) {
        cb_push_back(cb_bias, 1);
    }

    for (uint32_t done = 0; done < num_tiles; done += block) {
        if (fault == RESERVE_TOO_FEW) {
            cb_reserve_back(cb_first, block - 1);
        } else if (fault != SKIP_RESERVE) {
            cb_reserve_back(cb_first, block);  // AT SHRINK_BUFFER DROP_POP
        }
        for (uint32_t i = 0; i < block; i++) {
            const uint32_t page = get_write_ptr(cb_first) + i * tile_bytes;
            const uint32_t tile = first_tile + done + i;
            if (way == BY_TRANSACTION) {
                noc_async_read_set_trid(i + 1);
            }
            if (fault == SKIP_READ && done == 0 && i == 0) {
                continue;
            }
            if (fault == UNALIGNED_READ && done == 0 && i == 0) {
                noc_async_read(src.get_noc_addr(tile) + 8, page, 64);  // AT UNALIGNED_READ
            }
            // NEXT AT SHIFT_ARGUMENTS OTHER_DTYPE
            noc_async_read_page(tile, src, page);  // AT SKIP_RESERVE RESERVE_TOO_FEW SPLIT_OVER_THE_END
        }
        if (fault == READ_PAGE_BEYOND && done == 0) {
            noc_async_read_page(all_tiles, src, get_write_ptr(cb_first));  // AT READ_PAGE_BEYOND
        }
        if (fault == OVERSIZED && done == 0) {
            noc_async_read_one_packet(src.get_noc_addr(0), get_write_ptr(cb_first), 5 * tile_bytes);  // AT OVERSIZED
        }
        if (fault == WRITE_PAST_WINDOW && done == 0) {
            // NEXT AT WRITE_PAST_WINDOW
            noc_async_read_page(first_tile, src, get_write_ptr(cb_first) + block * tile_bytes);
        }
        auto words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_first));
        if (fault == USE_IN_FLIGHT && words[3] == 0) {  // AT USE_IN_FLIGHT
            spare[2] = 1;
        }
        if (fault == STORE_IN_FLIGHT) {
            words[1] = 0;  // AT STORE_IN_FLIGHT
        }
        if (fault == MISALIGNED_STORE) {
            *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_spare) + 6) = 1;  // AT MISALIGNED_STORE
        }
        if (fault == WRONG_BARRIER) {
            noc_async_write_barrier();
        } else if (fault == NO_READ_BARRIER) {
        } else if (way == BY_TRANSACTION) {
            for (uint32_t i = 0; i < block; i++) {
                noc_async_read_barrier_with_trid(i + 1);
            }
        } else {
            noc_async_read_barrier();
        }
        if (fault == DROP_LAST_PUSH && done + block >= num_tiles) {
        } else if (fault == PUSH_TOO_MANY) {
            cb_push_back(cb_first, block + 1);  // AT PUSH_TOO_MANY
        } else if (way == BY_PAGE) {
            for (uint32_t i = 0; i < block; i++) {
                cb_push_back(cb_first, 1);  // AT NO_READ_BARRIER WRONG_BARRIER SKIP_RESERVE RESERVE_TOO_FEW DROP_POP
            }
        } else {
            cb_push_back(cb_first, block);  // AT NO_READ_BARRIER WRONG_BARRIER SKIP_RESERVE RESERVE_TOO_FEW DROP_POP
        }
    }
    noc_async_read_barrier();
}
"""

COMPUTE = """
#include "api/compute/eltwise_binary.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_bias = 1;

struct Stage {
    uint32_t in, out, block, keeps, adds, early;
};

void run(const Stage& stage, uint32_t num_tiles, uint32_t fault, uint32_t first_slot, bool last_round) {
    if (fault == SKIP_INIT) {
    } else if (stage.adds) {
        add_init(stage.in, cb_bias);  // AT SKIP_STARTUP
    } else {
        copy_init(stage.in);  // AT SKIP_STARTUP
    }
    for (uint32_t done = 0; done < num_tiles; done += stage.block) {
        const uint32_t before = stage.keeps ? done : 0;
        const uint32_t too_few = fault == WAIT_FOR_TOO_FEW ? 1 : 0;
        if (!stage.early) {
            // NEXT AT DROP_LAST_PUSH SHRINK_BUFFER DROP_POP WAIT_IN_A_CIRCLE POP_TOO_MANY
            cb_wait_front(stage.in, before + stage.block - too_few);
        }
        if (fault != SKIP_OUTPUT_RESERVE) {
            cb_reserve_back(stage.out, stage.block);  // AT DROP_POP
        }
        if (fault != SKIP_ACQUIRE) {
            tile_regs_acquire();  // AT SKIP_RELEASE SKIP_COMMIT
        }
        for (uint32_t i = 0; i < stage.block; i++) {
            const uint32_t tile = before + i;
            if (stage.early) {
                // NEXT AT DROP_LAST_PUSH SHRINK_BUFFER DROP_POP WAIT_IN_A_CIRCLE POP_TOO_MANY
                cb_wait_front(stage.in, tile + 1 - too_few);
            }
            if (stage.adds) {
                // NEXT AT SKIP_READ DST_INDEX WAIT_FOR_TOO_FEW SKIP_ACQUIRE SKIP_INIT SKIP_STARTUP SPLIT_OVER_THE_END
                add_tiles(stage.in, cb_bias, tile, 0, first_slot + i);  // AT OTHER_FORMAT
            } else {
                // NEXT AT SKIP_READ DST_INDEX WAIT_FOR_TOO_FEW SKIP_ACQUIRE SKIP_INIT SKIP_STARTUP SPLIT_OVER_THE_END
                copy_tile(stage.in, tile, first_slot + i);  // AT OTHER_FORMAT
            }
        }
        if (fault != SKIP_COMMIT) {
            tile_regs_commit();  // AT SKIP_ACQUIRE
        }
        if (fault != SKIP_DST_WAIT) {
            tile_regs_wait();  // AT SKIP_COMMIT SKIP_ACQUIRE
        }
        for (uint32_t i = 0; i < stage.block; i++) {
            // NEXT AT DROP_POP DST_INDEX SKIP_OUTPUT_RESERVE SKIP_COMMIT SKIP_DST_WAIT SKIP_ACQUIRE
            pack_tile(first_slot + i + (fault == PACK_UNCOMPUTED ? stage.block : 0), stage.out);  // AT PACK_UNCOMPUTED
        }
        if (fault != SKIP_RELEASE) {
            tile_regs_release();  // AT SKIP_COMMIT SKIP_DST_WAIT SKIP_ACQUIRE
        }
        if (fault != DROP_LAST_OUTPUT_PUSH || !last_round || done + stage.block < num_tiles) {
            // GUARD
            cb_push_back(stage.out, stage.block);  // AT DROP_POP SKIP_OUTPUT_RESERVE GUARD_THE_PUSH
            // END OF GUARD
        }
        if (!stage.keeps && fault == POP_TOO_MANY) {
            cb_pop_front(stage.in, stage.block + 1);  // AT POP_TOO_MANY
        } else if (!stage.keeps && fault != DROP_POP) {
            cb_pop_front(stage.in, stage.block);
        }
    }
    if (stage.keeps && fault == POP_TOO_MANY) {
        cb_pop_front(stage.in, num_tiles + 1);  // AT POP_TOO_MANY
    } else if (stage.keeps && fault != DROP_POP) {
        cb_pop_front(stage.in, num_tiles);
    }
}

void kernel_main() {
    const uint32_t fault = get_arg_val<uint32_t>(0);
    const uint32_t rounds = get_arg_val<uint32_t>(1);
    const uint32_t tiles_per_round = get_arg_val<uint32_t>(2);
    const uint32_t num_stages = get_arg_val<uint32_t>(3);
    const uint32_t first_slot = get_arg_val<uint32_t>(4);
    const uint32_t faulty_stage = get_arg_val<uint32_t>(5);
    if (fault != SKIP_STARTUP) {
        compute_kernel_hw_startup(0, cb_bias, 16);  // AT LEAVE_OUT_CORES
    }
    if (fault == WAIT_WITHOUT_PRODUCER) {
        cb_wait_front(4, 1);  // AT WAIT_WITHOUT_PRODUCER
    }
    cb_wait_front(cb_bias, 1);  // AT SKIP_BIAS_PUSH SHARE_CONSUMING WAIT_IN_A_CIRCLE
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t s = 0; s < num_stages; s++) {
            const uint32_t at = 6 + 6 * s;
            const Stage stage{
                get_arg_val<uint32_t>(at),
                get_arg_val<uint32_t>(at + 1),
                get_arg_val<uint32_t>(at + 2),
                get_arg_val<uint32_t>(at + 3),
                get_arg_val<uint32_t>(at + 4),
                get_arg_val<uint32_t>(at + 5)};
            run(stage, tiles_per_round, s == faulty_stage ? fault : 0, first_slot, round + 1 == rounds);
        }
    }
    cb_pop_front(cb_bias, 1);  // AT SHARE_CONSUMING
}  // AT SKIP_RELEASE SKIP_COMMIT
"""

WRITER = """
#include "api/dataflow/dataflow_api.h"

enum : uint32_t { BARRIERS, FLUSHES, TRANSACTIONS };

void kernel_main() {
    const uint32_t fault = get_arg_val<uint32_t>(0);
    const uint32_t num_tiles = get_arg_val<uint32_t>(1);
    const uint32_t first_tile = get_arg_val<uint32_t>(2);
    const uint32_t block = get_arg_val<uint32_t>(3);
    const uint32_t all_tiles = get_arg_val<uint32_t>(4);
    const uint32_t way = get_arg_val<uint32_t>(5);
    constexpr auto dst_args = TensorAccessorArgs<0>();
    const auto dst = TensorAccessor(dst_args, get_common_arg_val<uint32_t>(0));
    constexpr uint32_t cb_bias = 1;
    constexpr uint32_t cb_spare = 4;
    constexpr uint32_t cb_last = 16;
    auto spare = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_spare));
    if (fault == SHARE_CONSUMING) {
        cb_wait_front(cb_bias, 1);  // AT SHARE_CONSUMING
    }
    if (fault == SHARE_PRODUCING) {
        cb_reserve_back(cb_spare, 1);  // AT SHARE_PRODUCING
        cb_push_back(cb_spare, 1);  // AT SHARE_PRODUCING
    }
    if (fault == RACE && spare[0] == 0) {  // AT RACE
        spare[8] = 1;
    }
    for (uint32_t done = 0; done < num_tiles; done += block) {
        const bool last = done + block == num_tiles;
        cb_wait_front(cb_last, block);  // AT DROP_LAST_OUTPUT_PUSH LEAVE_OUT_CORES WAIT_IN_A_CIRCLE LEAVE_LAST
        if (fault == WAIT_IN_A_CIRCLE && done == 0) {
            cb_reserve_back(cb_spare, 1);
            cb_push_back(cb_spare, 1);
        }
        const uint32_t begin = fault == READ_WRITE_POINTER ? get_write_ptr(cb_last) : get_read_ptr(cb_last);
        if (fault == POP_EARLY) {
            cb_pop_front(cb_last, block);
        }
        for (uint32_t i = 0; i < block; i++) {
            const uint32_t page = begin + i * get_tile_size(cb_last);
            const uint32_t tile = first_tile + done + i;
            if (fault == SKIP_WRITE && last) {
                continue;
            }
            if (fault == WRITE_PAGE_BEYOND && last) {
                noc_async_write_page(all_tiles, dst, page);  // AT WRITE_PAGE_BEYOND
            }
            if (way == TRANSACTIONS) {
                // NEXT AT NO_LAST_BARRIER SKIP_READ READ_WRITE_POINTER POP_EARLY WRITE_THE_SAME
                noc_async_write_one_packet_with_trid(page, dst.get_noc_addr(tile), get_tile_size(cb_last), i + 1);
            } else {
                // NEXT AT WRITE_THE_SAME
                noc_async_write_page(tile, dst, page);  // AT NO_LAST_BARRIER SKIP_READ READ_WRITE_POINTER POP_EARLY
            }
        }
        if (fault == NO_WRITE_BARRIER) {
        } else if (fault == BARRIER_OF_READS) {
            noc_async_read_barrier();
        } else if (way == FLUSHES || fault == NO_LAST_BARRIER) {
            noc_async_writes_flushed();
        } else if (way == TRANSACTIONS) {
            for (uint32_t i = 0; i < block; i++) {
                noc_async_write_barrier_with_trid(i + 1);
            }
        } else {
            noc_async_write_barrier();
        }
        if (fault != POP_EARLY && !(fault == LEAVE_LAST && last)) {
            cb_pop_front(cb_last, block);  // AT NO_WRITE_BARRIER BARRIER_OF_READS LEAVE_LAST
        }
    }
    if (fault == WAIT_ONCE_MORE) {
        cb_wait_front(cb_last, block);  // AT WAIT_ONCE_MORE
    }
    if (fault != NO_LAST_BARRIER) {
        noc_async_write_barrier();
    }
}  // AT NO_LAST_BARRIER
"""
