# SPDX-License-Identifier: Apache-2.0
"""``tilewright exec --show-programs``: a launch as text."""

from __future__ import annotations

from collections.abc import Callable

from tilewright._program.kernel import ArgumentsInL1, ComputeConfigDescriptor, KernelDescriptor
from tilewright._program.program import ProgramDescriptor

_MOST_WORDS = 16
ReadWords = Callable[[tuple[int, int], int, int], list[int]]


def described_program(number: int, operation: str, program: ProgramDescriptor, read_words: ReadWords) -> str:
    """Lines about one launch: its kernels, with the arguments of their first core, buffers and semaphores."""
    cores = program.all_cores().num_cores()
    lines = [f"launch {number}{f', {operation},' if operation else ''} on {cores} core{'s' if cores != 1 else ''}"]
    for kernel in program.kernels:
        lines += _kernel(kernel, read_words)
    for cb in program.cbs:
        for descriptor in cb.format_descriptors:
            pages = cb.total_size // descriptor.page_size
            lines.append(
                f"  {descriptor.label}  {pages} pages of {descriptor.page_size} B at {cb.host_address:#x}, "
                f"{descriptor.data_format.name}  on {cb.core_ranges}"
            )
    lines += [f"  semaphore {each.id} = {each.initial_value}  on {each.core_ranges}" for each in program.semaphores]
    return "\n".join(lines) + "\n"


def _kernel(kernel: KernelDescriptor, read_words: ReadWords) -> list[str]:
    config = kernel.config
    if isinstance(config, ComputeConfigDescriptor):
        where = f"compute, {config.math_fidelity.name}{', fp32 dest' if config.fp32_dest_acc_en else ''}"
    else:
        where = f"{config.processor.name}, {config.noc.name}"
    lines = [f"  {kernel.name} ({where})  on {kernel.core_ranges}", f"    {_source(kernel)}"]
    if kernel.compile_time_args:
        lines.append(f"    compile-time arguments {_words(list(kernel.compile_time_args))}")
    lines += [f"    {name} = {value}" for name, value in kernel.named_compile_time_args]
    lines += [f"    #define {name} {value}".rstrip() for name, value in kernel.defines]
    place = kernel.arguments_in_l1 or ArgumentsInL1(0, 0, 0, 0)
    first = next(iter(kernel.core_ranges))
    core = (first.x, first.y)
    if place.count:
        lines.append(f"    arguments of {first}: {_words(read_words(core, place.address, place.count))}")
    if place.common_count:
        lines.append(f"    common arguments: {_words(read_words(core, place.common_address, place.common_count))}")
    return lines


def _source(kernel: KernelDescriptor) -> str:
    """The file, or how the text begins that stands for one."""
    lines = [line.strip() for line in kernel.kernel_source.splitlines() if line.strip()]
    return lines[0] if len(lines) == 1 else f"text of {len(lines)} lines, {lines[0] if lines else ''} ..."


def _words(words: list[int]) -> str:
    shown = ", ".join(str(word) if word < 1 << 16 else f"{word:#x}" for word in words[:_MOST_WORDS])
    return f"{shown}, ... {len(words)} in all" if len(words) > _MOST_WORDS else shown
