# SPDX-License-Identifier: Apache-2.0
"""Sums, means and maxima of rows."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.phases import phase_kernels as kernels
from tests.kernels.phases.phase_runs import RunCompute, as_stored, float_bits, half_ulp, in_src, scaler_tiles
from tilewright import ttnn
from tilewright.kernels import phases

BUFFERS = {"cb_in": 0, "cb_scaler": 1, "cb_out": 16}
DTYPES = pytest.mark.parametrize("dtype", [ttnn.bfloat16, ttnn.float32], ids=["bf16", "fp32"])
COUNTS = pytest.mark.parametrize("num_tiles", [1, 3, 9])


def sum_error(values: np.ndarray, fp32_dest: bool) -> np.ndarray:
    """Bound for rounding each of the partial sums in DST: none exceeds the sum of magnitudes.

    32-bit DST: a group of 8 products takes 3 additions, and each of a tile's 4 groups one more, with half a float32 ulp
    each. 16-bit DST: 4 phases of 4 groups per tile, each rounded to 11 bits, then to bfloat16.
    """
    steps = values.shape[1] // 8
    return np.abs(values).sum(axis=1) * (4 * steps * 2.0**-24 if fp32_dest else 4 * steps * (2.0**-10 + 2.0**-8))


@COUNTS
@pytest.mark.parametrize("partial", [False, True], ids=["whole", "partial"])
@pytest.mark.parametrize("fp32_dest", [True, False], ids=["dst32", "dst16"])
@DTYPES
def test_row_sum(run_compute: RunCompute, dtype: ttnn.DataType, fp32_dest: bool, partial: bool, num_tiles: int) -> None:
    x = np.random.default_rng(num_tiles).standard_normal((32, 32 * num_tiles)).astype(np.float32)
    if partial:
        x[:, -13:] = np.nan  # the second scaler shuts these out
    arguments = {"keep": int(fp32_dest), "partial": int(partial)}
    result = run_compute(
        kernels.run_reduce_row_sum,
        x,
        scaler_tiles(1.0, 19 if partial else None),
        formats=(dtype, ttnn.bfloat16, dtype),
        fp32_dest=fp32_dest,
        out_tiles=1,
        runtime={"num_tiles": num_tiles},
        compile_time=arguments,
    )
    values = np.nan_to_num(in_src(as_stored(x, dtype), fp32_dest))
    exact = values.sum(axis=1)
    bound = sum_error(values, fp32_dest) + half_ulp(dtype, fp32_dest) * np.abs(exact)
    assert np.all(np.abs(result.out[:, 0] - exact) <= bound)
    result.check_traffic(kernels.run_reduce_row_sum, phases.reduce_row_sum, BUFFERS, num_tiles=num_tiles, **arguments)


@COUNTS
@DTYPES
def test_row_mean(run_compute: RunCompute, dtype: ttnn.DataType, num_tiles: int) -> None:
    width = 32 * num_tiles
    x = np.random.default_rng(num_tiles).uniform(1, 2, (32, width)).astype(np.float32)
    arguments = {"keep": int(dtype == ttnn.bfloat16), "partial": 0}
    result = run_compute(
        kernels.run_reduce_row_mean,
        x,
        scaler_tiles(1.0),
        formats=(dtype, ttnn.bfloat16, ttnn.float32),
        fp32_dest=True,
        out_tiles=1,
        runtime={"num_tiles": num_tiles, "factor_bits": float_bits(1 / width)},
        compile_time=arguments,
    )
    values = in_src(as_stored(x, dtype), True)
    exact = values.mean(axis=1)
    # The sum's error, the rounding of 1/W and that of the product.
    assert np.all(np.abs(result.out[:, 0] - exact) <= sum_error(values, True) / width + 2 * 2.0**-24 * exact)
    result.check_traffic(kernels.run_reduce_row_mean, phases.reduce_row_mean, BUFFERS, num_tiles=num_tiles, **arguments)


def test_partial_mean_of_a_constant(run_compute: RunCompute) -> None:
    """W = 3 * 32 - 13: 83 times 1.5 is exact, and so is its product with 1/83 after rounding to bfloat16."""
    x = np.full((32, 96), 1.5, np.float32)
    x[:, 83:] = np.nan
    result = run_compute(
        kernels.run_reduce_row_mean,
        x,
        scaler_tiles(1.0, 19),
        formats=(ttnn.bfloat16, ttnn.bfloat16, ttnn.bfloat16),
        fp32_dest=True,
        out_tiles=1,
        runtime={"num_tiles": 3, "factor_bits": float_bits(1 / 83)},
        compile_time={"keep": 0, "partial": 1},
    )
    assert np.all(result.out[:, 0] == 1.5)


@COUNTS
@pytest.mark.parametrize("fp32_dest", [True, False], ids=["dst32", "dst16"])
@DTYPES
def test_row_max(run_compute: RunCompute, dtype: ttnn.DataType, fp32_dest: bool, num_tiles: int) -> None:
    x = np.random.default_rng(num_tiles).standard_normal((32, 32 * num_tiles)).astype(np.float32) - 8
    arguments = {"keep": int(fp32_dest)}
    result = run_compute(
        kernels.run_reduce_row_max,
        x,
        scaler_tiles(1.0),
        formats=(dtype, ttnn.bfloat16, dtype),
        fp32_dest=fp32_dest,
        out_tiles=1,
        runtime={"num_tiles": num_tiles},
        compile_time=arguments,
    )
    assert np.array_equal(result.out[:, 0], in_src(as_stored(x, dtype), fp32_dest).max(axis=1))
    result.check_traffic(kernels.run_reduce_row_max, phases.reduce_row_max, BUFFERS, num_tiles=num_tiles, **arguments)


@pytest.mark.parametrize("num_blocks", [1, 2, 5])
@pytest.mark.parametrize("partial", [False, True], ids=["whole", "partial"])
@DTYPES
def test_mean_of_a_row_in_blocks(run_compute: RunCompute, dtype: ttnn.DataType, partial: bool, num_blocks: int) -> None:
    num_tiles, last_summed = 3, 2
    summed = 32 * (num_tiles * (num_blocks - 1) + last_summed) - (13 if partial else 0)
    x = np.full((32, 32 * num_tiles * num_blocks), np.nan, np.float32)
    x[:, :summed] = np.random.default_rng(num_blocks).uniform(1, 2, (32, summed))
    arguments = {"partial": int(partial)}
    result = run_compute(
        kernels.run_accumulate_row_mean,
        x,
        scaler_tiles(1.0, 19 if partial else None),
        formats=(dtype, ttnn.bfloat16, ttnn.float32),
        fp32_dest=True,
        out_tiles=1,
        runtime={
            "num_blocks": num_blocks,
            "num_tiles": num_tiles,
            "last_summed": last_summed,
            "factor_bits": float_bits(1 / summed),
        },
        compile_time=arguments,
    )
    values = in_src(as_stored(x[:, :summed], dtype), True)
    exact = values.mean(axis=1)
    # As for a row at once, and each block's share is rounded twice more: times 1/W, and where the packer adds it.
    bound = sum_error(values, True) / summed + (2 * num_blocks + 1) * 2.0**-24 * exact
    assert np.all(np.abs(result.out[:, 0] - exact) <= bound)
    contract = phases.accumulate_row_mean.contract
    blocks = [
        contract.evaluate(num_tiles=num_tiles, is_last=block + 1 == num_blocks, **arguments)
        for block in range(num_blocks)
    ]
    moved = {each.cb: each for each in result.run.traffic if each.kernel == 1}
    assert moved[0].largest_wait == max(each.waits["cb_in"] for each in blocks)
    assert moved[0].pages_popped == sum(each.pops["cb_in"] for each in blocks)
    assert moved[1].largest_wait == max(each.waits["cb_scaler"] for each in blocks)
    assert moved[1].pages_popped == 0
    assert moved[16].pages_pushed == sum(each.pushes["cb_out"] for each in blocks)


@pytest.mark.parametrize("axis", [0, (0, 1)], ids=["columns", "all"])
@DTYPES
def test_mean_of_tiles_one_after_the_other(run_compute: RunCompute, dtype: ttnn.DataType, axis: object) -> None:
    """Three tiles side by side are three calls; element [0,0] of the mean of columns is as good as any."""
    kernel = kernels.run_accumulate_column_mean if axis == 0 else kernels.run_accumulate_tile_mean
    x = np.random.default_rng(3).uniform(1, 2, (32, 96)).astype(np.float32)
    count = 96 if axis == 0 else 96 * 32
    result = run_compute(
        kernel,
        x,
        scaler_tiles(1.0),
        formats=(dtype, ttnn.bfloat16, ttnn.float32),
        fp32_dest=True,
        out_tiles=1,
        runtime={"num_tiles": 3, "factor_bits": float_bits(1 / count)},
    )
    values = in_src(as_stored(x, dtype), True).reshape(32, 3, 32).sum(axis=1)
    exact = values.sum(axis=axis) / count
    # The matrix unit multiplies with 9 mantissa bits of its first operand: here the data, and then sums of columns.
    cut = 0.0 if dtype == ttnn.bfloat16 else 2.0**-9
    bound = exact * (count * 2.0**-24 + (cut if axis == 0 else cut + 2.0**-9))
    found = result.out[0] if axis == 0 else result.out[0, 0]
    assert np.all(np.abs(found - exact) <= bound)


@DTYPES
def test_mean_of_columns_of_blocks(run_compute: RunCompute, dtype: ttnn.DataType) -> None:
    """Columns that cancel, and large ones, in four tiles one below the other."""
    x = np.random.default_rng(4).standard_normal((32, 128)).astype(np.float32)
    x[:, 96:] = -x[:, :32]
    x[:, 32] *= 1e6
    result = run_compute(
        kernels.run_accumulate_block_column_mean,
        x,
        scaler_tiles(1.0),
        formats=(dtype, ttnn.bfloat16, ttnn.float32),
        fp32_dest=True,
        out_tiles=1,
        runtime={"num_tiles": 4, "factor_bits": float_bits(1 / 128)},
    )
    values = in_src(as_stored(x, dtype), True).reshape(32, 4, 32).transpose(1, 0, 2).reshape(128, 32)
    # The matrix unit takes 9 mantissa bits of a Float32 in its first operand; sums are in float32.
    cut = 0.0 if dtype == ttnn.bfloat16 else 2.0**-9
    bound = np.abs(values).mean(axis=0) * (130 * 2.0**-24 + cut)
    assert np.all(np.abs(result.out[0] - values.mean(axis=0)) <= bound)


@pytest.mark.parametrize("axis", [0, (0, 1)], ids=["columns", "all"])
@DTYPES
def test_max_of_a_tile(run_compute: RunCompute, dtype: ttnn.DataType, axis: object) -> None:
    kernel = kernels.run_reduce_column_max if axis == 0 else kernels.run_reduce_tile_max
    x = np.random.default_rng(4).standard_normal((32, 32)).astype(np.float32) - 8
    formats = (dtype, ttnn.bfloat16, dtype)
    result = run_compute(kernel, x, scaler_tiles(1.0), formats=formats, fp32_dest=True, out_tiles=1)
    exact = in_src(as_stored(x, dtype), True).max(axis=axis)
    assert np.array_equal(result.out[0] if axis == 0 else result.out[0, 0], exact)
    phase = phases.reduce_column_max if axis == 0 else phases.reduce_tile_max
    result.check_traffic(kernel, phase, BUFFERS)
