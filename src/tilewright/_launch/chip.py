# SPDX-License-Identifier: Apache-2.0
"""The simulated chip: memory the host reads and writes, and a grid that runs programs."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import os
import weakref
from array import array
from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tilewright._errors import TilewrightError
from tilewright._launch.engine import engine
from tilewright._launch.executable import Executable
from tilewright._launch.host_memory import ForeignTensor, HostMemory
from tilewright._launch.launch import Launcher
from tilewright._launch.launch_arguments import LaunchArguments
from tilewright._launch.run_options import USUAL_OPTIONS, RunOptions
from tilewright._launch.runner import Runner
from tilewright._program.program import ProgramDescriptor
from tilewright._program.semaphore import NUM_SEMAPHORES
from tilewright._record.l1_layout import CONFIG_BASE, semaphore_offset
from tilewright._record.run import Run
from tilewright._tensor.arch import Arch, ArchDescription
from tilewright._tensor.argument import require
from tilewright._tensor.chip_memory import PagePlaces, PageRange
from tilewright._tensor.memory_config import BufferType
from tilewright._tensor.tensor import Tensor, held_buffers
from tilewright._wire import runner as wire
from tilewright._wire.engine import MemoryFileNumbers

_POISON = 0xFFC1FFC1  # a NaN as float32 and, twice, as bfloat16


@dataclasses.dataclass(frozen=True)
class MemoryFiles:
    """Open files that hold a chip's memory, for a process that maps it too.

    Attributes:
        l1: L1 of core ``(x, y)`` of the system begins at ``(y * grid_x + x) * l1_slot_bytes``.
        dram: bank ``i`` begins at ``i * dram_bank_stride``.
        state: bookkeeping of the memory, for the engine only (native/engine/chip/chip_memory.h).
    """

    l1: int
    dram: int
    state: int
    l1_slot_bytes: int
    dram_bank_stride: int


@dataclasses.dataclass(frozen=True)
class _RunnerStarter:
    """Starts runners on a chip's memory. It must not hold on to the chip, which closes when its last user is gone."""

    config: wire.ChipConfig
    noc_xy: NDArray[np.uint8]
    files: MemoryFiles
    l1_banks: array[int]
    routers: list[wire.FabricRouter]

    def __call__(self) -> Runner:
        request = wire.ChipRequest(
            config=self.config,
            num_nodes=len(self.noc_xy),
            num_l1_banks=len(self.l1_banks),
            num_routers=len(self.routers),
        )
        routers = b"".join(map(bytes, self.routers))
        parts = [bytes(request), self.noc_xy.tobytes(), self.l1_banks.tobytes(), routers]
        return Runner((self.files.l1, self.files.dram, self.files.state), parts)


