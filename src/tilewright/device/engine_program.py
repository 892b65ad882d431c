# SPDX-License-Identifier: Apache-2.0
"""A program loaded into the engine: built once per structure, run many times with other arguments."""

from __future__ import annotations

import ctypes
import time
import weakref
from array import array
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tilewright.device import engine as native
from tilewright.device.buffer_formats import buffer_format, unpacks_to_dest
from tilewright.device.engine import engine
from tilewright.device.host_memory import HostMemory
from tilewright.device.kernel_library import KernelLibrary
from tilewright.device.kernel_sources import FIDELITY_PHASES, placement
from tilewright.device.l1_layout import semaphore_at
from tilewright.device.prepared import ArgumentLayout
from tilewright.device.run import (
    CbTraffic,
    CbUse,
    KernelInfo,
    KernelPosition,
    KernelState,
    RecordedPages,
    RelatedCall,
    Run,
    RunNote,
    RunStatus,
    WaitKind,
)
from tilewright.device.run_options import RunOptions
from tilewright.device.source_lines import SourceLine
from tilewright.device.translation_unit import KernelSource
from tilewright.program.kernel import ComputeConfigDescriptor, KernelDescriptor
from tilewright.program.program import ProgramDescriptor
from tilewright.tensor.cores import CoreRangeSet

_NO_CIRCULAR_BUFFER = 0xFFFFFFFF
_NO_KERNEL = 0xFFFFFFFF

PrintHandler = Callable[[tuple[int, int], str, str], None]


def _cb_labels(program: ProgramDescriptor) -> dict[int, str]:
    """Index and name of each circular buffer; an index that has other names on other cores shows all of them."""
    names: dict[int, list[str]] = {}
    for cb in program.cbs:
        for descriptor in cb.format_descriptors:
            known = names.setdefault(descriptor.buffer_index, [])
            if descriptor.name not in (*known, f"c_{descriptor.buffer_index}"):
                known.append(descriptor.name)
    return {index: f"c_{index} {'/'.join(known)}".rstrip() for index, known in names.items()}


def _core_array(core_ranges: CoreRangeSet) -> NDArray[np.uint16]:
    return np.array([(core.x, core.y) for core in core_ranges], dtype=np.uint16)


