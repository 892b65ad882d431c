# SPDX-License-Identifier: Apache-2.0
"""Run an operation with recorded circular buffers and compare each phase with its reference.

A phase is judged by what it was given: earlier phases stand in its reference as they really came out, so an error is
reported where it is made, and not where it arrives.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright._errors import RunError
from tilewright._launch.run_options import RunOptions
from tilewright._launch.run_program import run_program
from tilewright._planner.plan import Plan, PlannedBuffer
from tilewright._planner.row_program import Kernels, build_program
from tilewright._record.run import RecordedPages, Run
from tilewright._tensor.device import Device
from tilewright._tensor.tensor import Tensor
from tilewright._tensor.tile import TILE_SIZE
from tilewright._workshop.cases import DTYPES, OperationCase, case_tensors
from tilewright._workshop.trace.call_sites import CallSite, call_sites
from tilewright._workshop.trace.comparing import Difference, Expected, compare, summed
from tilewright._workshop.trace.geometry import Geometry
from tilewright._workshop.trace.partial_kernel import partial_kernel
from tilewright._workshop.trace.recorded import Recorded, place, whole
from tilewright._workshop.trace.steps import Float64, NoSuchPhaseError, Step, step_of, steps_of
from tilewright.formula._direction import Direction
from tilewright.formula._inputs import Input
from tilewright.ops._operation import Operation
from tilewright.ops._options import checked_config


class PhaseVerdict(enum.Enum):
    """What is known about a step after a run."""

    EXACT = "exact"
    FLOOR = "right"
    WRONG = "WRONG"
    MISPLACED = "MISCOUNT"
    NOT_REACHED = "NOT RUN"
    PASSED_THROUGH = "passed on"

    @property
    def is_wrong(self) -> bool:
        return self in (PhaseVerdict.WRONG, PhaseVerdict.MISPLACED)


@dataclasses.dataclass(frozen=True)
class StepReport:
    """One step after a run.

    Attributes:
        place: file and line of the call in the kernel; empty if it was never made.
        dtype: of its buffer.
        note: what else is to be said.
    """

    step: Step
    verdict: PhaseVerdict
    place: str = ""
    dtype: str = ""
    difference: Difference | None = None
    note: str = ""


@dataclasses.dataclass(frozen=True)
class Trace:
    """All steps after a run.

    Attributes:
        case: name of the test case.
        plan: in one line.
        stopped: why the run did not end; empty if it did.
    """

    case: str
    plan: str
    steps: tuple[StepReport, ...]
    stopped: str = ""

    @property
    def first_wrong(self) -> StepReport | None:
        """The first step that did not do what it should with what it was given."""
        return next((each for each in self.steps if each.verdict.is_wrong), None)


def trace(
    operation: Operation,
    case: OperationCase,
    device: Device,
    upto: int | None = None,
    time_limit: float | None = None,
) -> Trace:
    """Runs a test case and compares every step.

    Args:
        upto: number of the last phase that computes; later ones pass their pages through.

    Raises:
        KernelCompileError, KernelLanguageError: the kernels are not ready to run.
        NoSuchPhaseError: it has a program of its own.
    """
    if operation.choices.program is not None:
        raise NoSuchPhaseError(f"{operation.name} has a program of its own, whose phases are unknown")
    given = case_tensors(operation, case, device)
    operation = operation.specialised_for({name: tuple(each.shape) for name, each in given.items()})
    plan = operation.plan(case.shape, DTYPES[case.dtype], device, strategy=case.strategy, block_tiles=case.block_tiles)
    tensors = operation.allocate(plan, device) | given
    steps = steps_of(plan.schedule)
    kernels = plan.kernels
    sites = call_sites(kernels.reader) + call_sites(kernels.compute)
    if upto is not None:
        kernels = _partial(kernels, steps, upto)
    program = build_program(plan, kernels, tensors, operation.numbers(plan), checked_config(None))
    record = [each.buffer.index for each in plan.buffers]
    stopped = ""
    try:
        run = run_program(list(tensors.values()), program, RunOptions(record=record, time_limit=time_limit))
    except RunError as error:
        if not isinstance(error.run, Run):
            raise
        run, stopped = error.run, str(error)
    geometry = Geometry(plan)
    names = {each.name: _held(tensors[each.name], each, geometry) for each in operation.inputs}
    names |= {name: np.full((1, 1), np.float32(value), np.float64) for name, value in operation.defaults.items()}
    comparison = _Comparison(plan, geometry, sites, run, names)
    reports = [comparison.report(step, steps, upto, bool(stopped)) for step in steps]
    return Trace(case.name, plan.describe(), tuple(reports), stopped)


def _held(tensor: Tensor, given: Input, geometry: Geometry) -> Float64:
    """What a tensor really holds."""
    array: NDArray[Any] = tensor.to_numpy()
    if given.is_matrix:
        return array.astype(np.float64)
    return geometry.natural(array.astype(np.float64))


def _partial(kernels: Kernels, steps: Sequence[Step], upto: int) -> Kernels:
    stubbed, number = [], 0
    for site in call_sites(kernels.compute):
        step = step_of(site, steps)
        number = step.number if step is not None else number  # a call the spec does not know goes with the one before
        if number > upto and not site.is_stub:
            stubbed.append(site)
    return dataclasses.replace(kernels, compute=partial_kernel(kernels.compute, stubbed))


class _Comparison:
    """Holds what phases left, as later references need it."""

    def __init__(
        self, plan: Plan, geometry: Geometry, sites: Sequence[CallSite], run: Run, names: Mapping[str, Float64]
    ) -> None:
        self._plan = plan
        self._geometry = geometry
        self._sites = sites
        self._run = run
        self._names = dict(names)
        self._buffers = {each.buffer.name: each for each in plan.buffers}
        self._stubs: set[str] = set()

    def report(self, step: Step, steps: Sequence[Step], upto: int | None, is_stopped: bool) -> StepReport:
        buffer = self._buffers.get(step.buffer)
        values = step.value(self._names)
        recorded, places = self._recorded(step, steps) if buffer else ([], [])
        if upto is not None and step.number > upto:
            self._names.setdefault(step.buffer, values)
            return StepReport(step, PhaseVerdict.PASSED_THROUGH, next(iter(places), ""))
        if buffer is None or not recorded:
            self._names.setdefault(step.buffer, values)
            note = "" if buffer else f"the plan has no buffer {step.buffer}"
            return StepReport(step, PhaseVerdict.NOT_REACHED, note=note)
        return self._compared(step, buffer, values, recorded, places, is_stopped)

    def _recorded(self, step: Step, steps: Sequence[Step]) -> tuple[list[Recorded], list[str]]:
        """What each call of a step left, and where the calls are."""
        buffer = self._buffers[step.buffer]
        pushes = [each for each in self._run.pages if each.cb == buffer.buffer.index]
        found, places = [], []
        if step.number == 0:
            groups = [(pushes, _place_of(pushes[0], self._run))] if pushes else []
        else:
            groups = []
            for site in self._sites:
                if step_of(site, steps) == step:
                    made = [each for each in pushes if site.made(each.stack)]
                    if made:
                        groups.append((made, f"{site.chain[-1][0]}:{site.line}"))
                    if made and site.is_stub:
                        self._stubs.add(step.name)
        num_tiles = self._geometry.tiles_of_line(step.extent, step.inner)
        is_per_line = self._geometry.is_per_line(step.extent)
        for made, where in groups:
            found.append(place(made, buffer, step.region, self._plan, num_tiles, is_per_line))
            places.append(where)
        return found, places

    def _compared(
        self,
        step: Step,
        buffer: PlannedBuffer,
        values: Float64,
        recorded: Sequence[Recorded],
        places: Sequence[str],
        is_stopped: bool,
    ) -> StepReport:
        expected = self._expected(step, buffer, values)
        differences = [compare(each, expected) for each in recorded]
        worst = max(range(len(differences)), key=lambda each: differences[each].share_of_floor)
        chosen, note = recorded[worst], ""
        difference = differences[worst]
        if not difference.is_right and (len(recorded) > 1 or chosen.rounds > 1):
            total = summed(recorded, expected.last_tile_columns)
            together = compare(total, expected)
            if together.is_right:
                chosen, difference = total, together
                note = "its pages of one tile-row are shares of a sum; the sum was compared"
        if step.name in self._stubs:
            note = "it is still a stub: it moves pages and computes nothing"
        problem = "" if is_stopped else next((each.problem for each in recorded if each.problem), "")
        self._keep(step, chosen, expected, values)
        verdict = PhaseVerdict.MISPLACED if problem else _verdict(difference)
        dtype = buffer.dtype.name.lower()
        return StepReport(step, verdict, places[worst], dtype, self._placed(difference, step, values), problem or note)

    def _placed(self, difference: Difference, step: Step, values: Float64) -> Difference:
        """The difference in words of the tensor."""
        first = difference.first_wrong
        if first is not None:
            row, column = self._geometry.element(first.row, first.column, values, step.extent)
            first = dataclasses.replace(first, row=row, column=column)
        return dataclasses.replace(difference, first_wrong=first, unit=self._plan.rows.direction.unit)

    def _expected(self, step: Step, buffer: PlannedBuffer, values: Float64) -> Expected:
        bound = step.bound(self._plan.schedule, self._names, buffer.dtype.data_format.name)
        rows, lined = self._plan.rows, self._geometry.lined
        floor = np.broadcast_to(bound, values.shape)
        columns = rows.last_tile_columns if rows.direction is Direction.ROWS else TILE_SIZE
        columns = (rows.inner_width - 1) % TILE_SIZE + 1 if step.inner else columns
        is_number = step.node is not None and step.node.function == "parameter"
        return Expected(lined(values, step.extent), lined(floor, step.extent), step.region, columns, is_number)

    def _keep(self, step: Step, recorded: Recorded, expected: Expected, values: Float64) -> None:
        """Later references are about what this step left, not about what it should have left."""
        if step.number == 0 or step.buffer in self._names:
            return
        left = whole(recorded, len(expected.values), expected.width)
        known = np.where(np.isfinite(left), left, expected.values)
        self._names[step.buffer] = self._geometry.value_of(known, values, step.extent)


def _place_of(push: RecordedPages, run: Run) -> str:
    kernel = run.kernels[push.kernel]
    lines = [each for each in push.stack if each.path == kernel.path or each.path.endswith(".py")]
    return f"{lines[-1].path}:{lines[-1].line}" if lines else kernel.name


def _verdict(difference: Difference) -> PhaseVerdict:
    if not difference.is_right:
        return PhaseVerdict.WRONG
    return PhaseVerdict.EXACT if difference.is_exact else PhaseVerdict.FLOOR
