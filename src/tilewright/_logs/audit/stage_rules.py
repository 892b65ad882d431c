# SPDX-License-Identifier: Apache-2.0
"""Rules about stages, attempts and tests."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tilewright._logs.audit.claims import StageClaim, has_passing_test, has_test_result, stage_claims
from tilewright._logs.audit.finding import Case, Hit, at_lines, rule
from tilewright._logs.model import Attempt, Stage, stage_numbers
from tilewright._logs.vocabulary import Verdict, status_word, verdict


@rule("red-passes", "a RED attempt whose test passed before anything was implemented")
def red_passes(case: Case) -> Iterator[Hit]:
    for stage in case.log.stages:
        for attempt in stage.attempts:
            outcome = attempt.result or attempt.actual
            passed = verdict(outcome) is Verdict.PASSED
            red = attempt.phase == "RED" or re.search(r"\bRED\b", attempt.expected)
            if red and passed and not case.declared("RED", f"stage {stage.number}"):
                yield (
                    (attempt.line, attempt.result_line),
                    f"stage {stage.number}: the RED attempt must fail first, but its test passed; "
                    "the test proves nothing about what was implemented after it",
                )


@rule("red-unseen", "a RED attempt whose failure is nowhere recorded")
def red_unseen(case: Case) -> Iterator[Hit]:
    for stage in case.log.stages:
        for attempt in stage.attempts:
            unseen = attempt.phase == "RED" and not (attempt.result or attempt.actual or attempt.error_type)
            if unseen and not case.declared("RED", f"stage {stage.number}"):
                yield (attempt.line,), f"stage {stage.number}: a RED attempt is announced, and no failure is recorded"


@rule("success-unverified", "a stage called passed in one place and unverified or failed in another")
def success_unverified(case: Case) -> Iterator[Hit]:
    claims: dict[int, list[StageClaim]] = {}
    for claim in stage_claims(case.log):
        claims.setdefault(claim.stage, []).append(claim)
    for stage, told in sorted(claims.items()):
        proven = has_passing_test(case.log, stage)
        passed = [claim for claim in told if claim.verdict is Verdict.PASSED and not claim.from_commit]
        others = [claim for claim in told if claim.verdict is not Verdict.PASSED and not (claim.from_commit and proven)]
        if passed and others:
            yield (
                [claim.line for claim in (*passed, *others)],
                f"stage {stage} is called passed on {at_lines(claim.line for claim in passed)} "
                f"and {status_word(others[0].words) or others[0].words} on {at_lines(claim.line for claim in others)}",
            )


@rule("unresolved-success", "final SUCCESS next to a failure that was not resolved")
def unresolved_success(case: Case) -> Iterator[Hit]:
    status = case.log.metadata.status
    if status and verdict(status.text) is Verdict.PASSED:
        for row in case.log.recovery:
            if re.match(r"\W*(no|not|unresolved)\b", row.resolved, re.I):
                yield (status.line, row.line), f"the log ends {status.text!r}, but a failure is not resolved"


@rule("claim-without-test", "a stage called passed for which no test has a result")
def claim_without_test(case: Case) -> Iterator[Hit]:
    claimed: dict[int, list[int]] = {}
    for claim in stage_claims(case.log):
        if claim.verdict is Verdict.PASSED:
            claimed.setdefault(claim.stage, []).append(claim.line)
    for stage, lines in sorted(claimed.items()):
        if has_test_result(case.log, stage):
            continue
        listed = [test.line for test in case.log.tests if test.stage == stage]
        where = (
            f"its tests are listed on {at_lines(listed)} without a result"
            if listed
            else ("the test results do not mention it" if case.log.tests else "the log has no test results")
        )
        yield (*lines, *listed), f"stage {stage} is called passed, but {where}"


@rule("stage-missing", "a stage the log owns and says nothing about")
def stage_missing(case: Case) -> Iterator[Hit]:
    owned = case.log.metadata.stages
    told = {claim.stage for claim in stage_claims(case.log)} | {stage.number for stage in case.log.stages}
    for number in case.log.metadata.stage_numbers:
        if number not in told and owned and not has_test_result(case.log, number):
            yield (owned.line,), f"stage {number} belongs to this log, which says nothing about it"


def _numbers(stage: Stage) -> list[int]:
    return sorted({attempt.number for attempt in stage.attempts})


@rule("attempts-differ", "attempts that do not add up: counts, totals and the timeline")
def attempts_differ(case: Case) -> Iterator[Hit]:
    yield from _stage_counts(case)
    yield from _total(case)
    for stage in case.log.stages:
        numbers = _numbers(stage)
        if numbers and numbers != list(range(1, len(numbers) + 1)):
            lines = [attempt.line for attempt in stage.attempts]
            yield lines, f"stage {stage.number}: attempts are numbered {', '.join(map(str, numbers))}"


def _stage_counts(case: Case) -> Iterator[Hit]:
    for entry in case.log.stage_attempts:
        stage = case.log.stage(entry.stage)
        shown = len(_numbers(stage)) if stage else 0
        if shown != entry.count:
            yield (
                (entry.line, stage.line if stage else 0),
                f"stage {entry.stage} is said to have taken {entry.count} attempts, the timeline shows {shown}",
            )


def _total(case: Case) -> Iterator[Hit]:
    said = case.log.metadata.attempts
    told = re.match(r"\D*(\d+)", said.text) if said else None
    if not said or not told:
        return
    total = int(told.group(1))
    shown = sum(len(_numbers(stage)) for stage in case.log.stages)
    if shown and shown != total:
        yield (said.line,), f"{total} attempts in total, the timeline shows {shown}"
    aside = re.search(r"\((.*)\)", said.text)
    parts = [re.match(r"\s*(\d+)\s", part) for part in aside.group(1).split(",")] if aside else []
    added = sum(int(part.group(1)) for part in parts if part)
    if added and added != total:
        yield (said.line,), f"{total} attempts in total, but the parts it names add up to {added}"
    for count, about in re.findall(r"(\d+)\s+for\s+([^,;)]+)", said.text):
        yield from _part(case, int(count), about.strip(), said.line)


def _part(case: Case, count: int, about: str, line: int) -> Iterator[Hit]:
    named = re.search(r"stage\s+(\d+)", about, re.I)
    if named:
        stage = case.log.stage(int(named.group(1)))
        shown = len(_numbers(stage)) if stage else 0
    else:
        shown = sum(_is_about(attempt, about) for stage in case.log.stages for attempt in stage.attempts)
    if shown != count:
        yield (line,), f"{count} attempts are counted for {about}, the timeline shows {shown}"


def _is_about(attempt: Attempt, about: str) -> bool:
    steps = " ".join(step.name for step in attempt.steps)
    subject = re.sub(r"^(the|a|an)\s+", "", about.lower()).split()[0]
    return subject in f"{attempt.title} {attempt.action} {attempt.error_type} {steps}".lower()


def _failed(attempt: Attempt) -> bool:
    outcomes = [attempt.result, *(step.status for step in attempt.steps)]
    return bool(attempt.error_type) or any(verdict(outcome) is Verdict.FAILED for outcome in outcomes)


@rule("attempt-contradicts", "an attempt called passed one of whose own steps failed")
def attempt_contradicts(case: Case) -> Iterator[Hit]:
    for stage in case.log.stages:
        for attempt in stage.attempts:
            red = [step for step in attempt.steps if verdict(step.status) is Verdict.FAILED]
            if red and verdict(attempt.result) is Verdict.PASSED:
                names = ", ".join(f"{step.name} {step.status}" for step in red)
                yield (
                    (attempt.result_line, red[0].line),
                    f"stage {stage.number}, attempt {attempt.number} is called {attempt.result}, and has {names}",
                )


@rule("failure-untold", "a failure in the recovery table that the timeline does not show")
def failure_untold(case: Case) -> Iterator[Hit]:
    used: dict[int, int] = {}
    for row in case.log.recovery:
        numbers = stage_numbers(row.stage)
        if numbers:
            stage = case.log.stage(numbers[0])
            failures = sum(map(_failed, stage.attempts)) if stage else 0
            used[numbers[0]] = used.get(numbers[0], 0) + 1
            if used[numbers[0]] > failures:
                lines = (row.line, stage.line if stage else 0)
                yield (
                    lines,
                    f"a {row.error_type} of stage {numbers[0]} was recovered from; its timeline shows no such failure",
                )
        elif row.stage and not any(
            _failed(attempt) and _is_about(attempt, row.stage)
            for stage in case.log.stages
            for attempt in stage.attempts
        ):
            yield (
                (row.line,),
                f"a {row.error_type} in {row.stage!r} was recovered from; the timeline shows no such failure",
            )


@rule("test-count-differs", "a count of passed and skipped tests that the list of tests does not bear out")
def test_count_differs(case: Case) -> Iterator[Hit]:
    for count in case.log.test_counts:
        tests = [test for test in case.log.tests if test.stage == count.stage and test.status]
        if not tests:
            continue
        passed = sum(verdict(test.status) is Verdict.PASSED for test in tests)
        # The list may name files, each with several tests: only a list at least as long as the count can contradict it.
        if len(tests) >= count.total and passed != count.passed:
            yield (count.line, tests[0].line), f"{count.passed} tests passed, it says; the list shows {passed}"


@rule("all-pass-with-skips", '"all tests pass" where some were skipped or not run')
def all_pass_with_skips(case: Case) -> Iterator[Hit]:
    unverified = [test.line for test in case.log.tests if test.status and verdict(test.status) is not Verdict.PASSED]
    for said in case.log.prose:
        if re.search(r"\ball\b[^.;:]*\btests?\b[^.;:]*\bpass", said.text, re.I) and unverified:
            yield (said.line, *unverified), f"all tests pass, it says, but not on {at_lines(unverified)}"


@rule("untested-claim", "a statement that something works whose test was skipped or did not pass")
def untested_claim(case: Case) -> Iterator[Hit]:
    for test in case.log.tests:
        if not test.status or verdict(test.status) is Verdict.PASSED:
            continue
        subject = set(re.findall(r"[a-z]{5,}", test.name.lower().split("::")[-1])) - _COMMON_WORDS
        for said in case.log.prose:
            works = _works(said.text)
            if works and subject & set(re.findall(r"[a-z]{5,}", said.text.lower())):
                yield (
                    (said.line, test.line),
                    f"{works!r} is said of what {test.name} ({test.status}) did not show",
                )


_COMMON_WORDS = {"stage", "tests", "input", "output", "kernel", "kernels", "correctness", "tensor", "compilation"}


def _works(text: str) -> str:
    """The words that claim success. Behind a condition ("once the passthrough works") they claim nothing."""
    found = re.search(r"\b(?:will|should) work\b|\bworks\b|\bis correct\b", text, re.I)
    if not found or re.search(r"\b(?:once|if|when|until|after|whether)\b", text[: found.start()], re.I):
        return ""
    return found.group(0)


@rule("compile-unproven", "kernels said to compile where only the host build was seen")
def compile_unproven(case: Case) -> Iterator[Hit]:
    steps = [*case.log.steps]
    for stage in case.log.stages:
        steps += [*stage.steps, *(step for attempt in stage.attempts for step in attempt.steps)]
    seen = any(step.name != "build" for step in steps)
    # A test that ran to a result, or hung, had its kernels compiled; so had an attempt that failed with a hang.
    ran = any(
        test.status and test.stage in (None, 6, 7) and not re.search(r"skip|not run|partial", test.status, re.I)
        for test in case.log.tests
    )
    lines = [
        said.line
        for said in case.log.prose
        if re.search(
            r"\b(kernels?|stubs?|reader|writer|compute)\b[^.;]*\bcompile( successfully| ok|\)|$)", said.text, re.I
        )
    ]
    if lines and not seen and not ran:
        yield lines, "kernels are said to compile; they compile when they first run, and no run is recorded"
