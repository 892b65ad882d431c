# SPDX-License-Identifier: Apache-2.0
"""Running a program on a chip: compile what is new, load it, run it, say what went wrong."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from tilewright.device.call_record import call_record
from tilewright.device.diagnosis import call_site, deadlock_message, describe_position
from tilewright.device.engine import RunReport, engine
from tilewright.device.engine_program import EngineProgram
from tilewright.device.errors import (
    DeadlockError,
    KernelCompileError,
    KernelError,
    KernelFaultError,
    RunError,
    SpinningError,
    TilewrightError,
    TimeLimitError,
)
from tilewright.device.host_memory import HostMemory
from tilewright.device.kernel_build import compile_kernels
from tilewright.device.kernel_library import KernelLibrary, load_kernel
from tilewright.device.prepared import Prepared, prepare
from tilewright.device.run import KernelPosition, KernelState, Run, RunStatus
from tilewright.device.run_options import RunOptions
from tilewright.device.translation_unit import KernelSource, Watch
from tilewright.program.errors import ProgramError
from tilewright.program.program import ProgramDescriptor, ProgramStructure
from tilewright.tensor.arch import ArchDescription

_PROGRAMS_KEPT = 64
_NULL_PAGE = 0x1000
_WINDOW_BEGIN = 0x10000  # lowest L1 offset the engine can show as a plain address
_SLOT_BYTES = 2 << 20  # address space of one core's L1
# The engine runs one program at a time in a process. Threads wait here, where Ctrl-C can reach them, and where
# nobody else can change a loaded program's arguments before it runs. Who reads or writes a tensor waits too, as behind
# a card's command queue: what memory still owes (lazy_poison.h) is the engine's to settle while a program runs.
ONE_AT_A_TIME = threading.RLock()


def show_print(core: tuple[int, int], kernel: str, line: str) -> None:
    """Shows a line a kernel printed, as ``(x,y) kernel: line``."""
    print(f"({core[0]},{core[1]}) {kernel}: {line}", file=sys.stdout, flush=True)


class Launcher:
    """Runs programs on one chip and keeps the last ones loaded.

    A program whose kernels, circular buffers and semaphores are those of an earlier one is not built again;
    only its runtime arguments change.
    """

    def __init__(self, chip_handle: int, arch: ArchDescription, grid: tuple[int, int]) -> None:
        self._chip_handle = chip_handle
        self._arch = arch
        self._grid = grid
        self._loaded: dict[object, EngineProgram] = {}
        # By what was launched, and what its kernels show the engine.
        self._prepared: weakref.WeakKeyDictionary[ProgramStructure, dict[Watch, Prepared]] = weakref.WeakKeyDictionary()
        self._closed = False

    def close(self) -> None:
        with ONE_AT_A_TIME:
            self._closed = True
            for program in self._loaded.values():
                program.close()
            self._loaded.clear()

    def launch(
        self,
        program: ProgramDescriptor,
        options: RunOptions,
        host_memory: HostMemory | None,
    ) -> Run:
        """Runs ``program``; see ``Chip.launch``."""
        prepared = self._prepare(program, options.watch)
        paths = compile_kernels(prepared.sources)
        with ONE_AT_A_TIME:
            if self._closed:
                raise TilewrightError("the device is closed")
            loaded = self._load(program, prepared, paths)
            loaded.set_arguments(program.kernels, prepared.arguments)
            if host_memory is not None:
                loaded.set_host_memory(host_memory)
            run, report = loaded.run(options)
            if options.record_calls:
                run.calls = call_record(program, self._arch.name, self._grid, loaded.calls())
            if run.status is not RunStatus.OK:
                _raise(run, report, options.time_limit, lambda core: self._fault_text(report, core, options.threads))
        return run

    def _prepare(self, program: ProgramDescriptor, watch: Watch) -> Prepared:
        """What follows from the program as it is now; kept from an earlier launch if there was one."""
        kept = self._prepared.setdefault(program.structure(), {})
        prepared = kept.get(watch)
        if prepared is None or not prepared.has_sources(program):
            prepared = kept[watch] = prepare(program, self._arch, self._grid, watch)
        return prepared

    def _load(self, program: ProgramDescriptor, prepared: Prepared, paths: Sequence[Path]) -> EngineProgram:
        libraries = [_load_kernel(source, path) for source, path in zip(prepared.sources, paths, strict=True)]
        key = prepared.key, *paths
        loaded = self._loaded.pop(key, None)
        if loaded is None:
            _refuse_cores_outside(program, self._grid)
            sources, addresses = prepared.sources, prepared.cb_addresses
            loaded = EngineProgram(self._chip_handle, program, sources, libraries, addresses, show_print)
        self._loaded[key] = loaded
        if len(self._loaded) > _PROGRAMS_KEPT:
            self._loaded.pop(next(iter(self._loaded))).close()
        return loaded

    def _fault_text(self, report: RunReport, core: tuple[int, int], threads: int) -> str:
        """What a fault was, told in terms of the core's memory where it can be."""
        name = signal.Signals(report.fault_signal).name
        if report.error_text:
            return f"{report.error_text.decode()} (256 KiB of stack used up; a card has far less)"
        if report.fault_signal == signal.SIGABRT:
            return "called abort(), or threw a C++ exception that nothing catches"
        if report.fault_signal not in (signal.SIGSEGV, signal.SIGBUS):
            return f"stopped by {name}"
        address, size = int(report.fault_address), self._arch.l1_bytes
        offset = address - engine().tw_core_l1(self._chip_handle, *core)
        if address < _NULL_PAGE:
            return f"touched memory at {address:#x}, a null pointer ({name})"
        if address < _WINDOW_BEGIN:
            return (
                f"touched memory at {address:#x}: L1 below {_WINDOW_BEGIN:#x} is the firmware's and cannot be reached "
                f"by its plain offset ({name})"
            )
        if address < size and threads > 1:
            return (
                f"touched L1 by its plain offset {address:#x}, which only a run in one thread can offer: "
                f"launch with threads=1 ({name})"
            )
        if size <= offset < _SLOT_BYTES:
            return f"touched memory at {address:#x}, {offset - size} bytes past the end of this core's L1 ({name})"
        return f"touched memory at {address:#x}, which is not in this core's L1 ({name})"


