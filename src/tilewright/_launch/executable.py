# SPDX-License-Identifier: Apache-2.0
"""An executable: everything derived from a program, for one chip.

It owns the circular buffers' addresses, the layout of runtime arguments, the kernels' sources and libraries with the
state of the files they were made from, the message that loads the program into a runner, and the last message that ran
it. The launcher (``launch.py``) keeps executables and gives them a runner.
"""

from __future__ import annotations

import functools
import itertools
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tilewright._build.file_states import build_environment
from tilewright._build.kernel_build import Libraries, compile_kernels, known_files
from tilewright._build.kernel_library import KernelLibraries, kernel_library
from tilewright._build.kernel_sources import kernel_source, source_path
from tilewright._build.source_lines import SourceLine
from tilewright._build.translation_unit import Instrumentation
from tilewright._launch.launch_arguments import KernelArgumentLayout, LaunchArguments
from tilewright._launch.load_message import LoadMessage, cb_labels
from tilewright._launch.observer import installed, observed_run
from tilewright._launch.run_message import RunMessage
from tilewright._launch.run_options import USUAL_OPTIONS, RunOptions
from tilewright._launch.run_record import RecordReader
from tilewright._launch.runner import Runner
from tilewright._launch.tensor_launch import TensorLaunch, device_of
from tilewright._program.cb_placement import place_circular_buffers
from tilewright._program.errors import ProgramError
from tilewright._program.kernel import KernelDescriptor, SourceType
from tilewright._program.program import ProgramDescriptor
from tilewright._program.validate import tensor_problems, validate_program
from tilewright._record.run import KernelInfo, Run
from tilewright._tensor.argument import require
from tilewright._tensor.buffer import Buffer
from tilewright._tensor.tensor import Tensor, tensor_list

if TYPE_CHECKING:
    from tilewright._launch.chip_device import ChipDevice
    from tilewright._launch.launch import Launcher

_MOST_GLOBALS = 1 << 20  # bytes; a processor's local memory has a few thousand
_numbers = itertools.count(1)


