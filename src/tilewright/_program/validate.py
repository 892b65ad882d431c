# SPDX-License-Identifier: Apache-2.0
"""Mistakes in a program, found before it runs."""

from __future__ import annotations

import collections
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

from tilewright._program.cb_placement import end_of_circular_buffers, place_circular_buffers
from tilewright._program.circular_buffer import CBDescriptor, CBFormatDescriptor
from tilewright._program.errors import Problem, ProgramError
from tilewright._program.kernel import KernelDescriptor, SourceType
from tilewright._program.kernel_config import NOC_MODE, ComputeConfigDescriptor, DataMovementProcessor, MathFidelity
from tilewright._program.kernel_path import resolve_kernel_path
from tilewright._program.program import ProgramDescriptor
from tilewright._program.scratchpad import ScratchpadDescriptor
from tilewright._program.semaphore import NUM_SEMAPHORES
from tilewright._tensor.cores import CoreCoord, CoreRange, CoreRangeSet
from tilewright._tensor.device import Device
from tilewright._tensor.tensor import Tensor
from tilewright._tensor.tile import FACE_SHAPES

MAX_RUNTIME_ARGS = 341  # words per kernel on one core, common ones included
CB_WORD_BYTES = 16  # compute kernels count a CB's memory in these
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(\(.*\))?\Z")


def validate_program(
    program: ProgramDescriptor,
    device: Device,
    io_tensors: Sequence[Tensor] = (),
) -> None:
    """Raise ProgramError with everything that is wrong."""
    problems = list(find_problems(program, device, io_tensors))
    if problems:
        raise ProgramError(problems)


def find_problems(
    program: ProgramDescriptor,
    device: Device,
    io_tensors: Sequence[Tensor] = (),
) -> Iterator[str]:
    """One text per problem."""
    if not program.kernels:
        yield "the program has no kernels"
    yield from _cores_outside_grid(program, device)
    for kernel in program.kernels:
        yield from _kernel_problems(kernel)
        yield from _runtime_arg_problems(kernel)
    yield from _processor_problems(program)
    for cb in program.cbs:
        yield from _cb_problems(cb, device)
    yield from _duplicate_cb_indices(program)
    yield from _cb_use_problems(program)
    yield from _l1_problems(program, device)
    yield from _semaphore_problems(program)
    yield from tensor_problems(io_tensors, device)


def _cores_outside_grid(program: ProgramDescriptor, device: Device) -> Iterator[str]:
    grid = device.compute_with_storage_grid_size()
    whole = CoreRange((0, 0), (grid.x - 1, grid.y - 1))
    owners: list[tuple[str, CoreRangeSet]] = [(f"kernel {k.name}", k.core_ranges) for k in program.kernels]
    owners += [(f"CB {cb.label}", cb.core_ranges) for cb in program.cbs]
    owners += [(f"semaphore {semaphore.id}", semaphore.core_ranges) for semaphore in program.semaphores]
    for owner, core_ranges in owners:
        if core_ranges.empty():
            yield f"{owner}: core_ranges is empty"
        for core_range in core_ranges.ranges():
            if not whole.contains(core_range):
                yield (
                    f"{owner}: core_ranges has {core_range}, which is outside the {grid.x}x{grid.y} grid of "
                    f"{device.description.name} (last core {whole.end})"
                )


def _kernel_problems(kernel: KernelDescriptor) -> Iterator[str]:
    yield from _source_problems(kernel)
    yield from _repeated(f"kernel {kernel.name}: named_compile_time_args", kernel.named_compile_time_args)
    yield from _repeated(f"kernel {kernel.name}: defines", kernel.defines)
    for name, _ in kernel.defines:
        if not _IDENTIFIER.match(name):
            yield f"kernel {kernel.name}: defines has {name!r}, which is not a macro name"
    for name, value in kernel.defines:
        if "\n" in value:
            yield f"kernel {kernel.name}: the value of define {name!r} has a line break, which ends a macro"
    config = kernel.config
    if isinstance(config, ComputeConfigDescriptor):
        if config.math_fidelity is MathFidelity.Invalid:
            yield f"kernel {kernel.name}: math_fidelity is Invalid; allowed: LoFi, HiFi2, HiFi3, HiFi4"
    elif config.processor.value > 1:
        yield (
            f"kernel {kernel.name}: processor {config.processor.name} does not exist on this chip; "
            "allowed: RISCV_0, RISCV_1"
        )


