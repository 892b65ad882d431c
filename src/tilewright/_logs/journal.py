# SPDX-License-Identifier: Apache-2.0
"""The journal of a debugging session: symptoms, observations, hypotheses, experiments, conclusions.

It keeps the person honest: an observation needs its proof, a hypothesis says what would falsify it, only one
experiment is open at a time and none is repeated, and a conclusion cites the observations it rests on.

The file is JSON lines, each with ``ts``, ``kind``, ``id`` (``S1``, ``O1``, ``H1``, ``E1``, ``C1``; ``R1`` closes one)
and what that kind says.

>>> import tempfile, pathlib
>>> journal = Journal(pathlib.Path(tempfile.mkdtemp()) / "scale_debug.jsonl")
>>> journal.symptom("the run hangs at 64x64")
'S1'
>>> journal.observation("compute waits in cb_reserve_back(c_1)", proof="tilewright check, kernels.py:41")
'O1'
>>> journal.hypothesis("c_1 is never popped", falsify_by="pages of c_1 after row 0", confidence=0.6, support=["O1"])
'H1'
>>> journal.experiment("H1", "pop c_1 after the subtraction", expected="row 1 starts")
'E1'
>>> journal.observation("64x64 runs to the end", proof="test_two_rows passed")
'O2'
>>> journal.close("E1", "SUPPORTED", observations=["O2"], confidence=0.9)
>>> journal.conclusion("sub kept its first operand", hypothesis="H1", observations=["O1", "O2"])
'C1'
>>> journal.state().stop_reason()
'H1 is supported with confidence 0.9'
"""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tilewright._errors import TilewrightError
from tilewright._logs.json_lines import locked, read_lines, write_line
from tilewright._logs.model import Said

OUTCOMES = ("SUPPORTED", "FALSIFIED", "INCONCLUSIVE")
ENOUGH_CONFIDENCE = 0.8
MOST_EXPERIMENTS = 10
MOST_INCONCLUSIVE = 3

_LETTERS = {
    "symptom": "S",
    "observation": "O",
    "hypothesis": "H",
    "experiment": "E",
    "result": "R",
    "conclusion": "C",
}


class JournalError(TilewrightError):
    """An entry that breaks a rule of the journal; the message says which."""

    exit_status = 2


@dataclass(frozen=True)
class Entry:
    """One line of the journal."""

    kind: str
    id: str
    says: Mapping[str, object]
    time: str = ""
    line: int = field(default=0, compare=False)

    def text(self, name: str) -> str:
        return str(self.says.get(name, ""))


@dataclass(frozen=True)
class JournalState:
    """The journal so far, and the lines of its file that could not be read."""

    entries: tuple[Entry, ...] = ()
    problems: tuple[Said, ...] = ()

    def of(self, kind: str) -> tuple[Entry, ...]:
        """The entries of one kind, in order."""
        return tuple(entry for entry in self.entries if entry.kind == kind)

    def ids(self, kind: str) -> tuple[str, ...]:
        return tuple(entry.id for entry in self.of(kind))

    def result_of(self, experiment: str) -> Entry | None:
        """How an experiment ended, None while it is open."""
        return next((entry for entry in self.of("result") if entry.text("experiment") == experiment), None)

    @property
    def open_experiment(self) -> Entry | None:
        """The experiment that has no result yet."""
        return next((entry for entry in self.of("experiment") if self.result_of(entry.id) is None), None)

    def hypothesis_status(self, hypothesis: str) -> str:
        """SUPPORTED, FALSIFIED or INCONCLUSIVE by its last experiment, or OPEN."""
        last = self._last_result(hypothesis)
        return last.text("outcome") if last else "OPEN"

    def confidence(self, hypothesis: str) -> float:
        """What is thought of a hypothesis now: after its last experiment, else as it was proposed."""
        last = self._last_result(hypothesis)
        proposed = next(entry for entry in self.of("hypothesis") if entry.id == hypothesis)
        told = last.says.get("confidence") if last else None
        return _number(told if told is not None else proposed.says.get("confidence"))

    def _last_result(self, hypothesis: str) -> Entry | None:
        experiments = [entry.id for entry in self.of("experiment") if entry.text("hypothesis") == hypothesis]
        results = [entry for entry in self.of("result") if entry.text("experiment") in experiments]
        return results[-1] if results else None

    def stop_reason(self) -> str:
        """Why there is no sense in another experiment, or ''."""
        for hypothesis in self.ids("hypothesis"):
            confidence = self.confidence(hypothesis)
            if self.hypothesis_status(hypothesis) == "SUPPORTED" and confidence >= ENOUGH_CONFIDENCE:
                return f"{hypothesis} is supported with confidence {confidence:g}"
        outcomes = [entry.text("outcome") for entry in self.of("result")]
        if outcomes[-MOST_INCONCLUSIVE:] == ["INCONCLUSIVE"] * MOST_INCONCLUSIVE:
            return f"{MOST_INCONCLUSIVE} experiments in a row were inconclusive: look from another side"
        if len(outcomes) >= MOST_EXPERIMENTS:
            return f"{len(outcomes)} experiments were made: hand over what is known"
        return ""


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")


