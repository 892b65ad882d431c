# SPDX-License-Identifier: Apache-2.0
"""What strict mode costs: each operation launched under all rules of the checker against the plain launch.

Large launches are timed as calls. Of small ones only the engine's part counts: Python's would hide the rest.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from bench import operations
from bench.timing import Row, best_of_turns, best_said, milliseconds
from tilewright import ttnn
from tilewright.check.every_launch import every_launch_checked
from tilewright.device.run import Run
from tilewright.device.run_options import RunOptions
from tilewright.device.run_program import intercepted_launches, run_program

LIMIT = 20.0
NAMES = ("centralize_w_rm", "variance_w_rm", "standardize_w_rm", "layernorm_fused_rm")
LARGE = ((4096, 4096), (1024, 1024))
SMALL = (2, 3, 64, 128)
_HOW = ("plain", "checked")


def measure(turns: int) -> list[Row]:
    device = ttnn.open_device(device_id=0)
    rows = []
    for shape, name in itertools.product(LARGE, NAMES):
        call = _call(name, shape, device)
        best = best_of_turns({"plain": call, "checked": functools.partial(_launched, call, checked=True)}, turns)
        rows.append(_row(f"checked {name} {_text(shape)}", best))
    for name in NAMES:
        call = _call(name, SMALL, device)
        best = best_said({how: functools.partial(_engine_seconds, call, how == "checked") for how in _HOW}, turns * 4)
        rows.append(_row(f"checked {name} {_text(SMALL)}, engine", best))
    call = _call(NAMES[-1], LARGE[0], device)
    best = best_of_turns({"plain": call, "checked": functools.partial(_examined, call)}, turns)
    rows.append(_row(f"check_program of {NAMES[-1]} {_text(LARGE[0])}", best))
    ttnn.close_device(device)
    return rows


def _row(name: str, best: dict[str, float]) -> Row:
    plain, checked = best["plain"], best["checked"]
    return Row(name, milliseconds(checked), f"plain {milliseconds(plain)}", checked / plain, LIMIT)


def _text(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _call(name: str, shape: tuple[int, ...], device: ttnn.Device) -> Callable[[], None]:
    generator = np.random.default_rng(0)
    arrays = [generator.standard_normal(shape, dtype=np.float32)]
    if name == "layernorm_fused_rm":
        arrays += [generator.standard_normal(shape[-1], dtype=np.float32) for _ in range(2)]
    return operations.call(name, arrays, device)


def _launched(call: Callable[[], None], checked: bool) -> Run:
    """The record of the call's launch."""
    runs: list[Run] = []

    def launch(io_tensors: Any, program: Any, options: RunOptions) -> Run:
        runs.append(run_program(io_tensors, program, dataclasses.replace(options, checked=checked)))
        return runs[-1]

    with intercepted_launches(launch):
        call()
    return runs[-1]


def _engine_seconds(call: Callable[[], None], checked: bool) -> float:
    return _launched(call, checked).seconds


def _examined(call: Callable[[], None]) -> None:
    """Everything ``check=True`` does: tensors kept, the run, what only its end shows."""
    with every_launch_checked() as results:
        call()
    assert all(result.ok for result in results)
