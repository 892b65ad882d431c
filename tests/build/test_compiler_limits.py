# SPDX-License-Identifier: Apache-2.0
"""Kernels whose compilation would not end, or would take all memory: a compile error that names the limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright._build.limited_process import ProcessLimits, run_limited
from tilewright._errors import KernelCompileError, TilewrightError
from tilewright._launch.chip import Chip

# Includes itself twice at each of 200 levels.
EXPONENTIAL = """
#if __INCLUDE_LEVEL__ < 150
#include __FILE__
#include __FILE__
#endif
#if __INCLUDE_LEVEL__ < 2
void kernel_main() {}
#endif
"""


def test_an_endless_include_ends_at_the_limit_of_memory(
    chip: Chip, make_program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILEWRIGHT_COMPILER_MEMORY", "512")
    with pytest.raises(KernelCompileError, match=r"more than 512 MiB of memory .TILEWRIGHT_COMPILER_MEMORY changes it"):
        chip.launch(make_program(reader='#include "/dev/zero"\nvoid kernel_main() {}'))


def test_endless_work_ends_at_the_limit_of_time(chip: Chip, make_program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_COMPILER_SECONDS", "1")
    with pytest.raises(KernelCompileError, match="more than 1 seconds of processor time"):
        chip.launch(make_program(reader=EXPONENTIAL))


def test_limits_are_set_without_a_word(tmp_path: Path) -> None:
    shown = run_limited(["/bin/sh", "-c", "ulimit -St; ulimit -Ht; ulimit -v"], tmp_path, {}, ProcessLimits(256, 5))
    assert (shown.stdout.split(), shown.stderr) == (["5", "7", str(256 * 1024)], "")


def test_a_limit_that_is_no_number_is_refused(chip: Chip, make_program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_COMPILER_MEMORY", "4G")
    with pytest.raises(TilewrightError, match="TILEWRIGHT_COMPILER_MEMORY is '4G'; allowed: 256 or more MiB"):
        chip.launch(make_program(reader="void kernel_main() { /* no number */ }"))
