# SPDX-License-Identifier: Apache-2.0
"""Calls as releases of the last year spelt them: they compile, and mean what they meant."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tile_program import run_tiles
from tilewright import ttnn
from tilewright._build.compiler import find_compiler
from tilewright._build.kernel_build import check_kernel
from tilewright._build.kernel_sources import kernel_source
from tilewright._launch.chip import Chip

# By the header of their time, below compute_kernel_api/.
CALLS = {
    "add_int_sfpu.h": "add_int32_tile(0, 1, 2); add_uint32_tile(0, 1, 2); add_uint16_tile(0, 1, 2);",
    "sub_int_sfpu.h": "sub_int32_tile(0, 1, 2); rsub_int32_tile_init(); rsub_int32_tile(0, 1, 2);",
    "mul_int32_sfpu.h": "mul_int32_tile_init(); mul_int32_tile(0, 1, 2); mul_uint16_tile(0, 1, 2);",
    "binary_bitwise_sfpu.h": "bitwise_and_binary_tile(0, 1, 2); bitwise_xor_uint16_binary_tile(0, 1, 2);",
    "binary_comp.h": "lt_int32_tile_init(); lt_int32_tile(0, 1, 2); ge_int32_tile(0, 1, 2);",
    "binary_shift.h": "binary_left_shift_tile(0, 1, 2); binary_right_shift_uint32_tile(0, 1, 2);",
    "eltwise_unary/bitwise_and.h": "bitwise_and_tile_init(); bitwise_and_tile(0, 7);",
    "eltwise_unary/right_shift.h": "right_shift_tile_init(); right_shift_tile(0, 2);",
    "eltwise_unary/logical_not_noti.h": "logical_not_unary_tile(0); logical_not_unary_tile_int32(0);",
    "eltwise_unary/rounding.h": "ceil_tile_float32(0); frac_tile_float32(0);",
    "eltwise_unary/where.h": "where_tile(0, 1, 2, 3); where_fp32_tile(0, 1, 2, 3);",
    "eltwise_unary/recip.h": "recip_tile_init<false>(); recip_tile<false>(0, (int)VectorMode::C);",
    "eltwise_unary/rsqrt.h": "rsqrt_tile_init<true>(); rsqrt_tile<true>(0); rsqrt_tile<true, true>(0);",
    "eltwise_unary/sqrt.h": "sqrt_tile_init<true>(); sqrt_tile<true>(0);",
    "eltwise_unary/erf_erfc.h": "erfc_tile_init<true>(); erfc_tile<true>(0);",
    "eltwise_unary/typecast.h": "typecast_tile_init();",
    "eltwise_unary/fill.h": "fill_tile_int(0, 5);",
    "eltwise_binary.h": "mul_tiles_init(0, 1, 1, __LINE__); add_tiles_init(0, 1); constexpr auto op = ELWADD;",
    "reduce.h": "reduce_init(0, 1, 16); reduce_tile(0, 1, 0, 0, 0); reduce_uninit<>(); reduce_uninit<true>(0);",
    "pack_untilize.h": "pack_untilize_dest_init_skip_remap<1>(16, 16, 4);",
    "tilize.h": "fast_tilize_uninit(0, 16);",
}

ON_A_TILE = """
#include "compute_kernel_api/tile_move_copy.h"
#include "compute_kernel_api/eltwise_unary/{header}"
#include "compute_kernel_api/pack.h"

void kernel_main() {{
    compute_kernel_hw_startup(0, 16);
    copy_tile_init(0);
    cb_wait_front(0, 1);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    {calls}
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
    cb_pop_front(0, 1);
}}
"""
HALF, SEVEN, SEVENTH = 0x3F000000, 0x40E00000, 0x3E124925


def test_older_calls_compile(chip: Chip, make_program) -> None:
    includes = "\n".join(f'#include "compute_kernel_api/{header}"' for header in CALLS)
    defines = "#define REDUCE_OP PoolType::SUM\n#define REDUCE_DIM ReduceDim::REDUCE_ROW\n"
    text = f"{defines}{includes}\nvoid kernel_main() {{\n" + "\n".join(CALLS.values()) + "\n}\n"
    program = make_program(cbs={0: 1, 1: 1, 16: 1}, compute=text)
    check_kernel(kernel_source(program, program.kernels[0], chip.arch, chip.grid), find_compiler())


@pytest.mark.parametrize(
    ("header", "calls", "meaning", "error"),
    [
        # The approximation of exp is off by up to 2 % (docs/numerics.md); a scale of 0 or 1 bit would be off by all.
        ("exp.h", "exp_tile_init<true, false>(); exp_tile<true, false>(0);", lambda x: np.exp(-x), 0.02),
        (
            "exp.h",
            f"exp_tile_init<true, true, {HALF:#x}>(); exp_tile<true, true, false, true>(0);",
            lambda x: np.exp(-x / 2),
            0.02,
        ),
        (
            "fmod.h",
            f"fmod_tile_init({SEVEN:#x}, {SEVENTH:#x}); fmod_tile(0, {SEVEN:#x}, {SEVENTH:#x});",
            lambda x: np.fmod(-x, 7),
            0,
        ),
    ],
    ids=["exp without fast_and_approx", "exp with a scale", "fmod with its divisor"],
)
def test_older_calls_mean_the_same(device: ttnn.Device, header: str, calls: str, meaning, error: float) -> None:
    x = np.arange(1024, dtype=np.float32).reshape(32, 32) / 64
    text = ON_A_TILE.format(header=header, calls=calls)
    result = run_tiles(device, [(-x, ttnn.float32)], text, (32, 32), ttnn.float32, fp32_dest_acc_en=True)
    np.testing.assert_allclose(
        np.asarray(result, np.float64), meaning(x.astype(np.float64)), rtol=error, atol=error / 50
    )
