# SPDX-License-Identifier: Apache-2.0
"""The engine's variant for this processor against a build for this machine (``TILEWRIGHT_ENGINE=native``).

Each engine runs in a process of its own, in turns, so that both meet the same disturbances. Measure an installed wheel:
from a source tree both engines come from the same compiler.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench import operations, programs
from bench.timing import Row, best_of_turns, milliseconds
from tilewright import ttnn
from tilewright._build.engine_build import ENGINE_VARIABLE
from tilewright._build.native_build import NATIVE_VARIANT
from tilewright._build.processor import usable_variants

LIMIT = 1.05
SHAPE = (1024, 1024)
PRODUCT = (512, 512, 512)
GRID = (8, 8)
NAMES = ("centralize_w_rm", "variance_w_rm", "standardize_w_rm", "layernorm_fused_rm")
FUNCTIONS = ("exp",)
_TURNS_OF_A_PROCESS = 8
_PROCESSES = 3


def measure(turns: int) -> list[Row]:
    variant = os.environ.get(ENGINE_VARIABLE) or usable_variants()[0]
    engines = (variant, NATIVE_VARIANT)
    best: dict[str, dict[str, float]] = {engine: {} for engine in engines}
    for _ in range(max(_PROCESSES, turns // _TURNS_OF_A_PROCESS)):
        for engine in engines:
            for row, seconds in _in_process(engine).items():
                best[engine][row] = min(seconds, best[engine].get(row, seconds))
    return [
        Row(
            f"{row}, engine {variant}",
            milliseconds(best[variant][row]),
            f"native {milliseconds(best[NATIVE_VARIANT][row])}",
            best[variant][row] / best[NATIVE_VARIANT][row],
            LIMIT,
        )
        for row in best[variant]
    ]


def _in_process(engine: str) -> dict[str, float]:
    environment = {**os.environ, ENGINE_VARIABLE: engine}
    command = [sys.executable, "-m", "bench.engine_variants"]
    root = Path(__file__).resolve().parent.parent
    result = subprocess.run(command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    measured: dict[str, float] = json.loads(result.stdout.splitlines()[-1])
    return measured


def _candidates(device: ttnn.Device) -> dict[str, Callable[[], object]]:
    generator = np.random.default_rng(0)
    rows: dict[str, Callable[[], object]] = {}
    for name in NAMES:
        call = operations.random_call(name, SHAPE, device)
        rows[name] = call
        rows[f"checked {name}"] = lambda call=call: operations.launched(call, checked=True)
    for function in FUNCTIONS:
        array = generator.standard_normal(SHAPE, dtype=np.float32)
        rows[function] = programs.elementwise(function, [array], device, GRID).run
    first = generator.standard_normal(PRODUCT[:2], dtype=np.float32)
    second = generator.standard_normal(PRODUCT[1:], dtype=np.float32)
    for fidelity in (ttnn.MathFidelity.LoFi, ttnn.MathFidelity.HiFi2, ttnn.MathFidelity.HiFi4):
        for wide in (False, True):
            program = programs.matmul(first, second, device, GRID, fidelity, wide)
            rows[f"matmul {fidelity.name}, {32 if wide else 16}-bit DST"] = lambda program=program: program.run(1)
    return rows


def main() -> None:
    """Prints the best seconds of each row with the engine of this process."""
    device = ttnn.open_device(device_id=0)
    candidates = _candidates(device)
    print(json.dumps(best_of_turns(candidates, _TURNS_OF_A_PROCESS)))
    ttnn.close_device(device)


if __name__ == "__main__":
    main()
