# SPDX-License-Identifier: Apache-2.0
"""Whole operations at 4096 x 4096 bfloat16 against torch eager doing the same, one thread each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from bench import operations, programs
from bench.timing import Row, best_of_turns, milliseconds
from tilewright import ttnn

if TYPE_CHECKING:
    import torch

SIZE = 4096
# 512 KiB of a row's tiles per circular buffer do not leave room for many cores' worth of cache: one core is enough.
GRID = (1, 1)
EPSILON = 1e-5

Case = tuple[str, Callable[[], object], Callable[[], object], float]


def measure(turns: int) -> list[Row]:
    import torch

    torch.set_num_threads(1)
    device = ttnn.open_device(device_id=0)
    generator = np.random.default_rng(0)
    x, y = (generator.standard_normal((SIZE, SIZE), dtype=np.float32) for _ in range(2))
    gamma, beta = (generator.standard_normal(SIZE, dtype=np.float32) for _ in range(2))
    rows = []
    for name, ours, rival, limit in (*_operations(x, gamma, beta, device), *_programs(x, y, device)):
        best = best_of_turns({"ours": ours, "torch": rival}, turns)
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


def _bfloat16(array: np.ndarray) -> torch.Tensor:
    import torch

    return torch.from_numpy(array).bfloat16()


def _operations(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, device: ttnn.Device) -> Iterator[Case]:
    """The four operations on all cores and on one, against what their documents name as reference."""
    import torch

    tx, tg, tb = (_bfloat16(array) for array in (x, gamma, beta))

    def centred() -> torch.Tensor:
        return tx - tx.mean(dim=-1, keepdim=True)

    def variance(keepdim: bool = False) -> torch.Tensor:
        return torch.var(tx, dim=-1, correction=0, keepdim=keepdim)

    rivals: dict[str, Callable[[], object]] = {
        "centralize_w_rm": centred,
        "variance_w_rm": variance,
        "standardize_w_rm": lambda: centred() * torch.rsqrt(variance(keepdim=True) + EPSILON),
        "layernorm_fused_rm": lambda: torch.nn.functional.layer_norm(tx, (SIZE,), tg, tb),
    }
    for name, rival in rivals.items():
        arrays = [x, gamma, beta] if name == "layernorm_fused_rm" else [x]
        yield name, operations.call(name, arrays, device), rival, 1.0
        yield f"{name}, one core,", operations.call(name, arrays, device, GRID), rival, 1.0


def _programs(x: np.ndarray, y: np.ndarray, device: ttnn.Device) -> Iterator[Case]:
    """Programs of C++ kernels on one core."""
    import torch

    tx, ty = _bfloat16(x), _bfloat16(y)
    # torch has no tilize: moving the faces of every tile together is the same work.
    as_tiles = (SIZE // 32, 2, 16, SIZE // 32, 2, 16)
    yield "softmax", programs.softmax(x, device, GRID).run, lambda: torch.softmax(tx, dim=-1), 1.0
    yield "add", programs.elementwise("add", [x, y], device, GRID).run, lambda: tx + ty, 2.5
    yield "exp", programs.elementwise("exp", [x], device, GRID).run, lambda: torch.exp(tx), 2.5
    yield (
        "tilize",
        programs.tilize(x, device, GRID).run,
        lambda: tx.reshape(as_tiles).permute(0, 3, 1, 4, 2, 5).contiguous(),
        2.5,
    )


def _two_threads(device: ttnn.Device, x: np.ndarray, turns: int) -> Row:
    spread = programs.softmax(x, device, (8, 8))
    best = best_of_turns({"one": lambda: spread.run(1), "two": lambda: spread.run(2)}, turns)
    return Row(
        "softmax on 64 cores, two threads",
        milliseconds(best["two"]),
        f"one thread {milliseconds(best['one'])}",
        best["two"] / best["one"],
        1 / 1.6,
    )
