# SPDX-License-Identifier: Apache-2.0
"""The vector unit multiplies and adds in one step, whatever flags the rest of the engine is built with."""

from __future__ import annotations

from tilewright._launch.chip import Chip
from tilewright._program.kernel_config import ComputeConfigDescriptor

# b * c is 1 + 2^-11 + 2^-24, which as a float of its own would be 1 + 2^-11.
COMPUTE = """
#include "api/compute/compute_kernel_api.h"
#include "api/compute/pack.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/addcmul.h"
#include "api/compute/eltwise_unary/fill.h"

void kernel_main() {
    compute_kernel_hw_startup(16, 16);
    tile_regs_acquire();
    fill_tile_init();
    fill_tile(0, -1.00048828125f);
    fill_tile(1, 1.000244140625f);
    fill_tile(2, 1.000244140625f);
    addcmul_tile_init();
    addcmul_tile<DataFormat::Float32>(0, 1, 2, 0, 0x3f800000);
    tile_regs_commit();
    cb_reserve_back(16, 1);
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
}
"""
WRITER = """
void kernel_main() {
    cb_wait_front(16, 1);
    *reinterpret_cast<volatile uint32_t*>(get_semaphore(0)) = *reinterpret_cast<volatile uint32_t*>(get_read_ptr(16));
    cb_pop_front(16, 1);
}
"""
TWO_TO_THE_MINUS_24 = 0x3380  # as bfloat16


def test_product_is_not_rounded_before_the_sum(chip: Chip, make_program) -> None:
    program = make_program(cbs={16: 1}, semaphores=1, compute=COMPUTE, writer=WRITER)
    program.kernels[0].config = ComputeConfigDescriptor(fp32_dest_acc_en=True)
    chip.launch(program)
    assert chip.read_semaphore((0, 0), 0) == TWO_TO_THE_MINUS_24 << 16 | TWO_TO_THE_MINUS_24
