# SPDX-License-Identifier: Apache-2.0
"""Operations and programs over shapes from one core's worth to far past every cache, against torch on one thread each.

torch writes into a tensor that is there already wherever the call takes one: what it costs to allocate a large result
would hide what it costs to compute it. Ours allocates its result, as everybody's call does.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch

from bench import operations, programs
from bench.timing import Row, best_of_turns, milliseconds
from tilewright import ttnn
from tilewright._build.engine_build import ENGINE_VARIABLE
from tilewright._build.processor import usable_variants

SHAPES = ((64, 128), (256, 1024), (1024, 1024), (2048, 2048), (512, 8192), (4096, 4096), (8192, 8192))
SMALL_LAUNCH = SHAPES[0]
GRID = (8, 8)
EPSILON = 1e-5
JUDGED = ("centralize_w_rm", "variance_w_rm", "layernorm_fused_rm")  # their ratios make the mean
WORST = 2.0
MEAN = 0.5
MEAN_OF = {"x86-64-v3": 0.6}  # with AVX2, which has half the lanes
PROGRAMS_WORST = 2.5
SMALL_LAUNCH_MS = 0.15
LAYERNORM_COPIES = 5.0
LAYERNORM_COPIES_FROM = 1024 * 1024  # elements
TWO_THREADS = 1.9  # times as fast as one

Case = tuple[str, Callable[[], object], Callable[[], object]]


def measure(turns: int) -> list[Row]:
    torch.set_num_threads(1)
    device = ttnn.open_device(device_id=0)
    rows: list[Row] = []
    ratios: list[float] = []
    for shape in SHAPES:
        x, y = (np.random.default_rng(seed).standard_normal(shape, dtype=np.float32) for seed in range(2))
        is_small = shape == SMALL_LAUNCH
        for name, ours, theirs in operation_cases(x, device):
            best = best_of_turns({"ours": ours, "torch": theirs}, turns_of(turns, shape))
            ratio = best["ours"] / best["torch"]
            if is_small:
                rows.append(_alone(f"small launch, {name} {_text(shape)} (ms)", best["ours"], SMALL_LAUNCH_MS))
            elif name in JUDGED:
                ratios.append(ratio)
            rows.append(_against(f"{name} {_text(shape)}", best, math.inf if is_small else WORST))
        limit = LAYERNORM_COPIES if shape[0] * shape[1] >= LAYERNORM_COPIES_FROM else math.inf
        rows.append(_copies(x, device, turns_of(turns, shape), limit))
        for name, ours, theirs in _programs(x, y, device):
            best = best_of_turns({"ours": ours, "torch": theirs}, turns_of(turns, shape))
            rows.append(_against(f"{name} {_text(shape)}", best, math.inf if is_small else PROGRAMS_WORST))
    rows.append(_two_threads(device, turns))
    ttnn.close_device(device)
    return rows + summary(ratios, os.environ.get(ENGINE_VARIABLE) or usable_variants()[0])


def summary(ratios: Sequence[float], variant: str) -> list[Row]:
    """Mean and worst of the judged operations' ratios with a variant of the engine."""
    mean, name = math.exp(sum(map(math.log, ratios)) / len(ratios)), f"from {_text(SHAPES[1])} on, {variant}"
    return [
        Row(f"geometric mean {name}", "three operations", "torch", mean, MEAN_OF.get(variant, MEAN)),
        Row(f"worst {name}", "three operations", "torch", max(ratios), WORST),
    ]