class Executable:
    """A program checked, compiled and loaded for one device; get it from ``tilewright.freeze``.

    It does not change: later changes of the descriptor or of kernels' files have no effect on it. Values of runtime
    arguments are given to each run.

    Example::

        executable = tilewright.freeze(program, device)
        run = executable.run([x, y], executable.arguments(program))
    """

    def __init__(self, program: ProgramDescriptor, instrumentation: Instrumentation, launcher: Launcher) -> None:
        self._launcher = launcher
        self._instrumentation = instrumentation
        self._program = program.without_arguments()
        self.structure = program.structure()
        _refuse_cores_outside(self._program, launcher.grid)
        self._layouts = tuple(map(KernelArgumentLayout.of, program.kernels))
        self.cb_addresses = tuple(place_circular_buffers(self._program, launcher.arch.l1_unreserved_base))
        self._searched = [kernel for kernel in self._program.kernels if _is_searched(kernel)]
        self._over_tensors: list[tuple[str, weakref.ref[Buffer]]] = []
        self._checked_end: int | None = None  # of circular buffers, once the program has been checked
        self.runner: Runner | None = None  # that has it loaded
        self.last_launch = 0
        self.is_compiled = False
        self._compiling = threading.Lock()

    def compile(self) -> None:
        """Compile the kernels, unless that has been done; the first launch does it."""
        with self._compiling:
            if not self.is_compiled:
                self._compile()
                self.is_compiled = True

    def _compile(self) -> None:
        launcher, program = self._launcher, self._program
        self.sources = tuple(
            kernel_source(program, kernel, launcher.arch, launcher.die_grid, self._instrumentation)
            for kernel in program.kernels
        )
        self._environment = build_environment()
        self._found = [source_path(kernel) for kernel in self._searched]
        self._paths: list[Libraries] = compile_kernels(self.sources)
        self._files = known_files(self.sources, self._paths)
        self.libraries = [
            tuple(kernel_library(path, source) for path in own)
            for source, own in zip(self.sources, self._paths, strict=True)
        ]
        for source, own in zip(self.sources, self.libraries, strict=True):
            _refuse_large_globals(source.name, own)
        self.kernels = [KernelInfo(source.name, source.path, source.is_compute) for source in self.sources]
        self.cb_labels = cb_labels(program)
        semaphores = {(each.id, core.x, core.y) for each in program.semaphores for core in each.core_ranges}
        self.reader = RecordReader(self.stack, semaphores)
        self.number = next(_numbers)
        self.load_message = LoadMessage(program, self.libraries, self.cb_addresses)
        self.run_message = RunMessage(self.number, self._layouts)
        self.bases: Sequence[Sequence[int]] = ()  # of each kernel's libraries, where the runner has them

    @property
    def program(self) -> ProgramDescriptor:
        """The program without runtime arguments; not to be changed."""
        return self._program

    def with_libraries(self) -> list[tuple[KernelInfo, list[str]]]:
        """Each kernel with the paths of its libraries."""
        return [(kernel, list(map(str, own))) for kernel, own in zip(self.kernels, self._paths, strict=True)]

    # Whether it still holds.

    def is_current(self) -> bool:
        """Whether the kernels' files are those it was compiled from, and the cache is the same."""
        if not self.is_compiled:
            return True
        try:
            if self._searched and self._found != [source_path(kernel) for kernel in self._searched]:
                return False
        except FileNotFoundError:
            return False
        if self._files is not None:
            return self._files.are_current()
        # Compiled just now: which text of a file the compiler read is known when the file is read again.
        if self._environment != build_environment() or not all(Path(source.path).exists() for source in self.sources):
            return False
        if compile_kernels(self.sources) != self._paths:
            return False
        self._files = known_files(self.sources, self._paths)
        return True

    def restore_libraries(self) -> None:
        """Compile what the cache has lost since: a new runner loads the libraries from their files."""
        if not all(path.exists() for own in self._paths for path in own):
            self._compile()

    @property
    def lies_over_tensors(self) -> bool:
        """Whether a circular buffer is a tensor's memory."""
        return bool(self._over_tensors)

    def note_checked(self) -> None:
        """The program has been checked against the device of its chip, and nothing is wrong with it."""
        cbs = zip(self._program.cbs, self.cb_addresses, strict=True)
        self._checked_end = max((address + cb.total_size for cb, address in cbs if cb.owns_memory()), default=0)

    def note_tensors(self, program: ProgramDescriptor) -> None:
        """Take the tensors under the circular buffers of a program with this structure; they are not kept alive."""
        self._over_tensors = [(cb.label, weakref.ref(cb.buffer)) for cb in program.cbs if cb.buffer is not None]

    def note_tensors_of(self, other: Executable) -> None:
        """Take the tensors that another executable of the same structure has."""
        self._over_tensors = other._over_tensors

    def fits(self, device: ChipDevice, io_tensors: Sequence[Tensor]) -> bool:
        """Whether the program was checked before, and what else the check depends on is still so."""
        return (
            self._checked_end is not None
            and self._checked_end <= device.circular_buffers_end()
            and not (self._over_tensors and self._lost_tensors())
            and not any(tensor_problems(io_tensors, device))
        )

    def _lost_tensors(self) -> list[str]:
        return [
            f"CB {label}: the tensor it is backed by has been deallocated"
            for label, reference in self._over_tensors
            if (buffer := reference()) is None or not buffer.is_allocated()
        ]

    # Running it.

    def arguments(self, program: ProgramDescriptor) -> LaunchArguments:
        """The values that the runtime arguments of ``program`` have now, for ``run``.

        Args:
            program: the program that was frozen, or one with as many runtime arguments on the same cores.

        Raises:
            ValueError: it has other cores or other numbers of arguments.
        """
        kernels = program.kernels
        if len(kernels) != len(self._layouts):
            raise ValueError(f"the program has {len(kernels)} kernels; the executable has {len(self._layouts)}")
        packed = [layout.pack(kernel) for layout, kernel in zip(self._layouts, kernels, strict=True)]
        words, common = tuple([each for each, _ in packed]), tuple([each for _, each in packed])
        return LaunchArguments(words, common, program.config_bases)

    def program_with(self, arguments: LaunchArguments) -> ProgramDescriptor:
        """A copy of the program with these values of its runtime arguments."""
        program = self._program.copy()
        of_kernels = zip(program.kernels, self._layouts, arguments.words, arguments.common, strict=True)
        for kernel, layout, words, common in of_kernels:
            layout.unpack(words, common, kernel)
        program.config_bases = arguments.config_bases
        return program

    def run(self, io_tensors: Sequence[Tensor], arguments: LaunchArguments, options: RunOptions = USUAL_OPTIONS) -> Run:
        """Run the program; errors are those of ``run_program``.

        Args:
            io_tensors: inputs and, last, the output, all on the device the program was frozen for.
            arguments: values of runtime arguments, from ``arguments``.
            options: threads, limits, and what is to be watched and kept.
        """
        require("options", options, RunOptions, "a tilewright.RunOptions")
        require("arguments", arguments, LaunchArguments, "what Executable.arguments gives")
        io_tensors = tensor_list("io_tensors", io_tensors)
        if installed and not options.watches:
            return observed_run(_ExecutableLaunch(self, io_tensors, arguments, options))
        return self.run_unobserved(io_tensors, arguments, options)

    def run_unobserved(self, io_tensors: Sequence[Tensor], arguments: LaunchArguments, options: RunOptions) -> Run:
        """Run the program past all observers."""
        device = device_of(io_tensors)
        if not device.chip.has_launcher(self._launcher):
            raise ProgramError(["the executable was frozen for another device than that of io_tensors"])
        if not self.fits(device, io_tensors):
            validate_program(self.program_with(arguments), device, io_tensors)
            if self._over_tensors and (lost := self._lost_tensors()):
                raise ProgramError(lost)
            self.note_checked()
        needed = self
        if options.instrumentation is not self._instrumentation:
            needed = self._launcher.instrumented(self, options.instrumentation, arguments)
        return device.chip.run(needed, arguments, options, io_tensors)

    def stack(self, kernel: int, frames: Sequence[int]) -> tuple[SourceLine, ...]:
        """Lines of the kernel's own libraries, innermost first. Addresses of the engine itself are left out."""
        if kernel >= len(self.bases):
            return ()
        placed = list(zip(self.libraries[kernel], self.bases[kernel], strict=True))
        # A return address points behind its call.
        lines = (library.line_at(base, address - 1) for address in frames for library, base in placed)
        return tuple(line for line in lines if line is not None)