def _source_problems(kernel: KernelDescriptor) -> Iterator[str]:
    if not kernel.kernel_source:
        yield f"kernel {kernel.name}: kernel_source is empty"
    elif kernel.source_type is SourceType.FILE_PATH:
        try:
            resolve_kernel_path(kernel.kernel_source)
        except FileNotFoundError as error:
            yield f"kernel {kernel.name}: {error}"


def _repeated(what: str, pairs: Iterable[tuple[str, object]]) -> Iterator[str]:
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            yield f"{what} has {name!r} twice"
        seen.add(name)


def _runtime_arg_problems(kernel: KernelDescriptor) -> Iterator[str]:
    entries = list(kernel.runtime_args)
    common = len(kernel.common_runtime_args)
    most = max((len(args) for _, args in entries), default=0)
    if most + common > MAX_RUNTIME_ARGS:
        yield (
            f"kernel {kernel.name}: {most} runtime args and {common} common runtime args are more than the "
            f"{MAX_RUNTIME_ARGS} a kernel can have"
        )
    if not entries:
        return
    having = [core for core, _ in entries]
    on = set(kernel.core_ranges)
    if len(having) == len(on) and on.issuperset(having) and len(set(having)) == len(on):
        return
    if len(set(having)) < len(having):
        twice = sorted({core for core in having if having.count(core) > 1}, key=_row_major)
        yield f"kernel {kernel.name}: runtime_args has more than one entry for {_some_cores(twice)}"
    foreign = sorted(set(having) - on, key=_row_major)
    if foreign:
        yield f"kernel {kernel.name}: runtime_args for {_some_cores(foreign)}, where the kernel does not run"
    missing = sorted(on - set(having), key=_row_major)
    if missing:
        yield (
            f"kernel {kernel.name}: no runtime_args for {_some_cores(missing)}, although other cores of the kernel "
            "have some (give such cores an empty list if that is meant)"
        )


def _processor_problems(program: ProgramDescriptor) -> Iterator[str]:
    """At most one kernel per processor of a core, and each data-movement kernel on a NoC of its own."""
    for first, second in itertools.combinations(program.kernels, 2):
        clash = _processor_clash(first, second)
        if clash:
            shared = set(first.core_ranges)
            cores = [core for core in second.core_ranges if core in shared]
            if cores:
                yield f"{clash} on {_some_cores(cores)}"


def _processor_clash(first: KernelDescriptor, second: KernelDescriptor) -> str | None:
    if first.is_compute and second.is_compute:
        return f"kernels {first.name} and {second.name} are both compute kernels"
    return None if first.is_compute or second.is_compute else _data_movement_clash(first, second)


def _data_movement_clash(first: KernelDescriptor, second: KernelDescriptor) -> str | None:
    a, b = first.config, second.config
    assert not isinstance(a, ComputeConfigDescriptor)
    assert not isinstance(b, ComputeConfigDescriptor)
    names = f"kernels {first.name} and {second.name}"
    if a.processor is b.processor:
        risc = "BRISC" if a.processor is DataMovementProcessor.RISCV_0 else "NCRISC"
        return f"{names} both run on processor {a.processor.name} ({risc})"
    if a.noc_mode is not b.noc_mode:
        return f"{names} have different noc_mode ({a.noc_mode.name}, {b.noc_mode.name})"
    if a.noc_mode is NOC_MODE.DM_DEDICATED_NOC and a.noc is b.noc:
        return f"{names} both use {a.noc.name} in DM_DEDICATED_NOC mode, which hangs on a card"
    return None


