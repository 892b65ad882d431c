# SPDX-License-Identifier: Apache-2.0
"""Rules about stages, attempts and tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tilewright._logs.audit.auditing import AuditedLog, Hit, at_lines, rule
from tilewright._logs.events import STEPS, Entry
from tilewright._logs.execution_log import ExecutionLog, Outlook, StageRecord, outlook, stage_numbers, status_word
from tilewright._rules import Severity

_STAGES = r"stages?\s+(\d+(?:\s*[-\u2013,]\s*\d+)*)"


@dataclass(frozen=True)
class _StageClaim:
    """The status that one line gives a stage. A commit's claim is history: later attempts may have changed it."""

    outlook: Outlook
    words: str
    line: int
    from_commit: bool = False


def _stage_claims(log: ExecutionLog) -> dict[int, list[_StageClaim]]:
    """Every status that a log gives its stages, by stage."""
    claims: dict[int, list[_StageClaim]] = {}
    for numbers, words, line, from_commit in _told(log):
        found = outlook(words)
        if found:
            claim = _StageClaim(found, words.strip(), line, from_commit)
            for number in numbers:
                claims.setdefault(number, []).append(claim)
    return dict(sorted(claims.items()))


def _told(log: ExecutionLog) -> Iterator[tuple[tuple[int, ...], str, int, bool]]:
    status = log.metadata.get("status")
    if status:
        if log.has_succeeded:
            yield log.stage_numbers, status.text, status.line, False
        for numbers, word in re.findall(rf"{_STAGES}\s+([A-Za-z_]+)", status.text, re.I):
            yield stage_numbers(numbers), word.upper(), status.line, False
    for stage in log.stages:
        yield from (((stage.number,), words, line, False) for words, line in _stage_words(stage))
    for row in log.of("note"):
        about = re.match(rf"\W*{_STAGES}\b", row.text("text"), re.I)
        if about:
            yield stage_numbers(about.group(1)), row.text("text"), row.line, False
    for test in log.of("test"):
        # A test that passes or is skipped says nothing of the others; one that fails does.
        result = test.text("result")
        if outlook(result) is not Outlook.PASSED and "SKIP" not in result.upper():
            yield stage_numbers(test.text("stage")), result, test.line, False
    for count in log.of("test_count"):
        if count.number("failed"):
            yield stage_numbers(count.text("stage")), f"{count.text('failed')} FAILED", count.line, False
    last = {
        number: (word.upper(), commit.line)
        for commit in log.of("commit")
        for number, word in re.findall(r"stage\s*(\d+)\s*=\s*(\w+(?: RUN)?)", commit.text("tests"), re.I)
    }
    yield from (((int(number),), word, line, True) for number, (word, line) in last.items())


def _stage_words(stage: StageRecord) -> Iterator[tuple[str, int]]:
    """The status of a stage: in its heading, stated, or that of its last attempt."""
    aside = re.search(r"\(([^()]*)\)\s*$", stage.title)
    if aside:
        yield aside.group(1), stage.line
    if stage.status:
        yield stage.status.text, stage.status.line
        return
    results = [each for each in stage.attempts if each.text("result") and each.text("phase") != "RED"]
    yield from ((each.text("result"), each.line_of("result")) for each in results[-1:])


def _has_test_result(log: ExecutionLog, stage: int, only_passed: bool = False) -> bool:
    tests = [test.text("result") for test in log.of("test") if test.number("stage") == stage and test.text("result")]
    counts = [count for count in log.of("test_count") if count.number("stage") == stage]
    if only_passed:
        return any(outlook(each) is Outlook.PASSED for each in tests) or any(each.number("passed") for each in counts)
    return bool(tests) or any(count.number(word) for count in counts for word in ("passed", "failed", "skipped"))


