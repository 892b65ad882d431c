# SPDX-License-Identifier: Apache-2.0
"""Run stages in order and record their results."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from tilewright._build.engine_build import find_engine
from tilewright._logs.breadcrumbs import Breadcrumbs
from tilewright._workshop.home import Home
from tilewright._workshop.stages.process import Processes, ProcessRecord, Progress
from tilewright._workshop.stages.stage import EXECUTION, KERNELS, STEPS, Stage, StageResult, Status, TestOutcome

AGENT = "tilewright stages"


def run_stages(
    home: Home,
    stages: Sequence[Stage],
    time_limit: float,
    is_all: bool = False,
    progress: Progress | None = None,
) -> Iterator[StageResult]:
    """Each stage as it ends; after a red one the others are not run, unless ``is_all``.

    Everything is in the operation's breadcrumbs before it is given back.
    """
    find_engine()  # where it must be built first, that is not a stage's time
    crumbs = Breadcrumbs(home.breadcrumbs)
    with crumbs.recording_crashes(), Processes(home.directory) as processes:
        crumbs.append(
            "start",
            operation=home.name,
            agent=AGENT,
            stages=[each.number for each in stages],
            input_files=[home.file.name],
        )
        is_red = False
        for stage in stages:
            if is_red and not is_all:
                yield StageResult(stage, Status.NOT_RUN, _steps(stage), attempts=attempts(crumbs, stage))
                continue
            result = _run_stage(home, stage, processes, time_limit, crumbs, progress)
            is_red = is_red or result.status.is_red
            yield result
        crumbs.append("complete")


def attempts(crumbs: Breadcrumbs, stage: Stage) -> int:
    """How often a stage was run."""
    return sum(each.event == "attempt" and each.number("stage") == stage.number for each in crumbs.read().entries)


def _steps(stage: Stage) -> dict[str, Status]:
    return {step: Status.NOT_RUN for step in STEPS if step != KERNELS or stage.has_kernels}


def _run_stage(
    home: Home,
    stage: Stage,
    processes: Processes,
    time_limit: float,
    crumbs: Breadcrumbs,
    progress: Progress | None,
) -> StageResult:
    crumbs.append("stage_start", stage=stage.number, title=stage.proves)
    crumbs.append("attempt", stage=stage.number, action=f"run tests/{stage.test_pattern}", expected="every test passes")
    record = processes.run(["stage", str(home.given), str(stage.number)], time_limit, progress)
    result = dataclasses.replace(result_of(stage, record, time_limit), attempts=attempts(crumbs, stage))
    failure = result.first_failure
    if failure is not None and failure.error_type == "numerical_mismatch" and failure.case:
        result = _with_difference(result, home, processes, failure.case, time_limit, progress)
    _record(crumbs, result, record)
    return result


def _with_difference(
    result: StageResult, home: Home, processes: Processes, case: str, time_limit: float, progress: Progress | None
) -> StageResult:
    record = processes.run(["trace", str(home.given), case, "", str(time_limit / 2)], time_limit, progress)
    found = record.of("trace")
    if not found:
        return result
    return dataclasses.replace(result, difference=tuple(found[-1]["conclusion"]), trace=found[-1]["trace"])


def result_of(stage: Stage, record: ProcessRecord, time_limit: float) -> StageResult:
    """Events of a stage's process, and whether it hung or crashed."""
    steps = _steps(stage)
    error_type = error = ""
    for event in record.of("step"):
        steps[event["step"]] = Status(event["status"])
        if event["status"] != "PASS":
            error_type, error = event["error_type"], event["error"]
    tests = [_test(event) for event in record.of("test")]
    ended, why = _early_end(record, time_limit)
    if why:
        error_type, error = why
        began = record.last_begun
        step = began if began in STEPS else EXECUTION
        steps[step] = ended
        if began and began not in STEPS and began not in {each.name for each in tests}:
            tests.append(TestOutcome(began, ended, error_type, error))
    elif tests:
        # A hang outranks a failure: what fails beside it may be its consequence.
        red = sorted((each for each in tests if each.status.is_red), key=lambda each: each.status is not Status.HANG)
        steps[EXECUTION] = red[0].status if red else Status.PASS
        if red:
            error_type, error = red[0].error_type, f"{red[0].name}: {red[0].error}"
    status = next((each for each in steps.values() if each.is_red), Status.PASS)
    if status is Status.PASS and steps[EXECUTION] is not Status.PASS:
        status, error_type, error = Status.FAIL, "test_fail", f"no test of {stage.test_pattern} ran"
    return StageResult(stage, status, steps, tuple(tests), error_type, error, record.seconds)


def _early_end(record: ProcessRecord, time_limit: float) -> tuple[Status, tuple[str, str]] | tuple[Status, None]:
    """How a process ended that did not come to its end; None if it did."""
    during = f" during {record.last_begun}" if record.last_begun else ""
    if record.is_late:
        return Status.HANG, ("test_timeout", f"no end after {time_limit:g} s{during}")
    failed = record.of("failed")
    if failed:
        return Status(failed[-1]["status"]), (failed[-1]["error_type"], failed[-1]["error"])
    if record.ended or any(event["status"] != "PASS" for event in record.of("step")):
        return Status.PASS, None
    last = next((line for line in reversed(record.output.splitlines()) if line.strip()), "")
    how = f"died of {record.signal}" if record.signal else f"ended with status {record.returncode}"
    return Status.FAIL, ("other", f"the process {how}{during}{': ' + last.strip() if last else ''}")


def _test(event: dict[str, Any]) -> TestOutcome:
    error_type, error, case = (str(event.get(key, "")) for key in ("error_type", "error", "case"))
    share = float(event.get("share_of_tolerance", 0.0))
    return TestOutcome(event["name"], Status(event["result"]), error_type, error, case, share)


def _record(crumbs: Breadcrumbs, result: StageResult, record: ProcessRecord) -> None:
    number = result.stage.number
    for step, status in result.steps.items():
        is_red = status.is_red
        crumbs.append(
            "result",
            stage=number,
            step=step,
            status=status.value,
            error_type=result.error_type if is_red else None,
            error_summary=_summary(result) if is_red else None,
        )
    for test in result.tests:
        word = "SKIPPED" if test.status is Status.NOT_RUN else test.status.value
        crumbs.append("test", stage=number, name=test.name, result=word, notes=_first_line(test.error) or None)
    for event in record.of("facts"):
        for name, fields in event["crumbs"]:
            crumbs.append(name, **fields)
    if result.difference:
        crumbs.append("note", stage=number, text="; ".join(line.strip() for line in result.difference[:3]))


def _summary(result: StageResult) -> str:
    """One line for the log; several for a hang, one for each waiting kernel."""
    if result.status is not Status.HANG:
        return _first_line(result.error)
    return textwrap.shorten("; ".join(line.strip() for line in result.error.strip().splitlines()), 400)


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else ""
