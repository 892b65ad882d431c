# SPDX-License-Identifier: Apache-2.0
"""The operations as they are timed: called on tensors of the device as anyone would."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from tilewright import ops, ttnn
from tilewright._launch.run_options import RunOptions
from tilewright._launch.run_program import intercepted_launches, run_program
from tilewright._record.run import Run

Call = Callable[[], None]


def call(name: str, arrays: list[np.ndarray], device: ttnn.Device, core_grid: tuple[int, int] | None = None) -> Call:
    """A call of an operation on bfloat16 tensors, on all cores or on a grid; what it gives is freed again."""
    tensors = [
        ttnn.from_numpy(array, dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device) for array in arrays
    ]
    operation: Callable[..., Any] = getattr(ops, name)
    return lambda: operation(*tensors, core_grid=core_grid).deallocate()


def random_call(name: str, shape: tuple[int, ...], device: ttnn.Device) -> Call:
    """The same on random numbers."""
    generator = np.random.default_rng(0)
    arrays = [generator.standard_normal(shape, dtype=np.float32)]
    if name == "layernorm_fused_rm":
        arrays += [generator.standard_normal(shape[-1], dtype=np.float32) for _ in range(2)]
    return call(name, arrays, device)


def shape_text(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def launched(call: Call, **changes: Any) -> Run:
    """What is known of the call's launch, made with some options changed."""
    runs: list[Run] = []

    def launch(io_tensors: Any, program: Any, options: RunOptions) -> Run:
        runs.append(run_program(io_tensors, program, dataclasses.replace(options, **changes)))
        return runs[-1]

    with intercepted_launches(launch):
        call()
    return runs[-1]
