# SPDX-License-Identifier: Apache-2.0
"""Trace of an operation with a program of its own: its circular buffers as they are configured.

The formula has a reference for the result and for no buffer in between: which value the author keeps where is not
known. A buffer is judged where its pages are those of an input, byte for byte; others are "not judged".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tilewright._diagnose.diagnosis import user_lines
from tilewright._errors import RunError
from tilewright._launch.program_text import core_count
from tilewright._launch.run_options import RunOptions
from tilewright._launch.run_program import run_program
from tilewright._program.circular_buffer import CBFormatDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import RecordedPages, Run
from tilewright._tensor.device import Device
from tilewright._tensor.tensor import Tensor
from tilewright._workshop.cases import DTYPES, OperationCase, case_tensors
from tilewright._workshop.trace.steps import Step
from tilewright._workshop.trace.verdict import PhaseVerdict, StepReport, Trace
from tilewright.kernels.phases import Region
from tilewright.ops._accuracy import held, judge
from tilewright.ops._operation import Operation

_UNKNOWN = "a program of its own: the formula says nothing about this buffer"


def described(program: ProgramDescriptor) -> str:
    """A program of its own in one line: its kernels and its cores."""
    kernels = ", ".join(each.name for each in program.kernels)
    return f"a program of its own ({kernels}) on {core_count(program)}"


def trace_own_program(
    operation: Operation, case: OperationCase, device: Device, time_limit: float | None = None
) -> Trace:
    """Runs a test case and reports what each configured circular buffer got."""
    given = case_tensors(operation, case, device)
    fitted = operation.specialised_for({name: tuple(each.shape) for name, each in given.items()})
    plan = fitted.plan(case.shape, DTYPES[case.dtype], device)
    tensors = fitted.allocate(plan, device) | given
    program = fitted.program(plan, tensors)
    buffers = [each for cb in program.cbs for each in cb.format_descriptors]
    record = sorted({each.buffer_index for each in buffers})
    stopped = ""
    try:
        run = run_program([*tensors.values()], program, RunOptions(record=record, time_limit=time_limit))
    except RunError as error:
        if not isinstance(error.run, Run):
            raise
        run, stopped = error.run, str(error)
    inputs = {name: _pages(tensor) for name, tensor in given.items()}
    reports = [_report(each, run, inputs) for each in buffers]
    result = None
    if not stopped:
        outputs = [tensors[name].to_numpy() for name in fitted.output_names]
        result = judge(outputs, fitted.bounds(plan, held(given)))
    return Trace(case.name, described(program), tuple(reports), stopped, result, has_phases=False)


def _pages(tensor: Tensor) -> set[bytes]:
    """The bytes of a tensor's pages, without what fills them up to an aligned size."""
    return {page.tobytes() for page in tensor.buffer().read()}


def _report(buffer: CBFormatDescriptor, run: Run, inputs: dict[str, set[bytes]]) -> StepReport:
    pushes = [each for each in run.pages if each.cb == buffer.buffer_index]
    producers = list(dict.fromkeys(run.kernel_label(each.kernel) for each in pushes))
    step = Step(0, " + ".join(producers) or "-", buffer.label, None, {}, Region.TILE)
    dtype = buffer.data_format.name.lower()
    if not pushes:
        return StepReport(step, PhaseVerdict.NOT_REACHED, dtype=dtype, note="no kernel pushed a page")
    place = push_place(pushes[0], run)
    held_by = next((name for name, pages in inputs.items() if _are_pages_of(pushes, pages)), "")
    if held_by:
        return StepReport(step, PhaseVerdict.EXACT, place, dtype, note=f"each page is one of {held_by}")
    return StepReport(step, PhaseVerdict.NOT_JUDGED, place, dtype, note=_UNKNOWN)


def _are_pages_of(pushes: Sequence[RecordedPages], pages: set[bytes]) -> bool:
    size = len(next(iter(pages), b""))
    return size > 0 and all(page[:size].tobytes() in pages for page in _pushed(pushes))


def _pushed(pushes: Sequence[RecordedPages]) -> Iterator[NDArray[np.uint8]]:
    for push in pushes:
        yield from push.data


def push_place(push: RecordedPages, run: Run) -> str:
    """File and line of a push in the kernel's own file, or where it is called from there."""
    kernel = run.kernels[push.kernel]
    site, own = user_lines(push.stack, kernel.path)
    line = own or site
    return f"{line.path}:{line.line}" if line is not None else kernel.name
