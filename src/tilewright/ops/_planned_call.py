# SPDX-License-Identifier: Apache-2.0
"""Calls that have been checked and planned, kept with their device: a second one on tensors of the same kinds is not
checked and planned again."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tilewright._launch.chip_device import ChipDevice
from tilewright._planner.plan import Plan
from tilewright._planner.row_program import Tensors
from tilewright._program.kernel import ComputeConfigDescriptor
from tilewright._tensor.kind import TensorKind
from tilewright._tensor.tensor import Tensor, kind_of, unwritten_tensor
from tilewright.ops._options import USUAL_OPTIONS, Options
from tilewright.ops._program_cache import ProgramKey

if TYPE_CHECKING:
    from tilewright.ops._operation import Operation

_CALLS_KEPT = 256


@dataclasses.dataclass
class PlannedCall:
    """All of a call but its tensors: what follows from their kinds, its numbers, and the room that L1 has.

    Attributes:
        parameters: every number of the call, checked.
        numbers: bits of the runtime arguments they make.
        outputs: kinds of the results, by name.
        program_key: what its program is kept by, once it has been built.
    """

    plan: Plan
    parameters: Mapping[str, float]
    numbers: Mapping[str, int]
    config: ComputeConfigDescriptor
    outputs: Mapping[str, TensorKind]
    program_key: ProgramKey | None = None

    def allocate_outputs(self, device: ChipDevice) -> dict[str, Tensor]:
        return {name: unwritten_tensor(kind, device) for name, kind in self.outputs.items()}

    def find_program_key(self, tensors: Tensors) -> ProgramKey:
        if self.program_key is None:
            self.program_key = ProgramKey(self.plan, self.config, tensors)
        return self.program_key


def planned_call(
    operation: Operation, tensors: Tensors, chosen: Options, parameters: Mapping[str, Any]
) -> tuple[ChipDevice, PlannedCall]:
    """The call's device and plan; found where the same was asked before, for the usual options.

    Raises:
        OperationError, TypeError: the call is refused.
    """
    device = _common_device([tensors[each.name] for each in operation.inputs])
    numbers = exactly(parameters)
    if device is None or numbers is None or chosen is not USUAL_OPTIONS or operation.requirements:
        return operation.check_and_plan(tensors, chosen, parameters)
    room = device.circular_buffers_end()
    key = (operation, room, *[kind_of(tensors[each.name]) for each in operation.inputs], *numbers)
    known = device.calls.get(key)
    if not isinstance(known, PlannedCall):
        _, known = operation.check_and_plan(tensors, chosen, parameters)
        device.calls[key] = known
        if len(device.calls) > _CALLS_KEPT:
            device.calls.pop(next(iter(device.calls)), None)
    return device, known


def _common_device(values: list[Any]) -> ChipDevice | None:
    """Where all of them are; None if there is no such place, or one of them is no tensor to work on."""
    first = values[0]
    device = first.device() if isinstance(first, Tensor) else None
    for each in values:
        if not isinstance(each, Tensor) or each.device() is not device or not each.is_allocated():
            return None
    return device if isinstance(device, ChipDevice) else None


def exactly(parameters: Mapping[str, Any]) -> list[object] | None:
    """Numbers as something that only the same numbers are equal to (0.0 is equal to -0.0); None for odd ones."""
    if not all(type(value) is float for value in parameters.values()):
        return None
    return [part for name, value in parameters.items() for part in (name, struct.pack("<d", value))]
