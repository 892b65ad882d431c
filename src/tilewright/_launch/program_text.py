# SPDX-License-Identifier: Apache-2.0
"""A program as text: what ``exec --show-programs`` prints of a launch, ``run`` and ``show`` of a program of its own."""

from __future__ import annotations

import re

from tilewright._program.cb_placement import place_circular_buffers
from tilewright._program.config_bases import ConfigBases
from tilewright._program.kernel import KernelDescriptor
from tilewright._program.kernel_config import ComputeConfigDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._program.runtime_arguments import ReadWords, common_runtime_arguments, runtime_arguments

_MOST_WORDS = 16
_LINE = re.compile(r'^#line \d+ "([^"]+)"', re.MULTILINE)


def described_program(
    number: int, operation: str, program: ProgramDescriptor, read_words: ReadWords, l1_begin: int
) -> str:
    """Lines about one launch: its kernels, with the arguments of their first core, buffers and semaphores."""
    head = f"launch {number}{f', {operation},' if operation else ''} on {core_count(program)}"
    return "\n".join([head, *program_lines(program, read_words, l1_begin)]) + "\n"


def core_count(program: ProgramDescriptor) -> str:
    """How many cores run a kernel of the program: ``4 cores``."""
    cores = program.all_cores().num_cores()
    return f"{cores} core{'s' if cores != 1 else ''}"


def program_lines(program: ProgramDescriptor, read_words: ReadWords, l1_begin: int) -> list[str]:
    """Kernels with the arguments of their first core, circular buffers and semaphores."""
    lines = []
    for kernel in program.kernels:
        lines += _kernel(kernel, program.config_bases, read_words)
    for cb, address in zip(program.cbs, place_circular_buffers(program, l1_begin), strict=True):
        for descriptor in cb.format_descriptors:
            pages = cb.total_size // max(descriptor.page_size, 1)
            lines.append(
                f"  {descriptor.label}  {pages} pages of {descriptor.page_size} B at {address:#x}, "
                f"{descriptor.data_format.name}  on {cb.core_ranges}"
            )
    lines += [f"  semaphore {each.id} = {each.initial_value}  on {each.core_ranges}" for each in program.semaphores]
    return lines


def _kernel(kernel: KernelDescriptor, bases: ConfigBases, read_words: ReadWords) -> list[str]:
    config = kernel.config
    if isinstance(config, ComputeConfigDescriptor):
        where = f"compute, {config.math_fidelity.name}{', fp32 dest' if config.fp32_dest_acc_en else ''}"
    else:
        where = f"{config.processor.name}, {config.noc.name}"
    lines = [f"  {kernel.name} ({where})  on {kernel.core_ranges}", f"    {_source(kernel)}"]
    if kernel.compile_time_args:
        lines.append(f"    compile-time arguments {_words(tuple(kernel.compile_time_args))}")
    lines += [f"    {name} = {value}" for name, value in kernel.named_compile_time_args]
    lines += [f"    #define {name} {value}".rstrip() for name, value in kernel.defines]
    first = next(iter(kernel.core_ranges), None)
    arguments = () if first is None else runtime_arguments(kernel, bases, (first.x, first.y), read_words)
    common = common_runtime_arguments(kernel, bases, read_words)
    lines += [f"    arguments of {first}: {_words(arguments)}"] if arguments else []
    lines += [f"    common arguments: {_words(common)}"] if common else []
    return lines


def _source(kernel: KernelDescriptor) -> str:
    """The file, the one that the text's first #line names, or how the text begins."""
    named = _LINE.search(kernel.kernel_source)
    if named is not None:
        return named[1]
    lines = [line.strip() for line in kernel.kernel_source.splitlines() if line.strip()]
    return lines[0] if len(lines) == 1 else f"text of {len(lines)} lines, {lines[0] if lines else ''} ..."


def _words(words: tuple[int, ...]) -> str:
    shown = ", ".join(str(word) if word < 1 << 16 else f"{word:#x}" for word in words[:_MOST_WORDS])
    return f"{shown}, ... {len(words)} in all" if len(words) > _MOST_WORDS else shown
