# SPDX-License-Identifier: Apache-2.0
"""Calls of operations, kept with their device: checked, planned and compiled once for tensors of the same kinds.

What is left for the next call like it is to write the addresses of its tensors and its numbers into the runtime
arguments.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tilewright._launch.chip_device import ChipDevice
from tilewright._launch.executable import Executable
from tilewright._launch.launch_arguments import LaunchArguments
from tilewright._planner.kernel_names import of_tensor
from tilewright._planner.plan import Plan
from tilewright._planner.row_program import Kernels, Tensors, build_program
from tilewright._planner.row_split import checked_selection
from tilewright._program.kernel import SourceType
from tilewright._program.kernel_config import ComputeConfigDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._tensor.kind import TensorKind
from tilewright._tensor.tensor import Tensor, kind_of, unwritten_tensor
from tilewright.formula._parameters import number_bits
from tilewright.ops._options import USUAL_OPTIONS, Options, checked_config

if TYPE_CHECKING:
    from tilewright.ops._operation import Operation

_CALLS_KEPT = 256


class ArgumentWriter:
    """Writes addresses and numbers into a copy of a program's runtime arguments."""

    def __init__(self, program: ProgramDescriptor, kernels: Kernels, packed: LaunchArguments) -> None:
        self._packed = packed
        # Of each kernel: a row of words for each core, and which columns hold which tensor's address or which number.
        self._tables: list[tuple[NDArray[np.uint32], dict[int, str], dict[int, str]]] = []
        for descriptor, kernel, words in zip(program.kernels, kernels, packed.words, strict=True):
            layout, cores = kernel.arguments, max(1, len(descriptor.runtime_args))
            table = np.frombuffer(words, np.uint32).reshape(cores, -1)
            tensors = {layout.runtime.index(name): of_tensor(name) for name in layout.tensors}
            others = {at: name for at, name in enumerate(layout.runtime) if at not in tensors}
            self._tables.append((table, tensors, others))

    def write(self, tensors: Tensors, numbers: Mapping[str, int]) -> LaunchArguments:
        words = []
        for table, addresses, others in self._tables:
            copy = table.copy()
            for column, name in addresses.items():
                copy[:, column] = tensors[name].buffer_address()
            for column, name in others.items():
                if name in numbers:
                    copy[:, column] = numbers[name]
            words.append(copy.tobytes())
        return LaunchArguments(tuple(words), self._packed.common)


@dataclasses.dataclass(frozen=True)
class _Compiled:
    """A call's executable, and what writes its arguments."""

    executable: Executable
    writer: ArgumentWriter
    has_files: bool  # kernels in files, which can change


@dataclasses.dataclass
class KeptCall:
    """All of a call but its tensors and numbers: what follows from the tensors' kinds, its options and the room in L1.

    Attributes:
        outputs: kinds of the results, by name.
    """

    operation: Operation
    plan: Plan
    config: ComputeConfigDescriptor | None
    outputs: Mapping[str, TensorKind]
    _compiled: _Compiled | None = None
    _numbers: tuple[list[object] | None, dict[str, int]] | None = None
    _arguments: tuple[tuple[object, ...], LaunchArguments] | None = None

    @property
    def executable(self) -> Executable | None:
        """The executable, once the call has run; none for an operation that brings its own program."""
        return None if self._compiled is None else self._compiled.executable

    def allocate_outputs(self, device: ChipDevice) -> dict[str, Tensor]:
        return {name: unwritten_tensor(kind, device) for name, kind in self.outputs.items()}

    def compiled(
        self, device: ChipDevice, tensors: Tensors, parameters: Mapping[str, Any]
    ) -> tuple[Executable, LaunchArguments]:
        """The executable, and the arguments of a call on these tensors with these numbers."""
        numbers = self._bits(parameters)
        known = self._compiled
        if known is None or (known.has_files and not known.executable.is_current()):
            program = build_program(self.plan, self.plan.kernels, tensors, numbers, self.config)
            executable = device.chip.executable(program)
            writer = ArgumentWriter(program, self.plan.kernels, executable.arguments(program))
            has_files = any(kernel.source_type is not SourceType.SOURCE_CODE for kernel in program.kernels)
            known = self._compiled = _Compiled(executable, writer, has_files)
        places = (*[each.buffer_address() for each in tensors.values()], *numbers.values())
        last = self._arguments
        if last is None or last[0] != places:
            last = self._arguments = places, known.writer.write(tensors, numbers)
        return known.executable, last[1]

    def _bits(self, parameters: Mapping[str, Any]) -> dict[str, int]:
        """Bits of the runtime arguments that the numbers of a call make, by name.

        Raises:
            OperationError: one is no number the operation can compute with.
        """
        exact, last = exactly(parameters), self._numbers
        if last is None or exact is None or last[0] != exact:
            values = self.operation.checked_parameters(parameters)
            last = exact, {name: number_bits(value, values) for name, value in self.plan.schedule.numbers.items()}
            self._numbers = last
        return last[1]


def kept_call(
    operation: Operation, tensors: Tensors, chosen: Options, parameters: Mapping[str, Any]
) -> tuple[ChipDevice, KeptCall]:
    """The call's device and plan; found where a call on tensors of these kinds was made before.

    Raises:
        OperationError, TypeError: the call is refused.
    """
    device = _common_device([tensors[each.name] for each in operation.inputs])
    if device is None:
        return operation.check_and_plan(tensors, chosen, parameters)
    room = device.circular_buffers_end()
    kinds = [kind_of(tensors[each.name]) for each in operation.inputs]
    key = (operation, room, _options_key(chosen, device), *kinds)
    known = device.calls.get(key)
    if not isinstance(known, KeptCall):
        _, known = operation.check_and_plan(tensors, chosen, parameters)
        device.calls[key] = known
        if len(device.calls) > _CALLS_KEPT:
            device.calls.pop(next(iter(device.calls)), None)
    elif operation.requirements:
        operation.check_requirements(tensors, operation.checked_parameters(parameters))
    return device, known


def _options_key(chosen: Options, device: ChipDevice) -> object:
    """The options that decide the plan or the program."""
    if chosen is USUAL_OPTIONS:
        return None
    config = checked_config(chosen.compute_kernel_config)
    return (
        chosen.memory_config,
        None if config is None else config.state(),
        chosen.error,
        checked_selection(chosen.core_grid, device.compute_with_storage_grid_size()),
        chosen.strategy,
        chosen.block_tiles,
        chosen.deeper,
    )


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