def _text(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def turns_of(turns: int, shape: tuple[int, int]) -> int:
    """Small shapes are done in no time, and need more turns to meet a quiet moment."""
    return turns * max(1, 2**22 // (shape[0] * shape[1]))


def _against(name: str, best: dict[str, float], limit: float) -> Row:
    ours, theirs = best["ours"], best["torch"]
    return Row(name, milliseconds(ours), f"torch {milliseconds(theirs)}", ours / theirs, limit)


def _alone(name: str, seconds: float, limit: float) -> Row:
    return Row(name, milliseconds(seconds), "", seconds * 1e3, limit)


def _bfloat16(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(array).bfloat16()


def _gamma_beta(width: int) -> list[np.ndarray]:
    generator = np.random.default_rng(2)
    return [generator.standard_normal(width, dtype=np.float32) for _ in range(2)]


def operation_cases(x: np.ndarray, device: ttnn.Device) -> Iterator[Case]:
    """The shipped operations on ``x``, each with what torch does."""
    tx, result = _bfloat16(x), _bfloat16(x)
    column = tx.new_empty((len(x), 1))
    gamma, beta = _gamma_beta(x.shape[1])
    tg, tb = _bfloat16(gamma), _bfloat16(beta)

    def centralize() -> None:
        torch.mean(tx, dim=-1, keepdim=True, out=column)
        torch.sub(tx, column, out=result)

    def variance() -> None:
        torch.var(tx, dim=-1, correction=0, keepdim=True, out=column)

    def standardize() -> None:
        centralize()
        variance()
        torch.rsqrt(column.add_(EPSILON), out=column)
        result.mul_(column)

    rivals: dict[str, tuple[list[np.ndarray], Callable[[], object]]] = {
        "centralize_w_rm": ([x], centralize),
        "variance_w_rm": ([x], variance),
        "standardize_w_rm": ([x], standardize),
        "layernorm_fused_rm": ([x, gamma, beta], lambda: torch.nn.functional.layer_norm(tx, (x.shape[1],), tg, tb)),
    }
    for name, (arrays, theirs) in rivals.items():
        yield name, operations.call(name, arrays, device), theirs


def _copies(x: np.ndarray, device: ttnn.Device, turns: int, limit: float) -> Row:
    """layernorm in copies of its input: what moving the data alone costs."""
    source = _bfloat16(x)
    target = torch.empty_like(source)
    layernorm = operations.call("layernorm_fused_rm", [x, *_gamma_beta(x.shape[1])], device)
    best = best_of_turns({"ours": layernorm, "copy": lambda: target.copy_(source)}, turns)
    ours, copy = best["ours"], best["copy"]
    return Row(
        f"layernorm_fused_rm {_text(x.shape)} in copies",
        milliseconds(ours),
        f"copy {milliseconds(copy)}",
        ours / copy,
        limit,
    )


def _programs(x: np.ndarray, y: np.ndarray, device: ttnn.Device) -> Iterator[Case]:
    rows, width = x.shape
    tx, ty, result = _bfloat16(x), _bfloat16(y), _bfloat16(x)
    yield "softmax", programs.softmax(x, device, GRID).run, lambda: torch.softmax(tx, dim=-1, out=result)
    yield "add", programs.elementwise("add", [x, y], device, GRID).run, lambda: torch.add(tx, ty, out=result)
    yield "exp", programs.elementwise("exp", [x], device, GRID).run, lambda: torch.exp(tx, out=result)
    # torch has no tilize: moving the faces of every tile together is the same work.
    faces = tx.reshape(rows // 32, 2, 16, width // 32, 2, 16).permute(0, 3, 1, 4, 2, 5)
    tiles = result.reshape(faces.shape)
    yield "tilize", programs.tilize(x, device, GRID).run, lambda: tiles.copy_(faces)


def _two_threads(device: ttnn.Device, turns: int) -> Row:
    x = np.random.default_rng(0).standard_normal((4096, 4096), dtype=np.float32)
    spread = programs.softmax(x, device, GRID)
    best = best_of_turns({"one": lambda: spread.run(1), "two": lambda: spread.run(2)}, turns)
    one, two = best["one"], best["two"]
    return Row(
        "softmax 4096x4096, two threads",
        milliseconds(two),
        f"one thread {milliseconds(one)}",
        two / one,
        1 / TWO_THREADS,
    )
