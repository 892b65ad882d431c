# SPDX-License-Identifier: Apache-2.0
"""Tiles that a reader makes."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
from tests.kernels.phases import phase_kernels as kernels
from tests.kernels.phases.phase_runs import CORES, OUT, PhaseRun, as_stored, float_bits, scaler_tiles, tile_buffer
from tilewright import ttnn
from tilewright.kernels import Kernel, phases
from tilewright.kernels.phases import Phase

DTYPES = pytest.mark.parametrize("dtype", [ttnn.bfloat16, ttnn.float32], ids=["bf16", "fp32"])


def made(
    device: ttnn.Device, kernel: Kernel, phase: Phase, dtype: ttnn.DataType, num_tiles: int, **runtime: int
) -> np.ndarray:
    target = ttnn.empty([32, 32 * num_tiles], dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)
    program = ttnn.ProgramDescriptor(
        kernels=[
            kernel.descriptor(CORES, runtime_args=runtime),
            kernels.write_tiles.descriptor(CORES, runtime_args={"num_tiles": num_tiles}, tensors={"out": target}),
        ],
        cbs=[tile_buffer(OUT, dtype, num_tiles)],
    )
    result = PhaseRun(np.empty(0), tilewright.run_program([target], program))
    result.check_traffic(kernel, phase, {"cb": OUT})
    return ttnn.to_numpy(target).astype(np.float64)


@DTYPES
@pytest.mark.parametrize("value", [1.0, 1 / 96])
def test_scaler(device: ttnn.Device, dtype: ttnn.DataType, value: float) -> None:
    tile = made(device, kernels.run_fill_scaler_tile, phases.fill_scaler_tile, dtype, 1, value_bits=float_bits(value))
    assert np.array_equal(tile, as_stored(scaler_tiles(value), dtype))


@DTYPES
@pytest.mark.parametrize("valid_columns", [1, 15, 16, 17, 31])
def test_partial_scaler(device: ttnn.Device, dtype: ttnn.DataType, valid_columns: int) -> None:
    pair = made(
        device,
        kernels.run_fill_partial_scaler_tiles,
        phases.fill_partial_scaler_tiles,
        dtype,
        2,
        value_bits=float_bits(0.7),
        valid_columns=valid_columns,
    )
    assert np.array_equal(pair, as_stored(scaler_tiles(0.7, valid_columns), dtype))


@DTYPES
def test_constant(device: ttnn.Device, dtype: ttnn.DataType) -> None:
    tile = made(
        device, kernels.run_fill_constant_tile, phases.fill_constant_tile, dtype, 1, value_bits=float_bits(1e-5)
    )
    assert np.array_equal(tile, as_stored(np.full((32, 32), 1e-5), dtype))
