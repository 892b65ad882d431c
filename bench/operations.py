# SPDX-License-Identifier: Apache-2.0
"""The operations as they are timed: called on tensors of the device as anyone would."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from tilewright import ops, ttnn
from tilewright._launch.observer import Launch, Observer, observed_launches
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
    """Record of the call's launch with some options changed."""
    with observed_launches(_Changing(changes)) as runs:
        call()
    return runs[-1]


class _Changing(Observer[Run]):
    """Runs launches with some options changed."""

    def __init__(self, changes: dict[str, Any]) -> None:
        super().__init__()
        self._changes = changes

    def observe(self, launch: Launch) -> Run:
        run = launch.run(dataclasses.replace(launch.options, **self._changes))
        self.take(run)
        return run
