# SPDX-License-Identifier: Apache-2.0
"""Execution log of an operation from its breadcrumbs and files."""

from __future__ import annotations

import dataclasses
import datetime
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tilewright._errors import TilewrightError
from tilewright._logs.breadcrumbs import Breadcrumbs, Trail
from tilewright._logs.computing import compute_log
from tilewright._logs.events import Entry
from tilewright._logs.execution_log import ExecutionLog
from tilewright._planner.plan import Plan
from tilewright._tensor.dtype import DataType
from tilewright._workshop.cases import derived_cases
from tilewright._workshop.home import Home
from tilewright._workshop.required_buffers import case_plan
from tilewright._workshop.trace.steps import steps_of
from tilewright.formula._inputs import Form
from tilewright.kernels._cpp_kernel import CppKernel
from tilewright.ops import Operation
from tilewright.ops._what_runs import kernel_file

_MOST_COMMITS = 50


class NothingRunError(TilewrightError):
    """There are no breadcrumbs to make a log of."""


def operation_log(home: Home) -> ExecutionLog:
    """The log as of now.

    Raises:
        NothingRunError: nothing was run yet.
    """
    trail = Breadcrumbs(home.breadcrumbs).read()
    if not trail.entries:
        raise NothingRunError(f"nothing of {home.name} was run yet; `tilewright stages {home.name}` runs its stages")
    commits = [] if home.is_built_in else list(commits_of(home.directory, home.file.name))
    recorded = with_commits(list(trail.entries), commits)
    crumbs = (*recorded, *_inputs(home), *_artifacts(home), *_phase_deviations(recorded))
    log = compute_log(Trail(crumbs, trail.problems))
    whole = compute_log(Trail((*crumbs, *handoff(log)), trail.problems))
    # That the buffers are as they should be is no "none" where phases are not.
    rows = {event: each for event, each in whole.rows.items() if event != "denial" or not whole.of("deviation")}
    return dataclasses.replace(whole, rows=rows)


def _inputs(home: Home) -> Iterator[Entry]:
    """Values of the declaration, and those that follow from it: read and not interpreted, so confidence is high."""
    operation, plan = home.operation(), case_plan(home)
    entries = [
        ("operation", operation.name, operation.name),
        ("formula", operation.formula, "return"),
        *(
            (f"value {name}", text, name)
            for name, _, text in (e.partition(" = ") for e in operation.graph.lines()[:-1])
        ),
        *((f"tensor {each.name}", each.extent.name.lower(), each.name) for each in operation.inputs),
        *((f"parameter {name}", f"{each.default} ({each.rule})", name) for name, each in operation.parameters.items()),
        *_planned_inputs(operation, plan),
        ("test cases", str(len(derived_cases(operation))), operation.name),
    ]
    for name, value, word in entries:
        source = f"{home.file.name}:{home.line_of(word)}"
        yield Entry("input_parse", {"field": name, "value": value, "confidence": "HIGH", "source": source})


def _planned_inputs(operation: Operation, plan: Plan) -> list[tuple[str, str, str]]:
    """Values of the plan, where the plan is what runs."""
    if operation.has_whole_program:
        return [("program", "the operation's own", operation.name)]
    own = [f"{role} {each.name} in {kernel_file(each)}" for role, each in operation.own_kernels(plan).items()]
    phases = ", ".join(each.name for each in steps_of(plan.schedule) if each.number)
    return [
        ("circular buffers", str(len(plan.buffers)), "buffers"),
        ("phases", phases, operation.name),
        ("strategies", ", ".join(each.value for each in operation.variants(_form(operation))), operation.name),
        *([("own kernels", ", ".join(own), "kernels")] if own else []),
    ]


def _form(operation: Operation) -> Form:
    return operation.form(DataType.BFLOAT16)


def _artifacts(home: Home) -> Iterator[Entry]:
    lines = len(home.file.read_text(encoding="utf-8", errors="replace").splitlines())
    yield Entry("artifact", {"path": home.file.name, "change": "created", "lines": lines})
    files = {
        each.file
        for kernels in home.operation().choices.kernels.values()
        for each in kernels.values()
        if isinstance(each, CppKernel)
    }
    for file in sorted(files):
        lines = len(file.read_text(encoding="utf-8", errors="replace").splitlines())
        yield Entry("artifact", {"path": file.name, "change": "created", "lines": lines})


def commits_of(directory: Path, file: str) -> Iterator[Entry]:
    """The history of a file in the user's directory; none without git."""
    form = "--format=%ct%x09%h%x09%s"
    command = ["git", "-C", str(directory), "log", form, "--reverse", f"-{_MOST_COMMITS}", "--", file]
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return
    for line in result.stdout.splitlines() if result.returncode == 0 else ():
        seconds, sha, message = line.split("\t", 2)
        when = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc)
        yield Entry("commit", {"sha": sha, "message": message}, when.isoformat(timespec="milliseconds"))


def with_commits(crumbs: list[Entry], commits: list[Entry]) -> list[Entry]:
    """A commit stands where it was made: what ran later says nothing about it."""
    recorded = list(crumbs)
    for commit in commits:
        place = next((at for at, each in enumerate(recorded) if each.time > commit.time), len(recorded))
        recorded.insert(place, commit)
    return recorded


def _phase_deviations(crumbs: list[Entry]) -> Iterator[Entry]:
    """Phases that the kernel of the last run does not call."""
    last = {crumb.text("phase"): crumb for crumb in crumbs if crumb.event == "design_compliance"}
    for crumb in last.values():
        if not crumb.fields["compliant"]:
            what = f"phase {crumb.text('phase')} is not what the plan calls: {crumb.text('implementation')}"
            yield Entry("deviation", {"what": what})


def handoff(log: ExecutionLog) -> Iterator[Entry]:
    """Hand-over notes: stages that pass, and the next one."""
    passed = [each.number for each in log.stages if each.status and each.status.text == "PASS"]
    if passed:
        yield Entry("handoff", {"text": f"Stages that pass: {', '.join(map(str, passed))}."})
    for stage in log.stages:
        status = stage.status.text if stage.status else ""
        if status in ("FAIL", "HANG") and stage.attempts:
            summary = stage.attempts[-1].text("error_summary")
            yield Entry(
                "handoff", {"text": f"Stage {stage.number} is next: {status}{': ' + summary if summary else ''}"}
            )
            return
