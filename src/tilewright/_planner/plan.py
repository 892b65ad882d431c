# SPDX-License-Identifier: Apache-2.0
"""L1 plan of an operation: its circular buffers, resident or streaming.

Rows come and go in blocks of tiles: a resident row is one block if L1 has room for it, else several; a streamed row is
many. Of the strategies that a formula has (:mod:`tilewright._planner.strategy`), the first that fits is taken.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Collection, Mapping, Sequence

from tilewright._planner.line_plan import BufferSize, PageCount, candidates
from tilewright._planner.model import Schedule
from tilewright._planner.row_program import Kernels
from tilewright._planner.row_split import CoreSelection, RowSplit, TensorRows, counted, split_rows
from tilewright._planner.strategy import Strategy
from tilewright._program.circular_buffer import CBDescriptor, CBFormatDescriptor
from tilewright._program.kernel_config import ComputeConfigDescriptor, UnpackToDestMode
from tilewright._tensor.cores import CoreRangeSet
from tilewright._tensor.dtype import DataType
from tilewright._tensor.tile import TILE_SIZE
from tilewright.formula._direction import Direction
from tilewright.formula._validation import OperationError

# Of a core of any chip.
MOST_CIRCULAR_BUFFERS = 64
# Tiles of a line in formulas.
LINE_SYMBOLS = {Direction.ROWS: "Wt", Direction.COLUMNS: "Ht", Direction.SLABS: "(Ht*Wt)"}


class PageKind(enum.Enum):
    TILE = "tile"
    STICK = "stick"  # one row of a block


@dataclasses.dataclass(frozen=True)
class OperationBuffer:
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

    @property
    def size(self) -> BufferSize:
        is_stick = self.page is PageKind.STICK
        return BufferSize(self.count, self.dtype.tile_bytes(), self.dtype.element_bytes if is_stick else 0)


@dataclasses.dataclass(frozen=True)
class PlannedBuffer:
    """A circular buffer with its size."""

    buffer: OperationBuffer
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

    buffers: tuple[OperationBuffer, ...]
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
    buffers: tuple[PlannedBuffer, ...]
    split: RowSplit
    kernels: Kernels
    schedule: Schedule = dataclasses.field(compare=False, repr=False)  # kernels say as much
    l1_budget: int = dataclasses.field(compare=False)  # the same plan, whatever else is in L1

    @functools.cached_property
    def _hash(self) -> int:
        return hash(
            (self.operation, self.strategy, self.rows, self.block_tiles, self.num_blocks, self.split, self.kernels)
        )

    def __hash__(self) -> int:
        """Computed once: every call looks its program up by the plan."""
        return self._hash

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

    def compute_config(self, config: ComputeConfigDescriptor) -> ComputeConfigDescriptor:
        """``config`` with what the plan's buffers need."""
        chosen = config.copy()
        if chosen.fp32_dest_acc_en:
            chosen.unpack_to_dest_mode = unpack_to_dest_modes([each.buffer for each in self.buffers])
        return chosen

    def describe(self) -> str:
        unit = self.rows.direction.unit
        if self.strategy is Strategy.BLOCKED:
            return f"blocked (a {unit} goes through L1 once, in {counted(self.num_blocks, 'block')})"
        if self.strategy is Strategy.RESIDENT:
            blocks = "" if self.num_blocks == 1 else f", its sticks move in {self.num_blocks} blocks"
            return f"resident (a {unit} stays in L1{blocks})"
        if self.strategy is Strategy.PARTLY_RESIDENT:
            return f"partly resident (a {unit} stays in L1, shared rows are read for each in {self.num_blocks} blocks)"
        blocks = f"{counted(self.num_blocks, 'block')} of {counted(self.block_tiles, 'tile')}"
        return f"streaming ({blocks}, each read once per pass)"


def unpack_to_dest_modes(buffers: Sequence[OperationBuffer]) -> list[UnpackToDestMode]:
    """Whole float32 values for buffers that are only moved; empty where nothing asks for it."""
    whole = {each.index for each in buffers if each.is_only_moved and each.dtype is DataType.FLOAT32}
    # tt-metal wants a mode for every circular buffer a core can have.
    modes = [
        UnpackToDestMode.UnpackToDestFp32 if index in whole else UnpackToDestMode.Default
        for index in range(MOST_CIRCULAR_BUFFERS)
    ]
    return modes if whole else []


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
    for name, block in candidates(rows, list(variants), strategy, block_tiles):
        candidate = Strategy(name)
        variant, num_blocks = variants[candidate], -(-rows.line_tiles // block)
        planned = _planned_buffers(variant.buffers, rows, candidate, block)
        chosen = Plan(
            operation, candidate, rows, block, num_blocks, planned, split, variant.kernels, variant.schedule, l1_budget
        )  # fmt: skip
        if chosen.l1_bytes <= l1_budget:
            return chosen
    if chosen is None:
        raise OperationError(
            f"{operation}: blocks of {block_tiles} tiles do not divide a row of {rows.line_tiles}, as a resident "
            "plan needs"
        )
    raise _does_not_fit(chosen)


def _planned_buffers(
    buffers: Sequence[OperationBuffer], rows: TensorRows, strategy: Strategy, block_tiles: int
) -> tuple[PlannedBuffer, ...]:
    row_tiles = rows.line_tiles if strategy.keeps_lines else block_tiles
    line = LINE_SYMBOLS[rows.direction]
    row, block = (line if tiles == rows.line_tiles else "B" for tiles in (row_tiles, block_tiles))
    is_partial = rows.last_tile_columns < TILE_SIZE
    planned = []
    for buffer in buffers:
        pages, page_bytes = buffer.size.of(rows, strategy, block_tiles)
        formula = buffer.count.formula(row, block, is_partial)
        planned.append(PlannedBuffer(buffer, buffer.dtype, pages, page_bytes, formula))
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
