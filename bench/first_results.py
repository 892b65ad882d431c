# SPDX-License-Identifier: Apache-2.0
"""Processor time of a new user's first commands, from an empty cache: what a wheel does not bring is compiled."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.timing import Row
from tilewright._build.engine_build import find_engine
from tilewright._build.native_build import PREBUILT
from tilewright._card.native_parts import simulator_library, stand_in_compiler

ROOT = Path(__file__).resolve().parent.parent
_FIRST = """
import torch, ttnn
device = ttnn.open_device(device_id=0)
x = ttnn.from_torch(torch.rand(64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
print(ttnn.to_torch(ttnn.exp(x)).sum())
ttnn.close_device(device)
"""


def _cpu_seconds(command: list[str], cwd: Path, **environment: str) -> float:
    """User and system time of a command and all that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=cwd, env=os.environ | environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _installed_cache(place: Path) -> Path:
    """An empty cache; from a source tree, with the native parts that a wheel would bring."""
    cache = place / "cache"
    cache.mkdir(mode=0o700)
    if not PREBUILT.is_dir():
        simulator_library()
        stand_in_compiler()
        (cache / "engine").symlink_to(find_engine().library.parent)
    return cache


def _operation(place: Path) -> Row:
    command = [sys.executable, "-m", "tilewright", "run", "variance_w_rm"]
    seconds = _cpu_seconds(command, place, TILEWRIGHT_CACHE=str(_installed_cache(place)), PYTHONPATH=str(ROOT / "src"))
    return Row("tilewright run variance_w_rm, empty cache (CPU s)", f"{seconds:.1f} s", "", seconds, 6.0)


def _script(place: Path, python: str) -> Row:
    script = place / "first.py"
    script.write_text(_FIRST)
    alone = _cpu_seconds([python, "-c", "import torch, ttnn"], place, LOGURU_LEVEL="ERROR")
    command = [python, "-m", "tilewright", "exec", str(script)]
    cache = str(_installed_cache(place))
    seconds = _cpu_seconds(command, place, TILEWRIGHT_CACHE=cache, PYTHONPATH=str(ROOT / "src")) - alone
    return Row(
        "tilewright exec of a first script, empty cache, beyond the imports (CPU s)",
        f"{seconds:.1f} s",
        f"imports {alone:.1f} s",
        seconds,
        10.0,
    )


def _demo(place: Path) -> Row:
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(place / "clone")], check=True)
    seconds = _cpu_seconds(["make", "demo"], place / "clone", TILEWRIGHT_CACHE=str(place / "cache"), PYTHONPATH="")
    return Row("make demo in a fresh clone, empty cache (CPU s)", f"{seconds:.1f} s", "", seconds, 60.0)


def measure(turns: int) -> list[Row]:
    del turns  # a first time is measured once
    python = os.environ.get("TILEWRIGHT_REAL_TTNN")
    rows = []
    for part in (_operation, _demo):
        with tempfile.TemporaryDirectory() as place:
            rows.append(part(Path(place)))
    if python:
        with tempfile.TemporaryDirectory() as place:
            rows.append(_script(Path(place), python))
    return rows
