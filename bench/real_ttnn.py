# SPDX-License-Identifier: Apache-2.0
"""The real ttnn on the simulated card: transfers, a launch, operations and whole layers next to torch.

It needs a Python that has ttnn, torch and tilewright's dependencies, named by TILEWRIGHT_REAL_TTNN.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.timing import Row, milliseconds

_ROOT = Path(__file__).resolve().parent.parent
_NO_LIMIT = float("inf")  # the figure is there to be read


def measure(turns: int) -> list[Row]:
    lines = run_on_card("bench.card_operations", turns)
    return [] if lines is None else [made for measured in json.loads(lines[-1]) for made in _rows(measured)]


def run_on_card(module: str, turns: int, *options: str) -> list[str] | None:
    """The lines that a module prints which uses the real ttnn; None: there is no Python for it."""
    python = os.environ.get("TILEWRIGHT_REAL_TTNN")
    if not python:
        print("left out: TILEWRIGHT_REAL_TTNN names no Python with ttnn and torch", file=sys.stderr)
        return None
    path = os.pathsep.join((str(_ROOT / "src"), str(_ROOT)))
    command = [python, "-m", "tilewright", "exec", *options, "--", python, "-m", module, str(min(turns, 10))]
    environment = {**os.environ, "PYTHONPATH": path, "LOGURU_LEVEL": "ERROR"}
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=True)
    return result.stdout.splitlines()


def _rows(measured: dict[str, Any]) -> list[Row]:
    name = f"card: {measured['name']}"
    if "opened" in measured:
        return [Row(f"{name} (s)", milliseconds(measured["opened"]), "", measured["opened"], 3.0)]
    if "least" in measured:
        return [Row(f"{name} (ms)", milliseconds(measured["least"]), "", measured["least"] * 1e3, 0.5)]
    if "replayed" in measured:
        replayed, called = measured["replayed"], measured["called"]
        return [Row(name, milliseconds(replayed), f"calls {milliseconds(called)}", replayed / called, 0.5)]
    if "bytes" in measured:
        whole, ours = (measured[key] / measured["bytes"] * 1e9 for key in ("seconds", "ours"))
        return [
            Row(f"{name}, our part (s/GB)", milliseconds(measured["ours"]), f"{1 / ours:.2f} GB/s", ours, 1.0),
            Row(f"{name}, with ttnn's (s/GB)", milliseconds(measured["seconds"]), f"{1 / whole:.2f} GB/s", whole, 1.0),
        ]
    parts = ", ".join(f"{part} {measured[part] / measured['seconds']:.0%}" for part in ("host", "ours", "kernels"))
    rival = f"torch {milliseconds(measured['torch'])}"
    ratio = measured["seconds"] / measured["torch"]
    rows = [Row(f"{name}: {parts}", milliseconds(measured["seconds"]), rival, ratio, _NO_LIMIT)]
    if "distance" in measured:
        rows.append(Row(f"{name}, error against float64", "", "1 is allowed", measured["distance"], 1.0))
    return rows