@rule("red-passes", Severity.ERROR, "a RED attempt whose test passed before anything was implemented")
def red_passes(audited: AuditedLog) -> Iterator[Hit]:
    for stage, attempt in audited.log.attempts:
        passed = outlook(attempt.text("result") or attempt.text("actual")) is Outlook.PASSED
        red = attempt.text("phase") == "RED" or re.search(r"\bRED\b", attempt.text("expected"))
        if red and passed and not audited.declares("RED", f"stage {stage.number}"):
            why = f"stage {stage.number}: the RED attempt must fail first, but its test passed"
            lines = (attempt.line, attempt.line_of("result"))
            yield lines, f"{why}; the test proves nothing about what was implemented after it"


@rule("red-unseen", Severity.WARNING, "a RED attempt whose failure is not recorded")
def red_unseen(audited: AuditedLog) -> Iterator[Hit]:
    for stage, attempt in audited.log.attempts:
        seen = any(attempt.text(name) for name in ("result", "actual", "error_type"))
        if attempt.text("phase") == "RED" and not seen and not audited.declares("RED", f"stage {stage.number}"):
            yield (attempt.line,), f"stage {stage.number}: a RED attempt is announced, and no failure is recorded"


@rule("success-unverified", Severity.ERROR, "a stage passed in one place, unverified or failed in another")
def success_unverified(audited: AuditedLog) -> Iterator[Hit]:
    for stage, claimed in _stage_claims(audited.log).items():
        proven = _has_test_result(audited.log, stage, only_passed=True)
        passed = [claim.line for claim in claimed if claim.outlook is Outlook.PASSED and not claim.from_commit]
        others = [
            claim for claim in claimed if claim.outlook is not Outlook.PASSED and not (claim.from_commit and proven)
        ]
        if passed and others:
            lines, word = [claim.line for claim in others], status_word(others[0].words) or others[0].words
            why = f"stage {stage} is called passed on {at_lines(passed)} and {word} on {at_lines(lines)}"
            yield (*passed, *lines), why


@rule("claim-without-test", Severity.WARNING, "a stage called passed for which no test has a result")
def claim_without_test(audited: AuditedLog) -> Iterator[Hit]:
    log = audited.log
    for stage, claimed in _stage_claims(log).items():
        lines = [claim.line for claim in claimed if claim.outlook is Outlook.PASSED]
        if lines and not _has_test_result(log, stage):
            listed = [test.line for test in log.of("test") if test.number("stage") == stage]
            where = "the test results do not mention it" if log.of("test") else "the log has no test results"
            where = f"its tests are listed on {at_lines(listed)} without a result" if listed else where
            yield (*lines, *listed), f"stage {stage} is called passed, but {where}"


def _num_attempts(stage: StageRecord | None) -> int:
    return len({number for each in stage.attempts for number in stage_numbers(each.text("number"))}) if stage else 0


@rule("attempts-differ", Severity.ERROR, "attempts that do not add up: counts, totals and the timeline")
def attempts_differ(audited: AuditedLog) -> Iterator[Hit]:
    log = audited.log
    for row in log.of("attempt_count"):
        stage = log.stage(row.number("stage"))
        shown, claimed = _num_attempts(stage), row.text("count")
        if str(shown) != claimed:
            why = f"stage {row.text('stage')} is said to have taken {claimed} attempts, the timeline shows {shown}"
            yield (row.line, stage.line if stage else 0), why
    sentence = log.metadata.get("attempts")
    total = re.match(r"\D*(\d+)", sentence.text) if sentence else None
    if not sentence or not total:
        return
    shown = sum(map(_num_attempts, log.stages))
    if shown and shown != int(total.group(1)):
        yield (sentence.line,), f"{total.group(1)} attempts in total, the timeline shows {shown}"
    for count, about in re.findall(r"(\d+)\s+for\s+([^,;)]+)", sentence.text):
        named = stage_numbers(about) if re.search(r"stage\s+\d", about, re.I) else ()
        found = _num_attempts(log.stage(named[0])) if named else sum(_is_about(each, about) for _, each in log.attempts)
        if found != int(count):
            yield (sentence.line,), f"{count} attempts are counted for {about.strip()}, the timeline shows {found}"


