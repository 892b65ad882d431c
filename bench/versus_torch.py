# SPDX-License-Identifier: Apache-2.0
"""Whole operations at 4096 x 4096 bfloat16 against torch eager doing the same, one thread each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bench import programs
from bench.timing import Row, best_of_turns, milliseconds
from tilewright import ttnn

SIZE = 4096
# 512 KiB of a row's tiles per circular buffer do not leave room for many cores' worth of cache: one core is enough.
GRID = (1, 1)


def measure(turns: int) -> list[Row]:
    import torch

    torch.set_num_threads(1)
    device = ttnn.open_device(device_id=0)
    generator = np.random.default_rng(0)
    x, y = (generator.standard_normal((SIZE, SIZE), dtype=np.float32) for _ in range(2))
    gamma, beta = (generator.standard_normal(SIZE, dtype=np.float32) for _ in range(2))
    tx, ty, tg, tb = (torch.from_numpy(array).bfloat16() for array in (x, y, gamma, beta))
    # torch has no tilize: moving the faces of every tile together is the same work.
    as_tiles = (SIZE // 32, 2, 16, SIZE // 32, 2, 16)
    cases: dict[str, tuple[programs.Prepared, Callable[[], object], float]] = {
        "variance": (
            programs.rowwise("variance", x, device, GRID),
            lambda: torch.var(tx, dim=-1, correction=0),
            1.0,
        ),
        "softmax": (programs.rowwise("softmax", x, device, GRID), lambda: torch.softmax(tx, dim=-1), 1.0),
        "layernorm": (
            programs.layernorm(x, gamma, beta, device, GRID),
            lambda: torch.nn.functional.layer_norm(tx, (SIZE,), tg, tb),
            1.0,
        ),
        "add": (programs.elementwise("add", [x, y], device, GRID), lambda: tx + ty, 2.5),
        "exp": (programs.elementwise("exp", [x], device, GRID), lambda: torch.exp(tx), 2.5),
        "tilize": (
            programs.tilize(x, device, GRID),
            lambda: tx.reshape(as_tiles).permute(0, 3, 1, 4, 2, 5).contiguous(),
            2.5,
        ),
    }
    rows = []
    for name, (prepared, rival, limit) in cases.items():
        best = best_of_turns({"ours": prepared.run, "torch": rival}, turns)
        rows.append(
            Row(
                f"{name} {SIZE}x{SIZE} bf16",
                milliseconds(best["ours"]),
                f"torch {milliseconds(best['torch'])}",
                best["ours"] / best["torch"],
                limit,
            )
        )
    rows.append(_two_threads(device, x, turns))
    ttnn.close_device(device)
    return rows


def _two_threads(device: ttnn.Device, x: np.ndarray, turns: int) -> Row:
    spread = programs.rowwise("softmax", x, device, (8, 8))
    best = best_of_turns({"one": lambda: spread.run(1), "two": lambda: spread.run(2)}, turns)
    return Row(
        "softmax on 64 cores, two threads",
        milliseconds(best["two"]),
        f"one thread {milliseconds(best['one'])}",
        best["two"] / best["one"],
        1 / 1.6,
    )
