# SPDX-License-Identifier: Apache-2.0
"""The execution log of a run, computed from its breadcrumbs.

Statuses, attempts, recoveries, deviations and counts follow from what was recorded, so the log cannot claim what
was not run: a stage without a passing test has not passed, whatever anyone says.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tilewright._logs.breadcrumbs import Crumb, Trail
from tilewright._logs.computing_buffers import buffer_deviations, buffer_facts
from tilewright._logs.model import (
    PARTS,
    Artifact,
    Attempt,
    Commit,
    ComplianceRow,
    Deviation,
    ExecutionLog,
    Feedback,
    InputField,
    KernelRow,
    Metadata,
    RecoveryRow,
    Said,
    Stage,
    StageAttempts,
    Step,
    TestCount,
    TestResult,
    WorkRow,
)

# What a failure is called where nobody said more.
_ERROR_TYPES = {"build": "build_error", "kernel compilation": "compilation_error", "execution": "test_fail"}


@dataclass
class _Try:
    """One attempt while its events come in."""

    number: int
    phase: str
    action: str
    expected: str
    line: int = 0
    steps: list[Crumb] = field(default_factory=list)
    tests: list[Crumb] = field(default_factory=list)
    hypotheses: list[Crumb] = field(default_factory=list)
    evidence: list[Crumb] = field(default_factory=list)
    recoveries: list[Crumb] = field(default_factory=list)
    notes: list[Crumb] = field(default_factory=list)

    def failure(self) -> Crumb | None:
        """The first step or test that failed."""
        for crumb in (*self.steps, *self.tests):
            if _status(crumb) in ("FAIL", "HANG"):
                return crumb
        return None

    def result(self) -> str:
        failure = self.failure()
        if failure:
            return _status(failure)
        if any(_status(test) == "PASS" for test in self.tests):
            return "PASS"
        return "NEEDS_VERIFICATION" if self.steps or self.tests else "NOT RUN"

    def error_type(self) -> str:
        failure = self.failure()
        if not failure:
            return ""
        named = next((step.text("error_type") for step in self.steps if step.text("error_type")), "")
        return named or ("hang" if _status(failure) == "HANG" else _ERROR_TYPES[failure.text("step") or "execution"])

    def error_summary(self) -> str:
        failure = self.failure()
        return (failure.text("error_summary") or failure.text("notes")) if failure else ""

    def passed(self, step: str) -> bool:
        return any(crumb.text("step") == step and _status(crumb) == "PASS" for crumb in self.steps)


def _status(crumb: Crumb) -> str:
    return crumb.text("status") or crumb.text("result")


@dataclass
class _StageDraft:
    number: int
    title: str = ""
    line: int = 0
    tries: list[_Try] = field(default_factory=list)

    def implementations(self) -> list[_Try]:
        """The attempts that meant to pass."""
        return [attempt for attempt in self.tries if attempt.phase != "RED"]

    def tests(self) -> dict[str, tuple[Crumb, int]]:
        """The last result of each test, and the attempt it is from."""
        return {
            test.text("name"): (test, attempt.number) for attempt in self.implementations() for test in attempt.tests
        }

    def status(self) -> str:
        tries = self.implementations()
        if not tries:
            return "NOT RUN"
        last = tries[-1].result()
        if last in ("FAIL", "HANG"):
            return last
        results = [_status(test) for test, _ in self.tests().values()]
        failed = [result for result in results if result in ("FAIL", "HANG")]
        if failed:
            return failed[0]
        if "PASS" in results:
            return "PASS"
        return "NOT RUN" if last == "NOT RUN" else "NEEDS_VERIFICATION"


class _Draft:
    """A log while its events come in."""

    def __init__(self, crumbs: Iterable[Crumb]) -> None:
        self.stages: dict[int, _StageDraft] = {}
        self.commits: list[Commit] = []
        self.owner: dict[str, _Try] = {}  # the attempt a hypothesis belongs to
        self.ended = False
        self.crash = ""
        for crumb in crumbs:
            self._take(crumb)

    def _take(self, crumb: Crumb) -> None:
        take = getattr(self, f"_take_{crumb.event}", None)
        if take:
            take(crumb)

    def _stage(self, crumb: Crumb) -> _StageDraft:
        number = crumb.number("stage") or 0
        return self.stages.setdefault(number, _StageDraft(number, line=crumb.line))

    def _last_try(self, crumb: Crumb) -> _Try:
        stage = self._stage(crumb)
        if not stage.tries:
            stage.tries.append(_Try(1, "", "", "", crumb.line))
        return stage.tries[-1]

    def _take_start(self, crumb: Crumb) -> None:
        self.ended, self.crash = False, ""

    def _take_stage_start(self, crumb: Crumb) -> None:
        self._stage(crumb).title = crumb.text("title")

    def _take_attempt(self, crumb: Crumb) -> None:
        tries = self._stage(crumb).tries
        phase, action, expected = crumb.text("phase"), crumb.text("action"), crumb.text("expected")
        tries.append(_Try(len(tries) + 1, phase, action, expected, crumb.line))

    def _take_result(self, crumb: Crumb) -> None:
        self._last_try(crumb).steps.append(crumb)

    def _take_test(self, crumb: Crumb) -> None:
        self._last_try(crumb).tests.append(crumb)

    def _take_hypothesis(self, crumb: Crumb) -> None:
        attempt = self._last_try(crumb)
        attempt.hypotheses.append(crumb)
        self.owner[crumb.text("id")] = attempt

    def _take_evidence(self, crumb: Crumb) -> None:
        if crumb.text("hypothesis_id") in self.owner:
            self.owner[crumb.text("hypothesis_id")].evidence.append(crumb)

    def _take_recovery(self, crumb: Crumb) -> None:
        if crumb.text("hypothesis_id") in self.owner:
            self.owner[crumb.text("hypothesis_id")].recoveries.append(crumb)

    def _take_note(self, crumb: Crumb) -> None:
        if crumb.number("stage") is not None:
            self._last_try(crumb).notes.append(crumb)

    def _take_commit(self, crumb: Crumb) -> None:
        tests = ", ".join(f"stage{number}={stage.status()}" for number, stage in sorted(self.stages.items()))
        builds = [step for stage in self.stages.values() for attempt in stage.tries for step in attempt.steps]
        build = next((_status(step) for step in reversed(builds) if step.text("step") == "build"), "NOT RUN")
        sha, message, files = crumb.text("sha"), crumb.text("message"), crumb.text("files")
        self.commits.append(Commit(sha, message, files, build, tests, crumb.line))

    def _take_crash(self, crumb: Crumb) -> None:
        self.crash = crumb.text("error")

    def _take_complete(self, crumb: Crumb) -> None:
        self.ended, self.crash = True, ""


def compute_log(trail: Trail) -> ExecutionLog:
    """The execution log of what a trail of breadcrumbs tells."""
    crumbs = trail.crumbs
    draft = _Draft(crumbs)
    starts = _of(crumbs, "start")
    owned = [int(number) for start in starts for number in start.texts("stages")]
    for number in owned:
        draft.stages.setdefault(number, _StageDraft(number))
    stages = [draft.stages[number] for number in sorted(draft.stages)]
    buffers = buffer_facts(crumbs)
    computed, denials = buffer_deviations(buffers)
    log = ExecutionLog(
        metadata=_metadata(draft, starts, crumbs),
        inputs=tuple(
            InputField(
                crumb.text("field"),
                crumb.text("value"),
                crumb.text("confidence"),
                crumb.text("source"),
                crumb.text("notes"),
                crumb.line,
            )
            for crumb in _of(crumbs, "input_parse")
        ),
        requirements=buffers.requirements,
        stages=tuple(map(_stage_record, stages)),
        tests=tuple(result for stage in stages for result in _test_results(stage)),
        test_counts=tuple(count for stage in stages for count in _test_counts(stage)),
        buffer_tables=buffers.tables(),
        sync_tables=buffers.sync_tables(),
        kernels=tuple(
            KernelRow(
                crumb.text("kernel"),
                crumb.text("file"),
                crumb.text("reads"),
                crumb.text("writes"),
                crumb.text("function"),
                crumb.line,
            )
            for crumb in _of(crumbs, "kernel_implemented")
        ),
        work=tuple(
            WorkRow(crumb.text("parameter"), crumb.text("value"), crumb.text("source"), crumb.line)
            for crumb in _of(crumbs, "work_distribution")
        ),
        recovery=tuple(row for stage in stages for row in _recovery_rows(stage)),
        stage_attempts=tuple(StageAttempts(stage.number, len(stage.tries), stage.line) for stage in stages),
        deviations=(
            *(
                Deviation(crumb.text("what"), crumb.text("why"), crumb.text("impact"), crumb.line)
                for crumb in _of(crumbs, "deviation")
            ),
            *(deviation for stage in stages for deviation in _red_deviations(stage)),
            *computed,
        ),
        denials=denials,
        compliance=tuple(map(_compliance_row, _of(crumbs, "design_compliance"))),
        artifacts=_artifacts(_of(crumbs, "artifact")),
        handover=tuple(Said(crumb.text("text"), crumb.line) for crumb in _of(crumbs, "handoff")),
        feedback=_feedback(_of(crumbs, "upstream_feedback")),
        improvements=_feedback(_of(crumbs, "instruction_improvement")),
        commits=tuple(draft.commits),
        summary=_summary(draft, stages, trail),
        sections=dict.fromkeys(PARTS, 0),  # the form we write has every one
    )
    return dataclasses.replace(log, prose=tuple(_prose(log)))


def _prose(log: ExecutionLog) -> Iterator[Said]:
    """What people wrote, and what machines said in their own words."""
    for attempt in (attempt for stage in log.stages for attempt in stage.attempts):
        yield Said(attempt.error_summary, attempt.error_line)
        for text in (attempt.hypothesis, attempt.evidence, attempt.recovery):
            yield Said(text, attempt.hypothesis_line)
        yield from attempt.notes
    yield from (*log.denials, *log.handover, *log.summary)


def _of(crumbs: Iterable[Crumb], event: str) -> list[Crumb]:
    return [crumb for crumb in crumbs if crumb.event == event]


def _metadata(draft: _Draft, starts: Sequence[Crumb], crumbs: Sequence[Crumb]) -> Metadata:
    start = starts[-1] if starts else Crumb("start", {})
    attempts = sum(len(stage.tries) for stage in draft.stages.values())

    def said(text: str) -> Said | None:
        return Said(text, start.line) if text else None

    return Metadata(
        operation=said(start.text("operation")),
        agent=said(start.text("agent")),
        stages=said(", ".join(map(str, sorted(draft.stages)))),
        date=said(crumbs[0].time[:10] if crumbs else ""),
        inputs=said(", ".join(start.texts("input_files"))),
        predecessor=said(start.text("predecessor")),
        status=said(_final_status(draft)),
        attempts=said(str(attempts)),
        commit=said(draft.commits[-1].sha if draft.commits else ""),
    )


def _final_status(draft: _Draft) -> str:
    statuses = [stage.status() for stage in draft.stages.values()]
    passed = statuses.count("PASS")
    end = "" if draft.ended else " (the run crashed)" if draft.crash else " (the run has not ended)"
    if statuses and passed == len(statuses) and draft.ended:
        return "SUCCESS"
    return ("PARTIAL" if passed else "FAILED") + end


def _stage_record(stage: _StageDraft) -> Stage:
    attempts = tuple(map(_attempt_record, stage.tries))
    return Stage(stage.number, stage.title, Said(stage.status(), stage.line), attempts, line=stage.line)


def _attempt_record(attempt: _Try) -> Attempt:
    ran = [f"{_status(test)} {test.text('name')}" for test in attempt.tests]
    failure = attempt.failure()
    decisive = failure or next(reversed((*attempt.steps, *attempt.tests)), None)
    return Attempt(
        number=attempt.number,
        phase=attempt.phase,
        action=attempt.action,
        expected=attempt.expected,
        actual="\n".join(ran),
        result=attempt.result(),
        steps=tuple(Step(step.text("step"), step.text("status"), step.line) for step in attempt.steps),
        error_type=attempt.error_type(),
        error_summary=attempt.error_summary(),
        hypothesis="\n".join(f"{crumb.text('id')}: {crumb.text('description')}" for crumb in attempt.hypotheses),
        evidence="\n".join(f"{crumb.text('hypothesis_id')}: {crumb.text('text')}" for crumb in attempt.evidence),
        recovery="\n".join(f"{crumb.text('hypothesis_id')}: {crumb.text('action')}" for crumb in attempt.recoveries),
        notes=tuple(Said(crumb.text("text"), crumb.line) for crumb in attempt.notes),
        line=attempt.line,
        result_line=decisive.line if decisive else attempt.line,
        error_line=failure.line if failure else 0,
        hypothesis_line=attempt.hypotheses[0].line if attempt.hypotheses else 0,
    )


def _test_results(stage: _StageDraft) -> list[TestResult]:
    return [
        TestResult(
            name,
            _status(test),
            stage.number,
            "; ".join(filter(None, (test.text("notes"), f"attempt {number}"))),
            test.line,
        )
        for name, (test, number) in stage.tests().items()
    ]


def _test_counts(stage: _StageDraft) -> list[TestCount]:
    results = [_status(test) for test, _ in stage.tests().values()]
    if not results:
        return []
    passed, skipped = results.count("PASS"), results.count("SKIPPED") + results.count("NOT RUN")
    return [TestCount(passed, len(results) - passed - skipped, skipped, stage.number, stage.line)]


def _recovery_rows(stage: _StageDraft) -> list[RecoveryRow]:
    rows = []
    for position, attempt in enumerate(stage.tries):
        failure = attempt.failure()
        if failure and attempt.phase != "RED":
            later = stage.tries[position + 1 :]
            step = failure.text("step")
            resolved = any(next_try.result() == "PASS" or next_try.passed(step) for next_try in later)
            record = _attempt_record(attempt)
            rows.append(
                RecoveryRow(
                    stage=str(stage.number),
                    error_type=record.error_type,
                    cause=record.hypothesis or record.error_summary,
                    action=record.recovery,
                    resolved="YES" if resolved else "NO",
                    attempt=str(attempt.number),
                    line=failure.line,
                )
            )
    return rows


def _red_deviations(stage: _StageDraft) -> list[Deviation]:
    return [
        Deviation(f"stage {stage.number}: RED attempt {attempt.number} ended {attempt.result()}, not FAIL")
        for attempt in stage.tries
        if attempt.phase == "RED" and attempt.result() not in ("FAIL", "HANG")
    ]


def _compliance_row(crumb: Crumb) -> ComplianceRow:
    compliant = "YES" if crumb.fields["compliant"] else "NO"
    phase, directive, implementation = crumb.text("phase"), crumb.text("directive"), crumb.text("implementation")
    return ComplianceRow(phase, directive, implementation, compliant, crumb.line)


def _artifacts(crumbs: Iterable[Crumb]) -> tuple[Artifact, ...]:
    """One entry per file: what was created here stays created, however often it is modified afterwards."""
    found: dict[str, Artifact] = {}
    for crumb in crumbs:
        path = crumb.text("path")
        new = Artifact(path, crumb.text("change"), crumb.number("lines"), crumb.text("notes"), crumb.line)
        before = found.get(path)
        if before and before.change == "created":
            new = dataclasses.replace(new, change="created")
        found[path] = new
    return tuple(found.values())


def _feedback(crumbs: Iterable[Crumb]) -> tuple[Feedback, ...]:
    return tuple(
        Feedback(
            crumb.text("target"),
            crumb.text("issue"),
            crumb.text("suggestion"),
            crumb.text("severity"),
            crumb.line,
        )
        for crumb in crumbs
    )


def _summary(draft: _Draft, stages: Sequence[_StageDraft], trail: Trail) -> tuple[Said, ...]:
    lines = [Said(f"Stage {stage.number}: {stage.status()}", stage.line) for stage in stages]
    lines += [
        Said(crumb.text("text"), crumb.line) for crumb in _of(trail.crumbs, "note") if crumb.number("stage") is None
    ]
    if draft.crash:
        lines.append(Said(f"The run crashed: {draft.crash}"))
    lines += [
        Said(f"Line {problem.line} of the breadcrumbs could not be read: {problem.text}", problem.line)
        for problem in trail.problems
    ]
    return tuple(said for said in lines if said.text)
