# SPDX-License-Identifier: Apache-2.0
"""Sums, differences and products, with every way to spread the second operand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.kernels.phases import phase_kernels as kernels
from tests.kernels.phases.phase_runs import RunCompute, as_stored, half_ulp, in_multiplier, in_src
from tilewright import ttnn
from tilewright.kernels import phases

OPERATIONS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
}
BROADCASTS = ["", "_bcast_rows", "_bcast_cols", "_bcast_scalar"]
BUFFERS = {"cb_a": 0, "cb_b": 1, "cb_out": 16}


def operands(broadcast: str, num_tiles: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """a, b as it is stored, NaN wherever the phase must not look, and b spread."""
    generator = np.random.default_rng(num_tiles)
    a = generator.standard_normal((32, 32 * num_tiles)).astype(np.float32)
    width = 32 if broadcast in ("_bcast_cols", "_bcast_scalar") else 32 * num_tiles
    data = generator.standard_normal((32, width)).astype(np.float32)
    b = np.full((32, width), np.nan, np.float32)
    valid = {
        "": np.s_[:, :],
        "_bcast_rows": np.s_[:1, :],
        "_bcast_cols": np.s_[:, :1],
        "_bcast_scalar": np.s_[:1, :1],
    }[broadcast]
    b[valid] = data[valid]
    return a, b, np.broadcast_to(b[valid], a.shape)


@pytest.mark.parametrize("num_tiles", [1, 3, 9])
@pytest.mark.parametrize("fp32_dest", [True, False], ids=["dst32", "dst16"])
@pytest.mark.parametrize("dtype", [ttnn.bfloat16, ttnn.float32], ids=["bf16", "fp32"])
@pytest.mark.parametrize("broadcast", BROADCASTS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_values_and_traffic(
    run_compute: RunCompute, operation: str, broadcast: str, dtype: ttnn.DataType, fp32_dest: bool, num_tiles: int
) -> None:
    name = operation + broadcast
    kernel = getattr(kernels, f"run_{name}")
    a, b, spread = operands(broadcast, num_tiles)
    # Two of the four combinations each way, so that all occur.
    keep = {"keep_a": int(fp32_dest), "keep_b": int(dtype == ttnn.float32)}
    result = run_compute(
        kernel,
        a,
        b,
        formats=(dtype, dtype, dtype),
        fp32_dest=fp32_dest,
        out_tiles=num_tiles,
        runtime={"num_tiles": num_tiles},
        compile_time=keep,
    )
    cut_a = in_multiplier if operation == "mul" else in_src
    left, right = cut_a(as_stored(a, dtype), fp32_dest), in_src(as_stored(spread, dtype), fp32_dest)
    exact = OPERATIONS[operation](left, right)
    # 32-bit DST rounds once, when packing. 16-bit DST rounds after each of a product's four fidelity phases; the
    # largest of what they hold is the result.
    roundings = 4 if operation == "mul" and not fp32_dest else 1
    assert np.all(np.abs(result.out - exact) <= roundings * half_ulp(dtype, fp32_dest) * np.abs(exact) + 2.0**-126)
    phase = getattr(phases, name)
    result.check_traffic(kernel, phase, BUFFERS, num_tiles=num_tiles, **keep)


def test_formats_may_differ(run_compute: RunCompute) -> None:
    """bfloat16 data, a float32 operand and a float32 result, as for statistics of rows."""
    a, b, spread = operands("_bcast_cols", 5)
    result = run_compute(
        kernels.run_sub_bcast_cols,
        a,
        b,
        formats=(ttnn.bfloat16, ttnn.float32, ttnn.float32),
        fp32_dest=True,
        out_tiles=5,
        runtime={"num_tiles": 5},
        compile_time={"keep_a": 0, "keep_b": 0},
    )
    exact = as_stored(a, ttnn.bfloat16) - in_src(spread, True)
    assert np.all(np.abs(result.out - exact) <= 2.0**-24 * np.abs(exact))
