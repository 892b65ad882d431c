# SPDX-License-Identifier: Apache-2.0
"""Every place in a log that says how a stage ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tilewright._logs.model import ExecutionLog, Said, Stage, stage_numbers
from tilewright._logs.vocabulary import Verdict, verdict

_STAGES = r"stages?\s+(\d+(?:\s*[-\u2013,]\s*\d+)*)"
_ABOUT = re.compile(rf"\W*{_STAGES}\b", re.I)
_TRAILER = re.compile(r"stage\s*(\d+)\s*=\s*(\w+(?: RUN)?)", re.I)


@dataclass(frozen=True)
class StageClaim:
    """What one line says of one stage. A commit's claim is history: the stage may have moved on."""

    stage: int
    verdict: Verdict
    words: str
    line: int
    from_commit: bool = False


def stage_claims(log: ExecutionLog) -> list[StageClaim]:
    """What a log says of its stages, everywhere it says so."""
    return [
        *_metadata_claims(log),
        *(claim for stage in log.stages for claim in _stage_claims(stage)),
        *(claim for said in log.summary for claim in _summary_claims(said)),
        *_test_claims(log),
        *_commit_claims(log),
    ]


def has_passing_test(log: ExecutionLog, stage: int) -> bool:
    """Whether a test of the stage is said to have passed."""
    return any(test.stage == stage and verdict(test.status) is Verdict.PASSED for test in log.tests) or any(
        count.stage == stage and count.passed for count in log.test_counts
    )


def has_test_result(log: ExecutionLog, stage: int) -> bool:
    """Whether any test of the stage has a result."""
    return any(test.stage == stage and test.status for test in log.tests) or any(
        count.stage == stage and count.total for count in log.test_counts
    )


def _claims(numbers: tuple[int, ...], text: str, line: int) -> Iterator[StageClaim]:
    found = verdict(text)
    if found:
        for number in numbers:
            yield StageClaim(number, found, text.strip(), line)


def _metadata_claims(log: ExecutionLog) -> Iterator[StageClaim]:
    status = log.metadata.status
    if not status:
        return
    if verdict(status.text) is Verdict.PASSED:
        yield from _claims(log.metadata.stage_numbers, status.text, status.line)
    for numbers, words in re.findall(rf"{_STAGES}\s+([A-Za-z_]+)", status.text, re.I):
        yield from _claims(stage_numbers(numbers), words.upper(), status.line)


def _stage_claims(stage: Stage) -> Iterator[StageClaim]:
    aside = re.search(r"\(([^()]*)\)\s*$", stage.title)
    if aside and verdict(aside.group(1)):
        yield from _claims((stage.number,), aside.group(1), stage.line)
    if stage.status:
        yield from _claims((stage.number,), stage.status.text, stage.status.line)
        return
    results = [attempt for attempt in stage.attempts if attempt.result and attempt.phase != "RED"]
    if results:
        yield from _claims((stage.number,), results[-1].result, results[-1].result_line)


def _summary_claims(said: Said) -> Iterator[StageClaim]:
    about = _ABOUT.match(said.text)
    if about:
        yield from _claims(stage_numbers(about.group(1)), said.text, said.line)


def _test_claims(log: ExecutionLog) -> Iterator[StageClaim]:
    for test in log.tests:
        # A test that passes or is skipped says nothing of the others; one that fails does.
        if test.stage is not None and verdict(test.status) is not Verdict.PASSED and "SKIP" not in test.status.upper():
            yield from _claims((test.stage,), test.status, test.line)
    for count in log.test_counts:
        if count.stage is not None and count.failed:
            yield StageClaim(count.stage, Verdict.FAILED, f"{count.failed} failed", count.line)


def _commit_claims(log: ExecutionLog) -> Iterator[StageClaim]:
    last: dict[int, StageClaim] = {}
    for commit in log.commits:
        for number, word in _TRAILER.findall(commit.tests):
            found = verdict(word.upper())
            if found:
                last[int(number)] = StageClaim(int(number), found, word, commit.line, from_commit=True)
    yield from last.values()