def _is_about(attempt: Entry, about: str) -> bool:
    steps = " ".join(step for step in STEPS if attempt.text(step))
    subject = re.sub(r"^(the|a|an)\s+", "", about.strip().lower()).split()[0]
    return subject in f"{attempt.text('title')} {attempt.text('action')} {attempt.text('error_type')} {steps}".lower()


@rule("failure-untold", Severity.ERROR, "a failure in the recovery table that the timeline does not show")
def failure_untold(audited: AuditedLog) -> Iterator[Hit]:
    failed = [(stage.number, attempt) for stage, attempt in audited.log.attempts if _failed(attempt)]
    for row in audited.log.of("failure"):
        where, numbers = row.text("stage"), stage_numbers(row.text("stage"))
        shown = any(number in numbers if numbers else _is_about(attempt, where) for number, attempt in failed)
        if where and not shown:
            lines = (row.line, *(stage.line for stage in audited.log.stages if stage.number in numbers))
            why = f"a {row.text('error_type')} in {'stage ' if numbers else ''}{where} was recovered from"
            yield lines, f"{why}; the timeline shows no such failure"


def _failed(attempt: Entry) -> bool:
    outcomes = [attempt.text(name) for name in ("result", *STEPS)]
    return bool(attempt.text("error_type")) or any(outlook(outcome) is Outlook.FAILED for outcome in outcomes)


def _unproven_tests(log: ExecutionLog) -> list[Entry]:
    return [test for test in log.of("test") if test.text("result") and outlook(test.text("result")) != Outlook.PASSED]


@rule("all-pass-with-skips", Severity.ERROR, '"all tests pass" where some were skipped or not run')
def all_pass_with_skips(audited: AuditedLog) -> Iterator[Hit]:
    unproven = [test.line for test in _unproven_tests(audited.log)]
    for sentence in audited.log.prose:
        if re.search(r"\ball\b[^.;:]*\btests?\b[^.;:]*\bpass", sentence.text, re.I) and unproven:
            yield (sentence.line, *unproven), f"all tests pass, it says, but not on {at_lines(unproven)}"


_COMMON_WORDS = {"stage", "tests", "input", "output", "kernel", "kernels", "correctness", "tensor", "compilation"}


@rule("untested-claim", Severity.WARNING, "a statement that something works whose test did not pass")
def untested_claim(audited: AuditedLog) -> Iterator[Hit]:
    for test in _unproven_tests(audited.log):
        subject = set(re.findall(r"[a-z]{5,}", test.text("name").lower().split("::")[-1])) - _COMMON_WORDS
        for sentence in audited.log.prose:
            works = re.search(r"\b(?:will|should) work\b|\bworks\b|\bis correct\b", sentence.text, re.I)
            # Behind a condition ("once the passthrough works") the words claim nothing.
            if not works or re.search(
                r"\b(?:once|if|when|until|after|whether)\b", sentence.text[: works.start()], re.I
            ):
                continue
            if subject & set(re.findall(r"[a-z]{5,}", sentence.text.lower())):
                name, result = test.text("name"), test.text("result")
                yield (sentence.line, test.line), f"{works.group(0)!r} is said of what {name} ({result}) did not show"


@rule("compile-unproven", Severity.WARNING, "kernels said to compile where only the host build was seen")
def compile_unproven(audited: AuditedLog) -> Iterator[Hit]:
    log = audited.log
    seen = [row for row in log.of("step") if row.text("name") != "build"]
    seen += [attempt for _, attempt in log.attempts if any(attempt.text(step) for step in STEPS[1:])]
    # A test that ran to a result, or hung, had its kernels compiled.
    tests = [(test.text("result"), test.number("stage")) for test in log.of("test")]
    ran = any(each and at in (None, 6, 7) and not re.search(r"skip|not run|partial", each, re.I) for each, at in tests)
    claim = r"\b(kernels?|stubs?|reader|writer|compute)\b[^.;]*\bcompile( successfully| ok|\)|$)"
    lines = [sentence.line for sentence in log.prose if re.search(claim, sentence.text, re.I)]
    if lines and not seen and not ran:
        yield lines, "kernels are said to compile; they compile when they first run, and no run is recorded"
