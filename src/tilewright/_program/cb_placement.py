# SPDX-License-Identifier: Apache-2.0
"""Addresses of circular buffers: from the bottom of usable L1 upwards, in the order of the program.

A CB has one address on all of its cores, so it starts above the highest end of the CBs before it on any of them.
CBs backed by a tensor lie where the tensor lies and take no room of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright._program.program import ProgramDescriptor
from tilewright._tensor.cores import CoreCoord, CoreRangeSet

# A page read from DRAM must keep its offset modulo this (Blackhole; Wormhole asks for 32).
CB_ALIGNMENT = 64


def place_circular_buffers(program: ProgramDescriptor, base: int, alignment: int = CB_ALIGNMENT) -> list[int]:
    """L1 address of each CB of ``program``, in its order, the first at ``base``."""
    addresses: list[int] = []
    ends: dict[CoreRangeSet, int] = {}  # CBs of one program mostly have the same cores
    for cb in program.cbs:
        if cb.host_address is not None:
            addresses.append(cb.host_address)
            continue
        if cb.buffer is not None:
            addresses.append(cb.buffer.address + cb.address_offset)
            continue
        cores = cb.core_ranges
        start = max((end for other, end in ends.items() if other.intersects(cores)), default=base)
        address = base + (start - base + alignment - 1) // alignment * alignment
        addresses.append(address)
        ends[cores] = address + cb.total_size
    return addresses


def end_of_circular_buffers(program: ProgramDescriptor, addresses: Sequence[int]) -> dict[CoreCoord, int]:
    """Where the last CB ends on each core that has one of its own (not placed over a tensor or by a host)."""
    end_by_core: dict[CoreCoord, int] = {}
    for cb, address in zip(program.cbs, addresses, strict=True):
        if cb.owns_memory():
            end = address + cb.total_size
            for core in cb.core_ranges:
                end_by_core[core] = max(end, end_by_core.get(core, 0))
    return end_by_core
