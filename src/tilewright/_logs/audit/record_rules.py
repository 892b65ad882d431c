# SPDX-License-Identifier: Apache-2.0
"""Rules about the record itself: its words, its parts, files, commits, hypotheses, compliance."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tilewright._logs.audit.finding import Case, Hit, rule
from tilewright._logs.vocabulary import (
    CONFIDENCES,
    DIRECTIVES,
    ERROR_TYPES,
    RESULT_STATUSES,
    error_types,
    is_final_status,
    is_result_status,
    status_word,
)

_REQUIRED_PARTS = {
    "input interpretation": "a table of what was read from the specification, with a confidence for each field",
    "timeline": "a timeline of the stages",
    "test results": "test results",
    "deviations": "deviations, or that there are none",
    "artifacts": "the files created and modified",
    "hand-over": "hand-over notes",
    "git history": "the commits",
}

# What a log about the program factory or its stubs must have besides.
_FACTORY_PARTS = {
    "circular buffers": "the configuration of the circular buffers",
    "cb synchronization": "a check of pushes against pops",
}


def _builds_factory(case: Case) -> bool:
    told = {stage.number for stage in case.log.stages} | {test.stage for test in case.log.tests}
    return not {5, 6}.isdisjoint({*case.log.metadata.stage_numbers} or told)


@rule("section-missing", "a part every execution log must have")
def section_missing(case: Case) -> Iterator[Hit]:
    if not case.log.metadata.operation:
        yield (1,), "the log does not name its operation"
    if not case.log.metadata.status:
        yield (1,), "the log has no final status"
    present = {*case.log.sections}
    if case.log.buffers:
        present.add("circular buffers")
    if case.log.sync_tables:
        present.add("cb synchronization")
    if case.log.tests or case.log.test_counts:
        present.add("test results")
    if case.log.commits:
        present.add("git history")
    required = _REQUIRED_PARTS | (_FACTORY_PARTS if _builds_factory(case) else {})
    for part, description in required.items():
        if part not in present:
            yield (1,), f"the log lacks {description}"


@rule("vocabulary", "a status, error type, confidence or directive outside the vocabulary")
def vocabulary(case: Case) -> Iterator[Hit]:
    yield from _error_words(case)
    yield from _status_words(case)
    for entry in case.log.inputs:
        if entry.confidence and entry.confidence.upper() not in CONFIDENCES:
            yield (entry.line,), f"confidence {entry.confidence!r}; the words are {', '.join(CONFIDENCES)}"
    for row in case.log.compliance:
        if not row.directive.upper().startswith(DIRECTIVES):
            yield (row.line,), f"directive {row.directive!r}; the words are {', '.join(DIRECTIVES)}"


def _error_words(case: Case) -> Iterator[Hit]:
    told = [(row.error_type, row.line) for row in case.log.recovery]
    told += [(attempt.error_type, attempt.error_line) for stage in case.log.stages for attempt in stage.attempts]
    for text, line in told:
        for word in error_types(text):
            if word not in ERROR_TYPES:
                yield (line,), f"error type {word!r}; the words are {', '.join(ERROR_TYPES)}"


def _status_words(case: Case) -> Iterator[Hit]:
    log = case.log
    final = log.metadata.status
    if final and not is_final_status(final.text):
        yield (final.line,), f"final status {final.text!r}; the words are SUCCESS, PARTIAL, FAILED"
    told = [(step.status, step.line) for step in log.steps]
    told += [(test.status, test.line) for test in log.tests if test.status]
    for stage in log.stages:
        told += [(stage.status.text, stage.status.line)] if stage.status else []
        told += [(step.status, step.line) for step in stage.steps]
        told += [(step.status, step.line) for attempt in stage.attempts for step in attempt.steps]
    for text, line in told:
        if not is_result_status(text) and not is_result_status(status_word(text)):
            yield (line,), f"status {status_word(text) or text!r}; the words are {', '.join(RESULT_STATUSES)}"


@rule("hypothesis-gap", "hypotheses whose numbers leave one out")
def hypothesis_gap(case: Case) -> Iterator[Hit]:
    lines = {int(said.text[1:]): said.line for said in reversed(case.log.hypotheses)}
    missing = [number for number in range(1, max(lines, default=0)) if number not in lines]
    if missing:
        names = ", ".join(f"H{number}" for number in missing)
        there = ", ".join(f"H{number}" for number in sorted(lines))
        yield sorted(lines.values()), f"{names} is missing: the log has {there}"


@rule("hypothesis-reused", "one number for two different hypotheses")
def hypothesis_reused(case: Case) -> Iterator[Hit]:
    first: dict[str, tuple[set[str], int]] = {}
    for stage in case.log.stages:
        for attempt in stage.attempts:
            for number, claim in re.findall(r"\b(H\d+)\s*:\s*(.*)", attempt.hypothesis):
                words = set(re.findall(r"\w+", claim.lower()))
                before, line = first.setdefault(number, (words, attempt.hypothesis_line))
                # The same thought may be worded twice; half of the words in common is still the same thought.
                if line != attempt.hypothesis_line and 2 * len(before & words) < min(len(before), len(words)):
                    yield (line, attempt.hypothesis_line), f"{number} stands for two different hypotheses"


@rule("created-and-modified", "a file listed both as created and as modified")
def created_and_modified(case: Case) -> Iterator[Hit]:
    created = {entry.path: entry.line for entry in case.log.artifacts if entry.change == "created"}
    for entry in case.log.artifacts:
        if entry.change == "modified" and entry.path in created:
            yield (created[entry.path], entry.line), f"{_name(entry.path)} is listed as created and as modified"
        elif entry.change == "modified" and re.match(r"\W*new file\b", entry.notes, re.I):
            yield (entry.line,), f"{_name(entry.path)} is a new file and listed as modified"


@rule("modified-unchanged", "a file listed among the changed ones of which it says that nothing changed")
def modified_unchanged(case: Case) -> Iterator[Hit]:
    for entry in case.log.artifacts:
        if re.match(r"\W*(unchanged|no changes?)\b", entry.notes, re.I):
            yield (entry.line,), f"{_name(entry.path)} is listed as changed, and said not to have changed"


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


@rule("commit-promised", "commits that are still to be made")
def commit_promised(case: Case) -> Iterator[Hit]:
    for said in case.log.promises:
        there = "" if case.log.commits else ", and the log has none"
        yield (said.line,), f"commits are announced instead of recorded{there}"


@rule("commit-unknown", "a final commit that is not among the commits")
def commit_unknown(case: Case) -> Iterator[Hit]:
    final = case.log.metadata.commit
    known = [commit.sha.strip() for commit in case.log.commits]
    if final and not any(sha.startswith(final.text) or final.text.startswith(sha) for sha in known if sha):
        yield (final.line,), f"the final commit {final.text} is not among the commits of the log"


_RAW_CALL = re.compile(r"\b\w+_(init|uninit|tiles?|block|init_short|bcast_(?:cols|rows|scalar))\b")
_HELPER_CALL = re.compile(
    r"\bcompute_kernel_lib::|\bphases\.\w|\b\w+\s*<[^>]*>\s*\(|\b(?:tilize|untilize|reduce|binary_op)\s*[<(]"
)


@rule("helper-not-used", "raw calls marked as compliant with USE HELPER")
def helper_not_used(case: Case) -> Iterator[Hit]:
    for row in case.log.compliance:
        raw = _RAW_CALL.search(row.implementation)
        compliant = re.match(r"\W*(yes|compliant|ok)\b", row.compliant, re.I)
        if (
            row.directive.upper().startswith("USE HELPER")
            and compliant
            and raw
            and not _HELPER_CALL.search(row.implementation)
        ):
            yield (
                (row.line,),
                f"{row.phase}: the design says USE HELPER, {raw.group(0)} is a raw call, and it is marked compliant",
            )
