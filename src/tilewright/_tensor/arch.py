# SPDX-License-Identifier: Apache-2.0
"""The two chips: grids, memories, alignments and coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright._tensor.cores import CoreCoord, as_core
from tilewright._tensor.ttnn_enum import TtnnEnum

KIB = 1024


class Arch(TtnnEnum):
    """ttnn's name for a chip generation; ``device.arch()`` gives one."""

    WORMHOLE_B0 = 2
    BLACKHOLE = 3
    QUASAR = 4


@dataclass(frozen=True)
class ArchDescription:
    """Everything about a chip that the host side has to know.

    Addresses in L1 and DRAM are the same on every bank, because allocation goes over all banks in lockstep.
    """

    name: str
    arch: Arch
    grid: CoreCoord  # compute cores a program may use, columns by rows
    clock_hz: int
    l1_bytes: int
    l1_unreserved_base: int  # CBs and buffers start here; firmware, mailboxes and kernels lie below
    l1_alignment: int  # of a page inside an L1 buffer
    dram_bank_bytes: int  # end of the addresses tensors may have in a bank
    dram_unreserved_base: int
    dram_alignment: int
    num_circular_buffers: int
    brisc_local_bytes: int  # local memory of each data-movement processor: stack and variables
    trisc_local_bytes: int  # of each processor of a compute kernel
    worker_columns: tuple[int, ...]  # NoC x of logical column 0, 1, ...
    worker_rows: tuple[int, ...]
    dram_coords: tuple[tuple[int, int], ...]  # NoC coordinates of DRAM bank 0, 1, ...

    @property
    def num_dram_banks(self) -> int:
        return len(self.dram_coords)

    @property
    def has_l1_cache(self) -> bool:
        """The processors read L1 through a small cache that others' writes do not reach."""
        return self.arch is Arch.BLACKHOLE

    @property
    def allocation_alignment(self) -> int:
        """Buffers in L1 and DRAM alike start at multiples of this."""
        return max(self.l1_alignment, self.dram_alignment)

    def worker_core_from_logical_core(self, core: CoreCoord | tuple[int, int]) -> CoreCoord:
        """NoC coordinates of a worker core.

        >>> WORMHOLE_B0.worker_core_from_logical_core((0, 0))
        18-18
        """
        logical = as_core(core)
        if logical.x >= len(self.worker_columns) or logical.y >= len(self.worker_rows):
            raise ValueError(f"core {logical} is outside the {self.grid.x}x{self.grid.y} grid of {self.name}")
        return CoreCoord(self.worker_columns[logical.x], self.worker_rows[logical.y])

    def logical_core_from_worker_core(self, core: CoreCoord | tuple[int, int]) -> CoreCoord:
        virtual = as_core(core)
        if virtual.x not in self.worker_columns or virtual.y not in self.worker_rows:
            raise ValueError(f"{virtual} is not the NoC coordinate of a worker core of {self.name}")
        return CoreCoord(self.worker_columns.index(virtual.x), self.worker_rows.index(virtual.y))


WORMHOLE_B0 = ArchDescription(
    name="wormhole_b0",
    arch=Arch.WORMHOLE_B0,
    grid=CoreCoord(8, 8),
    clock_hz=1_000_000_000,
    l1_bytes=1464 * KIB,
    l1_unreserved_base=105_824,
    l1_alignment=16,
    dram_bank_bytes=1_073_741_824,
    dram_unreserved_base=0x100040,
    dram_alignment=32,
    num_circular_buffers=32,
    brisc_local_bytes=4 * KIB,
    trisc_local_bytes=2 * KIB,
    worker_columns=tuple(range(18, 26)),
    worker_rows=tuple(range(18, 26)),
    dram_coords=(
        (0, 11), (0, 1), (0, 5), (0, 7), (5, 1), (5, 11), (5, 2), (5, 9), (5, 8), (5, 3), (5, 5), (5, 7),
    ),
)  # fmt: skip

BLACKHOLE = ArchDescription(
    name="blackhole",
    arch=Arch.BLACKHOLE,
    grid=CoreCoord(13, 10),
    clock_hz=1_350_000_000,
    l1_bytes=1536 * KIB,
    l1_unreserved_base=111_744,
    l1_alignment=16,
    dram_bank_bytes=0x100080 + 4_277_141_376,
    dram_unreserved_base=0x100080,
    dram_alignment=64,
    num_circular_buffers=64,
    brisc_local_bytes=8 * KIB,
    trisc_local_bytes=4 * KIB,
    worker_columns=(1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15),
    worker_rows=tuple(range(2, 12)),
    dram_coords=((17, 14), (17, 15), (17, 18), (17, 21), (18, 14), (18, 17), (18, 20), (18, 23)),
)

ARCHS = {description.name: description for description in (WORMHOLE_B0, BLACKHOLE)}


def describe_arch(arch: str | Arch | ArchDescription) -> ArchDescription:
    """The chip that ``arch`` names ("wormhole_b0" or "blackhole")."""
    if isinstance(arch, ArchDescription):
        return arch
    name = arch.name.lower() if isinstance(arch, Arch) else arch
    if name not in ARCHS:
        raise ValueError(f"arch {name!r} is not simulated; allowed: {', '.join(ARCHS)}")
    return ARCHS[name]
