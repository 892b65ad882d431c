# SPDX-License-Identifier: Apache-2.0
"""A launch on tensors of ``tilewright.ttnn``, as observers see it and as it runs without them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from tilewright._launch.observer import Core, Launch
from tilewright._launch.run_options import RunOptions
from tilewright._program.errors import ProgramError
from tilewright._program.program import ProgramDescriptor
from tilewright._program.validate import validate_program
from tilewright._record.run import Run
from tilewright._tensor.buffer import Buffer
from tilewright._tensor.tensor import Tensor, tensor_list

if TYPE_CHECKING:
    from tilewright._launch.chip import Chip
    from tilewright._launch.chip_device import ChipDevice
    from tilewright._launch.executable import Executable

_Saved = dict[Buffer, NDArray[np.uint8]]


class TensorLaunch(Launch):
    """A launch on tensors of ``tilewright.ttnn``: inputs and, last, the output."""

    def __init__(
        self,
        io_tensors: Sequence[Tensor],
        program: ProgramDescriptor | Callable[[], ProgramDescriptor],
        options: RunOptions,
    ) -> None:
        super().__init__(program, options, io_tensors, num_outputs=1)
        self.io_tensors = io_tensors

    @property
    def device(self) -> ChipDevice:
        return device_of(self.io_tensors)

    @property
    def chip(self) -> Chip:
        return self.device.chip

    @property
    def circular_buffers_end(self) -> int:
        return self.device.circular_buffers_end()

    def l1_tensors(self) -> list[tuple[int, int]]:
        buffers = self.device.l1_buffers()
        return [(buffer.address, buffer.address + buffer.bytes_per_bank()) for buffer in buffers]

    def run(self, options: RunOptions | None = None, program: ProgramDescriptor | None = None) -> Run:
        return run_unobserved(self.io_tensors, program or self.program, options or self.options)

    def with_program(self, program: ProgramDescriptor) -> TensorLaunch:
        return TensorLaunch(self.io_tensors, program, self.options)

    def save(self) -> _Saved:
        given = [each for each in self.io_tensors if isinstance(each, Tensor)]
        buffers = {each.buffer() for each in given if each.device() is not None and each.is_allocated()}
        return {buffer: buffer.read() for buffer in buffers}

    def restore(self, memory: _Saved) -> None:
        for buffer, pages in memory.items():
            host_wrote = buffer.host_wrote
            buffer.write(pages, buffer.pad_value_given)
            buffer.host_wrote = host_wrote

    def same_results(self, one: _Saved, other: _Saved) -> bool:
        return all(np.array_equal(pages, other[buffer]) for buffer, pages in one.items())

    def read_words(self, core: Core, address: int, count: int) -> list[int]:
        words: list[int] = self.chip.read_l1(core, address, 4 * count).view("<u4").tolist()
        return words

    def show(self, text: str) -> None:
        print(text, end="", flush=True)


def run_unobserved(io_tensors: Sequence[Tensor], program: ProgramDescriptor, options: RunOptions) -> Run:
    """Run a program past all observers."""
    io_tensors = tensor_list("io_tensors", io_tensors)
    device = device_of(io_tensors)
    executable = checked_executable(program, device, options, io_tensors)
    return device.chip.run(executable, executable.arguments(program), options, io_tensors)


def checked_executable(
    program: ProgramDescriptor, device: ChipDevice, options: RunOptions, io_tensors: Sequence[Tensor]
) -> Executable:
    """The executable of a program that can run on these tensors.

    Raises:
        ProgramError: everything that is wrong.
    """
    kept = device.chip.find(program, options)
    if kept is not None and kept.fits(device, io_tensors):
        return kept
    validate_program(program, device, io_tensors)
    executable = kept or device.chip.executable(program, options)
    executable.note_checked()
    return executable


def device_of(io_tensors: Sequence[Tensor]) -> ChipDevice:
    """The device of the output, which is the last tensor."""
    last = io_tensors[-1]
    if not isinstance(last, Tensor):
        raise ProgramError([f"io_tensors[{len(io_tensors) - 1}] is not a ttnn.Tensor but {type(last).__name__}"])
    device = last.device()
    if device is None:
        raise ProgramError([f"io_tensors[{len(io_tensors) - 1}] is on the host; it must be on a device"])
    return cast("ChipDevice", device)
