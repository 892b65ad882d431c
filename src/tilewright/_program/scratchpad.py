# SPDX-License-Identifier: Apache-2.0
"""L1 a program sets aside for one kernel. It lies among the circular buffers but has no index."""

from __future__ import annotations

from tilewright._program.circular_buffer import CBDescriptor
from tilewright._tensor.cores import CoreRangeSet


class ScratchpadDescriptor(CBDescriptor):
    """``num_bytes`` of L1 on every core of ``core_ranges``; kernels get its address as an argument."""

    def __init__(self, name: str, num_bytes: int, core_ranges: CoreRangeSet) -> None:
        super().__init__(num_bytes, core_ranges, (), name=name)

    @property
    def label(self) -> str:
        return f"scratchpad {self.name}"

    def copy(self) -> ScratchpadDescriptor:
        return ScratchpadDescriptor(self.name, self.total_size, self.core_ranges)
