# SPDX-License-Identifier: Apache-2.0
"""Matrix products in bfloat16 at two fidelities and both widths of DST, against torch in float32 and in bfloat16."""

from __future__ import annotations

import os

import numpy as np
import torch

from bench import programs
from bench.timing import Row, best_of_turns, milliseconds
from tilewright import ttnn

SHAPES = ((1024, 1024, 1024), (4096, 1024, 4096))  # rows, inner, columns
GRID = (8, 8)
LIMIT = 3.0
FIDELITIES = (ttnn.MathFidelity.HiFi2, ttnn.MathFidelity.HiFi4)


def measure(turns: int) -> list[Row]:
    device = ttnn.open_device(device_id=0)
    rows = []
    for shape in SHAPES:
        rows += _of_shape(shape, device, max(3, turns // 6))
    ttnn.close_device(device)
    return rows


def _of_shape(shape: tuple[int, int, int], device: ttnn.Device, turns: int) -> list[Row]:
    """torch on as many threads as ours."""
    threads = os.cpu_count() or 1
    torch.set_num_threads(threads)
    generator = np.random.default_rng(0)
    first = generator.standard_normal(shape[:2], dtype=np.float32)
    second = generator.standard_normal(shape[1:], dtype=np.float32)
    floats = [torch.from_numpy(each) for each in (first, second)]
    halves = [each.bfloat16() for each in floats]
    result = {each.dtype: each.new_empty((shape[0], shape[2])) for each in (floats[0], halves[0])}
    candidates = {
        "float32": lambda: torch.matmul(*floats, out=result[torch.float32]),
        "bfloat16": lambda: torch.matmul(*halves, out=result[torch.bfloat16]),
    }
    for fidelity in FIDELITIES:
        for wide in (False, True):
            program = programs.matmul(first, second, device, GRID, fidelity, wide)
            name = f"{fidelity.name}, {32 if wide else 16}-bit DST"
            candidates[name] = lambda program=program: program.run(threads)
    best = best_of_turns(candidates, turns)
    return [
        Row(
            f"matmul {'x'.join(map(str, shape))} bf16, {name}, against {rival}",
            milliseconds(best[name]),
            f"torch {milliseconds(best[rival])}",
            best[name] / best[rival],
            LIMIT if rival == "float32" else float("inf"),
        )
        for name in list(candidates)[2:]
        for rival in ("float32", "bfloat16")
    ]
