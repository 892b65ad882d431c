# SPDX-License-Identifier: Apache-2.0
"""Phases with one operand of tiles: copies, squares, inverse roots."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.phases import phase_kernels as kernels
from tests.kernels.phases.phase_runs import RunCompute, as_stored, half_ulp, in_multiplier, in_src
from tilewright import ttnn
from tilewright.kernels import phases

BUFFERS = {"cb_in": 0, "cb_out": 16}
DTYPES = pytest.mark.parametrize("dtype", [ttnn.bfloat16, ttnn.float32], ids=["bf16", "fp32"])
MODES = pytest.mark.parametrize("fp32_dest", [True, False], ids=["dst32", "dst16"])
COUNTS = pytest.mark.parametrize("num_tiles", [1, 5, 9])


def numbers(num_tiles: int) -> np.ndarray:
    return np.random.default_rng(num_tiles).standard_normal((32, 32 * num_tiles)).astype(np.float32)


@COUNTS
@MODES
@DTYPES
def test_copy(run_compute: RunCompute, dtype: ttnn.DataType, fp32_dest: bool, num_tiles: int) -> None:
    x = numbers(num_tiles)
    keep = {"keep": int(fp32_dest)}
    result = run_compute(
        kernels.run_copy,
        x,
        formats=(dtype, dtype, dtype),
        fp32_dest=fp32_dest,
        out_tiles=num_tiles,
        runtime={"num_tiles": num_tiles},
        compile_time=keep,
    )
    assert np.array_equal(result.out, in_src(as_stored(x, dtype), fp32_dest))
    result.check_traffic(kernels.run_copy, phases.copy, BUFFERS, num_tiles=num_tiles, **keep)


@COUNTS
@MODES
@DTYPES
def test_square(run_compute: RunCompute, dtype: ttnn.DataType, fp32_dest: bool, num_tiles: int) -> None:
    keep = {"keep": int(fp32_dest)}
    first = 2 if fp32_dest else 0
    x = numbers(first + num_tiles)
    result = run_compute(
        kernels.run_square,
        x,
        formats=(dtype, dtype, dtype),
        fp32_dest=fp32_dest,
        out_tiles=num_tiles,
        runtime={"num_tiles": num_tiles, "first": first},
        compile_time=keep,
    )
    stored = as_stored(x[:, 32 * first :], dtype)
    exact = in_multiplier(stored, fp32_dest) * in_src(stored, fp32_dest)
    # 16-bit DST rounds after each of the four fidelity phases.
    error = half_ulp(dtype, fp32_dest) * (1 if fp32_dest else 4)
    assert np.all(np.abs(result.out - exact) <= error * exact + 2.0**-126)
    result.check_traffic(kernels.run_square, phases.square, BUFFERS, num_tiles=num_tiles, first=first, **keep)


@MODES
@DTYPES
def test_add_rsqrt(run_compute: RunCompute, dtype: ttnn.DataType, fp32_dest: bool) -> None:
    variance = np.full((32, 32), np.nan, np.float32)
    variance[:, 0] = np.random.default_rng(1).uniform(0, 4, 32)
    variance[0, 0] = 0.0
    epsilon = np.full((32, 32), np.nan, np.float32)
    epsilon[0, 0] = 1e-3
    result = run_compute(
        kernels.run_add_rsqrt, variance, epsilon, formats=(dtype, dtype, dtype), fp32_dest=fp32_dest, out_tiles=1
    )
    stored = [in_src(as_stored(each, dtype), fp32_dest) for each in (variance[:, 0], epsilon[:1, 0])]
    exact = 1 / np.sqrt(stored[0] + stored[1])
    # The sum is rounded into DST (the root halves that), the root to about a float32 ulp, then into DST or the buffer.
    in_dst = 2.0**-24 if fp32_dest else 2.0**-8
    error = in_dst / 2 + 2 * 2.0**-23 + half_ulp(dtype, fp32_dest) * (1 + 2.0**-8)
    assert np.all(np.abs(result.out[:, 0] - exact) <= error * exact)
    buffers = {"cb_in": 0, "cb_epsilon": 1, "cb_out": 16}
    result.check_traffic(kernels.run_add_rsqrt, phases.add_rsqrt, buffers)
