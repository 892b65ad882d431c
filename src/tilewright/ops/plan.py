# SPDX-License-Identifier: Apache-2.0
"""How an operation uses a core's L1: its circular buffers, and whether whole rows stay there or stream through.

Rows come and go in blocks of tiles: a resident row is one block if L1 has room for it, else several; a streamed row is
many. Of the strategies that a formula has (:mod:`tilewright.ops.strategy`), the first that fits is taken.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Collection, Iterator, Mapping, Sequence

from tilewright.ops.direction import Direction
from tilewright.ops.planner.model import Schedule
from tilewright.ops.row_program import Kernels
from tilewright.ops.row_split import CoreSelection, RowSplit, TensorRows, counted, split_rows
from tilewright.ops.strategy import Strategy
from tilewright.ops.validation import OperationError
from tilewright.program.circular_buffer import CBDescriptor, CBFormatDescriptor
from tilewright.program.kernel import ComputeConfigDescriptor, UnpackToDestMode
from tilewright.tensor.cores import CoreRangeSet
from tilewright.tensor.dtype import DataType
from tilewright.tensor.tile import TILE_SIZE

# Larger blocks of a streamed row save nothing; smaller ones of a resident row cost more than reading it again.
LARGEST_STREAMING_BLOCK_TILES = 64
SMALLEST_RESIDENT_BLOCK_TILES = 8
# A resident row that has to be split moves best in small blocks: reader, compute and writer overlap more, and the rest
# of L1 stays free. A row of 16 tiles is still 1 KiB at a time from DRAM.
BEST_RESIDENT_BLOCK_TILES = 16
# Tiles of a line in formulas.
LINE_SYMBOLS = {Direction.ROWS: "Wt", Direction.COLUMNS: "Ht", Direction.SLABS: "(Ht*Wt)"}


class PageKind(enum.Enum):
    TILE = "tile"
    STICK = "stick"  # one row of a block


@dataclasses.dataclass(frozen=True)
class PageCount:
    """Pages of a buffer: so many for each tile of a row, for each tile of a block, and so many in all.

    Attributes:
        per_row: of the tile-row that stays in L1; a streaming plan has blocks only, so there they count per block.
        partial: one more of ``fixed`` where W ends inside a tile.
    """

    per_row: int = 0
    per_block: int = 0
    fixed: int = 0
    partial: int = 0

    def pages(self, row_tiles: int, block_tiles: int, is_partial: bool) -> int:
        whole = self.per_row * row_tiles + self.per_block * block_tiles
        return whole + self.fixed + (self.partial if is_partial else 0)

    def formula(self, row: str, block: str, is_partial: bool) -> str:
        """``2*Wt`` for two pages for each tile of a row."""
        counts = {row: self.per_row}
        counts[block] = counts.get(block, 0) + self.per_block
        terms = [symbol if count == 1 else f"{count}*{symbol}" for symbol, count in counts.items() if count]
        rest = self.pages(0, 0, is_partial)
        return " + ".join([*terms, str(rest)] if rest or not terms else terms)


@dataclasses.dataclass(frozen=True)
class Buffer:
    """One circular buffer of an operation.

    Attributes:
        dtype: of its elements.
        is_only_moved: compute kernels only copy, tilize or untilize what is in it. A float32 then keeps all its bits.
    """

    index: int
    # Operations look their plans up by their buffers: the index is enough of a hash.
    name: str = dataclasses.field(hash=False)
    count: PageCount = dataclasses.field(hash=False)
    purpose: str = dataclasses.field(hash=False)
    dtype: DataType = dataclasses.field(hash=False)
    page: PageKind = dataclasses.field(default=PageKind.TILE, hash=False)
    is_only_moved: bool = dataclasses.field(default=False, hash=False)


@dataclasses.dataclass(frozen=True)
class PlannedBuffer:
    """A circular buffer with its size."""

    buffer: Buffer
    dtype: DataType
    pages: int
    page_bytes: int
    formula: str

    @property
    def total_bytes(self) -> int:
        return self.pages * self.page_bytes

    def descriptor(self, cores: CoreRangeSet) -> CBDescriptor:
        format_ = CBFormatDescriptor(self.buffer.index, self.dtype, self.page_bytes, name=self.buffer.name)
        return CBDescriptor(total_size=self.total_bytes, core_ranges=cores, format_descriptors=[format_])


@dataclasses.dataclass(frozen=True)
class Variant:
    """One way to run an operation: its circular buffers, its kernels, and what they follow from."""

    buffers: tuple[Buffer, ...]
    kernels: Kernels
    schedule: Schedule


@dataclasses.dataclass(frozen=True)
class Plan:
    """Everything about one call of an operation but the tensors themselves.

    Attributes:
        kernels: what runs.
        schedule: what they follow from.
        block_tiles, num_blocks: a tile-row is ``num_blocks`` blocks of ``block_tiles`` tiles; the last block's
            tiles beyond ``rows.line_tiles`` hold nothing.
        l1_budget: bytes of L1 that circular buffers could have.
    """

    operation: str
    strategy: Strategy
    rows: TensorRows
    block_tiles: int
    num_blocks: int
    buffers: tuple[PlannedBuffer, ...] = dataclasses.field(hash=False)  # the rest says as much
    split: RowSplit
    kernels: Kernels
    schedule: Schedule = dataclasses.field(compare=False, repr=False)  # kernels say as much
    l1_budget: int = dataclasses.field(compare=False)  # the same plan, whatever else is in L1

    @property
    def l1_bytes(self) -> int:
        return sum(each.total_bytes for each in self.buffers)

    @property
    def last_block_tiles(self) -> int:
        """Tiles of the last block that the tensor reaches into."""
        return self.rows.line_tiles - (self.num_blocks - 1) * self.block_tiles

    def with_deeper(self, indices: Collection[int]) -> Plan:
        """The same with twice the pages in circular buffers of these indices.

        Raises:
            OperationError: the plan has no such buffer, or L1 no room for it.
        """
        known = {each.buffer.index for each in self.buffers}
        if not known.issuperset(indices):
            missing = min(set(indices) - known)
            raise OperationError(
                f"{self.operation}: the plan has no c_{missing} to make deeper; it has {sorted(known)}"
            )
        buffers = tuple(
            dataclasses.replace(each, pages=2 * each.pages) if each.buffer.index in indices else each
            for each in self.buffers
        )
        deeper = dataclasses.replace(self, buffers=buffers)
        if deeper.l1_bytes > deeper.l1_budget:
            raise _does_not_fit(deeper)
        return deeper

    def circular_buffers(self) -> list[CBDescriptor]:
        return [each.descriptor(self.split.cores) for each in self.buffers]

    def unpack_to_dest_modes(self) -> list[UnpackToDestMode]:
        """Whole float32 values for buffers that are only moved; empty where nothing asks for it."""
        whole = {each.buffer.index for each in self.buffers if _keeps_all_bits(each)}
        highest = max(each.buffer.index for each in self.buffers)
        modes = [
            UnpackToDestMode.UnpackToDestFp32 if index in whole else UnpackToDestMode.Default
            for index in range(highest + 1)
        ]
        return modes if whole else []

    def compute_config(self, config: ComputeConfigDescriptor) -> ComputeConfigDescriptor:
        """``config`` with what the plan's buffers need."""
        chosen = config.copy()
        if chosen.fp32_dest_acc_en:
            chosen.unpack_to_dest_mode = self.unpack_to_dest_modes()
        return chosen

    def describe(self) -> str:
        unit = self.rows.direction.unit
        if self.strategy is Strategy.BLOCKED:
            return f"blocked (a {unit} goes through L1 once, in {counted(self.num_blocks, 'block')})"
        if self.strategy is Strategy.RESIDENT:
            blocks = "" if self.num_blocks == 1 else f", its sticks move in {self.num_blocks} blocks"
            return f"resident (a {unit} stays in L1{blocks})"
        blocks = f"{counted(self.num_blocks, 'block')} of {counted(self.block_tiles, 'tile')}"
        return f"streaming ({blocks}, each read once per pass)"