def _load_kernel(source: KernelSource, path: Path) -> KernelLibrary:
    try:
        return load_kernel(path)
    except OSError as error:
        missing = re.search(r"undefined symbol: (\S+)", str(error))
        if missing is None:
            raise
        name = _readable(missing.group(1))
        raise KernelCompileError(
            source.name, f"it uses {name}, which is declared but not defined", str(error)
        ) from None


def _readable(symbol: str) -> str:
    """A C++ name as it stands in the source, where the system has a tool that knows."""
    tool = shutil.which("c++filt") or shutil.which("llvm-cxxfilt")
    if tool is None:
        return symbol
    return subprocess.run([tool, symbol], capture_output=True, text=True, check=False).stdout.strip() or symbol


def _refuse_cores_outside(program: ProgramDescriptor, grid: tuple[int, int]) -> None:
    """The engine trusts coordinates, so no program gets there with one it does not have."""
    placed = [(f"kernel {kernel.name}", kernel.core_ranges) for kernel in program.kernels]
    placed += [(f"circular buffer {cb.label}", cb.core_ranges) for cb in program.cbs]
    placed += [(f"semaphore {semaphore.id}", semaphore.core_ranges) for semaphore in program.semaphores]
    for what, cores in placed:
        for core in cores:
            if core.x >= grid[0] or core.y >= grid[1]:
                raise ProgramError([f"{what} is on core {core}, outside the {grid[0]}x{grid[1]} grid of the chip"])


def _raise(run: Run, report: RunReport, time_limit: float, fault_text: Callable[[tuple[int, int]], str]) -> NoReturn:
    culprit = next((position for position in run.positions if position.is_error), None)
    text = report.error_text.decode() if report.error_text else ""
    if run.status is RunStatus.DEADLOCK:
        raise DeadlockError(deadlock_message(run), run)
    if run.status is RunStatus.INTERRUPTED:
        raise KeyboardInterrupt
    if run.status is RunStatus.TIME_LIMIT:
        where = "\n".join(_unfinished(run))
        raise TimeLimitError(f"the run took longer than its time limit of {time_limit:g} s\n{where}", run)
    if culprit is None:
        raise RunError(text or run.status.name, run)
    where = _where(run, culprit)
    if run.status is RunStatus.KERNEL_ERROR:
        rule = report.error_rule.decode() if report.error_rule else None
        raise KernelError(f"{where}: {text}", run, reason=text, rule=rule)
    if run.status is RunStatus.SPINNING:
        reason = "polls memory that nobody changes any more"
        raise SpinningError(
            f"{where}: {reason}\n" + "\n".join(_unfinished(run)), run, reason=reason, rule="hang-spinning"
        )
    reason = fault_text(culprit.core)
    raise KernelFaultError(f"{where}: {reason}", run, reason=reason)


def _where(run: Run, position: KernelPosition) -> str:
    kernel = run.kernels[position.kernel]
    x, y = position.core
    return f"kernel {kernel.name} on core ({x},{y}) at {call_site(position.stack, kernel.path)}"


def _unfinished(run: Run) -> list[str]:
    waiting = [position for position in run.positions if position.state is not KernelState.FINISHED]
    lines = [
        f"  {run.kernel_label(position.kernel)} on core ({position.core[0]},{position.core[1]})  "
        f"{describe_position(run, position)}"
        for position in waiting[:8]
    ]
    return [*lines, f"  ... and {len(waiting) - 8} more"] if len(waiting) > 8 else lines
