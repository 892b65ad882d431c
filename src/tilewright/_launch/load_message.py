# SPDX-License-Identifier: Apache-2.0
"""A program's kernels, circular buffers and semaphores, in the words of the message that loads it into a runner."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from tilewright._build.cb_formats import buffer_format, unpacks_to_dest
from tilewright._build.kernel_library import KernelLibraries, KernelLibrary
from tilewright._build.kernel_sources import FIDELITY_PHASES, placement
from tilewright._launch.runner import message
from tilewright._program.kernel import KernelDescriptor
from tilewright._program.kernel_config import ComputeConfigDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._tensor.cores import CoreRangeSet
from tilewright._wire import runner as wire
from tilewright._wire.runner import MessageKind


class LoadMessage:
    """A program for the runner, independent of its number and of other programs."""

    def __init__(
        self, program: ProgramDescriptor, libraries: Sequence[KernelLibraries], cb_addresses: Sequence[int]
    ) -> None:
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
        bases = b"".join(bytes(wire.SemaphoreBase(x, y, at)) for (x, y), at in program.semaphore_bases.items())
        self._parts = [bases, *kernels, *(part for buffer in buffers for part in buffer)]
        for semaphore in program.semaphores:
            cores = _cores(semaphore.core_ranges)
            spec = wire.SemaphoreMessage(id=semaphore.id, initial=semaphore.initial_value, num_cores=len(cores) // 2)
            self._parts += [bytes(spec), cores.tobytes()]
        for pad, address in pads:
            cores = _cores(pad.core_ranges)
            place = wire.ScratchpadMessage(offset=address, bytes=pad.total_size, num_cores=len(cores) // 2)
            self._parts += [bytes(place), cores.tobytes()]

    def of(self, number: int, forgotten: Sequence[int]) -> bytes:
        """The message that loads the program under a number, and unloads those that are forgotten."""
        request = wire.LoadRequest(program=number, num_forgotten=len(forgotten), **self._header)
        return message(MessageKind.LOAD, [bytes(request), array("Q", forgotten).tobytes(), *self._parts])


def cb_labels(program: ProgramDescriptor) -> dict[int, str]:
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
    described = wire.KernelMessage(
        name_bytes=len(name),
        num_libraries=len(libraries),
        kind=int(compute is not None),
        processor=where.processor,
        noc_index=where.noc_index,
        noc_mode=where.noc_mode,
        fp32_dest=int(compute is not None and compute.fp32_dest_acc_en),
        full_sync=int(compute is not None and compute.dst_full_sync_en),
        fidelity=FIDELITY_PHASES[compute.math_fidelity] if compute is not None else 4,
        num_cores=len(cores) // 2,
    )
    in_l1 = kernel.arguments_in_l1
    if in_l1 is not None:
        described.has_arguments_in_l1 = 1
        described.args_offset, described.num_args = in_l1.address, in_l1.count
        described.common_args_offset, described.num_common_args = in_l1.common_address, in_l1.common_count
    return [bytes(described), name, cores.tobytes(), *(part for each in libraries for part in _library(each))]


def _library(library: KernelLibrary) -> list[bytes]:
    path, layout = bytes(library.path), library.layout
    described = wire.LibraryMessage(
        path_bytes=len(path),
        statics=layout.statics_begin,
        statics_bytes=layout.statics_end - layout.statics_begin,
        text_begin=layout.text_begin,
        text_end=layout.text_end,
    )
    return [bytes(described), path]


def _circular_buffers(program: ProgramDescriptor, addresses: Sequence[int]) -> list[list[bytes]]:
    computes = [kernel for kernel in program.kernels if kernel.is_compute]
    buffers = []
    for cb, address in zip(program.cbs, addresses, strict=True):
        cores = _cores(cb.core_ranges)
        for descriptor in cb.format_descriptors:
            index = descriptor.buffer_index
            to_dest = any(unpacks_to_dest(kernel.config, index) for kernel in computes)
            format_ = buffer_format(descriptor, to_dest)
            spec = wire.CircularBufferMessage(
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
