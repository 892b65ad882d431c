# SPDX-License-Identifier: Apache-2.0
"""The ``tilewright`` command: help, mistakes, doctor."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ttnn_script import Run, process_environment
from tilewright import __version__

COMMANDS = (
    "debug",
    "doctor",
    "exec",
    "log",
    "phases",
    "run",
    "show",
    "stages",
    "sweep",
    "time",
    "tune",
)


@pytest.mark.parametrize("command", [[], *([each] for each in COMMANDS)])
def test_help_fits_a_terminal(python: Run, command: list[str]) -> None:
    result = python("-m", "tilewright", *command, "--help")
    assert result.returncode == 0
    assert result.stdout.startswith(" ".join(["usage: tilewright", *command]))
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_help_names_every_command(python: Run) -> None:
    text = python("-m", "tilewright", "--help").stdout
    assert all(f"\n    {command} " in text for command in COMMANDS)


def test_the_installed_command_is_the_same(python: Run) -> None:
    installed = Path(sys.executable).with_name("tilewright")
    if not installed.exists():
        pytest.skip("tilewright is not installed as a command beside this Python")
    result = subprocess.run(
        [installed, "--version"], capture_output=True, text=True, env=process_environment(), check=False
    )
    assert result.stdout == f"tilewright {__version__}\n"


def test_missing_command_lists_the_commands(python: Run) -> None:
    result = python("-m", "tilewright")
    assert result.returncode == 2
    assert "exec      run a script" in result.stderr


def test_ops_lists_shipped_operations_and_those_of_a_folder(python: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from tilewright import operation\n\n\n@operation\ndef mine(x): ...\n")
    lines = python("-m", "tilewright", "ops", str(tmp_path)).stdout.splitlines()
    assert lines[0].startswith("centralize_w_rm")
    assert lines[-1].split() == ["mine", str(tmp_path / "mine.py")]


def test_an_unknown_command_is_named(python: Run) -> None:
    result = python("-m", "tilewright", "exce")
    assert result.returncode == 2
    assert "invalid choice: 'exce'" in result.stderr


def test_misplaced_script_arguments_get_an_error_with_their_place(python: Run) -> None:
    result = python("-m", "tilewright", "time", "script.py", "--batch-size", "4")
    assert result.returncode == 2
    said = " ".join(result.stderr.split())
    assert said.endswith("unrecognized arguments: --batch-size 4; arguments of the script stand behind --")


def test_misplaced_shape_is_explained(python: Run) -> None:
    result = python("-m", "tilewright", "run", "variance_w_rm", "2x3xfoo")
    assert result.returncode == 2
    said = " ".join(result.stderr.split())
    assert said.endswith("is 2x3xfoo a shape? One stands behind its option: --shape 2x3x64x128")


def test_doctor_tries_a_kernel(python: Run) -> None:
    result = python("-m", "tilewright", "doctor", "--json")
    findings = json.loads(result.stdout)
    assert result.returncode == 0
    assert findings["healthy"] is True
    assert "right result" in findings["kernel"]


def test_doctor_without_compiler_names_the_package_to_install(python: Run) -> None:
    if importlib.util.find_spec("ziglang") is not None:
        pytest.skip("this Python has a compiler of its own (ziglang)")
    result = python("-m", "tilewright", "doctor", PATH="/nonexistent", TILEWRIGHT_CXX="")
    assert result.returncode == 1
    for words in ("FAILED: no C++ compiler found", "apt install g++", 'pip install "tilewright[compiler]"'):
        assert words in result.stdout
    assert "Traceback" not in result.stderr


def test_doctor_names_the_problem_of_the_cache(python: Run, tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    result = python("-m", "tilewright", "doctor", cache=in_the_way)
    assert result.returncode == 1
    assert f"FAILED: cannot write to the cache directory {in_the_way}" in " ".join(result.stdout.split())


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m tilewright --help | true; exit ${{PIPESTATUS[0]}}"
    result = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, env=process_environment(), check=False
    )
    assert "Traceback" not in result.stderr
