# SPDX-License-Identifier: Apache-2.0
"""Shipped operations against torch with each variant of the engine that this processor can run: AVX2, AVX-512, ...

Each variant runs in processes of its own, in turns, so that all meet the same disturbances. Torch runs beside it in the
same process, with kernels of the same instructions: what both would do on a processor that has no more.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch

from bench.timing import Row, best_of_turns
from bench.versus_torch import JUDGED, SHAPES, operation_cases, summary, turns_of
from tilewright import ttnn
from tilewright._build.engine_build import ENGINE_VARIABLE
from tilewright._build.processor import usable_variants

_PROCESSES = 3
_TORCH_VARIABLE = "ATEN_CPU_CAPABILITY"
_TORCH_KERNELS = {"x86-64-v3": "avx2"}  # others: the best that the processor can run

# Seconds of ours and of torch, by operation and shape.
Measured = dict[str, tuple[float, float]]


def measure(turns: int) -> list[Row]:
    variants = usable_variants()
    best: dict[str, Measured] = {variant: {} for variant in variants}
    for _ in range(_PROCESSES):
        for variant in variants:
            _keep_best(best[variant], _in_process(variant, max(1, turns // _PROCESSES)))
    rows: list[Row] = []
    for variant in variants:
        rows += summary([ours / theirs for ours, theirs in best[variant].values()], variant)
    return rows


def _keep_best(best: Measured, measured: Measured) -> None:
    for name, (ours, theirs) in measured.items():
        before = best.get(name, (ours, theirs))
        best[name] = min(before[0], ours), min(before[1], theirs)


def _in_process(variant: str, turns: int) -> Measured:
    command = [sys.executable, "-m", "bench.instruction_sets", str(turns)]
    root = Path(__file__).resolve().parent.parent
    environment = {**os.environ, ENGINE_VARIABLE: variant}
    if variant in _TORCH_KERNELS:
        environment[_TORCH_VARIABLE] = _TORCH_KERNELS[variant]
    result = subprocess.run(command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    measured: dict[str, list[float]] = json.loads(result.stdout.splitlines()[-1])
    return {name: (ours, theirs) for name, (ours, theirs) in measured.items()}


def _measured(turns: int, shapes: Iterable[tuple[int, int]]) -> Measured:
    torch.set_num_threads(1)
    device = ttnn.open_device(device_id=0)
    measured: Measured = {}
    for shape in shapes:
        x = np.random.default_rng(0).standard_normal(shape, dtype=np.float32)
        for name, ours, theirs in operation_cases(x, device):
            if name in JUDGED:
                best = best_of_turns({"ours": ours, "torch": theirs}, turns_of(turns, shape))
                measured[f"{name} {shape}"] = best["ours"], best["torch"]
    ttnn.close_device(device)
    return measured


if __name__ == "__main__":
    print(json.dumps(_measured(int(sys.argv[1]), SHAPES[1:])))
