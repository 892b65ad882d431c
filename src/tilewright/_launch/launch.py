# SPDX-License-Identifier: Apache-2.0
"""Running a program on a chip: compile what is new, load it, run it, say what went wrong."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tilewright._build.kernel_build import Libraries, compile_kernels
from tilewright._build.kernel_library import kernel_library
from tilewright._build.translation_unit import Watch
from tilewright._errors import KernelCompileError, TilewrightError
from tilewright._launch.host_memory import HostMemory
from tilewright._launch.launch_layout import Prepared, prepare
from tilewright._launch.loaded_program import LoadedProgram, LoadFailedError, Outcome
from tilewright._launch.run_errors import raise_error
from tilewright._launch.run_options import RunOptions
from tilewright._launch.runner import Limits, Runner, RunnerGoneError, RunnerLostError
from tilewright._program.errors import ProgramError
from tilewright._program.program import ProgramDescriptor, ProgramStructure
from tilewright._record.call_record import call_record
from tilewright._record.run import Run, RunStatus
from tilewright._tensor.arch import ArchDescription

if TYPE_CHECKING:
    from tilewright._debug.stop import ReadL1

_PROGRAMS_KEPT = 64
_BUILT_KEPT = 1024
_MOST_GLOBALS = 1 << 20  # bytes; a processor's local memory has a few thousand


@dataclasses.dataclass
class _Built:
    """What follows from a program that does not change, for one runner."""

    prepared: Prepared
    paths: Sequence[Libraries]
    runner: Runner
    loaded: LoadedProgram | None = None


class Launcher:
    """Runs programs on one chip and keeps the last ones loaded.

    A program whose kernels, circular buffers and semaphores are those of an earlier one is not loaded again; only its
    runtime arguments change. After a runner has ended, the next launch starts another and loads into it what it runs.
    """

    def __init__(self, arch: ArchDescription, grid: tuple[int, int], start_runner: Callable[[], Runner]) -> None:
        self._arch = arch
        self._grid = grid
        self._start_runner = start_runner
        self._runner: Runner | None = None
        # One program of a chip runs at a time. Threads wait here, where Ctrl-C can reach them. Who reads or writes a
        # tensor waits too, as behind a card's command queue.
        self.one_at_a_time = threading.RLock()
        self._loaded: dict[object, LoadedProgram] = {}
        self._launches = 0
        self._forgotten: list[int] = []  # programs the runner may still have
        # By what was launched, and what its kernels show the engine.
        self._prepared: weakref.WeakKeyDictionary[ProgramStructure, dict[Watch, Prepared]] = weakref.WeakKeyDictionary()
        self._built: dict[tuple[ProgramDescriptor, Watch], _Built] = {}
        self._closed = False

    def close(self) -> None:
        with self.one_at_a_time:
            self._closed = True
            self._loaded.clear()
            self._built.clear()
            self.end_runner()

    def end_runner(self) -> None:
        """Ends the runner; the next launch starts another."""
        if self._runner is not None:
            self._runner.end()
            self._runner = None

    def forget(self) -> None:
        """In a forked process: the runner is the parent's."""
        self._closed = True
        if self._runner is not None:
            self._runner.forget()

    def runner(self) -> Runner:
        """The chip's runner, started if there is none."""
        if self._closed:
            raise TilewrightError("the device is closed")
        if self._runner is None or self._runner.was_ended:
            self._runner = self._start_runner()
            self._forgotten.clear()
        return self._runner

    def launch(
        self, program: ProgramDescriptor, options: RunOptions, host_memory: HostMemory | None, read_l1: ReadL1
    ) -> Run:
        """Runs ``program``; see ``Chip.launch``."""
        try:
            outcome = self._launch(program, options, host_memory, read_l1, may_be_gone=True)
        except RunnerGoneError:  # since the last launch
            outcome = self._launch(program, options, host_memory, read_l1, may_be_gone=False)
        run = outcome.run
        if options.record_calls:
            run.calls = call_record(program, self._arch.name, self._grid, outcome.call_words())
        if run.status is not RunStatus.OK:
            raise_error(run, outcome.ending, options, self._arch.l1_bytes)
        return run

    def _launch(
        self,
        program: ProgramDescriptor,
        options: RunOptions,
        host_memory: HostMemory | None,
        read_l1: ReadL1,
        may_be_gone: bool,
    ) -> Outcome:
        """``may_be_gone``: that the runner has ended before is for the caller to see."""
        built = self._find_built(program, options.watch) if program.is_built else None
        if built is None:
            prepared = self._prepare(program, options.watch)
            paths: Sequence[Libraries] = compile_kernels(prepared.sources)
        else:
            prepared, paths = built.prepared, built.paths
        if options.record_calls:
            _refuse_record_of_threads(prepared, paths)
        with self.one_at_a_time:
            runner = self.runner()
            loaded = built.loaded if built is not None else None
            if loaded is None or not loaded.is_in(runner):
                loaded = self._find(program, prepared, paths)
                if built is not None:
                    built.loaded = loaded
            self._launches += 1
            loaded.last_launch = self._launches
            try:
                return self._run(runner, loaded, program, prepared, options, host_memory, read_l1)
            except RunnerLostError as lost:
                if may_be_gone and isinstance(lost, RunnerGoneError):
                    self._runner = None
                    raise
                return loaded.lost(lost)

    def _find_built(self, program: ProgramDescriptor, watch: Watch) -> _Built:
        """What follows from a built program, and its kernels' libraries: nothing of it is looked at twice."""
        kept = self._built.get((program, watch))
        if kept is None or kept.runner is not self._runner:  # another loads the libraries, if they are still there
            prepared = self._prepare(program, watch)
            paths = compile_kernels(prepared.sources)
            with self.one_at_a_time:
                kept = self._built[program, watch] = _Built(prepared, paths, self.runner())
            if len(self._built) > _BUILT_KEPT:
                self._built.pop(next(iter(self._built)))
        return kept

    def _prepare(self, program: ProgramDescriptor, watch: Watch) -> Prepared:
        """What follows from the program as it is now; kept from an earlier launch if there was one."""
        kept = self._prepared.setdefault(program.structure(), {})
        prepared = kept.get(watch)
        if prepared is None or not prepared.has_sources(program):
            prepared = kept[watch] = prepare(program, self._arch, self._grid, watch)
        return prepared

    def _find(self, program: ProgramDescriptor, prepared: Prepared, paths: Sequence[Libraries]) -> LoadedProgram:
        key = prepared.key, *paths
        loaded = self._loaded.get(key)
        if loaded is None:
            _refuse_cores_outside(program, self._grid)
            libraries = [tuple(map(kernel_library, each)) for each in paths]
            for source, each in zip(prepared.sources, libraries, strict=True):
                for library in each:
                    _refuse_large_globals(source.name, library.layout.statics_end - library.layout.statics_begin)
            loaded = self._loaded[key] = LoadedProgram(program, prepared.sources, libraries, prepared.cb_addresses)
            if len(self._loaded) > _PROGRAMS_KEPT:
                self._forget_oldest()
        return loaded

    def _forget_oldest(self) -> None:
        """The program whose last launch was before those of all others; the one that is new has had none."""
        key = min(list(self._loaded)[:-1], key=lambda each: self._loaded[each].last_launch)
        forgotten = self._loaded.pop(key)
        forgotten.unload()
        self._forgotten.append(forgotten.number)

    def _run(
        self,
        runner: Runner,
        loaded: LoadedProgram,
        program: ProgramDescriptor,
        prepared: Prepared,
        options: RunOptions,
        host_memory: HostMemory | None,
        read_l1: ReadL1,
    ) -> Outcome:
        try:
            if not loaded.is_in(runner):
                loaded.load(runner, self._forgotten, Limits(options.time_limit or 0.0, options.spin_limit))
                self._forgotten.clear()
            debugging = loaded.debugging(program, prepared.cb_addresses, read_l1, options) if options.break_at else None
            return loaded.run(program, prepared.arguments, options, host_memory, debugging)
        except LoadFailedError as error:
            raise _load_error(error, loaded, prepared) from None


