# SPDX-License-Identifier: Apache-2.0
"""``tilewright stages``, ``phases``, ``log`` and ``log note`` as a user runs them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.workshop.faulty_operation import WRONG_MEAN, change, make_operation
from tilewright._cli.main import main
from tilewright._workshop.home import Home
from tilewright._workshop.stages.stage import STAGES, StageResult, Status, TestOutcome
from tilewright._workshop.stages.table import brief_lines, coloured, failure_lines, stage_lines

ESCAPE = "\033"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.chdir(tmp_path)
    return make_operation(tmp_path)


def test_the_table_fits_a_terminal_and_has_no_colour_in_a_file(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    change(home, "mine_kernels.py", *WRONG_MEAN)
    assert main(["stages", "mine.py", "--stage", "7"]) == 1
    text = capsys.readouterr().out
    assert ESCAPE not in text
    assert max(map(len, text.splitlines())) <= 80
    lines = text.splitlines()
    assert lines[2].split() == ["#", "what", "it", "proves", "status", "build", "kernels", "run", "tries"]
    assert lines[3].split()[-5:] == ["FAIL", "PASS", "PASS", "FAIL", "1"]
    assert "    numerical mismatch: test_numbers[one tile]" in text
    assert "first wrong: phase 2 mean, in mean (float32)" in text
    assert lines[-1] == "0 of 1 stages pass; stage 7 is red (FAIL)"


def test_error_cut_by_the_table_is_printed_whole_below() -> None:
    said = "kernel compute_rows on core (0,0): " + "this cannot be, " * 12 + "so give it more pages"
    red = TestOutcome("test_it", Status.FAIL, "runtime", said)
    result = StageResult(STAGES[5], Status.FAIL, {"execution": Status.FAIL}, (red,), "runtime", said)
    assert stage_lines(result)[-1].endswith("...")
    assert " ".join(" ".join(failure_lines(result)).split()) == said


def test_colours_do_not_move_columns() -> None:
    result = StageResult(STAGES[0], Status.PASS, {"build": Status.PASS, "execution": Status.PASS}, attempts=3)
    result = StageResult(**{**vars(result), "tests": (TestOutcome("test_it", Status.PASS),)})
    plain_line = stage_lines(result)[0]
    line = stage_lines(result, coloured)[0]
    assert ESCAPE in line
    for code in ("\033[32m", "\033[0m"):
        line = line.replace(code, "")
    assert line == plain_line


def test_brief_output_is_short_for_any_stage_text() -> None:
    """Under 500 tokens, by the words and marks it has, which are more than tokens for text like this."""
    error = "\n".join(
        f"test_numbers[case {each}]: deadlock on cores (0,0)-(7,7) " + "c_1 is full, " * 40 for each in range(90)
    )
    green = [StageResult(stage, Status.PASS, {}) for stage in STAGES[:5]]
    outcome = TestOutcome("test_it", Status.FAIL, "hang_cb_deadlock", error, "one tile")
    red = StageResult(STAGES[5], Status.HANG, {}, (outcome,), "hang_cb_deadlock", error)
    text = "\n".join(brief_lines([*green, red, StageResult(STAGES[6], Status.NOT_RUN, {})]))
    assert text.startswith("PASS: 1, 2, 3, 4, 5 of 7\nHANG: stage 6, ")
    assert "deadlock on cores (0,0)-(7,7)" in text
    assert "case: one tile" in text
    assert len(re.findall(r"\w+|[^\w\s]", text)) < 500


def test_json_has_every_stage_and_why_it_failed(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    change(home, "mine.py", "from tilewright import Rows", "from nothing_of_that_name import Rows")
    assert main(["stages", "mine.py", "--json"]) == 1
    stages = json.loads(capsys.readouterr().out)["stages"]
    assert [each["status"] for each in stages] == ["FAIL", *["NOT RUN"] * 6]
    assert stages[0]["steps"] == {"build": "FAIL", "execution": "NOT RUN"}
    assert stages[0]["error_type"] == "build_error"
    assert stages[0]["attempts"] == 1
    assert main(["stages", "mine.py", "--brief"]) == 1
    passed, failed, said = capsys.readouterr().out.splitlines()[:3]
    assert (passed, failed) == ("PASS: none of 7", "FAIL: stage 1, the API exists and is documented; import")
    assert "nothing_of_that_name" in said
    assert stages[1]["attempts"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["stages", "mine.py", "--stage", "8"], "--stage is 8; it must be 1 to 7"),
        (
            ["stages", "mine.py", "--time-limit", "0"],
            "--time-limit: '0' is no time limit: write a positive number of seconds",
        ),
        (["stages", "mine.py", "--json", "--watch"], "--json and --watch"),
        (["phases", "mine.py", "--case", "none"], "--case is 'none'; the cases are one element, one tile"),
        (["log", "note", "mine.py", " "], "TEXT is empty"),
        (["log", "note", "mine.py", "text", "--confidence", "HIGH"], "--confidence is for a hypothesis"),
        (["log", "note", "mine.py", "text", "--hypothesis", "H7"], "--hypothesis is 'H7'; there is none, H1 is next"),
        (["log", "note", "mine.py", "text", "--hypothesis"], "--stage is missing: no stage is red"),
    ],
)
def test_bad_arguments_are_named(
    home: Home, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("command", ["stages", "phases", "log"])
def test_an_operation_that_is_not_there(home: Home, capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert main([command, "nothing"]) == 2
    message = capsys.readouterr().err
    assert "nothing is neither a file with a declaration" in message
    assert "variance_w_rm" in message


def test_phases_show_each_result(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["phases", "mine.py", "--upto", "centralized"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    rows = {line.split()[1]: line.split()[3] for line in text.splitlines() if line[:2].strip() in list("-123456")}
    assert (rows["tilize_x"], rows["centralized"], rows["variance"]) == ("exact", "right", "passed")
    change(home, "mine_kernels.py", *WRONG_MEAN)
    assert main(["phases", "mine.py"]) == 1
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80
    assert main(["phases", "mine.py", "--upto", "1"]) == 0
    assert main(["phases", "mine.py", "--upto", "2", "--json"]) == 1
    assert json.loads(capsys.readouterr().out.partition("\n{")[2].join(["{", ""]))["first_wrong"] == "mean"


def test_log_contains_only_stages_that_ran(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", "mine.py"]) == 1
    assert "nothing of mine was run yet" in capsys.readouterr().err
    change(home, "mine_kernels.py", *WRONG_MEAN)
    for stage in ("5", "6", "7"):
        main(["stages", "mine.py", "--stage", stage])
    main(["log", "note", "mine.py", "the factor is 1", "--hypothesis", "--confidence", "HIGH"])
    main(["log", "note", "mine.py", "phase 2 is W times too large", "--hypothesis", "H1"])
    change(home, "mine_kernels.py", *reversed(WRONG_MEAN))
    main(["log", "note", "mine.py", "give it 1/W", "--recovery", "H1", "--file", "mine_kernels.py"])
    main(["stages", "mine.py", "--stage", "7"])
    capsys.readouterr()
    assert main(["log", "mine.py", "--output", "log.md"]) == 0
    text = Path("log.md").read_text()
    assert "| Final status | SUCCESS |" in text
    assert "| Stages | 5, 6, 7 |" in text
    assert "Stage 1" not in text
    assert "numerical_mismatch" in text
    assert "H1: the factor is 1" in text
    assert "H1: give it 1/W" in text
    line = (home.directory / "mine.py").read_text().splitlines().index("    variance = mean(squared)") + 1
    assert f"mine.py:{line}" in text
    assert "None: all 8 CBs have the pages the specification asks for." in text
    assert "| value squared | square(centralized) | HIGH |" in text
    capsys.readouterr()
    assert main(["log", "audit", "log.md"]) == 0
    assert "nothing found" in capsys.readouterr().out


@pytest.fixture
def watched(home: Home) -> Iterator[Callable[[str], str]]:
    """Stage 1 under watch in a process of its own; gives what it prints up to a text."""
    source = str(Path(sys.modules["tilewright"].__file__ or "").parents[1])
    environment = {**os.environ, "PYTHONPATH": source, "NO_COLOR": "1"}
    command = [sys.executable, "-m", "tilewright", "stages", "mine.py", "--stage", "1", "--watch"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None

    def read_until(text: str) -> str:
        read = ""
        while text not in read:
            line = process.stdout.readline() if process.stdout else ""
            assert line, f"it ended: {read}"
            read += line
        return read

    yield read_until
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    process.stdout.close()


def test_watch_runs_again_when_a_file_changes(home: Home, watched: Callable[[str], str]) -> None:
    first = watched("waiting for a change")
    assert "1 of 1 stages pass" in first
    time.sleep(0.1)
    change(home, "mine.py", "from tilewright import Rows", "from nothing_of_that_name import Rows")
    second = watched("waiting for a change")
    assert "changed: mine.py" in second
    assert "import: " in second
    assert "nothing_of_that_name" in second
    change(home, "mine.py", "from nothing_of_that_name import Rows", "from tilewright import Rows")
    third = watched("waiting for a change")
    assert "1 of 1 stages pass" in third
    row = next(line for line in third.splitlines() if line.startswith("1 "))
    assert row.split()[-1] == "3"  # attempts
