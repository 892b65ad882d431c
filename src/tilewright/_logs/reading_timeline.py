# SPDX-License-Identifier: Apache-2.0
"""Stages, attempts and tests in a log."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tilewright._logs.markdown import Code, Field, Item, Paragraph, Row, Section, Table
from tilewright._logs.model import Attempt, Said, Stage, Step, TestCount, TestResult, stage_numbers
from tilewright._logs.vocabulary import status_word

_STAGE = re.compile(r"stage\s+(\d+)\s*: ?(.*)$", re.I | re.S)
_ATTEMPT = re.compile(
    r"(?:attempt\s+(?P<number>\d+)|implementation)(?:\s*\((?P<aside>[^)]*)\))?(?:\s*: ?(?P<title>.*))?$", re.I | re.S
)
_PHASE = re.compile(r"\b(RED|GREEN)\b")


def step_name(name: str) -> str:
    """Which step a name such as ``Host build`` or ``Runtime kernel compilation`` means, or ''."""
    lowered = name.lower()
    if "compil" in lowered:
        return "kernel compilation"
    if re.search(r"\bexecution\b", lowered):
        return "execution"
    return "build" if re.search(r"\bbuild\b", lowered) else ""


@dataclass
class _AttemptDraft:
    number: int
    phase: str
    title: str
    line: int
    heading: str  # the label or heading whose blocks belong to it
    values: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    notes: list[Said] = field(default_factory=list)

    def take(self, name: str, value: str, line: int) -> bool:
        known = _attempt_field(name)
        step = "" if known else step_name(name)
        if step and value:
            self.steps.append(Step(step, value, line))
        elif known:
            self.values[known] = value
            self.lines[known] = line
        return bool(known or step)

    def done(self) -> Attempt:
        return Attempt(
            number=self.number,
            phase=self.phase,
            title=self.title,
            steps=tuple(self.steps),
            notes=tuple(self.notes),
            line=self.line,
            result_line=self.lines.get("result", self.line),
            error_line=self.lines.get("error_type", self.line),
            hypothesis_line=self.lines.get("hypothesis", self.line),
            **self.values,
        )


_ATTEMPT_FIELDS = {
    "action": "action",
    "expected": "expected",
    "actual": "actual",
    "result": "result",
    "error type": "error_type",
    "error summary": "error_summary",
    "root cause hypothesis": "hypothesis",
    "hypothesis": "hypothesis",
    "evidence": "evidence",
    "recovery action": "recovery",
}


def _attempt_field(name: str) -> str:
    return _ATTEMPT_FIELDS.get(name.lower(), "")


def read_stages(sections: Sequence[Section], owned: Sequence[int] = ()) -> tuple[Stage, ...]:
    """Every ``Stage 4: ...`` heading with what stands under it.

    In a log that owns a single stage its attempts may stand under any heading.
    """
    stages = []
    for position, section in enumerate(sections):
        found = _STAGE.match(section.title)
        if found:
            inner = [later for later in sections[position + 1 :] if section.title in later.parents]
            stages.append(_read_stage(int(found.group(1)), found.group(2), section, inner))
    attempts = [section for section in sections if _ATTEMPT.match(section.title)]
    if not stages and attempts and len(owned) == 1:
        heading = Section(attempts[0].parents[-1] if attempts[0].parents else "", 2, attempts[0].line)
        stages.append(_read_stage(owned[0], heading.title, heading, attempts))
    return tuple(stages)


def _read_stage(number: int, title: str, section: Section, inner: Sequence[Section]) -> Stage:
    attempts: list[_AttemptDraft] = []
    status: Said | None = None
    steps: list[Step] = []
    for block in section.blocks:
        if isinstance(block, Field):
            draft = _open_attempt(block.name, block.line, attempts) if not block.value else None
            if draft:
                attempts.append(draft)
            elif re.match(r"(test )?(status|results?)$", block.name, re.I) and block.value:
                status = status or Said(block.value, block.line)
            elif step_name(block.name) and block.value:
                steps.append(Step(step_name(block.name), block.value, block.line))
        elif isinstance(block, Item) and attempts and block.label == attempts[-1].heading:
            _take_sentence(attempts[-1], block)
    for child in inner:
        draft = _open_attempt(child.title, child.line, attempts)
        if draft:
            _fill(draft, child)
            attempts.append(draft)
    return Stage(number, title, status, tuple(draft.done() for draft in attempts), tuple(steps), section.line)


def _open_attempt(name: str, line: int, before: Sequence[_AttemptDraft]) -> _AttemptDraft | None:
    found = _ATTEMPT.match(name)
    if not found:
        return None
    # An implementation without a number belongs to the attempt before it.
    number = int(found["number"]) if found["number"] else before[-1].number if before else 1
    phase = _PHASE.search(found["aside"] or "")
    return _AttemptDraft(number, phase.group(1) if phase else "", found["title"] or "", line, name)


def _take_sentence(attempt: _AttemptDraft, item: Item) -> None:
    name, colon, value = item.text.partition(":")
    if not (colon and attempt.take(name.strip(), value.strip(), item.line)):
        attempt.notes.append(Said(item.text, item.line))


def _fill(attempt: _AttemptDraft, section: Section) -> None:
    for block in section.blocks:
        if isinstance(block, Table) and block.has("field", "value"):
            for row in block.rows:
                attempt.take(row.get("field"), row.get("value"), row.line)
        elif isinstance(block, Field):
            attempt.take(block.name, block.value, block.line)
        elif isinstance(block, Item):
            attempt.notes.append(Said(block.text, block.line))


_TESTS = re.compile(r"^tests?$|tests? status|stage \d+ tests?|test results", re.I)
_LISTED_TEST = re.compile(r"(\S*test_\w+(?:\.py)?)\s*[-:\u2013]\s*(.*)$")
_PYTEST = re.compile(r"(\S+\.py::\S+)\s+(PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS)\b")


def read_tests(sections: Sequence[Section], owned: Sequence[int] = ()) -> tuple[TestResult, ...]:
    """Tests in tables, in lists under a heading about tests, and in pytest's own lines.

    In a log that owns a single stage they are tests of that one, unless they say otherwise.
    """
    only = owned[0] if len(owned) == 1 else None
    return tuple(result for section in sections for result in _section_tests(section, only))


def _section_tests(section: Section, only: int | None) -> Iterator[TestResult]:
    stage = _stage_of(section)
    stage = only if stage is None else stage
    intro = ""
    for block in section.blocks:
        if isinstance(block, Table) and block.has("test") and (block.has("status") or block.has("result")):
            yield from (_test_row(block, row, stage) for row in block.rows)
        elif isinstance(block, Code) and _PYTEST.search(block.text):
            for name, status in _PYTEST.findall(block.text):
                yield TestResult(name, status, _stage_in(name) or stage, line=block.line)
        elif _TESTS.search(section.title):
            if isinstance(block, Paragraph):
                intro = status_word(block.text)
            listed = _LISTED_TEST.match(block.text) if isinstance(block, Item) else None
            if listed:
                status = status_word(listed.group(2)) or intro
                yield TestResult(
                    listed.group(1), status, _stage_in(listed.group(1)) or stage, listed.group(2), block.line
                )


def _test_row(table: Table, row: Row, stage: int | None) -> TestResult:
    name = row.get("test")
    own = row.get("stage")
    # A column for the stage decides, even where it is empty.
    number = (int(own) if own.isdigit() else None) if table.has("stage") else _stage_in(name) or stage
    return TestResult(name, row.get("status", "result"), number, row.get("notes", "description"), row.line)


def _stage_in(name: str) -> int | None:
    found = re.search(r"stage_?(\d+)", name, re.I)
    return int(found.group(1)) if found else None


def _stage_of(section: Section) -> int | None:
    for title in reversed(section.path):
        found = re.match(r"stage\s+(\d+)", title, re.I)
        if found:
            return int(found.group(1))
    return None


def read_test_counts(sections: Sequence[Section]) -> tuple[TestCount, ...]:
    """``8 passed, 1 skipped`` and ``2/2 tests`` where results are given."""
    counts = []
    for section in sections:
        for block in section.blocks:
            if isinstance(block, Field) and re.search(r"results?$", block.name, re.I):
                numbers = stage_numbers(block.name)
                stage = numbers[0] if numbers else _stage_of(section)
                found = _count(block.value, stage, block.line)
                if found:
                    counts.append(found)
    return tuple(counts)


def _count(text: str, stage: int | None, line: int) -> TestCount | None:
    fraction = re.search(r"(\d+)\s*/\s*(\d+)\s+tests?", text)
    if fraction:
        passed, total = map(int, fraction.groups())
        return TestCount(passed, total - passed, 0, stage, line)
    told = {word: int(number) for number, word in re.findall(r"(\d+)\s+(passed|failed|skipped)", text)}
    if not told:
        return None
    return TestCount(told.get("passed", 0), told.get("failed", 0), told.get("skipped", 0), stage, line)