class _ExecutableLaunch(TensorLaunch):
    """A launch of an executable: the program with its arguments is copied only if an observer looks at it."""

    def __init__(
        self, executable: Executable, io_tensors: Sequence[Tensor], arguments: LaunchArguments, options: RunOptions
    ) -> None:
        super().__init__(io_tensors, functools.partial(executable.program_with, arguments), options)
        self._executable = executable
        self._arguments = arguments

    @property
    def structure(self) -> ProgramDescriptor:
        return self.program if "program" in vars(self) else self._executable.program

    def run(self, options: RunOptions | None = None, program: ProgramDescriptor | None = None) -> Run:
        if program is not None or "program" in vars(self):  # an observer that has the program may have changed it
            return super().run(options, program)
        return self._executable.run_unobserved(self.io_tensors, self._arguments, options or self.options)


def _is_searched(kernel: KernelDescriptor) -> bool:
    """Whether the kernel's file depends on where it is looked for."""
    return kernel.source_type is SourceType.FILE_PATH and not Path(kernel.kernel_source).is_absolute()


def _refuse_cores_outside(program: ProgramDescriptor, grid: tuple[int, int]) -> None:
    """The engine trusts coordinates, so no program gets there with one it does not have."""
    placed = [(f"kernel {kernel.name}", kernel.core_ranges) for kernel in program.kernels]
    placed += [(f"circular buffer {cb.label}", cb.core_ranges) for cb in program.cbs]
    placed += [(f"semaphore {semaphore.id}", semaphore.core_ranges) for semaphore in program.semaphores]
    for what, cores in placed:
        for core in cores:
            if core.x >= grid[0] or core.y >= grid[1]:
                raise ProgramError([f"{what} is on core {core}, outside the {grid[0]}x{grid[1]} grid of the chip"])


def _refuse_large_globals(kernel: str, libraries: KernelLibraries) -> None:
    for library in libraries:
        size = library.layout.statics_end - library.layout.statics_begin
        if size > _MOST_GLOBALS:
            raise ProgramError(
                [
                    f"kernel {kernel} has {size} bytes of globals; a processor's local memory has a few thousand, and "
                    f"more than {_MOST_GLOBALS} are refused"
                ]
            )