def _load_error(error: LoadFailedError, loaded: LoadedProgram, prepared: Prepared) -> Exception:
    """The dynamic linker's word on a kernel, in ours."""
    missing = re.search(r"undefined symbol: (\S+)", str(error))
    if missing is None:
        return TilewrightError(f"a kernel's library cannot be loaded: {error}")
    path = str(error).split(":", 1)[0]
    name = next((kernel.name for kernel, each in zip(loaded.kernels, loaded.paths, strict=True) if path in each), path)
    text = f"it uses {_readable(missing.group(1))}, which is declared but not defined"
    return KernelCompileError(name, text, str(error))


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


def _refuse_record_of_threads(prepared: Prepared, paths: Sequence[Libraries]) -> None:
    """A record has one list of calls for a compute kernel, so its three threads must be able to make the same."""
    for source, libraries in zip(prepared.sources, paths, strict=True):
        if len(libraries) > 1:
            raise TilewrightError(
                f"kernel {source.name} has no record of calls, and no time: it is compiled for each of its three "
                "threads, because its text differs under #if of TRISC_UNPACK, TRISC_MATH or TRISC_PACK; put what one "
                "of them does into UNPACK(...), MATH(...) or PACK(...)"
            )


def _refuse_large_globals(kernel: str, size: int) -> None:
    if size > _MOST_GLOBALS:
        raise ProgramError(
            [
                f"kernel {kernel} has {size} bytes of globals; a processor's local memory has a few thousand, and more "
                f"than {_MOST_GLOBALS} are refused"
            ]
        )
