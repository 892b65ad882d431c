# SPDX-License-Identifier: Apache-2.0
"""A kernel that has stopped, and what can be seen from there: DST, circular buffers, arguments, semaphores, waits."""

from __future__ import annotations

import dataclasses
import linecache
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright._build.cb_formats import tile_bytes
from tilewright._build.source_lines import SourceLine
from tilewright._debug.breakpoints import Breakpoint, is_users
from tilewright._diagnose.diagnosis import call_site, describe_position
from tilewright._program.circular_buffer import CBFormatDescriptor
from tilewright._program.kernel import KernelDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._program.runtime_arguments import common_runtime_arguments, runtime_arguments
from tilewright._record.l1_layout import semaphore_offset
from tilewright._record.run import CbUse, ComputeThread, KernelPosition, KernelState, Run
from tilewright._tensor.argument import whole_number
from tilewright._tensor.dtype import POISON_PATTERNS
from tilewright._tensor.layout import Layout, decode, untilize
from tilewright._tensor.shape import Shape
from tilewright._tensor.tile import Tile
from tilewright._wire.data_formats import DataFormat
from tilewright._wire.runner import DstPhase, StopReason
from tilewright._wire.runner import Go as Go

Core = tuple[int, int]
ReadL1 = Callable[[Core, int, int], NDArray[np.uint8]]

_DTYPES = {each.data_format: each for each in POISON_PATTERNS}
_INTEGERS = {DataFormat.Int32, DataFormat.UInt32, DataFormat.UInt16, DataFormat.UInt8, DataFormat.Int8}
_WAITING = (KernelState.BLOCKED, KernelState.POLLING, KernelState.YIELDED)
_THREADS = {1: "unpack", 2: "maths", 4: "pack"}


@dataclasses.dataclass(frozen=True)
class Arguments:
    """Arguments of a kernel on a core."""

    runtime: tuple[int, ...]
    common: tuple[int, ...]
    compile_time: tuple[int, ...]
    named: dict[str, int]


@dataclasses.dataclass(frozen=True)
class BufferState:
    """A circular buffer of a core.

    Attributes:
        there: pages that were pushed and not popped.
        address: where it begins in L1.
    """

    index: int
    label: str
    data_format: DataFormat
    num_pages: int
    page_bytes: int
    there: int
    pushed: int
    popped: int
    address: int

    def page_address(self, page: int) -> int:
        """Where a page lies in L1, counted from the front."""
        return self.address + (self.popped + page) % self.num_pages * self.page_bytes


@dataclasses.dataclass(frozen=True, eq=False)
class Dst:
    """The destination registers of a core, as far as the mode of its compute kernel reaches."""

    words: NDArray[np.uint32]  # a tile in a row
    phase: DstPhase
    is_32_bit: bool
    unpack_format: DataFormat

    def tile(self, index: int) -> NDArray[Any]:
        """32 x 32 numbers; integers where the kernel last unpacked integers."""
        whole_number("index", index, 0, len(self.words) - 1)
        values = self.words[index]
        numbers: NDArray[Any] = values.view(np.int32 if self.unpack_format in _INTEGERS else np.float32)
        matrices: NDArray[Any] = untilize(numbers.reshape(1, -1), 32, 32, Tile((32, 32)))
        return matrices.reshape(32, 32)


