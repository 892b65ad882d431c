# SPDX-License-Identifier: Apache-2.0
"""``tilewright exec``: scripts written for ttnn run unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ttnn_script import ADD_ONE, Run
from tilewright._tensor.ttnn_names import TTNN_RELEASE

EXEC = ("-m", "tilewright", "exec")


def script(directory: Path, text: str, name: str = "script.py") -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    path.write_text(text)
    return path


def test_a_script_for_ttnn_runs(python: Run, tmp_path: Path) -> None:
    result = python(*EXEC, str(script(tmp_path, ADD_ONE)), "3")
    assert result.stderr == ""
    assert result.stdout == f"sum {sum(range(32)) + 3 * 32}\n"
    assert result.returncode == 0


def test_the_script_is_main_and_has_its_arguments_and_its_siblings(python: Run, tmp_path: Path) -> None:
    script(tmp_path / "elsewhere", "NAME = 'sibling'\n", "neighbour_module.py")
    text = (
        "import sys, neighbour_module\n"
        "print(__name__, sys.argv, neighbour_module.NAME, sys.modules['__main__'].__file__ == __file__)\n"
    )
    path = script(tmp_path / "elsewhere", text)
    result = python(*EXEC, str(path), "-x", "--help", "--", "a b")
    assert result.stdout == f"__main__ {[str(path), '-x', '--help', '--', 'a b']} sibling True\n"


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("import sys; sys.exit(7)", 7, ""),
        ("raise SystemExit('no card')", 1, "no card\n"),
        ("import sys; sys.exit()", 0, ""),
    ],
)
def test_the_exit_status_is_the_scripts(python: Run, tmp_path: Path, line: str, code: int, words: str) -> None:
    result = python(*EXEC, str(script(tmp_path, line)))
    assert (result.returncode, result.stderr) == (code, words)


def test_traceback_shows_only_lines_of_the_script(python: Run, tmp_path: Path) -> None:
    result = python(*EXEC, str(script(tmp_path, "def inner():\n    return 1 / 0\n\ninner()\n")))
    assert result.returncode == 1
    assert result.stderr.startswith('Traceback (most recent call last):\n  File "')
    assert "line 4, in <module>" in result.stderr
    assert result.stderr.endswith("ZeroDivisionError: division by zero\n")
    assert "exec_command" not in result.stderr


def test_traceback_has_no_frames_of_ours_between_those_of_the_script(python: Run, tmp_path: Path) -> None:
    text = (
        "from tilewright import Rows, operation, ttnn\n\ndef mine(x, y):\n    return 1 / 0\n\n"
        "@operation(program=mine)\ndef doubled(x: Rows):\n    return x + x\n\n"
        "device = ttnn.open_device(device_id=0)\n"
        "doubled(ttnn.ones([32, 32], ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT, device))\n"
    )
    result = python(*EXEC, str(script(tmp_path, text)))
    frames = [each for each in result.stderr.splitlines() if each.startswith('  File "')]
    assert [each.split(", ")[1:] for each in frames] == [["line 11", "in <module>"], ["line 4", "in mine"]]


def test_traceback_of_a_python_kernel_ends_in_the_script(python: Run, tmp_path: Path) -> None:
    """The kernel is translated inside a cached property: frames of the standard library between ours."""
    text = (
        "from tilewright import ttnn\nfrom tilewright.kernels import *\n\n@reader_kernel\n"
        "def read(tiles: RuntimeArg) -> None:\n    import os\n\n"
        "core = ttnn.num_cores_to_corerangeset(1, (8, 8))\nread.descriptor(core, runtime_args={'tiles': 1})\n"
    )
    result = python(*EXEC, str(script(tmp_path, text)))
    assert "line 9, in <module>" in result.stderr
    assert result.stderr.count('  File "') == 1
    assert "script.py:6: import at the top of the module" in result.stderr


def test_an_error_of_a_kernel_has_the_scripts_traceback(python: Run, tmp_path: Path) -> None:
    text = ADD_ONE.replace("cb_reserve_back(0, 1)", "cb_reserve_back(0, 2)")
    result = python(*EXEC, str(script(tmp_path, text)))
    assert result.returncode == 1
    assert "ttnn.generic_op([tensor, tensor]" in result.stderr
    assert "KernelError" in result.stderr
    assert "can never succeed" in result.stderr


def test_syntax_error_is_shown_in_pythons_form(python: Run, tmp_path: Path) -> None:
    result = python(*EXEC, str(script(tmp_path, "x = (\n")))
    assert result.returncode == 1
    assert "SyntaxError" in result.stderr
    assert "exec_command" not in result.stderr


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "import ttnn; ttnn.softmax",
            f"ttnn.softmax exists in ttnn {TTNN_RELEASE} but tilewright does not",
        ),
        (
            "from ttnn import softmax",
            f"ImportError: ttnn.softmax exists in ttnn {TTNN_RELEASE} but tilewright does not simulate it",
        ),
        ("import ttnn; ttnn.sofmax", "ttnn has no attribute 'sofmax', neither here nor in ttnn"),
        ("import ttnn.operations", "ttnn.operations is not part of tilewright's ttnn"),
        ("from ttnn.model_preprocessing import x", "ttnn.model_preprocessing is not part of tilewright's ttnn"),
    ],
)
def test_missing_name_of_ttnn_is_named(python: Run, tmp_path: Path, line: str, words: str) -> None:
    result = python(*EXEC, str(script(tmp_path, line)))
    assert result.returncode == 1
    assert words in result.stderr


def test_names_can_be_imported_one_by_one(python: Run, tmp_path: Path) -> None:
    text = (
        "from ttnn import Shape, bfloat16\nimport ttnn as t\nimport importlib.util\n"
        "print(Shape([1, 2]), bfloat16 is t.bfloat16, importlib.util.find_spec('ttnn') is not None)\n"
    )
    result = python(*EXEC, str(script(tmp_path, text)))
    assert result.stdout == "Shape([1, 2]) True True\n"


def test_a_script_that_does_not_exist_is_named(python: Run) -> None:
    result = python(*EXEC, "nowhere.py")
    assert result.returncode == 2
    assert "tilewright exec: error: script 'nowhere.py' does not exist" in result.stderr


def test_kernels_of_an_installed_ttnn_are_found(python: Run, tmp_path: Path) -> None:
    package = tmp_path / "site" / "ttnn"
    script(package, "raise ImportError('never imported')\n", "__init__.py")
    kernel = script(package, "void kernel_main() {}\n", "kernel.cpp")
    path = script(
        tmp_path,
        f"import sys, ttnn\nsys.path.insert(0, {str(package.parent)!r})\n"
        "from tilewright._program.kernel_path import resolve_kernel_path\nprint(resolve_kernel_path('kernel.cpp'))\n",
    )
    result = python(*EXEC, str(path))
    assert result.stdout == f"{kernel}\n", result.stderr