class Chip:
    """One chip. ``ttnn.open_device`` makes one; tests of programs rarely need it directly.

    Example::

        chip = Chip(describe_arch("wormhole_b0"))
        run = chip.launch(program)
    """

    def __init__(
        self,
        arch: ArchDescription,
        grid: tuple[int, int] | None = None,
        memory: MemoryFiles | None = None,
        num_dies: int = 1,
        mesh_columns: int = 1,
    ) -> None:
        """A chip with memory of its own, or on the memory of another one.

        Args:
            num_dies: several chips of one system, whose programs run together. Row ``y`` of chip ``n`` is row
                ``n * grid[1] + y`` of the system.
            mesh_columns: of the mesh that these chips form, row by row.
        """
        self.arch = arch
        self.mesh_columns = mesh_columns
        self.die_grid = grid if grid is not None else (arch.grid.x, arch.grid.y)
        self.num_dies = num_dies
        self.grid = self.die_grid[0], self.die_grid[1] * num_dies
        config = wire.ChipConfig(
            num_dies=num_dies,
            grid_x=self.die_grid[0],
            grid_y=self.die_grid[1],
            l1_bytes=arch.l1_bytes,
            dram_banks=arch.num_dram_banks,
            dram_bank_bytes=arch.dram_bank_bytes,
            num_circular_buffers=arch.num_circular_buffers,
            config_base=CONFIG_BASE,
            config_bytes=arch.l1_unreserved_base - CONFIG_BASE,
            unreserved_base=arch.l1_unreserved_base,
            poison=_POISON,
            has_l1_cache=int(arch.has_l1_cache),
            brisc_local_bytes=arch.brisc_local_bytes,
            trisc_local_bytes=arch.trisc_local_bytes,
            dram_read_alignment=arch.dram_alignment,
            writes_keep_order=int(arch.arch is Arch.WORMHOLE_B0),
            clock_hz=arch.clock_hz,
        )
        workers = [
            (arch.worker_columns[x], arch.worker_rows[y])
            for y in range(self.die_grid[1])
            for x in range(self.die_grid[0])
        ]
        noc_xy = np.array([*workers, *arch.dram_coords], dtype=np.uint8)
        files = MemoryFileNumbers(l1=memory.l1, dram=memory.dram, state=memory.state) if memory is not None else None
        self._handle = engine().tw_chip_new(
            ctypes.byref(config), noc_xy.ctypes.data, ctypes.byref(files) if files is not None else None
        )
        if not self._handle:
            raise TilewrightError(engine().tw_last_error().decode())
        self._process = os.getpid()
        self._is_parents = False
        self._files = _memory_files(self._handle)
        self._l1_banks = array("H")
        self._routers: list[wire.FabricRouter] = []
        starter = _RunnerStarter(config, noc_xy, self._files, self._l1_banks, self._routers)
        self._launcher = Launcher(arch, self.grid, self.die_grid, starter)
        self._finalizer = weakref.finalize(self, _free, self._handle, self._launcher)
        _chips.add(self)

    @property
    def closed(self) -> bool:
        return not self._finalizer.alive

    def close(self) -> None:
        """Frees the chip's memory. Tensors on it are gone."""
        self._finalizer()

    def launch(
        self, program: ProgramDescriptor, options: RunOptions = USUAL_OPTIONS, io_tensors: Sequence[object] = ()
    ) -> Run:
        """Runs a program to its end.

        Args:
            program: what to run.
            options: limits, and what is to be watched and kept.
            io_tensors: tensors the program works on; they are kept alive while it runs.

        Raises:
            DeadlockError, KernelError, KernelFaultError, SpinningError, TimeLimitError: the run could not end;
                the message says which kernel, where and why.
            KernelCompileError: a kernel does not compile.
        """
        executable = self.executable(program, options)
        return self.run(executable, executable.arguments(program), options, io_tensors)

    def find(self, program: ProgramDescriptor, options: RunOptions) -> Executable | None:
        """The executable kept for a program, if nothing it was made from has changed."""
        self.check_usable()
        require("options", options, RunOptions, "a tilewright.RunOptions")
        return self._launcher.find(program, options.instrumentation)

    def executable(self, program: ProgramDescriptor, options: RunOptions = USUAL_OPTIONS) -> Executable:
        """The executable of a program, kept or new; the program is not checked for mistakes."""
        self.check_usable()
        require("options", options, RunOptions, "a tilewright.RunOptions")
        return self._launcher.executable(program, options.instrumentation)

    def load(self, executable: Executable) -> None:
        """Loads an executable, so that its first run does not."""
        self.check_usable()
        self._launcher.load(executable, USUAL_OPTIONS)

    def run(
        self,
        executable: Executable,
        arguments: LaunchArguments,
        options: RunOptions = USUAL_OPTIONS,
        io_tensors: Sequence[object] = (),
    ) -> Run:
        """Runs an executable of this chip to its end; see ``launch``."""
        self.check_usable()
        if options.record:
            _check_recorded(executable.program, options.record)
        with held_buffers(io_tensors):
            memory = HostMemory(io_tensors) if options.checked else None
            return self._launcher.run(executable, arguments, options, memory, self.read_l1)

    def has_launcher(self, launcher: Launcher) -> bool:
        """Whether executables of a launcher run on this chip."""
        return self._launcher is launcher

    def forget_executables(self) -> None:
        """Makes the next launch of each program derive everything again."""
        self._launcher.forget_executables()

    def memory_files(self) -> MemoryFiles:
        """The files with the chip's memory; they are the chip's own and close with it.

        A launch and a transfer of a tensor leave memory complete but for poison in DRAM that has not been written;
        ``settle`` writes that.
        """
        self.check_usable()
        return self._files

    def filter_error(self) -> int:
        """Why the system does not filter the runner's system calls, as an error number; 0 where it does."""
        with self._in_use():
            return self._launcher.runner().filter_error

    def settle(self) -> None:
        """Write the poison that DRAM lacks so far, for processes that read the memory files themselves."""
        with self._in_use() as handle:
            engine().tw_chip_settle(handle)

    def set_routers(self, routers: Sequence[wire.FabricRouter]) -> None:
        """Says which routers run on the ethernet cores of the chips."""
        with self._in_use():
            self._routers[:] = routers
            self._launcher.end_runner()  # the next one gets the routers

    def set_l1_banks(self, cores: Sequence[int]) -> None:
        """Says which core each bank of L1 lies in, as a host that allocates L1 itself has them: rows of the grid one
        after another, a number for each bank. Without it bank ``i`` is core ``i``.
        """
        columns, rows = self.die_grid
        if sorted(cores) != list(range(columns * rows)):
            raise ValueError(f"cores must name each of the {columns}x{rows} cores once, not {list(cores)}")
        with self._in_use() as handle:
            if list(cores) == self._l1_banks.tolist():
                return  # the host starts each of its chips with the same table
            engine().tw_chip_set_l1_banks(handle, (ctypes.c_uint16 * len(cores))(*cores))
            self._l1_banks[:] = array("H", cores)
            self._launcher.end_runner()  # the next one gets the banks

    @contextlib.contextmanager
    def _in_use(self) -> Iterator[int]:
        """The engine's handle of the chip. Threads that use or close the chip wait until the block ends."""
        self.check_usable()  # before the lock: in a forked process, a lock of another thread is never released
        with self._launcher.one_at_a_time:
            self.check_usable()
            yield self._handle

    def check_usable(self) -> None:
        """Raise if the chip is closed, or was opened by the process that this one was forked from."""
        if self._is_parents:
            raise TilewrightError(
                f"the device was opened by process {self._process}; process {os.getpid()} must open its own"
            )
        if not self._finalizer.alive:
            raise TilewrightError("the device is closed")

    def _forget(self) -> None:
        """In a forked process: the memory is not mapped here, and the parent frees it."""
        self._is_parents = True
        self._finalizer.detach()
        self._launcher.forget()
        for file in (self._files.l1, self._files.dram, self._files.state):
            os.close(file)

    def write_pages(self, pages: PageRange, data: NDArray[np.uint8]) -> None:
        """Writes pages spread over the banks of a memory."""
        data = np.ascontiguousarray(data)
        with self._in_use() as handle:
            engine().tw_write_pages(
                handle,
                *_start(pages),
                pages.page_bytes,
                pages.aligned_page_bytes,
                len(data),
                *_pointers(pages.places, of_shards=False),
                data.ctypes.data,
            )

    def read_pages(self, pages: PageRange) -> NDArray[np.uint8]:
        """Reads pages spread over the banks of a memory."""
        data = np.empty((pages.num_pages, pages.page_bytes), dtype=np.uint8)
        with self._in_use() as handle:
            engine().tw_read_pages(
                handle,
                *_start(pages),
                pages.page_bytes,
                pages.aligned_page_bytes,
                pages.num_pages,
                *_pointers(pages.places, of_shards=False),
                data.ctypes.data,
            )
        return data

    def fill_pages(self, pages: PageRange, pattern: int) -> None:
        """Fills pages with a 32-bit pattern, and the padding of shards."""
        with self._in_use() as handle:
            engine().tw_fill_pages(
                handle,
                *_start(pages),
                pages.aligned_page_bytes,
                pages.num_pages if pages.places is None else len(pages.places.last),
                *_pointers(pages.places, of_shards=True),
                pattern,
            )

    def unwritten_pages(self, tensor: Tensor | ForeignTensor) -> tuple[int, int]:
        """How many pages of a tensor hold an element that neither the host nor a kernel wrote; the first of them."""
        memory, first = HostMemory([tensor]), ctypes.c_uint64()
        with self._in_use() as handle:
            spec = memory.specs[0]
            count = engine().tw_unwritten_pages(
                handle, ctypes.byref(spec), memory.outside(spec), memory.places(spec), ctypes.byref(first)
            )
        return count, first.value

    def read_semaphore(self, core: tuple[int, int], semaphore_id: int) -> int:
        """Value of a semaphore on one core."""
        if not 0 <= semaphore_id < NUM_SEMAPHORES:
            raise ValueError(f"semaphore_id must be 0 .. {NUM_SEMAPHORES - 1}, not {semaphore_id}")
        return int(self.read_l1(core, semaphore_offset(semaphore_id), 4).view(np.uint32)[0])

    def read_l1(self, core: tuple[int, int], address: int, num_bytes: int) -> NDArray[np.uint8]:
        """Bytes of one core's L1, for looking at circular buffers after a run with ``keep_l1``."""
        x, y = core
        if not (0 <= x < self.grid[0] and 0 <= y < self.grid[1]):
            raise ValueError(f"core ({x},{y}) is outside the {self.grid[0]}x{self.grid[1]} grid")
        if address < 0 or num_bytes < 0 or address + num_bytes > self.arch.l1_bytes:
            raise ValueError(
                f"{num_bytes} bytes at address {address:#x} do not lie in a core's L1 of {self.arch.l1_bytes} bytes"
            )
        with self._in_use() as handle:
            if not engine().tw_core_kept_l1(handle, *core, address, num_bytes):
                raise TilewrightError(
                    f"what core ({x},{y}) left at address {address:#x} is gone: cores shared one L1 for their "
                    f"circular buffers; launch with RunOptions(keep_l1=True) to look at them"
                )
            base = engine().tw_core_l1(handle, *core)
            return np.frombuffer(ctypes.string_at(base + address, num_bytes), dtype=np.uint8)


