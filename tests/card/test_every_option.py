# SPDX-License-Identifier: Apache-2.0
"""Every option of check, time, report, debug and exec, for a script of the built-in module and of the real ttnn.

Cases are held against the parsers: an option without a case fails ``test_every_option_has_a_case``.
"""

from __future__ import annotations

import csv
import dataclasses
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tilewright._cli.check_target import exit_status
from tilewright._cli.commands import check_command, debug_command, exec_command, report_command, time_command
from tilewright._cli.main import main

PARSERS = {
    "check": check_command.build_parser(),
    "time": time_command.build_parser(),
    "report": report_command.build_parser(),
    "debug": debug_command.build_parser(),
    "exec": exec_command.build_parser(),
}
PLACES = {"built-in": "tilewright/ttnn.py", "real": "ttnn/__init__.py"}  # with the end of the module's path
COPY = Path(__file__).with_name("both_places") / "script.py"
SCHEDULE = ("hang-missing-producer", 2)  # what is wrong with the copy, and the seed that shows it
UNREAD_ARGUMENT = 77


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a command ended, in a directory of its own."""

    status: int
    output: str
    errors: str
    directory: Path

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.output)
        return found

    def file(self, name: str) -> str:
        return (self.directory / name).read_text(encoding="utf-8")


@dataclasses.dataclass(frozen=True)
class Case:
    """Arguments of a command, and what they do.

    Attributes:
        options: those that the case is about.
        card: whether the real ttnn gets a card of another chip and grid, with command queues;
            others have their own in the script.
        shows: fails where an option did not do what it is for.
        refused: places that refuse the options, with the words.
        needs_torch: golden functions are functions of torch.
    """

    command: str
    options: tuple[str, ...]
    arguments: tuple[str, ...]
    shows: Callable[[Outcome], None] | None = None
    refused: Mapping[str, str] = dataclasses.field(default_factory=dict)
    needs_torch: bool = False
    card: bool = False
    places: tuple[str, ...] = tuple(PLACES)

    def __str__(self) -> str:
        return f"{self.command} {' '.join(self.options)}"


def _is_pass(told: dict[str, Any]) -> None:
    assert (told["verdict"], told["exit_status"], told["launches"]) == ("pass", 0, [])


def shows_tables_and_schedules(outcome: Outcome) -> None:
    said = outcome.json
    assert [(each["rule"], each["seed"]) for each in said["findings"]] == [SCHEDULE]
    ((group,), (footprint,)) = (said["sync"][0]["groups"], said["footprint"][0]["groups"])
    first, unused = group["rows"]
    assert (first["producers"], first["consumers"], first["pushed"]) == (["reader"], ["writer"], 1)
    assert unused["pushed"] == 0
    assert [(row["cb"], row["pages"], row["smallest"]) for row in footprint["rows"]] == [("c_0", 2, 1), ("c_1", 2, 1)]
    (run,) = json.loads(outcome.file("found.sarif"))["runs"]
    assert SCHEDULE[0] in [each["ruleId"] for each in run["results"]]


def shows_words(*words: str) -> Callable[[Outcome], None]:
    def shows(outcome: Outcome) -> None:
        for each in words:
            assert each in outcome.output

    return shows


def says_nothing_of_ttnn(outcome: Outcome) -> None:
    assert "DEBUG" not in outcome.errors
    assert "tilewright:" not in outcome.errors


def shows_one_launch(outcome: Outcome) -> None:
    (launch,) = outcome.json["launches"]
    assert launch["cores"] == 1
    assert 0.5 < launch["microseconds"] < 5


def shows_files_of_the_launch(outcome: Outcome) -> None:
    assert "\n0,0 BRISC " in outcome.output
    assert "a batch of 8: " in outcome.output
    assert {"NocIncrement"} <= {each["name"] for each in json.loads(outcome.file("timeline.json"))["traceEvents"]}
    (row,) = csv.DictReader(outcome.file("launches.csv").splitlines())
    for name in ("INPUT_0", "OUTPUT_0"):
        assert [row[f"{name}_{side}_PAD[LOGICAL]"] for side in "WZYX"] == ["1[1]", "1[1]", "32[32]", "32[32]"]
        assert row[f"{name}_MEMORY"] == "DEV_0_DRAM_INTERLEAVED"


def shows_page(outcome: Outcome) -> None:
    (launch,) = outcome.json["launches"]
    assert (launch["status"], launch["findings"] > 0) == ("ok", True)
    assert "us on a card by the model" in launch["summary"]
    assert SCHEDULE[0] in outcome.file("page.html")


def shows_stops(outcome: Outcome) -> None:
    stops = outcome.json["stops"]
    assert [stop["line"] for stop in stops] == [6, 7]
    assert stops[0]["arguments"]["runtime"][1] == UNREAD_ARGUMENT


def shows_comparison(outcome: Outcome) -> None:
    assert "tilewright compare: " in outcome.errors


CHIP = ("--arch", "blackhole", "--grid", "4x2")
CARD = (*CHIP, "--dispatch", "fast")
FOR_REAL_TTNN = "--arch, --grid, --system and --dispatch are for the real ttnn"
IN_SCRIPT = "is for operations; a script sets it itself"
NO_GOLDEN_FUNCTIONS = {"built-in": "--compare is for "}


def refused_everywhere(command: str, option: str, value: str) -> Case:
    return Case(command, (option,), (option, value), refused=dict.fromkeys(PLACES, f"{option} {IN_SCRIPT}"))


def of_cards(command: str) -> list[Case]:
    """What a script of the built-in module sets itself or has not; cases with ``card`` are those of the real ttnn."""
    chip, queues = {"built-in": f"--arch {IN_SCRIPT}"}, {"built-in": "--dispatch is for the real ttnn"}
    chips = {"built-in": "--system is for the real ttnn"}
    return [
        Case(command, ("--arch", "--grid"), CHIP, refused=chip, places=("built-in",)),
        Case(command, ("--dispatch",), ("--dispatch", "fast"), refused=queues, places=("built-in",)),
        Case(command, ("--system",), ("--system", "1x2"), refused=chips, places=("built-in",)),
    ]


def of_operations(command: str) -> list[Case]:
    given = {"--shape": "32x32", "--dtype": "float32", "--plan": "streaming"}
    return [refused_everywhere(command, *each) for each in given.items()]


CASES = [
    Case(
        "check",
        ("--seeds", "--sync", "--footprint", "--json", "--sarif", "--ttnn"),
        ("--seeds", "6", "--sync", "--footprint", "--json", "--sarif", "found.sarif"),
        shows_tables_and_schedules,
        card=True,
    ),
    Case("check", ("--markdown",), ("--markdown",), shows_words(f"### error: `{SCHEDULE[0]}`")),
    Case("check", ("--fast-check",), ("--fast-check", "--brief"), shows_words(f"error {SCHEDULE[0]}: ", "with seed 2")),
    Case("check", ("--brief",), ("--brief",), shows_words(f"error {SCHEDULE[0]}: ", "with seed 2")),
    Case(
        "check",
        ("--program-cache",),
        ("--program-cache",),
        shows_words(SCHEDULE[0]),
        {"built-in": "--program-cache is for scripts of the real ttnn"},
        needs_torch=True,
    ),
    Case(
        "check",
        ("--mutate",),
        ("--mutate",),
        shows_words(f"which count for no call: {SCHEDULE[0]}", "9 calls removed one at a time: 5 named"),
    ),
    Case(
        "check",
        ("--claims", "--claim-rule"),
        ("--claims", str(COPY.with_name("claims.txt")), "--claim-rule", f"HANG={SCHEDULE[0]}"),
        shows_words(
            "confirmed  writer.cpp:5  HANG",
            f"with seed {SCHEDULE[1]}",
            "refuted  reader.cpp:9  noc-push-in-flight",
            "ordered by noc_async_read_barrier() at reader reader.cpp:8",
        ),
    ),
    Case("check", ("--rules",), ("--rules",), shows_words(f"{SCHEDULE[0]} (error): ")),
    *of_cards("check"),
    *of_operations("check"),
    Case("time", ("--json", "--ttnn"), ("--json",), shows_one_launch),
    Case(
        "time",
        ("--cores", "--timeline", "--launch", "--launches", "--csv", "--batch"),
        (
            "--cores",
            "--timeline",
            "timeline.json",
            "--launch",
            "1",
            "--launches",
            "--csv",
            "launches.csv",
            "--batch",
            "8",
        ),
        shows_files_of_the_launch,
        card=True,
    ),
    *of_cards("time"),
    *of_operations("time"),
    refused_everywhere("time", "--tuned", "best.json"),
    Case("report", ("--output", "--json", "--ttnn"), ("-o", "page.html", "--json"), shows_page, card=True),
    Case("report", ("--compare",), ("--compare",), shows_comparison, NO_GOLDEN_FUNCTIONS, needs_torch=True),
    *of_cards("report"),
    *of_operations("report"),
    Case(
        "debug",
        ("--break", "--json", "--stops", "--step", "--ttnn"),
        ("--break", "reader.cpp:6", "--json", "--stops", "2", "--step"),
        shows_stops,
        card=True,
    ),
    Case(
        "debug",
        ("--do",),
        ("--break", "writer", "--do", "args", "--do", "sem", "--do", "quit"),
        shows_words(f"[1] {UNREAD_ARGUMENT}", "semaphore 0 holds 0", "ended at a stop: writer on core (0,0)"),
    ),
    *of_cards("debug"),
    *of_operations("debug"),
    refused_everywhere("debug", "--tuned", "best.json"),
    Case("exec", ("--json", "--ttnn"), ("--json",), lambda outcome: None),
    Case(
        "exec",
        ("--exit-codes", "--diagnosis", "--time-limit"),
        ("--exit-codes", "--diagnosis", "why.json", "--time-limit", "600"),
        lambda outcome: _is_pass(json.loads(outcome.file("why.json"))),
    ),
    Case("exec", ("--quiet",), ("--quiet",), says_nothing_of_ttnn),
    Case(
        "exec",
        ("--show-programs",),
        ("--show-programs",),
        shows_words("on 1 core\n  writer (RISCV_0, ", f", {UNREAD_ARGUMENT}", "c_1  2 pages of 2048 B at 0x"),
    ),
    Case(
        "exec",
        ("--arch", "--grid", "--system"),
        ("--arch", "blackhole", "--grid", "p150", "--system", "1x2"),
        shows_words("columns 13\n", "devices 2\n"),
        {"built-in": FOR_REAL_TTNN},
    ),
    Case("exec", ("--dispatch",), ("--dispatch", "fast"), shows_words("devices 1\n"), {"built-in": FOR_REAL_TTNN}),
    Case("exec", ("--compare",), ("--compare",), shows_comparison, NO_GOLDEN_FUNCTIONS, needs_torch=True),
]
FINDS = {"check"}  # commands that end with status 1 where something was found


@pytest.mark.parametrize("command", PARSERS)
def test_every_option_has_a_case(command: str) -> None:
    options = {max(action.option_strings, key=len) for action in PARSERS[command]._actions if action.option_strings}
    assert options - {"--help"} == {option for case in CASES if case.command == command for option in case.options}


def cases(is_refused: bool) -> pytest.MarkDecorator:
    pairs = [(case, place) for case in CASES for place in case.places if (place in case.refused) is is_refused]
    return pytest.mark.parametrize(("case", "place"), pairs, ids=[f"{case} {place}" for case, place in pairs])


@cases(is_refused=True)
def test_an_option_is_refused(
    case: Case, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        status = main([case.command, "--ttnn", place, *case.arguments, str(COPY)])
    except SystemExit as ended:
        status = exit_status(ended)
    assert status == 2
    assert case.refused[place] in capsys.readouterr().err


@cases(is_refused=False)
def test_an_option_works(
    case: Case, place: str, request: pytest.FixtureRequest, card_environment: dict[str, str], tmp_path: Path
) -> None:
    arguments = (*case.arguments, *(CARD if case.card and place == "real" else ()))
    outcome = run(case.command, arguments, place, request, card_environment, tmp_path, case.needs_torch)
    expected = int(case.command in FINDS and "--rules" not in case.options)
    assert outcome.status == expected, outcome.errors
    assert case.shows is not None
    case.shows(outcome)
    if not {"--do", "--rules"} & {*case.options}:  # which end before the script's last line
        assert f"{PLACES[place]}\n" in outcome.output + outcome.errors
        assert "sum 1024.0\n" in outcome.output + outcome.errors
        if case.card:
            assert f"columns {4 if place == 'real' else 8}\n" in outcome.output + outcome.errors


@pytest.mark.parametrize("place", PLACES)
def test_records_are_kept_and_timed_later(
    place: str, request: pytest.FixtureRequest, card_environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "records").mkdir()
    recording = {**card_environment, "TILEWRIGHT_RECORDS": "records"}
    assert run("exec", (), place, request, recording, tmp_path).status == 0
    command = [sys.executable, "-m", "tilewright", "time", "records", "--json"]
    timed = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=card_environment, check=False)
    assert [launch["kernels"] for launch in json.loads(timed.stdout)["launches"]] == ["reader, writer"]


def run(
    command: str,
    arguments: tuple[str, ...],
    place: str,
    request: pytest.FixtureRequest,
    environment: dict[str, str],
    directory: Path,
    needs_torch: bool = False,
) -> Outcome:
    """Run a command on the copy with the ttnn of a place."""
    python = sys.executable
    if place == "real":
        python = request.getfixturevalue("real_ttnn_with_torch" if needs_torch else "real_ttnn")
    words = [python, "-m", "tilewright", command, "--ttnn", place, *arguments, str(COPY)]
    result = subprocess.run(
        words,
        capture_output=True,
        text=True,
        cwd=directory,
        env=environment,
        timeout=600,
        check=False,
    )
    return Outcome(result.returncode, result.stdout, result.stderr, directory)
