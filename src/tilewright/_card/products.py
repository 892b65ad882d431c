# SPDX-License-Identifier: Apache-2.0
"""Card products: chip, grid, and the descriptors tt-metal reads."""

from __future__ import annotations

import dataclasses
import os
import re

from tilewright._card.package import CardError
from tilewright._card.systems.known_systems import MOST_CORES, ONE_CHIP, SYSTEMS, Mesh, chosen_mesh
from tilewright._tensor.arch import ArchDescription, describe_arch
from tilewright._tensor.argument import text
from tilewright._tensor.cores import CoreCoord
from tilewright._wire.card import CardNode, CardNodeKind


@dataclasses.dataclass(frozen=True)
class HostChip:
    """Facts of a chip that only its host software needs.

    Attributes:
        pci_id: device and vendor as PCI configuration space has them.
        soc_descriptor: the file of the package that describes the chip.
        worker_columns, worker_rows: NoC coordinates of all Tensix cores that are not harvested, also those that
            programs do not get.
        ethernet: NoC coordinates of ethernet cores, by channel.
        link_order: channels in the order in which links take them. On boards whose dispatch kernels run on ethernet
            cores, those cores come last.
        dram_endpoints: coordinates at which each DRAM channel answers.
        channel_offset: addresses from here on are a channel's second bank; 0: a channel is one bank.
    """

    pci_id: int
    soc_descriptor: str
    worker_columns: tuple[int, ...]
    worker_rows: tuple[int, ...]
    ethernet: tuple[tuple[int, int], ...]
    link_order: tuple[int, ...]
    dram_endpoints: tuple[tuple[tuple[int, int], ...], ...]
    channel_offset: int = 0


_WORMHOLE = HostChip(
    pci_id=0x401E1E52,
    soc_descriptor="wormhole_b0_80_arch.yaml",
    worker_columns=tuple(range(18, 26)),
    worker_rows=tuple(range(18, 28)),
    ethernet=tuple((x, y) for y in (16, 17) for x in (25, 18, 24, 19, 23, 20, 22, 21)),
    link_order=(0, 1, 6, 7, 8, 9, 14, 15, 2, 3, 4, 5, 10, 11, 12, 13),
    dram_endpoints=(
        ((0, 0), (0, 1), (0, 11)),
        ((0, 5), (0, 6), (0, 7)),
        ((5, 0), (5, 1), (5, 11)),
        ((5, 2), (5, 9), (5, 10)),
        ((5, 3), (5, 4), (5, 8)),
        ((5, 5), (5, 6), (5, 7)),
    ),
    channel_offset=1 << 30,
)
_BLACKHOLE = HostChip(
    pci_id=0xB1401E52,
    soc_descriptor="blackhole_140_arch.yaml",
    worker_columns=(*range(1, 8), *range(10, 17)),
    worker_rows=tuple(range(2, 12)),
    ethernet=tuple((x, 25) for x in range(20, 34)),
    link_order=tuple(range(14)),
    dram_endpoints=tuple(
        tuple((column, row + 3 * channel + port) for port in range(3)) for column, row in ((17, 12), (18, 12))
        for channel in range(4)
    ),
)  # fmt: skip
_CHIPS = {"wormhole_b0": _WORMHOLE, "blackhole": _BLACKHOLE}


@dataclasses.dataclass(frozen=True)
class Product:
    """A card that can be bought.

    Attributes:
        grid: compute cores a program may use.
        harvest_mask: which rows (Wormhole) or columns (Blackhole) of Tensix cores are switched off.
        dram_harvest_mask: which DRAM channels are; only the last ones can be.
        board_type: as tt-metal names it; empty: the product's name.
        column_grid: compute cores if the script has dispatch cores in a column instead of a row; None: not simulated.
    """

    name: str
    arch: str
    grid: tuple[int, int]
    harvest_mask: int
    board_id: int
    dram_harvest_mask: int = 0
    board_type: str = ""
    column_grid: tuple[int, int] | None = None

    def fits(self, grid: tuple[int, int]) -> bool:
        """Whether the product has such a grid, with dispatch cores in a row or in a column."""
        return any(
            1 <= grid[0] <= whole[0] and 1 <= grid[1] <= whole[1] for whole in (self.grid, self.column_grid) if whole
        )


