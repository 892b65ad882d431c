# SPDX-License-Identifier: Apache-2.0
"""Cores that a program's global circular buffers and pipes connect, read from L1."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tilewright._build.translation_unit import PREFETCHER_PIPES, REMOTE_CB_TABLE
from tilewright._program.program import ProgramDescriptor

Core = tuple[int, int]
ReadWords = Callable[[Core, int, int], list[int]]  # of a core, from an address, so many

# What the host keeps of a buffer on each of its cores, in words (native/include/api/remote_circular_buffer.h).
_CONFIG_WORDS = 6
_IS_SENDER, _NUM_RECEIVERS, _REMOTE_COORDINATES = 0, 1, 5
# Of a pipe (native/include/tw/pipes.h): coordinates lie so far behind its page's begin.
_SLOT_WORDS, _PAGE_WORDS, _PIPE_COORDINATES = 3, 10, 6


def partners(program: ProgramDescriptor, read_words: ReadWords, num_circular_buffers: int) -> set[tuple[Core, Core]]:
    """Cores with global circular buffers and pipes, each with the NoC coordinates of the core at the other end."""
    found: set[tuple[Core, Core]] = set()
    for kernel in program.kernels:
        tables = dict(kernel.defines)
        for core in ((each.x, each.y) for each in kernel.core_ranges):
            if REMOTE_CB_TABLE in tables:
                ends = _partners_of(core, tables[REMOTE_CB_TABLE], read_words, num_circular_buffers)
                found.update((core, end) for end in ends)
            if PREFETCHER_PIPES in tables:
                ends = _ends_of_pipes(core, int(tables[PREFETCHER_PIPES].rstrip("u")), read_words)
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


def _partners_of(core: Core, table: str, read_words: ReadWords, num_circular_buffers: int) -> Iterator[Core]:
    address, first = map(int, table.split(","))
    entries = read_words(core, address, 2 * (num_circular_buffers - first))
    for place in entries[::2]:
        if place:  # else there is no such buffer on this core
            config = read_words(core, place, _CONFIG_WORDS)
            count = config[_NUM_RECEIVERS] if config[_IS_SENDER] else 1
            words = read_words(core, config[_REMOTE_COORDINATES], 2 * count)
            yield from zip(words[::2], words[1::2], strict=True)
