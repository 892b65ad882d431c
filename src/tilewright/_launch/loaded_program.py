# SPDX-License-Identifier: Apache-2.0
"""A program as a runner loads it: told once per runner, run many times with other arguments."""

from __future__ import annotations

import ctypes
import dataclasses
import itertools
import time
from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tilewright._build.cb_formats import buffer_format, unpacks_to_dest
from tilewright._build.kernel_library import KernelLibraries, KernelLibrary
from tilewright._build.kernel_sources import FIDELITY_PHASES, placement
from tilewright._build.source_lines import SourceLine
from tilewright._build.translation_unit import KernelSource
from tilewright._debug.breakpoints import KernelCode, breakpoints
from tilewright._launch.host_memory import HostMemory
from tilewright._launch.launch_layout import ArgumentLayout
from tilewright._launch.run_options import RunOptions
from tilewright._launch.run_record import NO_KERNEL, RecordReader
from tilewright._launch.runner import Answer, Kind, Limits, Runner, RunnerLostError, failure_text, message
from tilewright._program.kernel import ComputeConfigDescriptor, KernelDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._record import wire_layout as native
from tilewright._record.run import KernelInfo, Run, RunStatus
from tilewright._tensor.cores import CoreRangeSet

if TYPE_CHECKING:
    from tilewright._debug.stop import ReadL1
    from tilewright._launch.debug_channel import Debugging

_numbers = itertools.count(1)


@dataclasses.dataclass(frozen=True)
class Ending:
    """How a run ended, where it did not end well.

    Attributes:
        text: what the engine said.
        rule: the checker's rule that was broken, where that is what ended it.
        fault_signal, fault_address: of a fault.
        l1_base: where the L1 of the core at fault lay in the runner's memory.
        loading: it had not begun: a kernel's library was being loaded.
    """

    text: str = ""
    rule: str | None = None
    fault_signal: int = 0
    fault_address: int = 0
    l1_base: int = 0
    loading: bool = False


@dataclasses.dataclass(slots=True)
class Outcome:
    """What a run left: its record, how it ended, and the words of the calls it recorded."""

    run: Run
    ending: Ending
    call_words: Callable[[], NDArray[np.uint64]]


@dataclasses.dataclass(frozen=True)
class _Asked:
    """What the last run of a program was asked for, and the words for it."""

    options: RunOptions
    threads: int
    request: bytes
    limits: Limits
    arguments_mark: object | None = None
    message: bytes = b""  # all of it, for runs with the same arguments


_ENDED_WELL = Ending()


def _no_words() -> NDArray[np.uint64]:
    return np.empty(0, np.uint64)


class LoadFailedError(Exception):
    """A kernel's library cannot be loaded; the message is the dynamic linker's."""