def _start(pages: PageRange) -> tuple[int, int]:
    """Kind of memory and address as the engine takes them."""
    return int(pages.buffer_type is BufferType.DRAM), pages.address


def _pointers(places: PagePlaces | None, *, of_shards: bool) -> tuple[int | None, int]:
    """The places of all pages, or the last place of each shard, as the engine takes them."""
    if places is None:
        return None, 0
    return (places.last if of_shards else places.of_pages).ctypes.data, places.pages_per_bank


def _check_recorded(program: ProgramDescriptor, record: Collection[int]) -> None:
    known = {descriptor.buffer_index for cb in program.cbs for descriptor in cb.format_descriptors}
    unknown = sorted(set(record) - known)
    if unknown:
        raise ValueError(
            f"record names circular buffer {unknown[0]}, which the program has not; it has {sorted(known)}"
        )


def _memory_files(handle: int) -> MemoryFiles:
    files = MemoryFileNumbers()
    engine().tw_chip_files(handle, ctypes.byref(files))
    return MemoryFiles(files.l1, files.dram, files.state, files.l1_slot_bytes, files.dram_bank_stride)


def _free(handle: int, launcher: Launcher) -> None:
    with launcher.one_at_a_time:
        launcher.close()
        engine().tw_chip_free(handle)


_chips: weakref.WeakSet[Chip] = weakref.WeakSet()


def _forget_parents_chips() -> None:
    for chip in list(_chips):
        if not chip.closed:
            chip._forget()
    _chips.clear()


os.register_at_fork(after_in_child=_forget_parents_chips)