class Stop:
    """A kernel on a core that has stopped before a line, or before a call it was stepped to, or that waits for ever.

    Attributes:
        kernel, core: the kernel that stopped, and its core.
        threads: of a compute kernel whose threads run apart: which of them stand here.
        is_step: a step ended here.
        is_hang: nothing moves any more, and this is the first kernel that waits; the run ends afterwards.
        stack: where it stands in the user's sources, innermost first.
        dst: the core's destination registers; None where nothing computes yet.
        breakpoints: where kernels stop from here on; may be changed.

    Example::

        def look(stop):
            print(stop, stop.dst.tile(0), [buffer.there for buffer in stop.buffers()])
            return Go.TO_NEXT_CALL
    """

    def __init__(
        self,
        place: tuple[int, Core, int, StopReason],
        program: ProgramDescriptor,
        run: Run,
        dst: Dst | None,
        cb_addresses: Sequence[int],
        read_l1: ReadL1,
        breakpoints: Iterable[Breakpoint],
        require: Callable[[Breakpoint], object],
    ) -> None:
        self._index, self.core, threads, reason = place
        self.is_step, self.is_hang = reason is StopReason.STEP, reason is StopReason.HANG
        self._program = program
        self._run = run
        self._cb_addresses = cb_addresses
        self._read_l1 = read_l1
        self.kernel = run.kernels[self._index].name
        self.threads = tuple(name for bit, name in _THREADS.items() if threads & bit) if threads not in (0, 7) else ()
        self.dst = dst
        self.breakpoints = list(breakpoints)
        self._require = require
        standing = [each for each in run.positions if (each.kernel, each.core) == (self._index, self.core)]
        own = next((each for each in standing if self.is_hang and each.state in _WAITING), standing[0])
        if self.is_hang:
            self.threads = () if own.thread is ComputeThread.ALL else (own.thread.name.lower(),)
        self.stack = tuple(each for each in own.stack if is_users(each.path))

    @property
    def line(self) -> SourceLine | None:
        """The line it stands before, of the user's sources."""
        return self.stack[0] if self.stack else None

    @property
    def callers(self) -> tuple[SourceLine, ...]:
        """Where the function it stands in was called from, and where that was, up to the kernel's own."""
        return self.stack[1:]

    def break_at(self, where: str | Breakpoint) -> None:
        """Also stops there from here on.

        Raises:
            NoSuchLineError: the program has no such place.
        """
        wanted = Breakpoint.parse(where) if isinstance(where, str) else where
        self._require(wanted)
        self.breakpoints.append(wanted)

    def source(self, around: int = 3) -> list[tuple[int, str]]:
        """The lines of the source around it, with their numbers."""
        line = self.line
        if line is None:
            return []
        lines = linecache.getlines(line.path)  # also of kernels that are made of a formula
        first = max(1, line.line - around)
        return [(number, text.rstrip("\n")) for number, text in enumerate(lines[first - 1 : line.line + around], first)]

    def waits(self, core: Core | None = None) -> list[str]:
        """A line for each kernel of a core: where it stands, and what it waits for."""
        positions = [each for each in self._run.positions if each.core == (core or self.core)]
        width = max((len(self._run.position_label(each)) for each in positions), default=0)
        return [f"{self._run.position_label(each):<{width}}  {self._standing(each)}" for each in positions]

    def _standing(self, position: KernelPosition) -> str:
        if (position.kernel, position.core) == (self._index, self.core) and not self.is_hang:
            return f"{self.line}  stopped" if self.line else "stopped"
        if self.is_hang or position.state not in (KernelState.READY, KernelState.YIELDED):
            return describe_position(self._run, position)
        has_begun = any(is_users(each.path) for each in position.stack)
        path = self._run.kernels[position.kernel].path
        return f"{call_site(position.stack, path)}  its turn comes" if has_begun else "has not begun"

    @property
    def stuck_cores(self) -> list[Core]:
        """The cores on which a kernel waits."""
        stuck = {each.core for each in self._run.positions if each.state in _WAITING}
        return [core for core in self.cores if core in stuck]

    @property
    def cores(self) -> list[Core]:
        """The cores of the program."""
        return sorted({each.core for each in self._run.positions}, key=lambda core: (core[1], core[0]))

    def buffers(self, core: Core | None = None) -> list[BufferState]:
        """The circular buffers of a core."""
        uses = {each.index: each for each in self._run.circular_buffers if each.core == (core or self.core)}
        found = []
        for cb, address in zip(self._program.cbs, self._cb_addresses, strict=True):
            for descriptor in cb.format_descriptors:
                use = uses.get(descriptor.buffer_index)
                if use is not None and any((each.x, each.y) == use.core for each in cb.core_ranges):
                    found.append(self._buffer(descriptor, use, address))
        return sorted(found, key=lambda each: each.index)

    def _buffer(self, descriptor: CBFormatDescriptor, use: CbUse, address: int) -> BufferState:
        return BufferState(
            use.index,
            self._run.cb_label(use.index),
            descriptor.data_format,
            use.num_pages,
            use.page_bytes,
            use.left_over,
            use.pushed,
            use.popped,
            address,
        )

    def page(self, cb: int, page: int = 0, core: Core | None = None) -> NDArray[Any]:
        """A page of a circular buffer, counted from its front: 32 x 32 where it is a tile, else its numbers in a row.

        Pages behind those that are there show what lies in memory, such as what a reader has begun to write.
        """
        buffer = next((each for each in self.buffers(core) if each.index == cb), None)
        if buffer is None:
            known = ", ".join(f"c_{each.index}" for each in self.buffers(core)) or "none"
            raise ValueError(f"cb is {cb}; the core has {known}")
        whole_number("page", page, 0, buffer.num_pages - 1)
        data = self._read_l1(core or self.core, buffer.page_address(page), buffer.page_bytes)
        return _numbers(data, buffer)

    @property
    def arguments(self) -> Arguments:
        """Arguments of the kernel that stopped."""
        kernel: KernelDescriptor = self._program.kernels[self._index]
        return Arguments(
            runtime_arguments(kernel, self._program.config_bases, self.core, self._read_words),
            common_runtime_arguments(kernel, self._program.config_bases, self._read_words),
            tuple(kernel.compile_time_args),
            dict(kernel.named_compile_time_args),
        )

    def _read_words(self, core: Core, address: int, count: int) -> list[int]:
        words: list[int] = self._read_l1(core, address, 4 * count).view("<u4").tolist()
        return words

    def semaphores(self, core: Core | None = None) -> dict[int, int]:
        """Value of each semaphore the program has on a core."""
        on = core or self.core
        return {
            each.id: int(
                self._read_l1(on, semaphore_offset(each.id, self._program.semaphore_base(on)), 4).view("<u4")[0]
            )
            for each in self._program.semaphores
            if any((core.x, core.y) == on for core in each.core_ranges)
        }

    def __str__(self) -> str:
        who = f"{self.kernel} ({', '.join(self.threads)})" if self.threads else self.kernel
        waits = " waits for ever" if self.is_hang else ""
        return f"{who}{waits} on core ({self.core[0]},{self.core[1]}) at {self.line or 'an unknown line'}"


# Examines a stop and returns how to continue; None continues to the next breakpoint.
StopHandler = Callable[[Stop], Go | None]


def _numbers(data: NDArray[np.uint8], buffer: BufferState) -> NDArray[Any]:
    dtype = _DTYPES.get(buffer.data_format)
    if dtype is None:
        return data
    if buffer.page_bytes == tile_bytes(buffer.data_format):
        return decode(data.reshape(1, -1), Shape((32, 32)), dtype, Layout.TILE, Tile((32, 32)))
    return data if dtype.is_block_float else np.array(data).view(dtype.numpy_dtype)
