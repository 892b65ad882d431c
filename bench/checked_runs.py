# SPDX-License-Identifier: Apache-2.0
"""Cost of strict mode: each operation launched under all rules of the checker against the plain launch.

Large launches are timed as calls. Of small ones only the engine's part counts: Python's would hide the rest.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

from bench import operations
from bench.timing import Row, best_of_turns, best_said, milliseconds
from tilewright import ttnn
from tilewright._launch.observer import observed_launches
from tilewright.check._observer import CheckObserver

LIMIT = 8.0  # of a call; the engine's part of a small launch, and everything check=True does, may cost more
FURTHER_LIMIT = 20.0
FAST_LIMIT = 3.0  # of the engine's part of --fast-check, against that of a plain launch on one thread
NAMES = ("centralize_w_rm", "variance_w_rm", "standardize_w_rm", "layernorm_fused_rm")
LARGE = ((4096, 4096), (1024, 1024))
SMALL = (2, 3, 64, 128)
_HOW = ("plain", "checked")


def measure(turns: int) -> list[Row]:
    device = ttnn.open_device(device_id=0)
    rows = []
    for shape, name in itertools.product(LARGE, NAMES):
        call = operations.random_call(name, shape, device)
        best = best_of_turns(
            {"plain": call, "checked": functools.partial(operations.launched, call, checked=True)}, turns
        )
        rows.append(_row(f"checked {name} {operations.shape_text(shape)}", best))
        best = best_said(
            {
                "plain": functools.partial(_engine_seconds, call, threads=1),
                "checked": functools.partial(_engine_seconds, call, checked=True, fast=True),
            },
            turns,
        )
        rows.append(_row(f"fast check of {name} {operations.shape_text(shape)}, engine", best, FAST_LIMIT))
    for name in NAMES:
        call = operations.random_call(name, SMALL, device)
        best = best_said(
            {how: functools.partial(_engine_seconds, call, checked=how == "checked") for how in _HOW}, turns * 4
        )
        rows.append(_row(f"checked {name} {operations.shape_text(SMALL)}, engine", best, FURTHER_LIMIT))
    call = operations.random_call(NAMES[-1], LARGE[0], device)
    best = best_of_turns({"plain": call, "checked": functools.partial(_examined, call)}, turns)
    rows.append(_row(f"check_program of {NAMES[-1]} {operations.shape_text(LARGE[0])}", best, FURTHER_LIMIT))
    ttnn.close_device(device)
    return rows


def _row(name: str, best: dict[str, float], limit: float = LIMIT) -> Row:
    plain, checked = best["plain"], best["checked"]
    return Row(name, milliseconds(checked), f"plain {milliseconds(plain)}", checked / plain, limit)


def _engine_seconds(call: Callable[[], None], **options: Any) -> float:
    return operations.launched(call, **options).seconds


def _examined(call: Callable[[], None]) -> None:
    """Everything ``check=True`` does: tensors kept, the run, what only its end shows."""
    with observed_launches(CheckObserver()) as results:
        call()
    assert all(result.ok for result in results)
