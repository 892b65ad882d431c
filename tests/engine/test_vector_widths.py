# SPDX-License-Identifier: Apache-2.0
"""Results do not depend on how wide a processor's vectors are."""

from __future__ import annotations

import platform
import re
import subprocess
from pathlib import Path

import pytest

from tilewright._build.compiler import find_compiler
from tilewright._build.native_build import NATIVE

# Lanes of a vector by what a compiler calls the processors that have them; native may multiply bfloat16s, too.
PROCESSORS = {"x86-64": 4, "x86-64-v3": 8, "x86-64-v4": 16, "native": None}


def _engine_flags() -> list[str]:
    """Flags the engine is built with for every processor."""
    (flags,) = re.findall(r"set\(ENGINE_FLAGS ([^)]*)\)", (NATIVE / "CMakeLists.txt").read_text())
    return str(flags).split()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="other processors have one width")
def test_row_sums_have_one_order(tmp_path: Path) -> None:
    """Sums are rounded in the order they are made in, so every width must take the same."""
    compiler = find_compiler()
    source = Path(__file__).with_name("row_sums.cpp")
    hashes = {}
    for processor, lanes in PROCESSORS.items():
        program = tmp_path / processor
        flags = ["-std=c++20", *_engine_flags(), f"-march={processor}", "-w", "-I", str(NATIVE / "engine")]
        command = [*compiler.command, *flags, str(source), "-o", str(program)]
        subprocess.run(command, check=True)
        ran = subprocess.run([str(program)], capture_output=True, text=True, check=False)
        if ran.returncode == -4:  # SIGILL: this machine has no such vectors
            continue
        assert ran.returncode == 0, f"{processor}: another order ({ran.returncode})"
        had, hashes[processor] = ran.stdout.split()
        assert lanes is None or int(had) == lanes
    assert {"x86-64", "native"} <= hashes.keys()
    assert len(set(hashes.values())) == 1
