# SPDX-License-Identifier: Apache-2.0
"""Run an operation with recorded circular buffers and compare each phase with its reference.

A phase is judged by what it was given: earlier phases stand in its reference as they really came out, so an error is
reported where it is made, and not where it arrives.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright._errors import RunError
from tilewright._launch.run_options import RunOptions
from tilewright._launch.run_program import run_program
from tilewright._planner.plan import Plan, PlannedBuffer
from tilewright._planner.row_program import Kernels, build_program
from tilewright._planner.stores import LEFT
from tilewright._record.run import RecordedPages, Run
from tilewright._tensor.device import Device
from tilewright._tensor.tensor import Tensor
from tilewright._tensor.tile import TILE_SIZE
from tilewright._workshop.cases import DTYPES, OperationCase, case_tensors
from tilewright._workshop.trace.call_sites import CallSite, call_sites
from tilewright._workshop.trace.comparing import Difference, Expected, compare, summed
from tilewright._workshop.trace.geometry import Geometry
from tilewright._workshop.trace.own_program import push_place, trace_own_program
from tilewright._workshop.trace.partial_kernel import partial_kernel
from tilewright._workshop.trace.recorded import Recorded, place, whole
from tilewright._workshop.trace.steps import Float64, NoSuchPhaseError, Step, step_of, steps_of
from tilewright._workshop.trace.verdict import PhaseVerdict, StepReport, Trace
from tilewright.formula._direction import Direction
from tilewright.formula._graph import Extent
from tilewright.formula._inputs import Input
from tilewright.ops._accuracy import held, judge
from tilewright.ops._operation import Operation


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
        NoSuchPhaseError: ``upto`` names a phase, and the kernels have none that could be left out.
    """
    if operation.has_whole_program:
        if upto is not None:
            raise NoSuchPhaseError(f"--upto: {operation.name} has a program of its own, whose phases are not known")
        return trace_own_program(operation, case, device, time_limit)
    given = case_tensors(operation, case, device)
    operation = operation.specialised_for({name: tuple(each.shape) for name, each in given.items()})
    plan = operation.plan(case.shape, DTYPES[case.dtype], device, strategy=case.strategy, block_tiles=case.block_tiles)
    tensors = operation.allocate(plan, device) | given
    steps = steps_of(plan.schedule)
    kernels = plan.kernels
    sites = call_sites(kernels.reader) + call_sites(kernels.compute)
    if upto is not None:
        if not call_sites(kernels.compute):
            name = kernels.compute.name
            raise NoSuchPhaseError(f"--upto: the compute kernel {name} calls no phases, so none can be left out")
        kernels = _partial(kernels, steps, upto)
    program = build_program(plan, kernels, tensors, operation.numbers(plan))
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
    own = operation.own_kernels(plan)
    comparison = _PhaseComparison(plan, geometry, sites, run, names, {each.name for each in own.values()})
    reports = [comparison.report(step, steps, upto, bool(stopped)) for step in steps]
    result = None
    if upto is None and not stopped:
        outputs = [tensors[name].to_numpy() for name in operation.output_names]
        result = judge(outputs, operation.bounds(plan, held(given)))
    if result is not None and result.is_within_bound:
        reports = [_of_other_use(each) if each.step.buffer in comparison.own_buffers else each for each in reports]
    replaced = "".join(f"; {role} {each.name} is the operation's own" for role, each in own.items())
    return Trace(case.name, plan.describe() + replaced, tuple(reports), stopped, result)


def _of_other_use(report: StepReport) -> StepReport:
    """A buffer of a kernel of its own that holds something else than the plan's phase, in a run with a right result."""
    if not report.verdict.is_wrong:
        return report
    note = f"the kernel puts other values here than `{report.step.expression}`, and the result is right"
    return dataclasses.replace(report, verdict=PhaseVerdict.NOT_JUDGED, difference=None, note=note)


def _held(tensor: Tensor, given: Input, geometry: Geometry) -> Float64:
    """The values that a tensor holds after rounding."""
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


class _PhaseComparison:
    """Holds what phases left, as later references need it."""

    def __init__(
        self,
        plan: Plan,
        geometry: Geometry,
        sites: Sequence[CallSite],
        run: Run,
        names: Mapping[str, Float64],
        own: Collection[str],
    ) -> None:
        self._plan = plan
        self._geometry = geometry
        self._sites = sites
        self._run = run
        self._names = dict(names)
        self._given = dict(names)
        self._own = own
        self.own_buffers: set[str] = set()  # filled by kernels of the operation's own, outside of phases
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
        """Results of each call of a step, and the places of the calls."""
        buffer = self._buffers[step.buffer]
        pushes = [each for each in self._run.pages if each.cb == buffer.buffer.index]
        found, places = [], []
        if step.number == 0:
            groups = [(pushes, push_place(pushes[0], self._run))] if pushes else []
        else:
            groups = []
            for site in self._sites:
                if step_of(site, steps) == step:
                    made = [each for each in pushes if site.made(each.stack)]
                    if made:
                        groups.append((made, f"{site.chain[-1][0]}:{site.line}"))
                    if made and site.is_stub:
                        self._stubs.add(step.name)
            if not groups and (outside := self._outside_phases(pushes)):
                groups.append((outside, push_place(outside[0], self._run)))
                self.own_buffers.add(step.buffer)
        num_tiles = self._geometry.tiles_of_line(step.extent, step.inner)
        is_per_line = self._geometry.is_per_line(step.extent)
        is_left = step.inner and step.buffer != LEFT and self._plan.rows.left_parts > 1
        is_cut = step.extent in (Extent.FULL, Extent.ROW) and (is_left or not step.inner)
        for made, where in groups:
            found.append(place(made, buffer, step.region, self._plan, num_tiles, is_per_line, is_cut, is_left))
            places.append(where)
        return found, places

    def _outside_phases(self, pushes: Sequence[RecordedPages]) -> list[RecordedPages]:
        """Pushes of kernels of the operation's own that no call of a phase made."""
        own = [each for each in pushes if self._run.kernel_label(each.kernel) in self._own]
        return [each for each in own if not any(site.made(each.stack) for site in self._sites)]

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
        if step.buffer in self.own_buffers and not difference.is_right:
            note = "the kernel is the operation's own; the reference is what the plan would put here"
            from_inputs = self._expected(step, buffer, step.value(self._given), self._given)
            alone = max((compare(each, from_inputs) for each in recorded), key=lambda each: each.share_of_floor)
            if alone.is_right:  # it does not use the buffers before as the plan would
                expected, difference, note = from_inputs, alone, ""
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

    def _expected(
        self, step: Step, buffer: PlannedBuffer, values: Float64, names: Mapping[str, Float64] | None = None
    ) -> Expected:
        bound = step.bound(self._plan.schedule, names or self._names, buffer.dtype.data_format.name)
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


def _verdict(difference: Difference) -> PhaseVerdict:
    if not difference.is_right:
        return PhaseVerdict.WRONG
    return PhaseVerdict.EXACT if difference.is_exact else PhaseVerdict.FLOOR
