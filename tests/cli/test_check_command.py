# SPDX-License-Identifier: Apache-2.0
"""``tilewright check`` and ``pytest --tilewright-check``, as their users meet them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.ttnn_script import ADD_ONE, Run

CHECK = ("-m", "tilewright", "check")
HANGS = ADD_ONE.replace("cb_reserve_back(0, 1);", "cb_wait_front(0, 1);")


def script(directory: Path, text: str) -> str:
    path = directory / "script.py"
    path.write_text(text)
    return str(path)


def test_a_clean_script_runs_and_nothing_is_found(python: Run, tmp_path: Path) -> None:
    for words in (("--", "3"), ("3",)):
        result = python(*CHECK, script(tmp_path, ADD_ONE).removesuffix(".py"), *words)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout == f"sum {sum(range(32)) + 3 * 32}\n1 launch checked: nothing found\n"


def test_an_option_that_is_nearly_one_of_ours_is_not_the_scripts(python: Run, tmp_path: Path) -> None:
    result = python(*CHECK, script(tmp_path, ADD_ONE), "--sycn")
    assert result.returncode == 2
    assert "is --sync meant?" in " ".join(result.stderr.split())


def test_findings_are_printed_without_a_traceback(python: Run, tmp_path: Path) -> None:
    result = python(*CHECK, script(tmp_path, HANGS), "--sync", "--footprint")
    assert (result.returncode, result.stderr) == (1, "")
    lines = result.stdout.splitlines()
    assert "error  hang-missing-producer" in lines
    assert lines[-1] == "1 launch checked: 1 error"
    assert "sync table on core (0,0): 1 step" in lines
    assert "L1 footprint on core (0,0)" in lines
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in result.stdout


def test_json_is_all_there_is_on_stdout(python: Run, tmp_path: Path) -> None:
    result = python(
        *CHECK, script(tmp_path, HANGS.replace("def main():", "def main():\n    print(1)")), "--json", "--sync"
    )
    report = json.loads(result.stdout)
    assert result.stderr == "1\n"
    (finding,) = report["findings"]
    assert (finding["rule"], finding["severity"], finding["line"]) == ("hang-missing-producer", "error", 4)
    assert finding["cores"] == [[[0, 0], [0, 0]]]  # a rectangle: its first and its last core
    assert report["error"]["type"] == "DeadlockError"
    assert all(line.strip() in report["error"]["message"] for line in finding["positions"])
    assert report["sync"][0]["groups"][0]["cores"] == [[0, 0]]


def test_json_has_the_error_of_a_script_that_fails(python: Run, tmp_path: Path) -> None:
    result = python(*CHECK, script(tmp_path, "def main():\n    raise ValueError('no tensor')\n\n\nmain()\n"), "--json")
    assert result.returncode == 1
    assert json.loads(result.stdout)["error"] == {"type": "ValueError", "message": "no tensor"}


def test_markdown_has_findings_and_tables(python: Run, tmp_path: Path) -> None:
    result = python(*CHECK, script(tmp_path, HANGS), "--markdown", "--sync")
    assert "### error: `hang-missing-producer` (a wait on a circular buffer that no kernel pushes)" in result.stdout
    assert "  on core (0,0): " in result.stdout
    assert "| CB | from | to | pages |" in result.stdout


def test_sarif_has_the_structure_of_the_standard(python: Run, tmp_path: Path) -> None:
    log_file = tmp_path / "findings.sarif"
    assert python(*CHECK, script(tmp_path, HANGS), "--sarif", str(log_file)).returncode == 1
    log = json.loads(log_file.read_text())
    assert (log["version"], log["$schema"]) == ("2.1.0", "https://json.schemastore.org/sarif-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "tilewright"
    assert all(set(rule) >= {"id", "shortDescription", "help", "defaultConfiguration"} for rule in driver["rules"])
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note", "none")
        assert result["message"]["text"]
        (location,) = result["locations"]
        physical = location["physicalLocation"]
        assert physical["artifactLocation"]["uri"].startswith("file:///")
        assert physical["region"]["startLine"] == 4
    assert list(tmp_path.glob(".*.sarif*")) == []


def test_a_sarif_file_that_cannot_be_written_is_named(python: Run, tmp_path: Path) -> None:
    result = python(*CHECK, script(tmp_path, ADD_ONE), "--sarif", "nowhere/f.sarif")
    assert (result.returncode, result.stdout) == (2, "")
    assert "--sarif nowhere/f.sarif: there is no directory nowhere" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.py"], "script 'nowhere.py' does not exist"),
        (["sofmax"], "'sofmax' is neither a script that exists nor an operation (centralize_w_rm,"),
        ([], "the following arguments are required: target"),
        (["variance_w_rm", "--seeds", "-1"], "--seeds is -1; it must be 0 or more"),
        (["variance_w_rm", "--shape", "7"], "'7' is no shape"),
    ],
)
def test_bad_usage_is_status_2_and_names_the_argument(python: Run, arguments: list[str], words: str) -> None:
    result = python(*CHECK, *arguments)
    assert result.returncode == 2
    assert words in result.stderr


def test_options_of_operations_are_not_for_scripts(python: Run, tmp_path: Path) -> None:
    result = python(*CHECK, script(tmp_path, ADD_ONE), "--shape", "32x32")
    assert (result.returncode, "--shape is for operations" in result.stderr) == (2, True)


def test_a_script_that_launches_nothing_is_not_called_clean(python: Run, tmp_path: Path) -> None:
    result = python(*CHECK, script(tmp_path, "print('hello')\n"))
    assert result.returncode == 2
    assert "launched no program" in result.stderr


def test_an_error_of_the_script_itself_shows_as_usual(python: Run, tmp_path: Path) -> None:
    result = python(*CHECK, script(tmp_path, "1 / 0\n"))
    assert result.returncode == 1
    assert "ZeroDivisionError" in result.stderr
    assert result.stdout == "no launch checked: it ended with ZeroDivisionError: division by zero\n"


def test_an_operation_is_checked_by_name(python: Run) -> None:
    result = python(
        *CHECK, "centralize_w_rm", "--shape", "64x64", "--grid", "1x1", "--sync", "--footprint", timeout=180
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "sync table on core (0,0): 2 tile-rows each" in result.stdout
    assert "2*Wt" in result.stdout
    assert result.stdout.splitlines()[-1] == "2 launches checked: nothing found"


PYTEST = """
import importlib.util, sys
sys.argv = ["script"]

def run(text):
    namespace = {"__name__": "script"}
    exec(text, namespace)
    namespace["main"]()

GOOD = %r

def test_clean():
    run(GOOD)

def test_with_a_finding():
    large = "void kernel_main() { uint32_t large[2048]; ((volatile uint32_t*)large)[0] = 1;"
    run(GOOD.replace("void kernel_main() {", large))

def test_that_expects_the_error():
    import pytest
    from tilewright._errors import DeadlockError
    with pytest.raises(DeadlockError):
        run(GOOD.replace("cb_reserve_back", "cb_wait_front"))
"""


def test_the_pytest_option_fails_tests_with_findings(python: Run, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(PYTEST % ADD_ONE)
    plain = python("-m", "pytest", "-p", "no:cacheprovider", "--tilewright")
    assert "3 passed" in plain.stdout, plain.stdout
    checked = python("-m", "pytest", "-p", "no:cacheprovider", "--tilewright", "--tilewright-check")
    assert "2 failed, 1 passed" in checked.stdout, checked.stdout
    told = checked.stdout.partition("short test summary info")[0]  # which says it once more where CI is set
    assert told.count("error  stack-size") == 1
    assert "hang-missing-producer" in checked.stdout
