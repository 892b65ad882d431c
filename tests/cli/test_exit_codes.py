# SPDX-License-Identifier: Apache-2.0
"""``tilewright exec --exit-codes``: a verdict as exit status, and the diagnosis as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.ttnn_script import ADD_ONE, Run

EXEC = ("-m", "tilewright", "exec", "--exit-codes")
HANGING = ADD_ONE.replace("cb_reserve_back(0, 1)", "cb_wait_front(0, 1)")
TESTS = """
import importlib.util
import sys
import pytest

def run(name):
    del sys.argv[1:]
    spec = importlib.util.spec_from_file_location(name, f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main()

def test_expected_hang():
    with pytest.raises(Exception, match="deadlock"):
        run("hanging")

def test_hang():
    run("hanging")
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name, text in {
        "adding.py": ADD_ONE,
        "hanging.py": HANGING,
        "failing.py": "import sys; sys.exit(7)",
        "endless.py": "while True: pass",
        "test_launches.py": TESTS,
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def diagnosis(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text())
    return found


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["adding.py"], 0, ""),
        (["failing.py"], 1, "ended with status 7"),
        (["hanging.py"], 2, "deadlock on core (0,0)"),
        (["--time-limit", "1", "endless.py"], 2, "stopped after 1 seconds"),
        (["missing.py"], 3, "script 'missing.py' does not exist"),
        (["--", sys.executable, "-m", "pytest", "missing_tests"], 3, "ended with status 4"),
    ],
)
def test_exit_status_is_the_verdict(python: Run, place: Path, arguments: list[str], code: int, reason: str) -> None:
    result = python(*EXEC, "--ttnn", "built-in", "--json", *arguments, cwd=place)
    assert result.returncode == code, result.stderr
    said = json.loads(result.stdout)
    assert said["exit_status"] == code
    assert said["verdict"] == ["pass", "failure", "hang", "infrastructure"][code]
    assert reason in said["reason"]
    assert (said["error"] is None) == (code == 0)


def check_tests_that_hang(result: Any, place: Path) -> None:
    assert result.returncode == 2, result.stdout + result.stderr
    told = diagnosis(place / "why.json")
    assert told["verdict"] == "hang"
    assert [each["test"] for each in told["tests"]] == ["test_launches.py::test_hang"]
    # Both launches are there; the verdict is that of the command, which failed because of the second.
    assert [each["kind"] for each in told["launches"]] == ["hang", "hang"]
    (finding,) = told["launches"][1]["findings"]
    assert finding["rule"].startswith("hang-")
    assert finding["cb"] == "c_0"
    assert finding["line"] > 0


def test_hang_in_a_test_is_reported_with_its_finding(python: Run, place: Path) -> None:
    options = ("--ttnn", "built-in", "--diagnosis", "why.json")
    check_tests_that_hang(python(*EXEC, *options, "--", sys.executable, "-m", "pytest", "-q", cwd=place), place)


def test_expected_hang_is_a_pass(python: Run, place: Path) -> None:
    command = ("--", sys.executable, "-m", "pytest", "-q", "-k", "expected")
    assert python(*EXEC, "--ttnn", "built-in", *command, cwd=place).returncode == 0


def test_diagnosis_alone_keeps_the_status_of_the_script(python: Run, place: Path) -> None:
    command = ("-m", "tilewright", "exec", "--ttnn", "built-in", "--diagnosis", "why.json")
    assert python(*command, "failing.py", cwd=place).returncode == 7
    assert diagnosis(place / "why.json")["verdict"] == "failure"


def test_call_of_a_folder_that_raises_is_the_reason(python: Run, tmp_path: Path) -> None:
    folder = tmp_path / "no_binding"
    folder.mkdir()
    (folder / "no_binding.cpp").write_text("int none() { return 0; }\n")
    result = python(*EXEC, "--ttnn", "built-in", "--json", str(folder))
    assert result.returncode == 1, result.stderr
    said = json.loads(result.stdout)
    (call,) = said["calls"]
    assert (call["operation"], call["type"]) == ("ttnn.no_binding", "CppOperationError")
    assert "has no binding (no_binding_nanobind.cpp" in call["message"]
    assert said["reason"] == said["error"]["message"] == call["message"].splitlines()[0]
    # Without a compiler the operation is not what failed.
    (folder / "nanobind.cpp").write_text("")
    result = python(*EXEC, "--ttnn", "built-in", "--json", str(folder), TILEWRIGHT_CXX="/no/compiler")
    assert result.returncode == 3, result.stdout + result.stderr
    assert json.loads(result.stdout)["calls"][0]["kind"] == "infrastructure"
