# SPDX-License-Identifier: Apache-2.0
"""One chip's runner and executables: find or make an executable, load it, run it, say what went wrong."""

from __future__ import annotations

import ctypes
import itertools
import re
import shutil
import subprocess
import threading
import time
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING

from tilewright._build.translation_unit import Instrumentation
from tilewright._debug.breakpoints import KernelCode, breakpoints
from tilewright._diagnose.run_errors import raise_error
from tilewright._errors import KernelCompileError, TilewrightError
from tilewright._launch.ended_run import EndedRun, ended_run, lost_run, refused_run
from tilewright._launch.executable import Executable
from tilewright._launch.host_memory import HostMemory
from tilewright._launch.launch_arguments import LaunchArguments
from tilewright._launch.plain_warnings import warn_of_notes
from tilewright._launch.run_options import RunOptions
from tilewright._launch.runner import Limits, Runner, RunnerGoneError, RunnerLostError, failure_text
from tilewright._program.config_bases import NO_CONFIG
from tilewright._program.program import FixedProgram, ProgramDescriptor, ProgramStructure
from tilewright._record.call_record import call_record
from tilewright._record.run import Run, RunStatus
from tilewright._tensor.arch import ArchDescription
from tilewright._wire.runner import LoadedAnswer, MessageKind

if TYPE_CHECKING:
    from tilewright._debug.stop import ReadL1
    from tilewright._launch.debug_channel import Debugging
    from tilewright._launch.watched_lines import WatchedLines

_EXECUTABLES_KEPT = 1024
_LOADED_KEPT = 64


class Launcher:
    """Runs programs on one chip. It keeps executables by their programs' structure, and the last ones loaded.

    After a runner has ended, the next launch starts another and loads into it what it runs.
    """

    def __init__(
        self,
        arch: ArchDescription,
        grid: tuple[int, int],
        die_grid: tuple[int, int],
        start_runner: Callable[[], Runner],
    ) -> None:
        self.arch = arch
        self.grid = grid
        self.die_grid = die_grid
        self._start_runner = start_runner
        self._runner: Runner | None = None
        # One program of a chip runs at a time. Threads wait here, where Ctrl-C can reach them. Reads and writes
        # of tensors wait too, as behind a card's command queue.
        self.one_at_a_time = threading.RLock()
        self._executables: dict[tuple[ProgramStructure, Instrumentation], Executable] = {}
        self._loaded: list[Executable] = []  # in the runner
        self._forgotten: list[int] = []  # programs the runner may still have
        self._launches = 0
        self._closed = False

    def close(self) -> None:
        with self.one_at_a_time:
            self._closed = True
            self.forget_executables()
            self._loaded.clear()
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
            self._loaded.clear()
            self._forgotten.clear()
        return self._runner

    def find(self, program: ProgramDescriptor, instrumentation: Instrumentation) -> Executable | None:
        """The executable kept for a program, if everything it was made from is unchanged."""
        kept = self._executables.get((program.structure(), instrumentation))
        if kept is None:
            return None
        if isinstance(program, FixedProgram):
            program.share_structure(kept.structure)
        elif not kept.is_current():
            return None
        if kept.lies_over_tensors:
            kept.note_tensors(program)
        return kept

    def executable(self, program: ProgramDescriptor, instrumentation: Instrumentation) -> Executable:
        """The executable of a program, kept or new; a new one is compiled when it runs."""
        kept = self.find(program, instrumentation)
        if kept is not None:
            return kept
        structure = program.structure()
        made = Executable(program, instrumentation, self)
        made.note_tensors(program)
        if program.structure() is structure:  # not changed meanwhile by another thread
            self._executables[structure, instrumentation] = made
            if len(self._executables) > _EXECUTABLES_KEPT:
                oldest = min(list(self._executables.items())[:-1], key=lambda item: item[1].last_launch)
                self._executables.pop(oldest[0], None)
        return made

    def instrumented(
        self, executable: Executable, instrumentation: Instrumentation, arguments: LaunchArguments
    ) -> Executable:
        """The executable of the same program with other instrumentation."""
        kept = self._executables.get((executable.structure, instrumentation))
        if kept is None or not kept.is_current():
            return self.executable(executable.program_with(arguments), instrumentation)
        kept.note_tensors_of(executable)
        return kept

    def forget_executables(self) -> None:
        self._executables.clear()

    def run(
        self,
        executable: Executable,
        arguments: LaunchArguments,
        options: RunOptions,
        host_memory: HostMemory | None,
        read_l1: ReadL1,
    ) -> Run:
        """Runs an executable of this chip; see ``Chip.run``."""
        if not executable.is_compiled:
            executable.compile()
        if options.record_calls:
            _refuse_record_of_threads(executable)
        try:
            ended = self._run(executable, arguments, options, host_memory, read_l1, may_be_gone=True)
        except RunnerGoneError:  # since the last launch
            ended = self._run(executable, arguments, options, host_memory, read_l1, may_be_gone=False)
        run = ended.run
        if options.record_calls:
            bases = arguments.config_bases
            run.calls = call_record(executable.program, bases, self.arch.name, self.grid, ended.call_words())
        if run.status is not RunStatus.OK:
            raise_error(run, ended.ending, options.time_limit, self.arch.l1_bytes)
        if run.notes and not options.checked:
            warn_of_notes(run, of_ttnn=arguments.config_bases is not NO_CONFIG)
        return run

    def _run(
        self,
        executable: Executable,
        arguments: LaunchArguments,
        options: RunOptions,
        host_memory: HostMemory | None,
        read_l1: ReadL1,
        may_be_gone: bool,
    ) -> EndedRun:
        """``may_be_gone``: that the runner has ended before is for the caller to see."""
        with self.one_at_a_time:
            runner = self.runner()
            self._launches += 1
            executable.last_launch = self._launches
            try:
                if executable.runner is not runner:
                    self._load(executable, runner, options)
                debugging = _debugging(executable, arguments, options, read_l1) if options.break_at else None
                watched = _watched(executable, options) if options.watches_lines else None
                return _ask(runner, executable, arguments, options, host_memory, debugging, watched)
            except RunnerLostError as lost:
                if may_be_gone and isinstance(lost, RunnerGoneError):
                    self._runner = None
                    raise
                return lost_run(executable, lost)

    def load(self, executable: Executable, options: RunOptions) -> None:
        """Compiles and loads an executable now; a launch that finds it loaded does not."""
        executable.compile()
        with self.one_at_a_time:
            for may_be_gone in (True, False):
                runner = self.runner()
                if executable.runner is runner:
                    return
                try:
                    self._load(executable, runner, options)
                except RunnerLostError as lost:
                    self._runner = None
                    if not (may_be_gone and isinstance(lost, RunnerGoneError)):
                        ended = lost_run(executable, lost)
                        raise_error(ended.run, ended.ending, options.time_limit, self.arch.l1_bytes)

    def _load(self, executable: Executable, runner: Runner, options: RunOptions) -> None:
        """Tells the runner about a program, and which ones it need not keep any more."""
        executable.restore_libraries()
        request = executable.load_message.of(executable.number, self._forgotten)
        kind, answer = runner.ask(request, Limits(options.time_limit or 0.0, options.spin_limit))
        if kind is not MessageKind.LOADED:
            raise _load_error(failure_text(answer), executable)
        self._forgotten.clear()
        bases = iter(array("Q", answer[ctypes.sizeof(LoadedAnswer) :]))
        executable.bases = [list(itertools.islice(bases, len(own))) for own in executable.libraries]
        executable.runner = runner
        self._loaded.append(executable)
        if len(self._loaded) > _LOADED_KEPT:
            self._unload_oldest()

    def _unload_oldest(self) -> None:
        oldest = min(self._loaded[:-1], key=lambda each: each.last_launch)
        self._loaded.remove(oldest)
        oldest.runner = None
        self._forgotten.append(oldest.number)


