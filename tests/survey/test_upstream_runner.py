# SPDX-License-Identifier: Apache-2.0
"""The runner of tt-metal's unit tests: every test gets one result, whatever it does to its process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools.upstream_tests.plugin import is_drawn, spread
from tools.upstream_tests.results import Results
from tools.upstream_tests.tables import cause, tables

ROOT = Path(__file__).resolve().parents[2]
FILE = "tests/ttnn/unit_tests/operations/test_kinds.py"
TESTS = """
import os, time
import pytest
import ttnn

@pytest.mark.parametrize("number", range(5))
def test_passes(number): assert ttnn.bfloat16 is not None
def test_fails(): raise AttributeError("module 'ttnn' has no attribute 'gelu_bw'")
def test_skips(): pytest.skip("no reason")
def test_crashes(): os._exit(7)
def test_hangs(): time.sleep(600)
def test_last(): assert 1 == 2
"""


def _run(python: str, checkout: Path, results: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.upstream_tests", str(checkout), "--results", str(results)]
    command += ["--python", python, "--time-limit", "4", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)


def _outcomes(results: Path) -> dict[str, str]:
    return {each.test.partition("::")[2]: each.outcome for each in Results(results).all()}


def test_each_test_has_a_result_and_none_is_run_twice(real_ttnn: str, tmp_path: Path) -> None:
    path = tmp_path / "tt-metal" / FILE
    path.parent.mkdir(parents=True)
    path.write_text(TESTS)
    results = tmp_path / "results.jsonl"
    ended = _run(real_ttnn, tmp_path / "tt-metal", results, "--per-function", "1")
    assert ended.returncode == 0, ended.stderr
    expected = {
        "test_passes[2]": "passed",
        "test_fails": "failed",
        "test_skips": "skipped",
        "test_crashes": "crashed",
        "test_hangs": "time-limit",
        "test_last": "failed",
    }
    assert _outcomes(results) == expected
    assert "| tests/ttnn/unit_tests/operations | 1 | 2 | 1 | 1 | 1 |" in ended.stdout
    with results.open("a") as file:
        file.write('{"test": "half a li')  # of a run that was interrupted
    path.write_text(TESTS.replace("1 == 2", "1 == 1"))
    lines = results.read_text().count("\n")
    _run(real_ttnn, tmp_path / "tt-metal", results, "--per-function", "1", "--again", "failed")
    assert _outcomes(results) == expected | {"test_last": "passed"}
    assert results.read_text().count("\n") == lines + 2  # the two that had failed


def test_a_file_that_cannot_be_collected_has_a_result(real_ttnn: str, tmp_path: Path) -> None:
    path = tmp_path / "tt-metal" / FILE
    path.parent.mkdir(parents=True)
    path.write_text("import a_module_that_is_not_there\n")
    results = tmp_path / "results.jsonl"
    _run(real_ttnn, tmp_path / "tt-metal", results)
    (result,) = Results(results).all()
    assert (result.test, result.outcome) == (FILE, "failed")
    assert cause(result) == "needs a Python module that is not there"
    assert any("a_module_that_is_not_there" in line for line in tables(Results(results)))


def test_a_folder_that_is_no_checkout_is_named(real_ttnn: str, tmp_path: Path) -> None:
    ended = _run(real_ttnn, tmp_path, tmp_path / "results.jsonl")
    assert ended.returncode == 2
    assert f"there is no folder tests/ttnn/unit_tests in {tmp_path}" in ended.stderr


def test_sample_over_several_files_in_one_process(real_ttnn: str, tmp_path: Path) -> None:
    folder = (tmp_path / "tt-metal" / FILE).parent
    folder.mkdir(parents=True)
    names = [f"test_{letter}" for letter in "abc"]
    for name in names:
        (folder / f"{name}.py").write_text(
            "import pytest\n@pytest.mark.parametrize('n', range(40))\ndef test_n(n): pass\n"
        )
    (folder / "test_b.py").write_text("import a_module_that_is_not_there\n")
    results = tmp_path / "results.jsonl"
    ended = _run(real_ttnn, tmp_path / "tt-metal", results, "--share", "50", "--files-per-process", "3")
    assert ended.returncode == 0, ended.stderr
    prefix = FILE.rpartition("/")[0]
    every = [f"{prefix}/{name}.py::test_n[{number}]" for name in ("test_a", "test_c") for number in range(40)]
    drawn = {test: "passed" for test in every if is_drawn(test, 50)}
    assert 20 < len(drawn) < 60
    assert {each.test: each.outcome for each in Results(results).all()} == drawn | {f"{prefix}/test_b.py": "failed"}


def test_larger_sample_has_the_tests_of_a_smaller_one() -> None:
    names = [f"test_add.py::test_add[{number}]" for number in range(1000)]
    drawn = [{name for name in names if is_drawn(name, share)} for share in (5, 20)]
    assert drawn[0] < drawn[1]
    assert 0.15 < len(drawn[1]) / len(names) < 0.25


def test_share_that_is_no_share_is_named(real_ttnn: str, tmp_path: Path) -> None:
    for share in ("0", "101", "nan", "half"):
        ended = _run(real_ttnn, tmp_path, tmp_path / "results.jsonl", "--share", share)
        assert ended.returncode == 2
        assert f"a number above 0 and up to 100 is needed, not '{share}'" in ended.stderr


def test_parameter_sets_are_spread_evenly() -> None:
    items = list(range(10))
    assert spread(items, 1) == [5]
    assert spread(items, 3) == [1, 5, 8]
    assert spread(items, 0) == spread(items, 20) == items