class EngineProgram:
    """Kernels, circular buffers and semaphores as the engine holds them."""

    def __init__(
        self,
        chip_handle: int,
        program: ProgramDescriptor,
        sources: Sequence[KernelSource],
        libraries: Sequence[KernelLibrary],
        cb_addresses: Sequence[int],
        on_print: PrintHandler,
    ) -> None:
        self.libraries = libraries
        self.kernels = [KernelInfo(source.name, source.path, source.is_compute) for source in sources]
        self.cb_labels = _cb_labels(program)
        self._handle = engine().tw_program_new(chip_handle)
        self._finalizer = weakref.finalize(self, engine().tw_program_free, self._handle)
        self._keep: list[object] = []
        for kernel, library in zip(program.kernels, libraries, strict=True):
            self._add_kernel(kernel, library)
        self._add_circular_buffers(program, cb_addresses)
        self._traffic_reports = 0
        self._circular_buffer_reports = engine().tw_program_circular_buffers(self._handle, None, 0)
        self._semaphore_base = program.semaphore_base
        self._semaphores = {(each.id, core.x, core.y) for each in program.semaphores for core in each.core_ranges}
        if program.semaphore_base is not None:
            engine().tw_program_set_semaphore_base(self._handle, program.semaphore_base)
        for semaphore in program.semaphores:
            cores = _core_array(semaphore.core_ranges)
            pointer = cores.ctypes.data_as(ctypes.POINTER(ctypes.c_uint16))
            engine().tw_program_add_semaphore(self._handle, semaphore.id, semaphore.initial_value, pointer, len(cores))
        callback = native.PrintFunction(
            lambda x, y, kernel, line: on_print((x, y), kernel.decode(), line.decode(errors="replace"))
        )
        self._keep.append(callback)
        engine().tw_program_set_print(self._handle, callback)

    def close(self) -> None:
        """Gives the engine's memory back; a chip does this before it goes."""
        self._finalizer()

    def _add_kernel(self, kernel: KernelDescriptor, library: KernelLibrary) -> None:
        cores = _core_array(kernel.core_ranges)
        compute = kernel.config if isinstance(kernel.config, ComputeConfigDescriptor) else None
        where = placement(kernel)
        spec = native.KernelSpec(
            entry=library.entry,
            name=kernel.name.encode(),
            kind=int(compute is not None),
            processor=where.processor,
            noc_index=where.noc_index,
            noc_mode=where.noc_mode,
            fp32_dest=int(compute is not None and compute.fp32_dest_acc_en),
            full_sync=int(compute is not None and compute.dst_full_sync_en),
            fidelity=FIDELITY_PHASES[compute.math_fidelity] if compute is not None else 4,
            math_approx=int(compute is not None and compute.math_approx_mode),
            statics=library.statics[0],
            statics_bytes=library.statics[1] - library.statics[0],
            text_begin=library.text[0],
            text_end=library.text[1],
            cores=cores.ctypes.data,
            num_cores=len(cores),
        )
        in_l1 = kernel.arguments_in_l1
        if in_l1 is not None:
            spec.has_arguments_in_l1 = 1
            spec.args_offset, spec.num_args = in_l1.address, in_l1.count
            spec.common_args_offset, spec.num_common_args = in_l1.common_address, in_l1.common_count
        library.restore_statics()  # another program's run may have left them changed
        engine().tw_program_add_kernel(self._handle, ctypes.byref(spec))

    def _add_circular_buffers(self, program: ProgramDescriptor, addresses: Sequence[int]) -> None:
        computes = [kernel for kernel in program.kernels if kernel.is_compute]
        for cb, address in zip(program.cbs, addresses, strict=True):
            cores = _core_array(cb.core_ranges)
            if not cb.format_descriptors:  # a scratchpad
                pointer = cores.ctypes.data_as(ctypes.POINTER(ctypes.c_uint16))
                engine().tw_program_add_scratchpad(self._handle, address, cb.total_size, pointer, len(cores))
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
                    format=format_.data_format,
                    num_faces=format_.num_faces,
                    face_rows=format_.face_rows,
                    tile_rows=format_.tile_rows,
                    tile_cols=format_.tile_cols,
                    tile_bytes=format_.tile_bytes,
                    unpack_to_dest_fp32=int(format_.unpack_to_dest_fp32),
                    cores=cores.ctypes.data,
                    num_cores=len(cores),
                )
                engine().tw_program_add_circular_buffer(self._handle, ctypes.byref(spec))

    def set_arguments(self, kernels: Sequence[KernelDescriptor], layouts: Sequence[ArgumentLayout]) -> None:
        """Runtime arguments of every kernel for the next run."""
        for position, (kernel, layout) in enumerate(zip(kernels, layouts, strict=True)):
            words, offsets = layout.words(kernel), layout.offsets
            common = array("I", kernel.common_runtime_args)
            engine().tw_program_set_args(
                self._handle,
                position,
                words.buffer_info()[0],
                offsets.buffer_info()[0],
                len(offsets),
                common.buffer_info()[0],
                len(common),
            )

    def set_host_memory(self, memory: HostMemory) -> None:
        """Every buffer the host has, for the checked run that follows."""
        engine().tw_program_set_host_memory(self._handle, memory.specs, len(memory.specs))

    def run(self, options: RunOptions) -> tuple[Run, native.RunReport]:
        """Runs the program to its end, whatever that is."""
        report = native.RunReport()
        begin = time.perf_counter()
        recorded = sum(1 << index for index in set(options.record))
        engine().tw_program_run(
            self._handle,
            options.threads,
            options.time_limit,
            options.spin_limit,
            int(options.checked),
            options.seed,
            recorded,
            int(options.keep_l1),
            ctypes.byref(report),
        )
        seconds = time.perf_counter() - begin
        status = RunStatus(report.status)
        run = Run(
            status,
            self.kernels,
            self.cb_labels,
            seconds,
            int(report.switches),
            self._traffic(),
            self._circular_buffers(),
            [] if status is RunStatus.OK else self._positions(),
            self._notes() if options.checked else [],
            self._pages() if recorded else [],
        )
        return run, report

    def calls(self) -> NDArray[np.uint64]:
        """A copy of what the last run recorded, kernel after kernel and core after core."""
        words = np.empty(engine().tw_program_calls(self._handle, None, 0), dtype=np.uint64)
        engine().tw_program_calls(self._handle, words.ctypes.data, len(words))
        return words

    def _pages(self) -> list[RecordedPages]:
        """Copies of what the engine recorded: its own go with the next run."""
        count = engine().tw_program_pushes(self._handle, None, 0)
        reports = (native.PushReport * count)()
        engine().tw_program_pushes(self._handle, reports, count)
        return [
            RecordedPages(
                r.kernel,
                (r.core_x, r.core_y),
                r.cb,
                np.frombuffer(ctypes.string_at(r.data, r.pages * r.page_bytes), np.uint8).reshape(r.pages, -1),
                self._stack(r.kernel, r.frames[: r.num_frames]),
            )
            for r in reports
        ]

    def _traffic(self) -> Callable[[], list[CbTraffic]]:
        """Copies what the engine counted now; the objects are made when somebody looks."""
        reports = (native.TrafficReport * self._traffic_reports)()
        count = engine().tw_program_traffic(self._handle, reports, len(reports))
        if count > len(reports):
            self._traffic_reports = count  # most likely as many as the next run will have
            return self._traffic()
        return lambda: [_traffic_of(report) for report in reports[:count]]

    def _circular_buffers(self) -> Callable[[], list[CbUse]]:
        reports = (native.CircularBufferReport * self._circular_buffer_reports)()
        engine().tw_program_circular_buffers(self._handle, reports, len(reports))
        return lambda: [
            CbUse((r.core_x, r.core_y), r.index, r.num_pages, r.page_bytes, r.peak, r.pushed, r.popped) for r in reports
        ]

    def _notes(self) -> list[RunNote]:
        count = engine().tw_program_findings(self._handle, None, 0)
        reports = (native.FindingReport * count)()
        engine().tw_program_findings(self._handle, reports, count)
        return [
            RunNote(
                r.rule.decode(),
                r.text.decode(errors="replace"),
                r.kernel,
                (r.core_x, r.core_y),
                r.cb if r.cb != _NO_CIRCULAR_BUFFER else None,
                int(r.address),
                int(r.count),
                self._stack(r.kernel, r.frames[: r.num_frames]),
                self._related(r),
            )
            for r in reports
        ]

    def _positions(self) -> list[KernelPosition]:
        count = engine().tw_program_num_instances(self._handle)
        reports = (native.InstanceReport * count)()
        engine().tw_program_instances(self._handle, reports)
        return [
            KernelPosition(
                r.kernel,
                (r.core_x, r.core_y),
                KernelState(r.state),
                WaitKind(r.wait_kind),
                r.wait_cb,
                r.wait_amount,
                r.wait_have,
                *self._semaphore(r),
                bool(r.is_error),
                _bits(r.would_push),
                _bits(r.would_pop),
                self._stack(r.kernel, r.frames[: r.num_frames]),
            )
            for r in reports
        ]

    def _semaphore(self, report: native.InstanceReport) -> tuple[int | None, bool]:
        """Which semaphore a kernel polls, and whether the program has it on that core."""
        semaphore_id = semaphore_at(report.wait_address, self._semaphore_base)
        return semaphore_id, (semaphore_id, report.core_x, report.core_y) in self._semaphores

    def _related(self, report: native.FindingReport) -> RelatedCall | None:
        if report.related_kernel == _NO_KERNEL:
            return None
        frames = report.related_frames[: report.related_num_frames]
        core = (report.related_x, report.related_y)
        return RelatedCall(report.related_kernel, core, self._stack(report.related_kernel, frames))

    def _stack(self, kernel: int, frames: Sequence[int]) -> tuple[SourceLine, ...]:
        """Lines of the kernel's own library, innermost first. Addresses of the engine itself are left out."""
        library = self.libraries[kernel]
        lines = []
        for address in frames:
            call = address - 1  # a return address points behind its call
            line = library.source_line(call) if library.contains(call) else None
            if line is not None:
                lines.append(line)
        return tuple(lines)


def _bits(mask: int) -> frozenset[int]:
    """Positions of the bits that are set.

    >>> sorted(_bits(0b101))
    [0, 2]
    """
    return frozenset(index for index in range(mask.bit_length()) if mask >> index & 1)


def _traffic_of(report: native.TrafficReport) -> CbTraffic:
    return CbTraffic(
        report.kernel,
        (report.core_x, report.core_y),
        report.cb,
        report.push_calls,
        report.pop_calls,
        report.wait_calls,
        report.reserve_calls,
        report.pages_pushed,
        report.pages_popped,
        report.blocked_waits,
        report.blocked_reserves,
        report.largest_wait,
        report.largest_reserve,
    )
