# SPDX-License-Identifier: Apache-2.0
"""Verdicts of the score on findings."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest

from tests.bugs.corpus.entries import BUGS, CONTROLS
from tests.bugs.corpus.examine import FOUND, MISSED, RULE_ONLY, SHOWN, Check, Finding, examine, verdict_on
from tests.bugs.corpus.model import Launch, named_lines
from tests.bugs.score import main, table

BUG = {bug.id: bug for bug in BUGS}


@dataclasses.dataclass
class Fake:
    rule: str
    kernel: str
    line: int
    called_from: tuple[str, int] | None = None


@dataclasses.dataclass
class Result:
    findings: Sequence[Finding] = ()
    notes: Sequence[Finding] = ()


def checker(*findings: Finding) -> Check:
    return lambda launch: Result(findings)


def line_in(launch: Launch, kernel: str) -> int:
    return next(min(named_lines(k.kernel_source)) for k in launch.program.kernels if k.name == kernel)


def names_its_line(rule: str, kernel: str) -> Check:
    return lambda launch: Result([Fake(rule, kernel, line_in(launch, kernel))])


@pytest.mark.parametrize(
    ("check", "verdict"),
    [
        (names_its_line("noc-push-in-flight", "reader"), FOUND),
        (checker(Fake("noc-push-in-flight", "reader", 1)), RULE_ONLY),
        (checker(Fake("noc-push-in-flight", "writer", 14)), RULE_ONLY),
        (
            lambda launch: Result([Fake("noc-push-in-flight", "reader", 1, ("reader.cpp", line_in(launch, "reader")))]),
            FOUND,
        ),
        (lambda launch: Result(notes=[Fake("noc-push-in-flight", "reader", line_in(launch, "reader"))]), FOUND),
        (names_its_line("noc-exit-in-flight", "reader"), SHOWN),
        (checker(), MISSED),
        (None, MISSED),
    ],
)
def test_a_latent_bug(check: Check | None, verdict: str) -> None:
    bug = BUG["B30"]
    assert verdict_on(bug.rules, examine(bug.build, bug.archs[0], fixed=False, check=check)) == verdict


def test_a_bug_that_shows_by_itself_is_not_missed() -> None:
    for id in ("B01", "B10", "B25", "B80"):  # a hang, an error, wrong output, a refusal
        examined = examine(BUG[id].build, BUG[id].archs[0], fixed=False, check=None)
        assert verdict_on(BUG[id].rules, examined) == SHOWN


def test_a_bug_of_the_host_needs_no_line() -> None:
    bug = BUG["B77"]
    examined = examine(bug.build, bug.archs[0], fixed=False, check=checker(Fake("cache-collision", "", 0)))
    assert verdict_on(bug.rules, examined, in_kernel=False) == FOUND


def test_the_table_counts_bugs_and_false_alarms(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    monkeypatch.setattr("tests.bugs.score.find_check", lambda: checker(Fake("noc-push-in-flight", "reader", 14)))
    assert main(["B30", "FP-3"]) == 0
    last = capsys.readouterr().out.splitlines()[-1].split()
    assert last == ["all", "2", "1", "0", "0", "0", "2", "0"]


def test_a_note_on_a_right_program_is_no_false_alarm(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    note = Result(notes=[Fake("noc-multicast-order", "reader_sender", 1)])
    monkeypatch.setattr("tests.bugs.score.find_check", lambda: lambda launch: note)
    assert main(["FP-3"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split()[-2:] == ["0", "1"]


def test_an_unknown_id_is_refused(capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit):
        main(["B99"])
    assert "there is no B99" in capsys.readouterr().err


def test_an_empty_table_has_its_head() -> None:
    assert table([]).split()[:2] == ["class", "programs"]
    assert len(CONTROLS) == 4
