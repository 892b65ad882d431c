# SPDX-License-Identifier: Apache-2.0
"""The content of an execution log, each fact with its line, and the meaning of status words.

Lines take no part in comparisons: two logs are equal when they say the same.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tilewright._logs.events import Entry, Said

METADATA = {
    **{"operation": "Operation", "agent": "Agent", "stages": "Stages", "date": "Date", "inputs": "Input files"},
    **{"predecessor": "Predecessor", "status": "Final status", "attempts": "Total attempts", "commit": "Final commit"},
}


@dataclass(frozen=True)
class StageRecord:
    """One stage of the timeline. An attempt has its number, its phase (RED, GREEN) and the fields of the schema."""

    number: int
    title: str = ""
    status: Said | None = None
    attempts: tuple[Entry, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class ExecutionLog:
    """One execution log.

    Attributes:
        rows: of its tables and lists, by event. Besides the tables of the schema: ``test_count``, ``attempt_count``,
            ``step``, and the sentences ``handoff``, ``note`` (the summary), ``denial`` (there are no deviations) and
            ``promise`` (commits are still to be made).
        prose: every sentence that stands in no table.
        parts: the parts that it has a heading for.
    """

    metadata: Mapping[str, Said] = field(default_factory=dict)
    stages: tuple[StageRecord, ...] = ()
    rows: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)
    prose: tuple[Said, ...] = field(default=(), compare=False)
    parts: frozenset[str] = field(default=frozenset(), compare=False)

    def of(self, event: str) -> tuple[Entry, ...]:
        """The rows of one table or list."""
        return self.rows.get(event, ())

    def stage(self, number: int | None) -> StageRecord | None:
        """The timeline's record of a stage."""
        return next((stage for stage in self.stages if stage.number == number), None)

    @property
    def attempts(self) -> tuple[tuple[StageRecord, Entry], ...]:
        """Every attempt with its stage."""
        return tuple((stage, attempt) for stage in self.stages for attempt in stage.attempts)

    @property
    def stage_numbers(self) -> tuple[int, ...]:
        """The stages the log owns."""
        return stage_numbers(self.metadata["stages"].text) if "stages" in self.metadata else ()

    @property
    def has_succeeded(self) -> bool:
        """Whether its final status is a success."""
        return "status" in self.metadata and outlook(self.metadata["status"].text) is Outlook.PASSED

    @property
    def buffers(self) -> dict[str, Entry]:
        """The configured circular buffers by their index; the first row of each counts."""
        found: dict[str, Entry] = {}
        for row in self.of("cb_config"):
            found.setdefault(row.text("index"), row)
        return found

    def as_json(self) -> dict[str, object]:
        """The log as plain values."""
        return {
            "metadata": {name: fact.text for name, fact in self.metadata.items()},
            "stages": [
                {
                    "number": stage.number,
                    "title": stage.title,
                    "status": stage.status.text if stage.status else "",
                    "attempts": [dict(attempt.fields) for attempt in stage.attempts],
                }
                for stage in self.stages
            ],
            **{event: [dict(row.fields) for row in rows] for event, rows in self.rows.items()},
        }


def by_event(rows: Iterable[Entry]) -> dict[str, tuple[Entry, ...]]:
    """Rows sorted into their tables."""
    found: dict[str, list[Entry]] = {}
    for row in rows:
        found.setdefault(row.event, []).append(row)
    return {event: tuple(each) for event, each in found.items()}


def stage_numbers(text: str) -> tuple[int, ...]:
    """The numbers in ``4, 5, 6``, ``4-6`` or ``Stages 4-5``.

    >>> stage_numbers("4-6"), stage_numbers("4, 7"), stage_numbers("Stages 1\u20133")
    ((4, 5, 6), (4, 7), (1, 2, 3))
    """
    numbers: list[int] = []
    for first, last in re.findall(r"(\d+)(?:\s*[-\u2013]\s*(\d+))?", text):
        numbers += range(int(first), int(last or first) + 1)
    return tuple(dict.fromkeys(numbers))


class Outlook(enum.Enum):
    """The meaning of a status word."""

    PASSED = "passed"
    UNVERIFIED = "unverified"
    FAILED = "failed"


_OUTLOOKS = {
    Outlook.PASSED: "SUCCESSFUL SUCCESS COMPLETED COMPLETE PASSED PASSES PASS OK",
    Outlook.FAILED: "UNRESOLVED TIMEOUT FAILED FAIL HANGS HANG ERROR",
    Outlook.UNVERIFIED: "NEEDS_VERIFICATION INCONCLUSIVE INCOMPLETE NOT_RUN SKIPPED SKIP BLOCKED PARTIAL PENDING "
    "ISSUES XFAIL WIP",
}
_OUTLOOK_OF = {word: outlook for outlook, words in _OUTLOOKS.items() for word in words.split()}
_STATUS_WORD = re.compile(
    r"(?<![A-Za-z_])(" + "|".join(word.replace("_", "[_ ]") for word in _OUTLOOK_OF) + r")(?![A-Za-z_])"
)


def status_word(text: str) -> str:
    """The first status word written in capitals, or ''.

    >>> status_word("✅ PASS (2/2 tests)")
    'PASS'
    """
    found = _STATUS_WORD.search(text)
    return found.group(1) if found else ""


def outlook(text: str) -> Outlook | None:
    """The meaning of a status, or None if it has none.

    >>> outlook("PARTIAL (stages 4-5 COMPLETE)")
    <Outlook.UNVERIFIED: 'unverified'>
    """
    word = status_word(text)
    if word:
        return _OUTLOOK_OF[word.replace(" ", "_")]
    marks = {"✅": Outlook.PASSED, "❌": Outlook.FAILED, "⚠": Outlook.UNVERIFIED}
    return next((marks[mark] for mark in marks if mark in text), None)


def begins_with(text: str, words: Iterable[str]) -> bool:
    """Whether a text begins with one of the words, in capitals or not; a past tense is the word too.

    >>> begins_with("PASSED (2/2)", ["PASS", "FAIL"]), begins_with("ISSUES", ["PASS", "FAIL"])
    (True, False)
    """
    begin = re.sub(r"^[^A-Za-z]+", "", text)
    return any(re.match(rf"{re.escape(word)}(ed|ped)?(?![A-Za-z_])", begin, re.I) for word in words)
