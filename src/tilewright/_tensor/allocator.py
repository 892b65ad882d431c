# SPDX-License-Identifier: Apache-2.0
"""Lockstep allocator: a buffer has the same address in every bank.

DRAM is filled from the bottom up. L1 is filled from the top down, because circular buffers grow from its bottom.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass


class OutOfMemoryError(RuntimeError):
    """No hole in the banks is large enough for a buffer."""


@dataclass(frozen=True)
class AllocatorStatistics:
    total_bytes_per_bank: int
    total_bytes_allocated_per_bank: int
    total_bytes_free_per_bank: int
    largest_contiguous_bytes_free_per_bank: int


class BankAllocator:
    """Addresses of one kind of memory, the same for all of its banks."""

    def __init__(
        self, name: str, num_banks: int, start: int, end: int, alignment: int, *, top_down: bool = False
    ) -> None:
        self.name = name
        self.num_banks = num_banks
        self.start = start
        self.end = end
        self.alignment = alignment
        self.top_down = top_down
        self._allocated: dict[int, int] = {}  # address -> bytes
        self._one_at_a_time = threading.Lock()  # of those that look for a hole; giving back needs none

    def allocate(self, bytes_per_bank: int, *, total_bytes: int | None = None) -> int:
        """Address of a new block, in the first hole from the filled end that takes it."""
        size = self._round_up(max(bytes_per_bank, 1))
        with self._one_at_a_time:
            fitting = [(start, end) for start, end in self._holes() if end - start >= size]
            if not fitting:
                raise OutOfMemoryError(self._complain(bytes_per_bank, total_bytes))
            start, end = fitting[-1] if self.top_down else fitting[0]
            address = end - size if self.top_down else start
            self._allocated[address] = size
        return address

    def free(self, address: int) -> None:
        if self._allocated.pop(address, None) is None:
            raise ValueError(f"{self.name} address {address:#x} is not allocated")

    def lowest(self) -> int:
        """The lowest address that is given out; the end if none is."""
        return min(self._allocated.copy(), default=self.end)

    def statistics(self) -> AllocatorStatistics:
        total = self.end - self.start
        allocated = sum(self._allocated.copy().values())
        largest = max((end - start for start, end in self._holes()), default=0)
        return AllocatorStatistics(total, allocated, total - allocated, largest)

    def _holes(self) -> list[tuple[int, int]]:
        holes: list[tuple[int, int]] = []
        position = self.start
        allocated = self._allocated.copy()  # unreferenced buffers are freed at any moment
        for address in sorted(allocated):
            if address > position:
                holes.append((position, address))
            position = address + allocated[address]
        if position < self.end:
            holes.append((position, self.end))
        return holes

    def _round_up(self, size: int) -> int:
        return (size + self.alignment - 1) // self.alignment * self.alignment

    def _complain(self, bytes_per_bank: int, total_bytes: int | None) -> str:
        statistics = self.statistics()
        total = bytes_per_bank * self.num_banks if total_bytes is None else total_bytes
        return (
            f"Out of Memory: Not enough space to allocate {total} B {self.name} buffer across {self.num_banks} banks, "
            f"where each bank needs to store {bytes_per_bank} B, but bank size is {statistics.total_bytes_per_bank} B "
            f"(allocated: {statistics.total_bytes_allocated_per_bank} B, "
            f"free: {statistics.total_bytes_free_per_bank} B, "
            f"largest free block: {statistics.largest_contiguous_bytes_free_per_bank} B)."
        )
