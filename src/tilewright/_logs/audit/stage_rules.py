# SPDX-License-Identifier: Apache-2.0
"""Rules about stages, attempts and tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tilewright._logs.audit.finding import AuditedLog, AuditSeverity, Hit, at_lines, rule
from tilewright._logs.events import STEPS, Entry
from tilewright._logs.execution_log import ExecutionLog, Outlook, StageRecord, outlook, stage_numbers, status_word

_STAGES = r"stages?\s+(\d+(?:\s*[-\u2013,]\s*\d+)*)"


@dataclass(frozen=True)
class _StageClaim:
    """What one line says of one stage. A commit's claim is history: the stage may have moved on."""

    stage: int
    outlook: Outlook
    words: str
    line: int
    from_commit: bool = False


def _stage_claims(log: ExecutionLog) -> Iterator[_StageClaim]:
    """Every place in a log that says how a stage ended."""
    told: list[tuple[tuple[int, ...], str, int]] = []
    status = log.metadata.get("status")
    if status:
        if outlook(status.text) is Outlook.PASSED:
            told.append((log.stage_numbers, status.text, status.line))
        for numbers, word in re.findall(rf"{_STAGES}\s+([A-Za-z_]+)", status.text, re.I):
            told.append((stage_numbers(numbers), word.upper(), status.line))
    for stage in log.stages:
        told += [((stage.number,), words, line) for words, line in _stage_words(stage)]
    for row in log.of("note"):
        about = re.match(rf"\W*{_STAGES}\b", row.text("text"), re.I)
        told += [(stage_numbers(about.group(1)), row.text("text"), row.line)] if about else []
    for test in log.of("test"):
        # A test that passes or is skipped says nothing of the others; one that fails does.
        number, result = test.number("stage"), test.text("result")
        if number is not None and outlook(result) is not Outlook.PASSED and "SKIP" not in result.upper():
            told.append(((number,), result, test.line))
    for numbers, words, line in told:
        found = outlook(words)
        yield from (_StageClaim(number, found, words.strip(), line) for number in numbers if found)
    for count in log.of("test_count"):
        number = count.number("stage")
        if number is not None and count.number("failed"):
            yield _StageClaim(number, Outlook.FAILED, f"{count.text('failed')} failed", count.line)
    last: dict[int, _StageClaim] = {}
    for commit in log.of("commit"):
        for stage_number, word in re.findall(r"stage\s*(\d+)\s*=\s*(\w+(?: RUN)?)", commit.text("tests"), re.I):
            found = outlook(word.upper())
            if found:
                last[int(stage_number)] = _StageClaim(int(stage_number), found, word, commit.line, from_commit=True)
    yield from last.values()


def _stage_words(stage: StageRecord) -> Iterator[tuple[str, int]]:
    """The status of a stage: in its heading, stated, or that of its last attempt."""
    aside = re.search(r"\(([^()]*)\)\s*$", stage.title)
    if aside:
        yield aside.group(1), stage.line
    if stage.status:
        yield stage.status.text, stage.status.line
        return
    results = [each for each in stage.attempts if each.text("result") and each.text("phase") != "RED"]
    if results:
        yield results[-1].text("result"), results[-1].line_of("result")


def _has_test_result(log: ExecutionLog, stage: int, only_passed: bool = False) -> bool:
    tests = [test for test in log.of("test") if test.number("stage") == stage and test.text("result")]
    counts = [count for count in log.of("test_count") if count.number("stage") == stage]
    if only_passed:
        return any(outlook(test.text("result")) is Outlook.PASSED for test in tests) or any(
            count.number("passed") for count in counts
        )
    return bool(tests) or any(count.number(word) for count in counts for word in ("passed", "failed", "skipped"))


@rule("red-passes", AuditSeverity.ERROR, "a RED attempt whose test passed before anything was implemented")
def red_passes(audited: AuditedLog) -> Iterator[Hit]:
    for stage, attempt in audited.log.attempts:
        passed = outlook(attempt.text("result") or attempt.text("actual")) is Outlook.PASSED
        red = attempt.text("phase") == "RED" or re.search(r"\bRED\b", attempt.text("expected"))
        if red and passed and not audited.declares("RED", f"stage {stage.number}"):
            yield (
                (attempt.line, attempt.line_of("result")),
                f"stage {stage.number}: the RED attempt must fail first, but its test passed; "
                "the test proves nothing about what was implemented after it",
            )


