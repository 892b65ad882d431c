# SPDX-License-Identifier: Apache-2.0
"""Running a program on the device its tensors are on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tilewright._launch.chip import Chip
from tilewright._launch.chip_device import ChipDevice
from tilewright._launch.observer import Core, Launch, installed, observed_run
from tilewright._launch.run_options import RunOptions
from tilewright._program.errors import ProgramError
from tilewright._program.program import ProgramDescriptor
from tilewright._program.validate import validate_program
from tilewright._record.run import Run
from tilewright._tensor.argument import require
from tilewright._tensor.buffer import Buffer
from tilewright._tensor.device import Device
from tilewright._tensor.tensor import Tensor, tensor_list

_USUAL_OPTIONS = RunOptions()

_Saved = dict[Buffer, NDArray[np.uint8]]


class TensorLaunch(Launch):
    """A launch on tensors of ``tilewright.ttnn``: inputs and, last, the output."""

    def __init__(self, io_tensors: Sequence[Tensor], program: ProgramDescriptor, options: RunOptions) -> None:
        super().__init__(program, options, io_tensors, num_outputs=1)
        self.io_tensors = io_tensors

    @property
    def device(self) -> Device:
        device = self.io_tensors[-1].device()
        assert device is not None  # else the program would have been refused
        return device

    @property
    def chip(self) -> Chip:
        return cast(ChipDevice, self.device).chip

    @property
    def circular_buffers_end(self) -> int:
        return self.device.circular_buffers_end()

    def l1_tensors(self) -> list[tuple[int, int]]:
        found = []
        for buffer in self.device.l1_buffers():
            rows = -(-buffer.num_pages // self.device.allocator(buffer.buffer_type).num_banks)
            found.append((buffer.address, buffer.address + rows * buffer.aligned_page_size))
        return found

    def run(self, options: RunOptions | None = None, program: ProgramDescriptor | None = None) -> Run:
        return _run(self.io_tensors, program or self.program, options or self.options)

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


def run_program(io_tensors: Sequence[Tensor], program: ProgramDescriptor, options: RunOptions | None = None) -> Run:
    """Like ``ttnn.generic_op``, but gives back the record of the run.

    Args:
        io_tensors: inputs and, last, the output, all on one device.
        program: what to run; everything wrong with it is said before it runs.
        options: threads, limits, and what is to be watched and kept; the usual ones if left out.

    Example::

        run = tilewright.run_program([x, y], program, tilewright.RunOptions(time_limit=10))
        print(run.seconds, [(use.index, use.peak) for use in run.circular_buffers])
    """
    options = _USUAL_OPTIONS if options is None else require("options", options, RunOptions, "a tilewright.RunOptions")
    require("program", program, ProgramDescriptor, "a ttnn.ProgramDescriptor")
    if installed and not options.watches:
        program.arguments_mark = None  # an observer may change the arguments
        return observed_run(TensorLaunch(tensor_list("io_tensors", io_tensors), program, options))
    return _run(io_tensors, program, options)


def _run(io_tensors: Sequence[Any], program: ProgramDescriptor, options: RunOptions) -> Run:
    io_tensors = tensor_list("io_tensors", io_tensors)
    last = io_tensors[-1]
    if not isinstance(last, Tensor):
        raise ProgramError([f"io_tensors[{len(io_tensors) - 1}] is not a ttnn.Tensor but {type(last).__name__}"])
    device = last.device()
    if device is None:
        raise ProgramError([f"io_tensors[{len(io_tensors) - 1}] is on the host; it must be on a device"])
    validate_program(program, device, io_tensors)
    return cast(ChipDevice, device).chip.launch(program, options, io_tensors)
