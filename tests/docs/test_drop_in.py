# SPDX-License-Identifier: Apache-2.0
"""Statements of running-programs.md about code that imports ttnn."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tilewright._tensor.ttnn_names import TTNN_RELEASE

TILEWRIGHT = [sys.executable, "-m", "tilewright._cli.main"]


def run_script(path: Path, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    path.write_text(text)
    command = [*TILEWRIGHT, "exec", str(path), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_script_gets_the_simulated_ttnn_and_its_arguments(tmp_path: Path) -> None:
    result = run_script(tmp_path / "script.py", "import sys, ttnn\nprint(ttnn.__name__, sys.argv[1:])", "one", "two")
    assert result.stdout == "tilewright.ttnn ['one', 'two']\n"


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (
            "ttnn.softmax",
            f"AttributeError: ttnn.softmax exists in ttnn {TTNN_RELEASE} but tilewright does not",
        ),
        ("ttnn.sofmax", f"AttributeError: ttnn has no attribute 'sofmax', neither here nor in ttnn {TTNN_RELEASE}"),
        ("import ttnn.operations", "ModuleNotFoundError: ttnn.operations is not part of tilewright's ttnn"),
    ],
)
def test_missing_function_is_named(tmp_path: Path, statement: str, words: str) -> None:
    result = run_script(tmp_path / "script.py", f"import ttnn\n{statement}\n")
    assert result.returncode != 0
    assert words in result.stderr