@rule("red-unseen", AuditSeverity.WARNING, "a RED attempt whose failure is not recorded")
def red_unseen(audited: AuditedLog) -> Iterator[Hit]:
    for stage, attempt in audited.log.attempts:
        seen = any(attempt.text(name) for name in ("result", "actual", "error_type"))
        if attempt.text("phase") == "RED" and not seen and not audited.declares("RED", f"stage {stage.number}"):
            yield (attempt.line,), f"stage {stage.number}: a RED attempt is announced, and no failure is recorded"


@rule("success-unverified", AuditSeverity.ERROR, "a stage passed in one place, unverified or failed in another")
def success_unverified(audited: AuditedLog) -> Iterator[Hit]:
    claims: dict[int, list[_StageClaim]] = {}
    for claim in _stage_claims(audited.log):
        claims.setdefault(claim.stage, []).append(claim)
    for stage, told in sorted(claims.items()):
        proven = _has_test_result(audited.log, stage, only_passed=True)
        passed = [claim for claim in told if claim.outlook is Outlook.PASSED and not claim.from_commit]
        others = [claim for claim in told if claim.outlook is not Outlook.PASSED and not (claim.from_commit and proven)]
        if passed and others:
            yield (
                [claim.line for claim in (*passed, *others)],
                f"stage {stage} is called passed on {at_lines(claim.line for claim in passed)} "
                f"and {status_word(others[0].words) or others[0].words} on {at_lines(claim.line for claim in others)}",
            )


@rule("unresolved-success", AuditSeverity.ERROR, "final SUCCESS next to a failure that was not resolved")
def unresolved_success(audited: AuditedLog) -> Iterator[Hit]:
    status = audited.log.metadata.get("status")
    if status and outlook(status.text) is Outlook.PASSED:
        for row in audited.log.of("failure"):
            if re.match(r"\W*(no|not|unresolved)\b", row.text("resolved"), re.I):
                yield (status.line, row.line), f"the log ends {status.text!r}, but a failure is not resolved"


@rule("claim-without-test", AuditSeverity.WARNING, "a stage called passed for which no test has a result")
def claim_without_test(audited: AuditedLog) -> Iterator[Hit]:
    log = audited.log
    claimed: dict[int, list[int]] = {}
    for claim in _stage_claims(log):
        if claim.outlook is Outlook.PASSED:
            claimed.setdefault(claim.stage, []).append(claim.line)
    for stage, lines in sorted(claimed.items()):
        if _has_test_result(log, stage):
            continue
        listed = [test.line for test in log.of("test") if test.number("stage") == stage]
        where = "the test results do not mention it" if log.of("test") else "the log has no test results"
        where = f"its tests are listed on {at_lines(listed)} without a result" if listed else where
        yield (*lines, *listed), f"stage {stage} is called passed, but {where}"


def _numbers(stage: StageRecord | None) -> list[str]:
    return sorted({attempt.text("number") for attempt in stage.attempts}) if stage else []


@rule("attempts-differ", AuditSeverity.ERROR, "attempts that do not add up: counts, totals and the timeline")
def attempts_differ(audited: AuditedLog) -> Iterator[Hit]:
    log = audited.log
    for row in log.of("attempt_count"):
        stage = log.stage(row.number("stage"))
        shown, told = len(_numbers(stage)), row.text("count")
        if str(shown) != told:
            yield (
                (row.line, stage.line if stage else 0),
                f"stage {row.text('stage')} is said to have taken {told} attempts, the timeline shows {shown}",
            )
    said = log.metadata.get("attempts")
    total = re.match(r"\D*(\d+)", said.text) if said else None
    if not said or not total:
        return
    shown = sum(len(_numbers(stage)) for stage in log.stages)
    if shown and shown != int(total.group(1)):
        yield (said.line,), f"{total.group(1)} attempts in total, the timeline shows {shown}"
    for count, about in re.findall(r"(\d+)\s+for\s+([^,;)]+)", said.text):
        named = stage_numbers(about) if re.search(r"stage\s+\d", about, re.I) else ()
        found = len(_numbers(log.stage(named[0]))) if named else sum(_is_about(each, about) for _, each in log.attempts)
        if found != int(count):
            yield (said.line,), f"{count} attempts are counted for {about.strip()}, the timeline shows {found}"


def _is_about(attempt: Entry, about: str) -> bool:
    steps = " ".join(step for step in STEPS if attempt.text(step))
    subject = re.sub(r"^(the|a|an)\s+", "", about.strip().lower()).split()[0]
    return subject in f"{attempt.text('title')} {attempt.text('action')} {attempt.text('error_type')} {steps}".lower()