def _cb_problems(cb: CBDescriptor, device: Device) -> Iterator[str]:
    label = f"CB {cb.label}"
    limit = device.description.num_circular_buffers
    if not cb.format_descriptors and not isinstance(cb, ScratchpadDescriptor):
        yield f"{label}: format_descriptors is empty"
    if cb.total_size == 0:
        yield f"{label}: total_size is 0"
    if cb.buffer is not None and not cb.buffer.is_allocated():
        yield f"{label}: the tensor it is backed by has been deallocated"
    elif cb.buffer is not None and cb.address_offset + cb.total_size > cb.buffer.bytes_per_bank():
        yield (
            f"{label}: total_size {cb.total_size} at address_offset {cb.address_offset} is more than the "
            f"{cb.buffer.bytes_per_bank()} bytes its tensor has on a core"
        )
    for descriptor in cb.format_descriptors:
        if descriptor.buffer_index >= limit:
            yield (
                f"CB {descriptor.label}: buffer_index {descriptor.buffer_index} is out of range; "
                f"{device.description.name} has {limit} (0 .. {limit - 1})"
            )
        yield from _page_size_problems(cb, descriptor)
        tile = descriptor.tile
        if tile is not None and (tile.height, tile.width) not in FACE_SHAPES:
            yield f"CB {descriptor.label}: tile {tile.height}x{tile.width} is not valid for the hardware"


def _page_size_problems(cb: CBDescriptor, descriptor: CBFormatDescriptor) -> Iterator[str]:
    label, page_size = f"CB {descriptor.label}", descriptor.page_size
    if page_size == 0:
        yield f"{label}: page_size is 0"
    elif cb.total_size % page_size:
        yield (
            f"{label}: page_size {page_size} does not divide total_size {cb.total_size} "
            f"({cb.total_size // page_size} pages and {cb.total_size % page_size} bytes)"
        )
    if page_size % 4:
        yield f"{label}: page_size {page_size} is not a multiple of 4"


def _duplicate_cb_indices(program: ProgramDescriptor) -> Iterator[str]:
    owner: dict[tuple[int, CoreCoord], CBFormatDescriptor] = {}
    clashes: dict[tuple[int, str, str], list[CoreCoord]] = {}
    uses = collections.Counter(descriptor.buffer_index for cb in program.cbs for descriptor in cb.format_descriptors)
    for cb in program.cbs:
        for descriptor in cb.format_descriptors:
            for core in cb.core_ranges if uses[descriptor.buffer_index] > 1 else ():
                first = owner.setdefault((descriptor.buffer_index, core), descriptor)
                if first is not descriptor:
                    names = (first.name, descriptor.name)
                    clashes.setdefault((descriptor.buffer_index, *names), []).append(core)
    for (index, first_name, second_name), cores in clashes.items():
        yield f"buffer_index {index} is given to two CBs ({first_name}, {second_name}) on {_some_cores(cores)}"


def _cb_use_problems(program: ProgramDescriptor) -> Iterator[str]:
    cores_of_index: dict[int, list[CoreRangeSet]] = {}
    format_of_index: dict[int, CBFormatDescriptor] = {}
    for cb in program.cbs:
        for descriptor in cb.format_descriptors:
            cores_of_index.setdefault(descriptor.buffer_index, []).append(cb.core_ranges)
            format_of_index.setdefault(descriptor.buffer_index, descriptor)
    for kernel in program.kernels:
        for index in sorted(kernel.circular_buffers):
            having = cores_of_index.get(index, [])
            missing = [] if kernel.core_ranges in having else _cores_without(kernel.core_ranges, having)
            if missing:
                text = f"kernel {kernel.name} uses CB c_{index}, which does not exist on {_some_cores(missing)}"
                yield Problem(text, "cb-not-configured")
                continue
            descriptor = format_of_index[index]
            if kernel.is_compute and descriptor.page_size % CB_WORD_BYTES:
                yield (
                    f"CB {descriptor.label}: page_size {descriptor.page_size} is not a multiple of {CB_WORD_BYTES}, "
                    f"which compute kernel {kernel.name} needs"
                )