PRODUCTS = {
    product.name: product
    for product in (
        Product("n150", "wormhole_b0", (8, 8), 0x40, 0x0100018511722039, column_grid=(7, 9)),
        Product("n300", "wormhole_b0", (8, 7), 0x60, 0x0100014511722039),
        # A chip of a Galaxy. As boards of type ubb tt-metal would want trays described that its package does not have.
        Product("galaxy", "wormhole_b0", (8, 7), 0x60, 0x0100018511722039, board_type="n150"),
        Product("p100a", "blackhole", (11, 10), 0x3, 0x0000043100000000, dram_harvest_mask=0x80),
        Product("p150", "blackhole", (13, 10), 0x0, 0x0000040100000000),
    )
}
_DEFAULTS = {"wormhole_b0": "n150", "blackhole": "p150"}
_MACHINES = {"p100a": (1,), "p150": (1, 2, 4, 8)}  # of how many cards; others: any number
SLOW, FAST = DISPATCHES = ("slow", "fast")
SLOW_DISPATCH = "TT_METAL_SLOW_DISPATCH_MODE"  # whatever it holds, tt-metal uses no command queues if it is set


@dataclasses.dataclass(frozen=True)
class CardModel:
    """A product, with the part of its grid that programs are given."""

    product: Product
    grid: tuple[int, int]
    mesh: Mesh = ONE_CHIP  # of such chips, each a device of its own
    dispatch: str = FAST  # whether the host writes launches itself or posts commands to queues

    @property
    def arch(self) -> ArchDescription:
        """The chip as the engine has it, with this grid and the DRAM that is not switched off."""
        whole = describe_arch(self.product.arch)
        banks = whole.num_dram_banks - self.product.dram_harvest_mask.bit_count()
        return dataclasses.replace(
            whole,
            grid=CoreCoord(*self.grid),
            dram_coords=whole.dram_coords[:banks],
            worker_columns=self.chip.worker_columns,
            worker_rows=self.chip.worker_rows,
        )

    def refusal_of_dispatch_axis(self, axis: str) -> str:
        """Why a device with dispatch cores along this axis, ``ROW`` or ``COL``, cannot be opened; empty: it can."""
        other = self.product.column_grid
        if axis != "COL" or other is None or (self.grid[0] <= other[0] and self.grid[1] <= other[1]):
            return ""
        return (
            f"DispatchCoreConfig: axis COL leaves {other[0]}x{other[1]} cores of an {self.product.name} to programs, "
            f"and the simulated card has {self.grid[0]}x{self.grid[1]}: give --grid {other[0]}x{other[1]}"
        )

    @property
    def chip(self) -> HostChip:
        return _CHIPS[self.product.arch]

    def __str__(self) -> str:
        system = f", {self.mesh} of them" if self.mesh.chips > 1 else ""
        return f"{self.product.name} ({self.product.arch}, {self.grid[0]}x{self.grid[1]}{system})"


def choose_card(
    arch: str | None = None, grid: str | None = None, system: str | None = None, dispatch: str | None = None
) -> CardModel:
    """The card that ``--arch`` and ``--grid`` name, or the system of ``--system``, with ``--dispatch``.

    >>> str(choose_card("blackhole", "p100a")), str(choose_card(grid="4x2", system="t3000"))
    ('p100a (blackhole, 11x10)', 'n300 (wormhole_b0, 4x2, 2x4 of them)')
    """
    if arch is not None and text("arch", arch) not in _DEFAULTS:
        raise CardError(f"--arch {arch} is not simulated; allowed: {', '.join(_DEFAULTS)}")
    if system is not None:
        text("system", system)
    product = _product(arch, grid, system)
    cores = _grid(grid, product) if grid is not None and grid not in PRODUCTS else product.grid
    mesh = chosen_mesh(system) if system is not None else ONE_CHIP
    _refuse_number(mesh, product, cores)
    return CardModel(product, cores, mesh, _dispatch(dispatch))


def _product(arch: str | None, grid: str | None, system: str | None) -> Product:
    """The chip that a product of several chips has, a product of one chip, or the architecture's."""
    named = [("system", system, SYSTEMS[system][0])] if system in SYSTEMS else []
    named += [("grid", grid, grid)] if grid is not None and text("grid", grid) in PRODUCTS else []
    products = {PRODUCTS[name].name for _, _, name in named}
    if len(products) > 1:
        raise CardError(f"--system {system} has chips of {named[0][2]}, but --grid says {grid}")
    product = PRODUCTS[named[0][2] if named else _DEFAULTS[arch or "wormhole_b0"]]
    if arch not in (None, product.arch):
        raise CardError(f"--{named[0][0]} {named[0][1]} has {product.arch} chips, but --arch says {arch}")
    return product


def _refuse_number(mesh: Mesh, product: Product, grid: tuple[int, int]) -> None:
    allowed = _MACHINES.get(product.name)
    if allowed is not None and mesh.chips not in allowed:
        numbers = ", ".join(map(str, allowed))
        raise CardError(f"--system {mesh} has {mesh.chips} {product.name}; tt-metal knows machines of {numbers}")
    cores = mesh.chips * grid[0] * grid[1]
    if cores > MOST_CORES:
        raise CardError(
            f"--system {mesh} with {grid[0]}x{grid[1]} cores a chip has {cores} cores; at most {MOST_CORES} are "
            "simulated: give fewer with --grid, such as --grid 8x4"
        )