class Journal:
    """The journal of one operation, kept in a file that is written entry by entry."""

    def __init__(self, path: str | os.PathLike[str], clock: Callable[[], str] = _now) -> None:
        self.path = Path(path)
        self._clock = clock

    def symptom(self, text: str) -> str:
        """What is wrong, as seen from outside."""
        return self._append("symptom", lambda state: _check_texts("symptom", text=text), text=text)

    def observation(self, text: str, proof: str) -> str:
        """What was seen, and what shows it: a command and its output, a file and line, a finding of the checker."""
        return self._append(
            "observation", lambda state: _check_texts("observation", text=text, proof=proof), text=text, proof=proof
        )

    def hypothesis(self, claim: str, falsify_by: str, confidence: float, support: Sequence[str] = ()) -> str:
        """What may be the cause, what would show that it is not, and the observations that speak for it."""

        def check(state: JournalState) -> None:
            _check_texts("hypothesis", claim=claim, falsify_by=falsify_by)
            _check_confidence(confidence)
            _check_ids(state, "observation", "support", support)

        return self._append(
            "hypothesis", check, claim=claim, falsify_by=falsify_by, confidence=confidence, support=list(support)
        )

    def experiment(self, hypothesis: str, action: str, expected: str) -> str:
        """One change or measurement that tests one hypothesis. The one before it must be closed."""

        def check(state: JournalState) -> None:
            _check_texts("experiment", action=action, expected=expected)
            _check_ids(state, "hypothesis", "hypothesis", [hypothesis])
            if state.open_experiment:
                raise JournalError(f"{state.open_experiment.id} is still open: close it before the next experiment")
            same = [entry.id for entry in state.of("experiment") if entry.text("action").split() == action.split()]
            if same:
                raise JournalError(f"experiment: action is that of {same[0]}, which has its result already")

        return self._append("experiment", check, hypothesis=hypothesis, action=action, expected=expected)

    def close(
        self, experiment: str, outcome: str, observations: Sequence[str], confidence: float | None = None
    ) -> None:
        """How the open experiment ended, by which observations, and what is thought of its hypothesis now."""

        def check(state: JournalState) -> None:
            is_open = state.open_experiment
            if not is_open or is_open.id != experiment:
                there = f"{is_open.id} is" if is_open else "none is"
                raise JournalError(f"close: experiment is {experiment!r}; {there} open")
            if outcome not in OUTCOMES:
                raise JournalError(f"close: outcome is {outcome!r}; it must be one of {', '.join(OUTCOMES)}")
            _check_cited(state, "close", observations)
            if confidence is not None:
                _check_confidence(confidence)

        told = {} if confidence is None else {"confidence": confidence}
        self._append("result", check, experiment=experiment, outcome=outcome, observations=list(observations), **told)

    def conclusion(self, text: str, observations: Sequence[str], hypothesis: str | None = None) -> str:
        """What is now known, and the observations it rests on."""

        def check(state: JournalState) -> None:
            _check_texts("conclusion", text=text)
            _check_cited(state, "conclusion", observations)
            if hypothesis is not None:
                _check_ids(state, "hypothesis", "hypothesis", [hypothesis])
                if state.hypothesis_status(hypothesis) == "FALSIFIED":
                    raise JournalError(f"conclusion: {hypothesis} was falsified; it explains nothing")

        told = {} if hypothesis is None else {"hypothesis": hypothesis}
        return self._append("conclusion", check, text=text, observations=list(observations), **told)

    def state(self) -> JournalState:
        """The journal as it stands in its file."""
        entries: list[Entry] = []
        problems: list[Said] = []
        for line in read_lines(self.path):
            record = dict(line.value) if isinstance(line.value, dict) else {}
            if all(isinstance(record.get(name), str) for name in ("kind", "id")) and record["kind"] in _LETTERS:
                kind, number, time = (str(record.pop(name, "")) for name in ("kind", "id", "ts"))
                entries.append(Entry(kind, number, record, time, line.number))
            else:
                problems.append(Said(f"not an entry of a journal: {line.text}", line.number))
        return JournalState(tuple(entries), tuple(problems))

    def _append(self, kind: str, check: Callable[[JournalState], None], **says: object) -> str:
        with locked(self.path) as descriptor:
            state = self.state()
            check(state)
            number = f"{_LETTERS[kind]}{len(state.of(kind)) + 1}"
            record = {"ts": self._clock(), "kind": kind, "id": number, **says}
            write_line(descriptor, json.dumps(record, ensure_ascii=False))
        return number


def _check_texts(kind: str, **texts: str) -> None:
    for name, text in texts.items():
        if not text.strip():
            raise JournalError(f"{kind}: {name} is empty")


def _check_confidence(confidence: float) -> None:
    if not 0 <= confidence <= 1:
        raise JournalError(f"confidence is {confidence}; it must be between 0 and 1")


def _check_ids(state: JournalState, kind: str, name: str, given: Sequence[str]) -> None:
    known = state.ids(kind)
    for entry in given:
        if entry not in known:
            raise JournalError(f"{name} names {entry!r}; there is {', '.join(known) or f'no {kind} yet'}")


def _check_cited(state: JournalState, kind: str, observations: Sequence[str]) -> None:
    if not observations:
        raise JournalError(f"{kind}: observations is empty; it must cite at least one, such as O1")
    _check_ids(state, "observation", "observations", observations)
