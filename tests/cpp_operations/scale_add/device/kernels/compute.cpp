// SPDX-License-Identifier: Apache-2.0
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/eltwise_unary/binop_with_scalar.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
#include "compute_kernel_api/tile_move_copy.h"
namespace NAMESPACE {
void MAIN {
    const uint32_t n = get_arg_val<uint32_t>(0);
    const uint32_t scale = get_common_arg_val<uint32_t>(0);
#ifdef SHARDED
    cb_reserve_back(0, n);
    cb_push_back(0, n);
#ifdef HAS_OTHER
    cb_reserve_back(1, n);
    cb_push_back(1, n);
#endif
#endif
#ifdef HAS_OTHER
    binary_op_init_common(0, 1, 2);
    add_tiles_init(0, 1);
#else
    unary_op_init_common(0, 2);
    copy_tile_init(0);
#endif
    binop_with_scalar_tile_init();
    for (uint32_t i = 0; i < n; ++i) {
        cb_wait_front(0, 1);
        cb_reserve_back(2, 1);
        tile_regs_acquire();
#ifdef HAS_OTHER
        cb_wait_front(1, 1);
        add_tiles(0, 1, 0, 0, 0);
        cb_pop_front(1, 1);
#else
        copy_tile(0, 0, 0);
#endif
        mul_unary_tile(0, scale);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 2);
        tile_regs_release();
        cb_pop_front(0, 1);
        cb_push_back(2, 1);
    }
}
}  // namespace NAMESPACE