def _cores_without(core_ranges: CoreRangeSet, having: Sequence[CoreRangeSet]) -> list[CoreCoord]:
    covered = {core for each in having for core in each}
    return [core for core in core_ranges if core not in covered]


def _l1_problems(program: ProgramDescriptor, device: Device) -> Iterator[str]:
    addresses = place_circular_buffers(program, device.description.l1_unreserved_base)
    limit = device.circular_buffers_end()
    if all(
        address + cb.total_size <= limit for cb, address in zip(program.cbs, addresses, strict=True) if cb.owns_memory()
    ):
        return
    ends = end_of_circular_buffers(program, addresses)
    over = [core for core, end in ends.items() if end > limit]
    if over:
        worst = max(over, key=lambda core: (ends[core], -core.y, -core.x))
        yield Problem(_l1_table(program, device, worst, ends[worst], limit, over), "l1-budget")


def _l1_table(
    program: ProgramDescriptor, device: Device, core: CoreCoord, end: int, limit: int, over: list[CoreCoord]
) -> str:
    base = device.description.l1_unreserved_base
    rows: list[tuple[str, int, str]] = []
    for cb in program.cbs:
        if cb.owns_memory() and core in cb.core_ranges:
            pages = ", ".join(
                f"{cb.total_size // d.page_size} pages of {d.page_size}" for d in cb.format_descriptors if d.page_size
            )
            label = cb.label if isinstance(cb, ScratchpadDescriptor) else f"CB {cb.label}"
            rows.append((label, cb.total_size, pages))
    for buffer in device.l1_buffers():
        rows.append((f"L1 buffer at {buffer.address:#x}", buffer.bytes_per_bank(), f"{buffer.num_pages} pages in all"))
    width = max(len(label) for label, _, _ in rows)
    table = "\n".join(f"    {label:<{width}}  {size:>9}  {note}" for label, size, note in rows)
    return (
        f"circular buffers on {_some_cores(over)} end at {end:#x}, {end - limit} bytes above "
        f"{'the lowest L1 buffer' if device.l1_buffers() else 'the end of L1'} ({limit:#x}). "
        f"Core {core} has {device.l1_end - base} bytes for CBs and L1 buffers (from {base:#x}):\n{table}"
    )


def _semaphore_problems(program: ProgramDescriptor) -> Iterator[str]:
    owner: dict[tuple[int, CoreCoord], int] = {}
    for position, semaphore in enumerate(program.semaphores):
        if semaphore.id >= NUM_SEMAPHORES:
            yield f"semaphore id {semaphore.id} is out of range; allowed: 0 .. {NUM_SEMAPHORES - 1}"
        twice = [c for c in semaphore.core_ranges if owner.setdefault((semaphore.id, c), position) != position]
        if twice:
            yield f"semaphore id {semaphore.id} is given twice on {_some_cores(twice)}"


def tensor_problems(io_tensors: Sequence[Tensor], device: Device) -> Iterator[str]:
    """Mistakes in the tensors of a launch on a device."""
    for position, tensor in enumerate(io_tensors):
        if not isinstance(tensor, Tensor):
            yield f"io_tensors[{position}] is not a ttnn.Tensor but {type(tensor).__name__}"
        elif not tensor.is_allocated():
            yield f"io_tensors[{position}] has been deallocated"
        elif tensor.device() is not device:
            place = "on the host" if tensor.device() is None else "on another device"
            yield f"io_tensors[{position}] is {place}; it must be on the device the program runs on"


def _row_major(core: CoreCoord) -> tuple[int, int]:
    return core.y, core.x


def _some_cores(cores: Iterable[CoreCoord]) -> str:
    listed = list(cores)
    if len(listed) == 1:
        return f"core {listed[0]}"
    shown = ", ".join(str(core) for core in listed[:4])
    return f"{len(listed)} cores ({shown}{', ...' if len(listed) > 4 else ''})"