class LoadedProgram:
    """Kernels, circular buffers and semaphores in the words of the runner's messages."""

    def __init__(
        self,
        program: ProgramDescriptor,
        sources: Sequence[KernelSource],
        libraries: Sequence[KernelLibraries],
        cb_addresses: Sequence[int],
    ) -> None:
        self.number = next(_numbers)
        self.last_launch = 0
        self.kernels = [KernelInfo(source.name, source.path, source.is_compute) for source in sources]
        self._cb_labels = _cb_labels(program)
        self._libraries = libraries
        self._semaphores = {(each.id, core.x, core.y) for each in program.semaphores for core in each.core_ranges}
        self._reader = RecordReader(self.stack, self._semaphores, program.semaphore_bases)
        self._runner: Runner | None = None
        self._asked: _Asked | None = None
        self._bases: Sequence[Sequence[int]] = ()  # of each kernel's libraries, where they are loaded
        kernels = [
            part for kernel, own in zip(program.kernels, libraries, strict=True) for part in _kernel(kernel, own)
        ]
        buffers = list(_circular_buffers(program, cb_addresses))
        pads = [(cb, at) for cb, at in zip(program.cbs, cb_addresses, strict=True) if not cb.format_descriptors]
        self._header = {
            "num_kernels": len(program.kernels),
            "num_circular_buffers": len(buffers),
            "num_semaphores": len(program.semaphores),
            "num_scratchpads": len(pads),
            "num_semaphore_bases": len(program.semaphore_bases),
        }
        bases = b"".join(bytes(native.SemaphoreBase(x, y, at)) for (x, y), at in program.semaphore_bases.items())
        self._parts = [bases, *kernels, *(part for buffer in buffers for part in buffer)]
        for semaphore in program.semaphores:
            cores = _cores(semaphore.core_ranges)
            spec = native.SemaphoreSpec(id=semaphore.id, initial=semaphore.initial_value, num_cores=len(cores) // 2)
            self._parts += [bytes(spec), cores.tobytes()]
        for pad, address in pads:
            cores = _cores(pad.core_ranges)
            place = native.ScratchpadSpec(offset=address, bytes=pad.total_size, num_cores=len(cores) // 2)
            self._parts += [bytes(place), cores.tobytes()]

    @property
    def paths(self) -> list[list[str]]:
        return [[str(library.path) for library in own] for own in self._libraries]

    def is_in(self, runner: Runner) -> bool:
        return self._runner is runner

    def load(self, runner: Runner, forgotten: Sequence[int], limits: Limits) -> None:
        """Tells a runner about the program, and which ones it need not keep any more."""
        request = native.LoadRequest(program=self.number, num_forgotten=len(forgotten), **self._header)
        parts = [bytes(request), array("Q", forgotten).tobytes(), *self._parts]
        kind, answer = runner.ask(message(Kind.LOAD, parts), limits)
        if kind is not Kind.LOADED:
            raise LoadFailedError(failure_text(answer))
        bases = iter(array("Q", answer[ctypes.sizeof(native.LoadedAnswer) :]))
        self._bases = [list(itertools.islice(bases, len(own))) for own in self._libraries]
        self._runner = runner

    def unload(self) -> None:
        """Its runner is going to forget it."""
        self._runner = None

    def run(
        self,
        program: ProgramDescriptor,
        layouts: Sequence[ArgumentLayout],
        options: RunOptions,
        memory: HostMemory | None,
        debugging: Debugging | None = None,
    ) -> Outcome:
        """Runs the program, with the arguments the kernels have now, to its end, whatever that is."""
        assert self._runner is not None
        asked = self._asked_for(options)
        mark = program.arguments_mark
        if mark is not None and asked.arguments_mark is mark and memory is None and debugging is None:
            request = asked.message
        else:
            request = message(Kind.RUN, self._parts_of_run(program, layouts, options, memory, debugging, asked))
            if mark is not None and memory is None and debugging is None:
                self._asked = dataclasses.replace(asked, arguments_mark=mark, message=request)
        begin = time.perf_counter()
        on_stopped = debugging.answer if debugging is not None else None
        kind, answer = self._runner.ask(request, asked.limits, options.on_print, on_stopped)
        seconds = time.perf_counter() - begin
        if kind is not Kind.RAN:
            return self._refused(failure_text(answer), seconds)
        return self._record(answer, seconds)

    def _parts_of_run(
        self,
        program: ProgramDescriptor,
        layouts: Sequence[ArgumentLayout],
        options: RunOptions,
        memory: HostMemory | None,
        debugging: Debugging | None,
        asked: _Asked,
    ) -> list[bytes]:
        parts = [asked.request if memory is None else bytes(self._new_request(options, asked.threads, memory))]
        parts += [layout.message(kernel) for kernel, layout in zip(program.kernels, layouts, strict=True)]
        if memory is not None:
            parts += memory.parts()
        if debugging is not None:
            parts += debugging.request()
        return parts

    def _asked_for(self, options: RunOptions) -> _Asked:
        """What a run is asked for; most are asked for the same as the one before."""
        threads, asked = options.threads_asked, self._asked
        if asked is None or asked.options is not options or asked.threads != threads:
            request = bytes(self._new_request(options, threads, None))
            limits = Limits(options.time_limit or 0.0, options.spin_limit)
            asked = self._asked = _Asked(options, threads, request, limits)
        return asked

    def _new_request(self, options: RunOptions, threads: int, memory: HostMemory | None) -> native.RunRequest:
        return native.RunRequest(
            program=self.number,
            time_limit=options.time_limit or 0.0,
            spin_limit=options.spin_limit,
            seed=options.seed,
            recorded_circular_buffers=sum(1 << index for index in set(options.record)),
            threads=threads,
            checked=int(options.checked),
            keep_l1=int(options.keep_l1 or bool(options.break_at)),
            debugged=int(bool(options.break_at)),
            num_host_buffers=len(memory.specs) if memory is not None else 0,
            host_buffers_are_all=int(memory is not None and memory.is_all),
        )

    def debugging(
        self, program: ProgramDescriptor, cb_addresses: Sequence[int], read_l1: ReadL1, options: RunOptions
    ) -> Debugging:
        """The breakpoints of a launch of it, once it is loaded."""
        # Imported here: few launches have any.
        from tilewright._debug.prompt import prompt
        from tilewright._launch.debug_channel import Debugging

        return Debugging(
            program,
            self.kernels,
            self._cb_labels,
            KernelCode(self.kernels, self._libraries, self._bases),
            self._reader,
            cb_addresses,
            read_l1,
            breakpoints(options.break_at),
            options.on_stop or prompt,
        )

    def _record(self, answer: Answer, seconds: float) -> Outcome:
        record = self._reader.read(answer)
        report = record.report
        status = RunStatus(report.status) if report.status else RunStatus.OK
        run = Run(
            status,
            self.kernels,
            self._cb_labels,
            seconds,
            report.switches,
            record.traffic,
            record.circular_buffers,
            record.positions,
            record.notes,
            record.pages,
            raises=record.raises,
        )
        if report.spent:
            self._end_runner()
        if status is RunStatus.OK:
            return Outcome(run, _ENDED_WELL, record.calls)
        ending = Ending(record.text, record.rule, report.fault_signal, int(report.fault_address), int(report.l1_base))
        return Outcome(run, ending, record.calls)

    def _refused(self, text: str, seconds: float) -> Outcome:
        """The engine could not run the program at all."""
        return Outcome(self._empty_run(RunStatus.KERNEL_ERROR, seconds), Ending(text), _no_words)

    def lost(self, lost: RunnerLostError) -> Outcome:
        """What can be said of a run whose runner died: the kernel that ran, and what it said last."""
        words = lost.words
        run = self._empty_run(lost.status, 0.0)
        place = words.who if words.said else words.place
        if place.kernel != NO_KERNEL and place.kernel < len(self.kernels):
            stack = self.stack(place.kernel, words.frames[: min(words.num_frames, native.MAX_FRAMES)])
            run.positions.append(self._reader.position_of(place, lost.status, stack if words.said else ()))
        text = words.text.decode(errors="replace") if words.said else ""
        signal_number = words.signal_number if words.said else 0
        ending = Ending(
            text if text or signal_number else lost.reason,
            None,
            signal_number,
            int(words.address),
            int(words.l1_base),
            lost.loading,
        )
        return Outcome(run, ending, _no_words)

    def _empty_run(self, status: RunStatus, seconds: float) -> Run:
        return Run(status, self.kernels, self._cb_labels, seconds, 0, list, list, [], [])

    def _end_runner(self) -> None:
        """A kernel was left half-way: its process must go, and says so by ending."""
        if self._runner is not None:
            self._runner.end()

    def stack(self, kernel: int, frames: Sequence[int]) -> tuple[SourceLine, ...]:
        """Lines of the kernel's own libraries, innermost first. Addresses of the engine itself are left out."""
        if kernel >= len(self._bases):
            return ()
        placed = list(zip(self._libraries[kernel], self._bases[kernel], strict=True))
        # A return address points behind its call.
        lines = (library.line_at(base, address - 1) for address in frames for library, base in placed)
        return tuple(line for line in lines if line is not None)


def _cb_labels(program: ProgramDescriptor) -> dict[int, str]:
    """Index and name of each circular buffer; an index that has other names on other cores shows all of them."""
    names: dict[int, list[str]] = {}
    for cb in program.cbs:
        for descriptor in cb.format_descriptors:
            known = names.setdefault(descriptor.buffer_index, [])
            if descriptor.name not in (*known, f"c_{descriptor.buffer_index}"):
                known.append(descriptor.name)
    return {index: f"c_{index} {'/'.join(known)}".rstrip() for index, known in names.items()}


def _cores(core_ranges: CoreRangeSet) -> array[int]:
    return array("H", [number for core in core_ranges for number in (core.x, core.y)])


def _kernel(kernel: KernelDescriptor, libraries: KernelLibraries) -> list[bytes]:
    cores = _cores(kernel.core_ranges)
    compute = kernel.config if isinstance(kernel.config, ComputeConfigDescriptor) else None
    where, name = placement(kernel), kernel.name.encode()
    spec = native.KernelSpec(
        kind=int(compute is not None),
        processor=where.processor,
        noc_index=where.noc_index,
        noc_mode=where.noc_mode,
        fp32_dest=int(compute is not None and compute.fp32_dest_acc_en),
        full_sync=int(compute is not None and compute.dst_full_sync_en),
        fidelity=FIDELITY_PHASES[compute.math_fidelity] if compute is not None else 4,
        math_approx=int(compute is not None and compute.math_approx_mode),
        num_cores=len(cores) // 2,
    )
    in_l1 = kernel.arguments_in_l1
    if in_l1 is not None:
        spec.has_arguments_in_l1 = 1
        spec.args_offset, spec.num_args = in_l1.address, in_l1.count
        spec.common_args_offset, spec.num_common_args = in_l1.common_address, in_l1.common_count
    header = native.KernelHeader(name_bytes=len(name), num_libraries=len(libraries))
    return [bytes(header), name, bytes(spec), cores.tobytes(), *(part for each in libraries for part in _library(each))]


def _library(library: KernelLibrary) -> list[bytes]:
    path, layout = bytes(library.path), library.layout
    code = native.KernelCode(
        statics=layout.statics_begin,
        statics_bytes=layout.statics_end - layout.statics_begin,
        text_begin=layout.text_begin,
        text_end=layout.text_end,
    )
    return [bytes(native.LibraryHeader(path_bytes=len(path))), path, bytes(code)]


def _circular_buffers(program: ProgramDescriptor, addresses: Sequence[int]) -> list[list[bytes]]:
    computes = [kernel for kernel in program.kernels if kernel.is_compute]
    buffers = []
    for cb, address in zip(program.cbs, addresses, strict=True):
        cores = _cores(cb.core_ranges)
        for descriptor in cb.format_descriptors:
            index = descriptor.buffer_index
            to_dest = any(unpacks_to_dest(kernel.config, index) for kernel in computes)
            format_ = buffer_format(descriptor, to_dest)
            spec = native.CircularBufferSpec(
                index=index,
                offset=address,
                total_bytes=cb.total_size,
                page_bytes=descriptor.page_size,
                owns_memory=int(cb.owns_memory()),
                is_over_tensor=int(cb.is_over_tensor()),
                format=format_.data_format,
                num_faces=format_.num_faces,
                face_rows=format_.face_rows,
                tile_rows=format_.tile_rows,
                tile_cols=format_.tile_cols,
                tile_bytes=format_.tile_bytes,
                unpack_to_dest_fp32=int(format_.unpack_to_dest_fp32),
                num_cores=len(cores) // 2,
            )
            buffers.append([bytes(spec), cores.tobytes()])
    return buffers