def _dispatch(dispatch: str | None) -> str:
    if dispatch not in (None, *DISPATCHES):
        raise CardError(f"--dispatch {dispatch} is unknown; allowed: {', '.join(DISPATCHES)}")
    return dispatch or (SLOW if SLOW_DISPATCH in os.environ else FAST)


def _grid(text: str, product: Product) -> tuple[int, int]:
    sides = re.fullmatch(r"(\d+)x(\d+)", text)
    columns, rows = (int(side) for side in sides.groups()) if sides else (0, 0)
    if not product.fits((columns, rows)):
        names = ", ".join(PRODUCTS)
        raise CardError(
            f"--grid {text} is no grid of {product.name}: give columns x rows, such as 4x4, at most "
            f"{product.grid[0]}x{product.grid[1]}, or a product ({names})"
        )
    return columns, rows


def cluster_descriptor(model: CardModel) -> str:
    """The description of the boards for tt-metal; without it, it would ask the cards' own firmware.

    Every chip is on the PCI bus, also of products whose second chip a host reaches through the first one.
    """
    mesh, chips = model.mesh, range(model.mesh.chips)
    return "\n".join(
        [
            "arch:",
            *(f"  {chip}: {model.product.arch}" for chip in chips),
            "chips:",
            *(f"  {chip}: [{chip % mesh.columns}, {chip // mesh.columns}, 0, 0]" for chip in chips),
            "ethernet_connections:",
            *(_link(*cable) for cable in mesh.cables(model.chip.link_order)),
            *(["  []"] if mesh.chips == 1 else []),
            "chips_with_mmio:",
            *(f"  - {chip}: {chip}" for chip in chips),
            "harvesting:",
            *(_harvesting(model.product, chip) for chip in chips),
            "boards:",
            *(_board(model.product, chip) for chip in chips),
            "",
        ]
    )


def _link(left: tuple[int, int], right: tuple[int, int]) -> str:
    """One cable between two channels of chips."""
    ends = "".join(f"\n    - chip: {chip}\n      chan: {channel}" for chip, channel in (left, right))
    return f"  -{ends}"


def _harvesting(product: Product, chip: int) -> str:
    return f"""\
  {chip}:
    noc_translation: true
    harvest_mask: {product.harvest_mask}
    dram_harvesting_mask: {product.dram_harvest_mask}
    eth_harvesting_mask: {0x120 if product.arch == "blackhole" else 0}
    pcie_harvesting_mask: {0x2 if product.arch == "blackhole" else 0}"""


def _board(product: Product, chip: int) -> str:
    """A board of its own for each chip: tt-metal tells chips of one board apart by the way through the first one."""
    return f"""\
  -
    - board_id: {product.board_id + chip}
    - board_type: {product.board_type or product.name}
    - chips:
        - {chip}"""


def nodes_of(
    model: CardModel, slot_bytes: int, bank_stride: int, go_address: int, ethernet_go: tuple[int, ...]
) -> list[CardNode]:
    """Nodes by NoC coordinate, with L1 in file 0 and DRAM in file 1."""
    chip, arch = model.chip, model.arch
    workers = []
    for y, row in enumerate(chip.worker_rows):
        for x, column in enumerate(chip.worker_columns):
            if x < model.grid[0] and y < model.grid[1]:
                slot = (y * model.grid[0] + x) * slot_bytes
                workers.append(CardNode(column, row, CardNodeKind.WORKER, 0, slot, 0, arch.l1_bytes, go_address))
            else:
                workers.append(CardNode(column, row, CardNodeKind.WORKER, file=-1, go_address=go_address))
    ethernet = [
        CardNode(x, y, CardNodeKind.ETHERNET, file=-1, go_address=go) for x, y in chip.ethernet for go in ethernet_go
    ]
    return [*workers, *_dram_nodes(chip, arch, bank_stride), *ethernet]


def _dram_nodes(chip: HostChip, arch: ArchDescription, bank_stride: int) -> list[CardNode]:
    nodes, seen = [], dict.fromkeys(chip.dram_endpoints, 0)
    for bank, coordinate in enumerate(arch.dram_coords):
        channel = next(each for each in chip.dram_endpoints if coordinate in each)
        address = chip.channel_offset * seen[channel]
        seen[channel] += 1
        nodes += [
            CardNode(x, y, CardNodeKind.DRAM, 1, bank * bank_stride, address, arch.dram_bank_bytes) for x, y in channel
        ]
    return nodes
