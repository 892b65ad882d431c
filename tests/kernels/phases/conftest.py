# SPDX-License-Identifier: Apache-2.0
"""The fixture that runs a compute kernel around one phase."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
from tests.kernels.phases import phase_kernels as kernels
from tests.kernels.phases.phase_runs import CORES, OUT, A, B, Formats, PhaseRun, RunCompute, tile_buffer, tiles
from tilewright import ttnn
from tilewright.kernels import Kernel


@pytest.fixture
def run_compute(device: ttnn.Device) -> RunCompute:
    """Runs a compute kernel on one or two operands of one row of tiles each."""

    def run(
        kernel: Kernel,
        a: np.ndarray,
        b: np.ndarray | None = None,
        *,
        formats: Formats,
        fp32_dest: bool,
        out_tiles: int,
        runtime: dict[str, int] | None = None,
        compile_time: dict[str, int] | None = None,
    ) -> PhaseRun:
        a_tensor = tiles(a, formats[0], device)
        out = ttnn.empty([32, 32 * out_tiles], dtype=formats[2], layout=ttnn.TILE_LAYOUT, device=device)
        num_a = a.shape[1] // 32
        cbs = [tile_buffer(A, formats[0], num_a), tile_buffer(OUT, formats[2], out_tiles)]
        tensors = {"a": a_tensor}
        if b is None:
            reader = kernels.read_a.descriptor(CORES, runtime_args={"num_a": num_a}, tensors=tensors)
        else:
            num_b = b.shape[1] // 32
            tensors["b"] = tiles(b, formats[1], device)
            cbs.append(tile_buffer(B, formats[1], num_b))
            reader = kernels.read_a_and_b.descriptor(
                CORES, runtime_args={"num_a": num_a, "num_b": num_b}, tensors=tensors
            )
        config = ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=fp32_dest)
        compute = kernel.descriptor(
            CORES, runtime_args=runtime or {}, compile_time_args=compile_time or {}, config=config
        )
        writer = kernels.write_tiles.descriptor(CORES, runtime_args={"num_tiles": out_tiles}, tensors={"out": out})
        program = ttnn.ProgramDescriptor(kernels=[reader, compute, writer], cbs=cbs)
        done = tilewright.run_program([*tensors.values(), out], program)
        return PhaseRun(ttnn.to_numpy(out).astype(np.float64), done)

    return run
