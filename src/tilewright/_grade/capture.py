# SPDX-License-Identifier: Apache-2.0
"""A device that runs nothing: it writes down what host code allocates, writes and launches.

Host code of a candidate runs here without values to read and without an engine. The process that runs the kernels
replays what was written down on a device of its own; it allocates in the same order, so addresses are the same.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright._build.translation_unit import Instrumentation
from tilewright._grade.program_text import Json, ProgramTextError, program_json
from tilewright._launch.chip_device import ChipDevice
from tilewright._launch.executable import Executable
from tilewright._launch.observer import Launch, Observer, observed_launches
from tilewright._launch.open_devices import opened_as_first
from tilewright._launch.run_options import RunOptions
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run, RunStatus
from tilewright._tensor.arch import describe_arch
from tilewright._tensor.buffer import Buffer
from tilewright._tensor.cores import CoreCoord
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.memory_config import DRAM_MEMORY_CONFIG, BufferType
from tilewright._tensor.tensor import Tensor, checked_kind, unwritten_tensor

_MOST_EVENTS = 256


class CaptureError(RuntimeError):
    """Something that host code of a candidate cannot do while it is graded."""


class _PaperChip:
    """In the place of a chip: it has no memory and no runner."""

    def __init__(self, arch: Any, grid: tuple[int, int]) -> None:
        self.arch = arch
        self.grid = grid
        self.events: list[Json] = []
        self.buffers: list[Buffer] = []  # never freed, so that each address has one meaning
        self.described: dict[int, Tensor] = {}

    def check_usable(self) -> None:
        pass

    def write_pages(
        self, buffer_type: BufferType, address: int, page_bytes: int, aligned_page_bytes: int, pages: NDArray[np.uint8]
    ) -> None:
        number = next(
            number
            for number, each in enumerate(self.buffers)
            if each.address == address and each.buffer_type is buffer_type
        )
        self.add({"event": "write", "buffer": number, "pages": base64.b64encode(pages.tobytes()).decode()})

    def read_pages(self, *arguments: object) -> NDArray[np.uint8]:
        raise CaptureError("a tensor has no values to read while a candidate is graded: its kernels have not run")

    def fill_pages(self, *arguments: object) -> None:
        pass

    def add(self, event: Json) -> None:
        if len(self.events) >= _MOST_EVENTS:
            raise CaptureError(f"more than {_MOST_EVENTS} launches and writes")
        self.events.append(event)

    def find(self, program: ProgramDescriptor, options: RunOptions) -> None:
        return None

    def executable(self, program: ProgramDescriptor, options: RunOptions | None = None) -> Executable:
        return Executable(program, Instrumentation.NOTHING, self)  # type: ignore[arg-type]

    def run(self, *arguments: object) -> Run:
        raise CaptureError("RunOptions that watch a launch are not allowed while a candidate is graded")

    def forget_executables(self) -> None:
        pass

    def close(self) -> None:
        pass


class PaperDevice(ChipDevice):
    """The device of captured launches."""

    def __init__(self, arch: str, grid: tuple[int, int] | None) -> None:
        description = describe_arch(arch)
        size = description.grid if grid is None else CoreCoord(grid)
        self.paper = _PaperChip(description, (size.x, size.y))
        super().__init__(description, self.paper, 0, size, 0)  # type: ignore[arg-type]

    def register(self, buffer: Buffer) -> None:
        super().register(buffer)
        self.paper.buffers.append(buffer)

    def unregister(self, buffer: Buffer) -> bool:
        return False


class _CaptureObserver(Observer[None]):
    """Writes launches down; none runs."""

    def __init__(self, device: PaperDevice) -> None:
        super().__init__()
        self._device = device

    def observe(self, launch: Launch) -> Run:
        paper = self._device.paper
        numbers = {id(buffer): number for number, buffer in enumerate(paper.buffers)}
        tensors = [each for each in launch.tensors if isinstance(each, Tensor)]
        if len(tensors) != len(launch.tensors) or any(each.device() is not self._device for each in tensors):
            raise CaptureError("a launch on tensors that are not on the device of the inputs")
        for each in tensors:
            paper.described[numbers[id(each.buffer())]] = each
        program = program_json(launch.program, numbers)
        paper.add({"event": "launch", "io": [numbers[id(each.buffer())] for each in tensors], "program": program})
        return Run(RunStatus.OK, [], {}, 0.0, 0, list, list, [], [])


def capture(
    host: Callable[..., object], inputs: Sequence[tuple[Sequence[int], DataType, Layout]], arch: str, grid: Any
) -> Json:
    """Call host code on tensors without values; what it allocated, wrote, launched and returned.

    Args:
        host: gets the input tensors, returns the output tensor or several.
        inputs: shape, dtype and layout of each.
    """
    device = PaperDevice(arch, None if grid is None else tuple(grid))
    kinds = [checked_kind(list(shape), dtype, layout, device, DRAM_MEMORY_CONFIG) for shape, dtype, layout in inputs]
    tensors = [unwritten_tensor(kind, device) for kind in kinds]
    with observed_launches(_CaptureObserver(device)), opened_as_first(device):
        returned = host(*tensors)
    outputs = list(returned) if isinstance(returned, tuple | list) else [returned]
    if not outputs or not all(isinstance(each, Tensor) and each.device() is device for each in outputs):
        raise CaptureError(
            f"it must return the output tensor on the device of its inputs, not {type(returned).__name__}"
        )
    paper = device.paper
    numbers = {id(buffer): number for number, buffer in enumerate(paper.buffers)}
    for each in (*tensors, *outputs):
        assert isinstance(each, Tensor)
        paper.described[numbers[id(each.buffer())]] = each
    return {
        "buffers": [_buffer_json(each, paper.described.get(number)) for number, each in enumerate(paper.buffers)],
        "num_inputs": len(tensors),
        "events": paper.events,
        "outputs": [numbers[id(each.buffer())] for each in outputs if isinstance(each, Tensor)],
    }


def _buffer_json(buffer: Buffer, tensor: Tensor | None) -> Json:
    found: Json = {
        "address": buffer.address,
        "is_dram": buffer.buffer_type is BufferType.DRAM,
        "page_size": buffer.page_size,
        "num_pages": buffer.num_pages,
        "tensor": None,
    }
    if tensor is not None:
        if tensor.is_sharded():
            raise ProgramTextError("a sharded tensor")
        found["tensor"] = {
            "shape": list(tensor.shape),
            "dtype": tensor.dtype.name,
            "layout": tensor.layout.name,
            "tile": [tensor.tile.height, tensor.tile.width],
        }
    return found
