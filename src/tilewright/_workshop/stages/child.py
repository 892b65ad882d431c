# SPDX-License-Identifier: Apache-2.0
"""Child process of a stage: isolates crashes and hangs."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tilewright._build.kernel_build import compile_kernels
from tilewright._build.kernel_sources import kernel_source
from tilewright._launch.open_devices import close_device, open_device
from tilewright._planner.plan import Plan
from tilewright._tensor.device import Device
from tilewright._workshop.cases import (
    DTYPES,
    LOGGED_CASE,
    OperationCase,
    case_named,
    case_tensors,
    derived_cases,
    usual_case,
)
from tilewright._workshop.home import Home, find_operation
from tilewright._workshop.stages.classify import classify
from tilewright._workshop.stages.events import Events
from tilewright._workshop.stages.facts import compliance_facts, plan_facts, run_facts
from tilewright._workshop.stages.stage import BUILD, KERNELS, STAGES, Stage, Status
from tilewright._workshop.trace.difference_map import conclusion_lines, trace_json, trace_lines, wrong_lines
from tilewright._workshop.trace.steps import number_upto, steps_of
from tilewright._workshop.trace.tracing import trace
from tilewright.ops._operation import Operation

GRID = (2, 2)


def run_stage(events: Events, home: Home, stage: Stage) -> None:
    """Build, kernels, tests: each step only if the one before it succeeded."""
    operation = _step(events, BUILD, stage, home.operation)
    if operation is None:
        return
    if stage.has_kernels and _step(events, KERNELS, stage, lambda: _compile(operation)) is None:
        return
    _run_tests(events, operation, stage)
    if stage.number == 5:
        events.tell("facts", crumbs=plan_facts(operation, home))
    if stage.number == 6:
        with _device() as device:
            _check(events, operation, device)
    events.tell("end")


def _step(events: Events, name: str, stage: Stage, action: Callable[[], Any]) -> Any:
    """Result of an action; None if it failed, which is then recorded."""
    events.tell("begin", what=name)
    try:
        result = action()
    except BaseException as error:
        _, error_type = classify(error, stage.number)
        error_type = "build_error" if name == BUILD else error_type
        events.tell("step", step=name, status=Status.FAIL.value, error_type=error_type, error=_said(error))
        return None
    events.tell("step", step=name, status=Status.PASS.value)
    return result


def _said(error: BaseException) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name}:{error.lineno}: {error.msg}"
    text = str(error) or type(error).__name__
    known = type(error).__module__.startswith("tilewright") or isinstance(error, AssertionError)
    return text if known else f"{type(error).__name__}: {text}"


@contextlib.contextmanager
def _device() -> Iterator[Device]:
    device = open_device(0, grid=GRID)
    try:
        yield device
    finally:
        close_device(device)


def _plan(operation: Operation, case: OperationCase, device: Device) -> Plan:
    return operation.plan(case.shape, DTYPES[case.dtype], device, strategy=case.strategy, block_tiles=case.block_tiles)


def _compile(operation: Operation) -> bool:
    """Every kernel that the cases need."""
    with _device() as device:
        for case in derived_cases(operation):
            plan = _plan(operation, case, device)
            tensors = operation.allocate(plan, device)
            program = operation.program(plan, tensors)
            compile_kernels([kernel_source(program, each, device.description, GRID) for each in program.kernels])
            for tensor in tensors.values():
                tensor.deallocate()
    return True


def _run_tests(events: Events, operation: Operation, stage: Stage) -> None:
    try:
        import pytest
    except ImportError:
        events.tell("test", name="pytest", result="FAIL", error_type="build_error", error="pip install pytest")
        return
    from tilewright._workshop.stages.operation_plugin import OperationPlugin
    from tilewright._workshop.stages.pytest_events import EventsPlugin

    directory = Path(__file__).parent / "tests"
    files = sorted(map(str, directory.glob(stage.test_pattern)))
    options = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(directory), "--no-header"]
    pytest.main([*options, *files], plugins=[EventsPlugin(events, stage.number), OperationPlugin(operation)])


def _check(events: Events, operation: Operation, device: Device) -> None:
    """The checker's word on the case with rows of all kinds, and what the run counted."""
    # Imported here: only this stage needs the checker.
    from tilewright.check._check_program import CheckError, check_program

    case = usual_case(operation, LOGGED_CASE)
    name = f"the checker finds nothing [{case.name}]"
    events.tell("begin", what=name)
    plan = _plan(operation, case, device)
    tensors = operation.allocate(plan, device) | case_tensors(operation, case, device)
    program = operation.program(plan, tensors)
    result = check_program([*tensors.values()], program)
    if result.run is not None:
        events.tell("facts", crumbs=run_facts(operation, plan, result.run) + compliance_facts(operation, plan))
    if result.findings:
        error_type = "watcher_assert" if result.error is None else classify(result.error, 6)[1]
        events.tell(
            "test", name=name, result="FAIL", error_type=error_type, error=str(CheckError(result)), case=case.name
        )
    else:
        events.tell("test", name=name, result="PASS", case=case.name)


def run_trace(events: Events, home: Home, case_name: str, upto: str, time_limit: float) -> None:
    """One test case, phase by phase."""
    operation = home.operation()
    case = case_named(operation, case_name)
    with _device() as device:
        number = number_upto(steps_of(_plan(operation, case, device).schedule), upto) if upto else None
        found = trace(operation, case, device, number, time_limit)
    conclusion = wrong_lines(found.first_wrong) if found.first_wrong else conclusion_lines(found)
    is_right = found.first_wrong is None and not found.stopped and not found.is_result_wrong
    events.tell("trace", lines=trace_lines(found), conclusion=conclusion, is_right=is_right, trace=trace_json(found))
    events.tell("end")


def run_check(events: Events, home: Home) -> None:
    """The checker's word on every test case, the smallest first, until it finds something."""
    # Imported here: stages do without.
    from tilewright.check._check_program import check_program

    operation = home.operation()
    with _device() as device:
        for case in sorted(derived_cases(operation), key=lambda each: math.prod(each.shape)):
            events.tell("begin", what=f"checking {case.name}")
            plan = _plan(operation, case, device)
            tensors = operation.allocate(plan, device) | case_tensors(operation, case, device)
            result = check_program([*tensors.values()], operation.program(plan, tensors))
            for finding in result.findings:
                events.tell(
                    "finding", case=case.name, rule=finding.rule, place=finding.place, text=finding.text(width=1000)
                )
            if result.findings:
                break
            for tensor in tensors.values():
                tensor.deallocate()
    events.tell("end")


def main(arguments: list[str]) -> int:
    """``stage``, ``trace`` or ``check``, the file for events, the operation, and what that takes."""
    what, events, given, *rest = arguments
    channel, home = Events(Path(events)), find_operation(given)
    try:
        if what == "stage":
            run_stage(channel, home, STAGES[int(rest[0]) - 1])
        elif what == "check":
            run_check(channel, home)
        else:
            run_trace(channel, home, rest[0], rest[1], float(rest[2]))
    except Exception as error:
        status, error_type = classify(error, 7)
        channel.tell("failed", status=status.value, error_type=error_type, error=_said(error))
    return 0
