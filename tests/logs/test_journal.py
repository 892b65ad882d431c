# SPDX-License-Identifier: Apache-2.0
"""The debug journal: its rules, its file, and when to stop."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tilewright._logs.journal import Journal, JournalError


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "debug.jsonl", clock=lambda: "2026-01-21T12:00:00+00:00")


@pytest.fixture
def begun(journal: Journal) -> Journal:
    """A journal with a symptom, an observation, a hypothesis and its open experiment."""
    journal.symptom("hangs")
    journal.observation("compute waits for c_3", proof="check, kernels.py:12")
    journal.hypothesis("the mean is popped per tile", falsify_by="count pops", confidence=0.5, support=["O1"])
    journal.experiment("H1", "pop the mean once", expected="Wt=2 runs")
    return journal


def test_entries_are_numbered_by_kind_and_kept_in_the_file(begun: Journal) -> None:
    records = [json.loads(line) for line in begun.path.read_text().splitlines()]
    assert [record["id"] for record in records] == ["S1", "O1", "H1", "E1"]
    assert records[3] == {
        "ts": "2026-01-21T12:00:00+00:00",
        "kind": "experiment",
        "id": "E1",
        "hypothesis": "H1",
        "action": "pop the mean once",
        "expected": "Wt=2 runs",
    }
    assert Journal(begun.path).state().entries == begun.state().entries
    assert begun.symptom("also hangs at 64x64") == "S2"


def test_only_one_experiment_is_open_at_a_time(begun: Journal) -> None:
    with pytest.raises(JournalError, match="E1 is still open"):
        begun.experiment("H1", "count the pops", expected="2")
    begun.close("E1", "INCONCLUSIVE", ["O1"])
    assert begun.experiment("H1", "count the pops", expected="2") == "E2"


def test_no_experiment_is_repeated(begun: Journal) -> None:
    begun.close("E1", "FALSIFIED", ["O1"])
    with pytest.raises(JournalError, match="action is that of E1"):
        begun.experiment("H1", "pop the  mean once", expected="something else")


def test_a_conclusion_cites_observations(begun: Journal) -> None:
    with pytest.raises(JournalError, match="conclusion: observations is empty"):
        begun.conclusion("it is the pop", observations=[])
    with pytest.raises(JournalError, match="observations names 'O7'; there is O1"):
        begun.conclusion("it is the pop", observations=["O7"])
    assert begun.conclusion("it is the pop", observations=["O1"], hypothesis="H1") == "C1"


def test_a_falsified_hypothesis_explains_nothing(begun: Journal) -> None:
    begun.close("E1", "FALSIFIED", ["O1"])
    assert begun.state().hypothesis_status("H1") == "FALSIFIED"
    with pytest.raises(JournalError, match="H1 was falsified"):
        begun.conclusion("it is the pop", observations=["O1"], hypothesis="H1")


def test_bad_entries_are_refused_and_leave_no_line(begun: Journal) -> None:
    before = begun.path.read_bytes()
    with pytest.raises(JournalError, match="observation: proof is empty"):
        begun.observation("I think so", proof=" ")
    with pytest.raises(JournalError, match="confidence is 80; it must be between 0 and 1"):
        begun.hypothesis("c", falsify_by="f", confidence=80)
    with pytest.raises(JournalError, match="falsify_by is empty"):
        begun.hypothesis("c", falsify_by="", confidence=0.1)
    with pytest.raises(JournalError, match="support names 'O9'"):
        begun.hypothesis("c", falsify_by="f", confidence=0.1, support=["O9"])
    with pytest.raises(JournalError, match="outcome is 'MAYBE'; it must be one of SUPPORTED"):
        begun.close("E1", "MAYBE", ["O1"])
    with pytest.raises(JournalError, match="experiment is 'E2'; E1 is open"):
        begun.close("E2", "SUPPORTED", ["O1"])
    with pytest.raises(JournalError, match="close: observations is empty"):
        begun.close("E1", "SUPPORTED", [])
    assert begun.path.read_bytes() == before


def test_an_experiment_needs_a_hypothesis(journal: Journal) -> None:
    with pytest.raises(JournalError, match="hypothesis names 'H1'; there is no hypothesis yet"):
        journal.experiment("H1", "a", expected="e")
    with pytest.raises(JournalError, match="none is open"):
        journal.close("E1", "SUPPORTED", ["O1"])


def test_a_supported_hypothesis_ends_it(begun: Journal) -> None:
    assert begun.state().stop_reason() == ""
    begun.close("E1", "SUPPORTED", ["O1"], confidence=0.7)
    assert begun.state().stop_reason() == ""
    begun.experiment("H1", "run four widths", expected="all run")
    begun.close("E2", "SUPPORTED", ["O1"], confidence=0.8)
    assert begun.state().stop_reason() == "H1 is supported with confidence 0.8"


def test_experiments_that_lead_nowhere_end_it(begun: Journal) -> None:
    for number in range(1, 4):
        assert begun.state().stop_reason() == ""
        begun.close(f"E{number}", "INCONCLUSIVE", ["O1"])
        if number < 3:
            begun.experiment("H1", f"try {number}", expected="e")
    assert begun.state().stop_reason().startswith("3 experiments in a row were inconclusive")


def test_ten_experiments_end_it(begun: Journal) -> None:
    for number in range(1, 11):
        begun.close(f"E{number}", "FALSIFIED", ["O1"])
        if number < 10:
            begun.experiment("H1", f"try {number}", expected="e")
    assert begun.state().stop_reason() == "10 experiments were made: hand over what is known"


def test_a_torn_line_is_reported(begun: Journal) -> None:
    with begun.path.open("a") as file:
        file.write('{"kind": "obs')
    begun.observation("after the crash", proof="p")
    state = begun.state()
    assert [problem.line for problem in state.problems] == [5]
    assert state.ids("observation") == ("O1", "O2")
