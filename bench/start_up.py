# SPDX-License-Identifier: Apache-2.0
"""Cost before kernels run: compiling, a warm launch, the runner, a small run from the shell, an idle grid."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from array import array
from pathlib import Path

import numpy as np

from bench import programs
from bench.timing import Row, best_of_turns, milliseconds
from tilewright import ttnn
from tilewright._build.cache import cache_directory
from tilewright._build.engine_build import find_engine
from tilewright._launch.chip import Chip
from tilewright._launch.runner import Limits, message
from tilewright._tensor.arch import describe_arch
from tilewright._wire.runner import LoadRequest, MessageKind

_COLD = """
import time, numpy as np
from bench import programs
from tilewright import ttnn
device = ttnn.open_device(device_id=0)
prepared = programs.elementwise("exp", [np.ones((256, 256), np.float32)], device, (1, 1))
begin = time.perf_counter()
prepared.run()
print(time.perf_counter() - begin)
"""

_IDLE = """
import os
from pathlib import Path
from tilewright import ttnn
from tilewright._launch.engine import engine

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

engine()
before = resident()
device = ttnn.open_device(device_id=0, arch="blackhole")
print(resident() - before)
"""


def _in_process(code: str, cache: Path) -> float:
    root = str(Path(__file__).resolve().parent.parent)
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    environment = dict(os.environ, TILEWRIGHT_CACHE=str(cache), PYTHONPATH=path)
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    return float(result.stdout.splitlines()[-1])


def _cold_seconds(with_preludes: bool) -> float:
    """Launch of three kernels never compiled before; the engine is there."""
    with tempfile.TemporaryDirectory() as directory:
        cache = Path(directory)
        shutil.copytree(find_engine().library.parent, cache / "engine")
        if with_preludes:
            shutil.copytree(cache_directory() / "preludes", cache / "preludes")
        return _in_process(_COLD, cache)


def _command_seconds(turns: int) -> float:
    """`tilewright run` of a small operation from the shell, everything compiled before."""
    command = [sys.executable, "-m", "tilewright", "run", "layernorm_fused_rm", "--shape", "2x3x64x128"]
    run = best_of_turns({"ours": lambda: subprocess.run(command, capture_output=True, check=True)}, turns)
    return run["ours"]


def _runner_seconds(turns: int) -> tuple[float, float]:
    """Start of a runner, and a message to it that asks for nothing with its answer: what a launch costs more for it."""
    chip = Chip(describe_arch("wormhole_b0"))
    launcher = chip._launcher
    empty = [bytes(LoadRequest(program=1, num_forgotten=1, semaphore_base=0xFFFFFFFF)), array("Q", [1]).tobytes()]

    def start() -> None:
        launcher.end_runner()
        launcher.runner()

    started = best_of_turns({"ours": start}, turns)["ours"]
    runner = launcher.runner()
    asked = best_of_turns({"ours": lambda: runner.ask(message(MessageKind.LOAD, empty), Limits())}, turns * 10)["ours"]
    chip.close()
    return started, asked


def measure(turns: int) -> list[Row]:
    device = ttnn.open_device(device_id=0)
    # One tile block per core: what is left is the launch itself.
    prepared = programs.elementwise("exp", [np.zeros((64 * 8 * 32, 32), np.float32)], device, (8, 8))
    warm = best_of_turns({"ours": prepared.run}, turns * 4)["ours"]
    ttnn.close_device(device)
    started, asked = _runner_seconds(turns)
    first = min(_cold_seconds(with_preludes=False) for _ in range(2))
    later = min(_cold_seconds(with_preludes=True) for _ in range(2))
    command = _command_seconds(turns)
    idle = _in_process(_IDLE, cache_directory())
    return [
        Row("first launch ever of three kernels (s)", milliseconds(first), "", first, 3.0),
        Row("first launch of three new kernels (s)", milliseconds(later), "", later, 3.0),
        Row("warm launch on 64 cores (ms)", milliseconds(warm), "", warm * 1e3, 10.0),
        Row("start of a runner (ms)", milliseconds(started), "", started * 1e3, 50.0),
        Row("question to the runner and its answer (ms)", milliseconds(asked), "", asked * 1e3, 0.1),
        Row("tilewright run, 2x3x64x128, all cached (s)", milliseconds(command), "", command, 0.5),
        Row("130 idle cores (MB)", f"{idle / 1e6:.1f} MB", "", idle / 1e6, 100.0),
    ]
