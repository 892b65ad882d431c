# SPDX-License-Identifier: Apache-2.0
"""Which cores a program's global circular buffers lead to, as the host described them in L1."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tilewright.device.translation_unit import REMOTE_CB_TABLE
from tilewright.program.program import ProgramDescriptor

Core = tuple[int, int]
ReadWords = Callable[[Core, int, int], list[int]]  # of a core, from an address, so many

# What the host keeps of a buffer on each of its cores, in words (native/include/api/remote_circular_buffer.h).
_CONFIG_WORDS = 6
_IS_SENDER, _NUM_RECEIVERS, _REMOTE_COORDINATES = 0, 1, 5


def partners(program: ProgramDescriptor, read_words: ReadWords, num_circular_buffers: int) -> set[Core]:
    """NoC coordinates of the cores at the other ends of the program's global circular buffers."""
    return {
        partner
        for kernel in program.kernels
        for table in (text for name, text in kernel.defines if name == REMOTE_CB_TABLE)
        for core in kernel.core_ranges
        for partner in _partners_of((core.x, core.y), table, read_words, num_circular_buffers)
    }


def _partners_of(core: Core, table: str, read_words: ReadWords, num_circular_buffers: int) -> Iterator[Core]:
    address, first = map(int, table.split(","))
    entries = read_words(core, address, 2 * (num_circular_buffers - first))
    for place in entries[::2]:
        if place:  # else there is no such buffer on this core
            config = read_words(core, place, _CONFIG_WORDS)
            count = config[_NUM_RECEIVERS] if config[_IS_SENDER] else 1
            words = read_words(core, config[_REMOTE_COORDINATES], 2 * count)
            yield from zip(words[::2], words[1::2], strict=True)
