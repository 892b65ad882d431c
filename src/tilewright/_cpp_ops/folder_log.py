# SPDX-License-Identifier: Apache-2.0
"""Execution log of a C++ operation's folder: its stages from breadcrumbs, its program and its files as they are now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tilewright._cpp_ops.arguments import call_arguments
from tilewright._cpp_ops.build import build_operation
from tilewright._cpp_ops.driver import DEFAULT_SHAPE
from tilewright._cpp_ops.errors import CppOperationError
from tilewright._cpp_ops.library import OperationLibrary
from tilewright._cpp_ops.operation_folder import OperationFolder, read_folder
from tilewright._launch.observer import Launch, Observer, observed_launches
from tilewright._logs.breadcrumbs import Breadcrumbs, Trail
from tilewright._logs.computing import compute_log
from tilewright._logs.events import Entry
from tilewright._logs.execution_log import ExecutionLog
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run
from tilewright._workshop.operation_log import NothingRunError, commits_of, handoff, with_commits
from tilewright._workshop.stages.facts import program_facts, traffic_facts

if TYPE_CHECKING:
    from tilewright._cpp_ops.stage_tests import StageOutcome

_AGENT = "tilewright stages"


def breadcrumbs_of(folder: Path) -> Breadcrumbs:
    """The breadcrumbs of a folder: beside it, as those of a declaration are beside its file."""
    return Breadcrumbs(folder.parent / ".workshop" / folder.name / "breadcrumbs.jsonl")


def record_start(folder: Path, stages: Sequence[int]) -> None:
    """Notes that stages of a folder are run."""
    breadcrumbs_of(folder).append("start", operation=folder.name, agent=_AGENT, stages=list(stages))


def record_stage(folder: Path, outcome: StageOutcome, title: str) -> None:
    """Notes how a stage ended; its test files count as one test."""
    crumbs, stage = breadcrumbs_of(folder), outcome.stage
    crumbs.append("stage_start", stage=stage, title=title)
    crumbs.append("attempt", stage=stage, action=f"run test_dev/test_stage{stage}_*.py", expected="every test passes")
    if outcome.step == "execution":
        crumbs.append("result", stage=stage, step="build", status="PASS")
    crumbs.append(
        "result",
        stage=stage,
        step=outcome.step,
        status=outcome.status,
        error_type=outcome.error_type or None,
        error_summary=None if outcome.passed else outcome.message.partition("\n")[0],
    )
    if outcome.step == "execution":
        crumbs.append("test", stage=stage, name=f"test_dev/test_stage{stage}_*.py", result=outcome.status)


def record_end(folder: Path) -> None:
    """Notes that the stages came to their end."""
    breadcrumbs_of(folder).append("complete")


def folder_log(path: Path) -> ExecutionLog:
    """The log of a folder as of now.

    Raises:
        NothingRunError: no stage of it was run yet.
    """
    folder = read_folder(path)
    trail = breadcrumbs_of(folder.root).read()
    if not trail.entries:
        raise NothingRunError(f"nothing of {folder.name} was run yet; `tilewright stages {path}` runs its stages")
    recorded = with_commits(list(trail.entries), list(commits_of(folder.root, ".")))
    crumbs = (*recorded, *_program(folder), *_artifacts(folder))
    log = compute_log(Trail(crumbs, trail.problems))
    return compute_log(Trail((*crumbs, *handoff(log)), trail.problems))


class _Launches(Observer[tuple[ProgramDescriptor, Run]]):
    """Keeps what was launched."""

    def observe(self, launch: Launch) -> Run:
        run = launch.run()
        self.take((launch.program, run))
        return run


def _program(folder: OperationFolder) -> Iterator[Entry]:
    """The operation's parameters, and the program of one call as it runs; failures are in the results of the stages."""
    try:
        library = build_operation(folder.root).load()
    except CppOperationError:
        return
    for function in library.functions.values():
        fields = {"field": f"function {function.__name__}", "value": function.signatures[0], "confidence": "HIGH"}
        yield Entry("input_parse", fields)
    shape, dtype = DEFAULT_SHAPE, "bfloat16"
    try:
        with observed_launches(_Launches()) as launched:
            _call_first(folder, library, shape, dtype)
    except Exception as error:  # the operation's own, which its stages report
        message = str(error).partition("\n")[0]
        yield Entry("deviation", {"what": f"no program on {shape} {dtype}: {type(error).__name__}: {message}"})
    for program, run in launched[:1]:
        source = f"a call on {'x'.join(map(str, shape))} {dtype}"
        for event, facts in (*program_facts(program, source), *traffic_facts(run, {}, None)):
            yield Entry(event, facts)


def _call_first(folder: OperationFolder, library: OperationLibrary, shape: tuple[int, ...], dtype: str) -> None:
    ttnn, function = library.ttnn, next(iter(library.functions.values()))
    device = ttnn.open_device(device_id=0)
    try:
        args, kwargs = call_arguments(folder.root, function, (shape, dtype, 0), ttnn, device)
        function(*args, **kwargs)
    finally:
        ttnn.close_device(device)


def _artifacts(folder: OperationFolder) -> Iterator[Entry]:
    for file in (*folder.sources, *folder.headers):
        lines = len(file.read_text(errors="replace").splitlines())
        yield Entry("artifact", {"path": str(file.relative_to(folder.root)), "change": "created", "lines": lines})
