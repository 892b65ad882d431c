# SPDX-License-Identifier: Apache-2.0
"""A digest for each result of an engine: ``python -m tests.package.variant_results``, with ``TILEWRIGHT_ENGINE`` set.

Functions of the vector unit, sums and products are where variants of the engine run different instructions.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np

from bench import programs
from tests.tile_program import run_tiles
from tilewright import ops, ttnn

FUNCTIONS = (
    *("abs", "atan", "cbrt", "cos", "erf", "erfc", "erfinv", "exp", "exp2", "expm1", "gelu", "i0"),
    *("i1", "log", "log1p", "recip", "rsqrt", "sigmoid", "silu", "sin", "sqrt", "square", "tan", "tanh"),
)
HEADERS = (
    "compute_kernel_api eltwise_unary/cbrt eltwise_unary/erf_erfc eltwise_unary/erfinv eltwise_unary/exp "
    "eltwise_unary/gelu eltwise_unary/i0 eltwise_unary/i1 eltwise_unary/log1p eltwise_unary/recip "
    "eltwise_unary/rsqrt eltwise_unary/sqrt eltwise_unary/trigonometry eltwise_unary/eltwise_unary tile_move_copy"
)
STEP = """
    tile_regs_acquire();
    copy_tile_to_dst_init_short(0);
    copy_tile(0, 0, 0);
    {name}_tile_init();
    {name}_tile(0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
"""
COUNTS = (128, 128, 128)  # rows, inner and columns of the products, in elements


def functions_kernel() -> str:
    headers = (f'#include "api/compute/{name}.h"' for name in HEADERS.split())
    steps = "".join(STEP.format(name=name) for name in FUNCTIONS)
    begin = f"init_sfpu(0, 16);\ncb_wait_front(0, 1);\ncb_reserve_back(16, {len(FUNCTIONS)});"
    return "\n".join(headers) + f"\nvoid kernel_main() {{\n{begin}\n{steps}\ncb_push_back(16, {len(FUNCTIONS)});\n}}\n"


def name_of(array: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


def results() -> dict[str, str]:
    found: dict[str, str] = {}
    generator = np.random.default_rng(0)
    device = ttnn.open_device(device_id=0)
    values = generator.standard_normal((32, 32), dtype=np.float32) * 3
    for dtype, wide in ((ttnn.bfloat16, False), (ttnn.float32, True)):
        shape = (32 * len(FUNCTIONS), 32)
        made = run_tiles(device, [(values, dtype)], functions_kernel(), shape, dtype, fp32_dest_acc_en=wide)
        for index, name in enumerate(FUNCTIONS):
            found[f"{name} {dtype}"] = name_of(made[32 * index : 32 * index + 32])
    first = generator.standard_normal(COUNTS[:2], dtype=np.float32)
    second = generator.standard_normal(COUNTS[1:], dtype=np.float32)
    for fidelity in (ttnn.MathFidelity.LoFi, ttnn.MathFidelity.HiFi2, ttnn.MathFidelity.HiFi3, ttnn.MathFidelity.HiFi4):
        for wide in (False, True):
            program = programs.matmul(first, second, device, (1, 1), fidelity, wide)
            program.run(1)
            found[f"matmul {fidelity.name} {wide}"] = name_of(ttnn.to_numpy(program.tensors[-1]))
    rows = generator.standard_normal((64, 416), dtype=np.float32)
    scales = [generator.standard_normal(416, dtype=np.float32) for _ in range(2)]
    for name in ("centralize_w_rm", "variance_w_rm", "standardize_w_rm"):
        found[name] = name_of(np.asarray(getattr(ops, name)(rows)))
    found["layernorm_fused_rm"] = name_of(np.asarray(ops.layernorm_fused_rm(rows, *scales)))
    ttnn.close_device(device)
    return found


if __name__ == "__main__":
    print(json.dumps(results()))