def _ask(
    runner: Runner,
    executable: Executable,
    arguments: LaunchArguments,
    options: RunOptions,
    memory: HostMemory | None,
    debugging: Debugging | None,
    watched: WatchedLines | None,
) -> EndedRun:
    """Runs a loaded executable to its end, whatever that is."""
    request, limits = executable.run_message.write(arguments, options, memory, debugging or watched)
    begin = time.perf_counter()
    kind, answer = runner.ask(request, limits, options.on_print, debugging.answer if debugging is not None else None)
    seconds = time.perf_counter() - begin
    if kind is not MessageKind.RAN:
        return refused_run(executable, failure_text(answer), seconds)
    ended = ended_run(executable, answer, seconds, watched)
    if ended.is_runner_spent:  # a kernel was left half-way: its process must go
        runner.end()
    return ended


def _debugging(executable: Executable, arguments: LaunchArguments, options: RunOptions, read_l1: ReadL1) -> Debugging:
    """The breakpoints of a launch."""
    # Imported here: few launches have any.
    from tilewright._debug.prompt import prompt
    from tilewright._launch.debug_channel import Debugging

    return Debugging(
        executable.program_with(arguments),
        executable.kernels,
        executable.cb_labels,
        KernelCode(executable.kernels, executable.libraries, executable.bases),
        executable.reader,
        executable.cb_addresses,
        read_l1,
        breakpoints(options.break_at),
        options.on_stop or prompt,
    )


def _watched(executable: Executable, options: RunOptions) -> WatchedLines:
    # Imported here: few launches watch any.
    from tilewright._launch.watched_lines import WatchedLines

    code = KernelCode(executable.kernels, executable.libraries, executable.bases)
    return WatchedLines(code, options.watch, options.late)


def _load_error(text: str, executable: Executable) -> Exception:
    """The dynamic linker's word on a kernel, in ours."""
    missing = re.search(r"undefined symbol: (\S+)", text)
    if missing is None:
        return TilewrightError(f"a kernel's library cannot be loaded: {text}")
    path = text.split(":", 1)[0]
    name = next((kernel.name for kernel, own in executable.with_libraries() if path in own), path)
    words = f"it uses {_readable(missing.group(1))}, which is declared but not defined"
    return KernelCompileError(name, words, text)


def _readable(symbol: str) -> str:
    """A C++ name as it stands in the source, where the system has a tool that knows."""
    tool = shutil.which("c++filt") or shutil.which("llvm-cxxfilt")
    if tool is None:
        return symbol
    return subprocess.run([tool, symbol], capture_output=True, text=True, check=False).stdout.strip() or symbol


def _refuse_record_of_threads(executable: Executable) -> None:
    """A record has one list of calls for a compute kernel, so its three threads must be able to make the same."""
    for kernel, libraries in executable.with_libraries():
        if len(libraries) > 1:
            raise TilewrightError(
                f"kernel {kernel.name} has no record of calls, and no time: it is compiled for each of its three "
                "threads, because its text differs under #if of TRISC_UNPACK, TRISC_MATH or TRISC_PACK; put what one "
                "of them does into UNPACK(...), MATH(...) or PACK(...)"
            )
