# SPDX-License-Identifier: Apache-2.0
"""Cores that a program's global circular buffers and pipes connect, read from L1, and programs that run together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tilewright._build.translation_unit import PREFETCHER_PIPES, REMOTE_CB_TABLE
from tilewright._program.config_bases import ConfigBases
from tilewright._program.program import FixedProgram, ProgramDescriptor

Core = tuple[int, int]
_TABLES = (REMOTE_CB_TABLE, PREFETCHER_PIPES)
ReadWords = Callable[[Core, int, int], list[int]]  # of a core, from an address, so many

# What the host keeps of a buffer on each of its cores, in words (native/include/api/remote_circular_buffer.h).
_CONFIG_WORDS = 6
_IS_SENDER, _NUM_RECEIVERS, _REMOTE_COORDINATES = 0, 1, 5
# Of a pipe (native/include/tw/pipes.h): coordinates lie so far behind its page's begin.
_SLOT_WORDS, _PAGE_WORDS, _PIPE_COORDINATES = 3, 10, 6


def is_connected(program: ProgramDescriptor) -> bool:
    """Whether a kernel of the program has global circular buffers or pipes."""
    return not program.define_names.isdisjoint(_TABLES)


def joined_program(programs: Sequence[ProgramDescriptor]) -> ProgramDescriptor:
    """One program of several on different cores."""
    joined = FixedProgram(
        kernels=[kernel for each in programs for kernel in each.kernels],
        semaphores=[semaphore for each in programs for semaphore in each.semaphores],
        cbs=[cb for each in programs for cb in each.cbs],
    )
    joined.semaphore_bases = {core: base for each in programs for core, base in each.semaphore_bases.items()}
    return joined


def joined_bases(programs: Sequence[ProgramDescriptor]) -> ConfigBases:
    """Where the configuration of each of these programs lies in their launches."""
    usual = programs[0].config_bases.usual
    bases = [(core, each.config_bases.of(core)) for each in programs for core in each.semaphore_bases]
    return ConfigBases(usual, tuple((core, base) for core, base in bases if base != usual))


def partners(program: ProgramDescriptor, read_words: ReadWords, num_circular_buffers: int) -> set[tuple[Core, Core]]:
    """Cores with global circular buffers and pipes, each with the NoC coordinates of the core at the other end."""
    found: set[tuple[Core, Core]] = set()
    for kernel in program.kernels:
        tables = dict(kernel.defines)
        for core in ((each.x, each.y) for each in kernel.core_ranges):
            base = program.config_bases.of(core)
            if REMOTE_CB_TABLE in tables:
                offset, first = map(int, tables[REMOTE_CB_TABLE].split(","))
                ends = _partners_of(core, base + offset, num_circular_buffers - first, read_words)
                found.update((core, end) for end in ends)
            if PREFETCHER_PIPES in tables:
                ends = _ends_of_pipes(core, base + int(tables[PREFETCHER_PIPES].rstrip("u")), read_words)
                found.update((core, end) for end in ends)
    return found


def _ends_of_pipes(core: Core, table: int, read_words: ReadWords) -> Iterator[Core]:
    (count,) = read_words(core, table, 1)
    slots = read_words(core, table + 4, _SLOT_WORDS * count)
    for page in filter(None, slots[::_SLOT_WORDS]):
        config = read_words(core, page, _PAGE_WORDS)
        ends = config[_NUM_RECEIVERS] if config[_IS_SENDER] else 1
        words = read_words(core, page + config[_PIPE_COORDINATES], 2 * ends)
        yield from zip(words[::2], words[1::2], strict=True)


def _partners_of(core: Core, table: int, num_buffers: int, read_words: ReadWords) -> Iterator[Core]:
    entries = read_words(core, table, 2 * num_buffers)
    for place in entries[::2]:
        if place:  # else there is no such buffer on this core
            config = read_words(core, place, _CONFIG_WORDS)
            count = config[_NUM_RECEIVERS] if config[_IS_SENDER] else 1
            words = read_words(core, config[_REMOTE_COORDINATES], 2 * count)
            yield from zip(words[::2], words[1::2], strict=True)
