# SPDX-License-Identifier: Apache-2.0
"""Row-wise layer norm at 2048 x 4096 against tt-lang's simulator, in both ways one writes it there."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from bench import operations
from bench.timing import Row, best_of_turns, milliseconds
from tilewright import ttnn

ROWS, COLUMNS = 2048, 4096
_LIMITS = {"stream": 1 / 100, "row": 1 / 4}


def _theirs(mode: str) -> float:
    script = Path(__file__).parent / "ttlang_layernorm.py"
    repeats = 1 if mode == "stream" else 3
    result = subprocess.run(
        [sys.executable, str(script), str(ROWS), str(COLUMNS), mode, str(repeats)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(json.loads(result.stdout.splitlines()[-1])["seconds"])


def measure(turns: int) -> list[Row]:
    if importlib.util.find_spec("ttl") is None:
        print("tt-lang-sim is not installed: its rows are left out", file=sys.stderr)
        return []
    generator = np.random.default_rng(0)
    x = generator.standard_normal((ROWS, COLUMNS), dtype=np.float32)
    gamma, beta = (generator.standard_normal(COLUMNS, dtype=np.float32) for _ in range(2))
    device = ttnn.open_device(device_id=0)
    layernorm = operations.call("layernorm_fused_rm", [x, gamma, beta], device)
    rows = []
    for mode, limit in _LIMITS.items():
        theirs = _theirs(mode)
        ours = best_of_turns({"ours": layernorm}, turns)["ours"]
        rows.append(
            Row(
                f"layernorm_fused_rm {ROWS}x{COLUMNS} bf16",
                milliseconds(ours),
                f"tt-lang-sim, {mode} form {milliseconds(theirs)}",
                ours / theirs,
                limit,
            )
        )
    ttnn.close_device(device)
    return rows