@rule("failure-untold", AuditSeverity.ERROR, "a failure in the recovery table that the timeline does not show")
def failure_untold(audited: AuditedLog) -> Iterator[Hit]:
    used: dict[int, int] = {}
    failed = [(stage, attempt) for stage, attempt in audited.log.attempts if _failed(attempt)]
    for row in audited.log.of("failure"):
        numbers, kind = stage_numbers(row.text("stage")), row.text("error_type")
        if numbers:
            stage = audited.log.stage(numbers[0])
            used[numbers[0]] = used.get(numbers[0], 0) + 1
            if used[numbers[0]] > sum(each.number == numbers[0] for each, _ in failed):
                yield (
                    (row.line, stage.line if stage else 0),
                    f"a {kind} of stage {numbers[0]} was recovered from; its timeline shows no such failure",
                )
        elif row.text("stage") and not any(_is_about(attempt, row.text("stage")) for _, attempt in failed):
            yield (
                (row.line,),
                f"a {kind} in {row.text('stage')!r} was recovered from; the timeline shows no such failure",
            )


def _failed(attempt: Entry) -> bool:
    outcomes = [attempt.text(name) for name in ("result", *STEPS)]
    return bool(attempt.text("error_type")) or any(outlook(outcome) is Outlook.FAILED for outcome in outcomes)


@rule("test-count-differs", AuditSeverity.ERROR, "a count of tests that the list of tests does not bear out")
def test_count_differs(audited: AuditedLog) -> Iterator[Hit]:
    for count in audited.log.of("test_count"):
        tests = [each for each in audited.log.of("test") if each.text("stage") == count.text("stage")]
        results = [each.text("result") for each in tests if each.text("result")]
        passed = sum(outlook(result) is Outlook.PASSED for result in results)
        total = sum(count.number(word) or 0 for word in ("passed", "failed", "skipped"))
        # The list may name files, each with several tests: only a list at least as long as the count can contradict it.
        if results and len(results) >= total and passed != count.number("passed"):
            lines = (count.line, tests[0].line)
            yield lines, f"{count.text('passed')} tests passed, it says; the list shows {passed}"


def _unproven_tests(log: ExecutionLog) -> list[Entry]:
    return [test for test in log.of("test") if test.text("result") and outlook(test.text("result")) != Outlook.PASSED]


@rule("all-pass-with-skips", AuditSeverity.ERROR, '"all tests pass" where some were skipped or not run')
def all_pass_with_skips(audited: AuditedLog) -> Iterator[Hit]:
    unproven = [test.line for test in _unproven_tests(audited.log)]
    for said in audited.log.prose:
        if re.search(r"\ball\b[^.;:]*\btests?\b[^.;:]*\bpass", said.text, re.I) and unproven:
            yield (said.line, *unproven), f"all tests pass, it says, but not on {at_lines(unproven)}"


_COMMON_WORDS = {"stage", "tests", "input", "output", "kernel", "kernels", "correctness", "tensor", "compilation"}


@rule("untested-claim", AuditSeverity.WARNING, "a statement that something works whose test did not pass")
def untested_claim(audited: AuditedLog) -> Iterator[Hit]:
    for test in _unproven_tests(audited.log):
        subject = set(re.findall(r"[a-z]{5,}", test.text("name").lower().split("::")[-1])) - _COMMON_WORDS
        for said in audited.log.prose:
            works = _works(said.text)
            if works and subject & set(re.findall(r"[a-z]{5,}", said.text.lower())):
                name, result = test.text("name"), test.text("result")
                yield (said.line, test.line), f"{works!r} is said of what {name} ({result}) did not show"


def _works(text: str) -> str:
    """The words that claim success. Behind a condition ("once the passthrough works") they claim nothing."""
    found = re.search(r"\b(?:will|should) work\b|\bworks\b|\bis correct\b", text, re.I)
    if not found or re.search(r"\b(?:once|if|when|until|after|whether)\b", text[: found.start()], re.I):
        return ""
    return found.group(0)


@rule("compile-unproven", AuditSeverity.WARNING, "kernels said to compile where only the host build was seen")
def compile_unproven(audited: AuditedLog) -> Iterator[Hit]:
    log = audited.log
    seen = any(row.text("name") != "build" for row in log.of("step")) or any(
        attempt.text(step) for _, attempt in log.attempts for step in STEPS[1:]
    )
    # A test that ran to a result, or hung, had its kernels compiled.
    ran = any(
        test.text("result")
        and test.number("stage") in (None, 6, 7)
        and not re.search(r"skip|not run|partial", test.text("result"), re.I)
        for test in log.of("test")
    )
    claim = r"\b(kernels?|stubs?|reader|writer|compute)\b[^.;]*\bcompile( successfully| ok|\)|$)"
    lines = [said.line for said in log.prose if re.search(claim, said.text, re.I)]
    if lines and not seen and not ran:
        yield lines, "kernels are said to compile; they compile when they first run, and no run is recorded"
