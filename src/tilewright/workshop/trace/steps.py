# SPDX-License-Identifier: Apache-2.0
"""The steps of an operation: what the reader fills and what each phase of the spec leaves, with its reference.

A kernel may call a phase of the spec in several places, as streaming kernels do; the name of the buffer and, where
several phases share one, the name of what is called say which phase it is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilewright.device.errors import TilewrightError
from tilewright.kernels.phases import Region
from tilewright.workshop.spec.calls import Call, resolve_calls
from tilewright.workshop.spec.model import Spec
from tilewright.workshop.spec.regions import region_of_reader
from tilewright.workshop.trace.call_sites import CallSite

Float64: TypeAlias = NDArray[np.float64]


class NoSuchPhaseError(TilewrightError):
    """A number or name that no phase has; the message says which there are."""

    exit_status = 2


class PhaseReferenceError(TilewrightError):
    """A reference of the spec cannot be computed."""


@dataclasses.dataclass(frozen=True)
class Step:
    """Something that is to be in a circular buffer.

    Attributes:
        number: of the phase in the spec, from 1; 0 for what the reader fills.
        name: of the phase; of the buffer for what the reader fills.
        buffer: name of the circular buffer.
        expression: of NumPy, in float64, over ``x``, vectors, parameters and earlier phases.
        region: where its pages hold data.
        function: what the spec calls; empty for the reader.
        line: of the spec.
    """

    number: int
    name: str
    buffer: str
    expression: str
    region: Region
    function: str
    line: int

    def value(self, names: Mapping[str, Float64]) -> Float64:
        """The reference, of two dimensions."""
        try:
            result = eval(self.expression, {"np": np}, dict(names))
        except Exception as error:
            raise PhaseReferenceError(
                f"the reference of {self.name}, `{self.expression}` (line {self.line} of the spec), "
                f"cannot be computed: {type(error).__name__}: {error}"
            ) from error
        return np.atleast_2d(np.asarray(result, dtype=np.float64))


_HELD = {"input": "x", "scaler": "np.ones((1, 1))"}


def steps_of(spec: Spec) -> list[Step]:
    """All steps, the reader's first, then the phases in the spec's order."""
    steps = []
    for buffer in spec.buffers:
        if buffer.producer == "reader" and buffer.holds and not buffer.is_staging:
            region = region_of_reader(spec, buffer)
            expression = _HELD.get(buffer.holds, buffer.holds)
            steps.append(Step(0, buffer.name, buffer.name, expression, region, "", buffer.place.line))
    calls, _ = resolve_calls(spec)
    for number, phase in enumerate(spec.phases, 1):
        call = next((each for each in calls if each.phase is phase), None)
        if call is not None:
            output, region = _output(call)
            line = phase.place.of("reference")
            steps.append(Step(number, phase.name, output, phase.reference, region, call.function, line))
    return steps


def _output(call: Call) -> tuple[str, Region]:
    parameter = next(iter(call.contract.pushes))
    return call.buffers[parameter], call.contract.gives[parameter]


def step_of(site: CallSite, steps: Iterable[Step]) -> Step | None:
    """The step a call in a kernel is; None if the spec has none that goes there."""
    there = [each for each in steps if each.buffer in site.outputs]
    exact = [each for each in there if each.name == site.called_as]
    exact = exact or [each for each in there if each.function == site.phase.name]
    if exact:
        return exact[0]
    return there[0] if len(there) == 1 else None


def number_upto(steps: Iterable[Step], upto: str) -> int:
    """The number of a phase given by number or name."""
    phases = [each for each in steps if each.number]
    for each in phases:
        if upto in (str(each.number), each.name):
            return each.number
    if upto == "0":
        return 0
    known = ", ".join(f"{each.number} {each.name}" for each in phases)
    raise NoSuchPhaseError(f"--upto is {upto!r}; it must be 0 or a phase by number or name: {known}")