def _keeps_all_bits(planned: PlannedBuffer) -> bool:
    return planned.buffer.is_only_moved and planned.dtype is DataType.FLOAT32


def make_plan(
    operation: str,
    variants: Mapping[Strategy, Variant],
    rows: TensorRows,
    selection: CoreSelection,
    l1_budget: int,
    strategy: Strategy | None = None,
    block_tiles: int | None = None,
) -> Plan:
    """The plan of a call: the first strategy that fits into ``l1_budget`` bytes, with the best blocks.

    Args:
        variants: what the operation has for each strategy, the quickest first.
        strategy, block_tiles: what to use instead of what would be chosen.

    Raises:
        OperationError: not even blocks of one tile fit, or the operation has no such strategy.
    """
    if strategy is not None and strategy not in variants:
        has = ", ".join(each.value for each in variants)
        raise OperationError(f"{operation} has no {strategy.value} plan; it has {has}")
    split = split_rows(rows, selection)
    chosen = None
    for candidate, variant in variants.items():
        if strategy not in (None, candidate):
            continue
        for block in _blocks(rows.line_tiles, candidate) if block_tiles is None else [block_tiles]:
            if candidate is Strategy.RESIDENT and rows.line_tiles % block:
                continue
            num_blocks = -(-rows.line_tiles // block)
            planned = _planned_buffers(variant.buffers, rows, candidate, block)
            chosen = Plan(
                operation,
                candidate,
                rows,
                block,
                num_blocks,
                planned,
                split,
                variant.kernels,
                variant.schedule,
                l1_budget,
            )
            if chosen.l1_bytes <= l1_budget:
                return chosen
    if chosen is None:
        raise OperationError(
            f"{operation}: blocks of {block_tiles} tiles do not divide a row of {rows.line_tiles}, as a resident "
            "plan needs"
        )
    raise _does_not_fit(chosen)


def _blocks(line_tiles: int, strategy: Strategy) -> Iterator[int]:
    """Block sizes in the order they are tried, best first."""
    if strategy is not Strategy.STREAMING:
        yield from _resident_blocks(line_tiles)
    if strategy is not Strategy.RESIDENT:
        yield from _streaming_blocks(line_tiles)


def _resident_blocks(line_tiles: int) -> list[int]:
    """Blocks that divide the row: its tiles stay, and pages must not run over the end of a buffer."""
    smallest = min(line_tiles, SMALLEST_RESIDENT_BLOCK_TILES)
    parts = [block for block in range(line_tiles // 2, smallest - 1, -1) if line_tiles % block == 0]
    small = [block for block in parts if block <= BEST_RESIDENT_BLOCK_TILES]
    return [line_tiles, *small, *(block for block in parts if block > BEST_RESIDENT_BLOCK_TILES)]


def _streaming_blocks(line_tiles: int) -> Iterator[int]:
    """Blocks of which the last is filled as well as can be."""
    for largest in range(min(LARGEST_STREAMING_BLOCK_TILES, line_tiles), 0, -1):
        num_blocks = -(-line_tiles // largest)
        yield -(-line_tiles // num_blocks)


def _planned_buffers(
    buffers: Sequence[Buffer], rows: TensorRows, strategy: Strategy, block_tiles: int
) -> tuple[PlannedBuffer, ...]:
    row_tiles = rows.line_tiles if strategy is Strategy.RESIDENT else block_tiles
    line = LINE_SYMBOLS[rows.direction]
    row, block = (line if tiles == rows.line_tiles else "B" for tiles in (row_tiles, block_tiles))
    is_partial = rows.last_tile_columns < TILE_SIZE
    planned = []
    for buffer in buffers:
        dtype = buffer.dtype
        stick_bytes = block_tiles * TILE_SIZE * dtype.element_bytes
        page_bytes = dtype.tile_bytes() if buffer.page is PageKind.TILE else stick_bytes
        pages = buffer.count.pages(row_tiles, block_tiles, is_partial)
        formula = buffer.count.formula(row, block, is_partial)
        planned.append(PlannedBuffer(buffer, dtype, pages, page_bytes, formula))
    return tuple(planned)


def _does_not_fit(plan: Plan) -> OperationError:
    sizes = "\n".join(
        f"    c_{each.buffer.index} {each.buffer.name:<12} {each.pages:>6} pages of {each.page_bytes}"
        for each in plan.buffers
    )
    return OperationError(
        f"{plan.operation} does not fit L1: the {plan.strategy.value} plan with blocks of {plan.block_tiles} tiles "
        f"needs {plan.l1_bytes} bytes, {plan.l1_budget} are free:\n{sizes}"
    )
