# SPDX-License-Identifier: Apache-2.0
"""L1 plan of an operation: its circular buffers, resident or streaming.

Rows come and go in blocks of tiles: a resident row is one block if L1 has room for it, else several; a streamed row is
many. By rule the first that fits is taken of the strategies that a formula has (:mod:`tilewright._planner.strategy`);
:func:`other_plans` are those the clock may prefer.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from tilewright._planner import line_plan
from tilewright._planner.fidelity import DEFAULT_ERROR, lowest_fidelity
from tilewright._planner.line_groups import groups_to_try, split_parts
from tilewright._planner.line_plan import BufferSize, PageCount, candidates
from tilewright._planner.model import Schedule
from tilewright._planner.row_program import Kernels
from tilewright._planner.row_split import (
    CoreSelection,
    RowSplit,
    TensorRows,
    counted,
    rectangle_of,
    split_product,
    split_rows,
)
from tilewright._planner.strategy import Strategy
from tilewright._planner.work_grid import WorkGrid, fills_blocks, unshared_cuts, work_grids
from tilewright._program.circular_buffer import CBDescriptor, CBFormatDescriptor
from tilewright._program.kernel_config import ComputeConfigDescriptor, MathFidelity, UnpackToDestMode
from tilewright._program.work_split import split_work_to_cores
from tilewright._tensor.cores import CoreRange, CoreRangeSet
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
    """One way to run an operation: its circular buffers, its kernels, and what they follow from.

    Attributes:
        has_own_kernels: whether the declaration brings some of the kernels.
        parted: the same, in which cores that need the same rows to multiply compute a part of them each; None where
            they cannot.
    """

    buffers: tuple[OperationBuffer, ...]
    kernels: Kernels
    schedule: Schedule
    has_own_kernels: bool = False
    parted: Variant | None = None

    def in_cut(self, rows: TensorRows) -> Variant:
        """The one that computes what is multiplied in parts, if a cut has some."""
        return self if self.parted is None or rows.left_parts == 1 else self.parted


@dataclasses.dataclass(frozen=True)
class Plan:
    """Everything about one call of an operation but the tensors themselves.

    Attributes:
        kernels: what runs.
        schedule: what they follow from.
        block_tiles, num_blocks: a tile-row is ``num_blocks`` blocks of ``block_tiles`` tiles; the last block's
            tiles beyond ``rows.line_tiles`` hold nothing.
        l1_budget: bytes of L1 that circular buffers could have.
        error: what the matrix unit may leave out of a product, as a share of it.
        fidelity: of the matrix unit: the lowest that keeps to that.
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
    error: float = dataclasses.field(compare=False)
    fidelity: MathFidelity

    @functools.cached_property
    def _hash(self) -> int:
        return hash(
            (
                self.operation,
                self.strategy,
                self.rows,
                self.block_tiles,
                self.num_blocks,
                self.split,
                self.kernels,
                self.fidelity,
            )
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
        return self.rows.core_tiles - (self.num_blocks - 1) * self.block_tiles

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

    def compute_config(self, config: ComputeConfigDescriptor | None = None) -> ComputeConfigDescriptor:
        """``config``, or the plan's own fidelity with 32-bit DST, with what the plan's buffers need."""
        own = ComputeConfigDescriptor(math_fidelity=self.fidelity, fp32_dest_acc_en=True)
        chosen = own if config is None else config.copy()
        if chosen.fp32_dest_acc_en:
            chosen.unpack_to_dest_mode = unpack_to_dest_modes([each.buffer for each in self.buffers])
        return chosen

    def describe(self) -> str:
        unit = self.rows.direction.unit
        if self.strategy is Strategy.BLOCKED:
            return f"blocked (a {unit} goes through L1 once, in {counted(self.num_blocks, 'block')}{self._segments})"
        if self.strategy is Strategy.RESIDENT:
            blocks = "" if self.num_blocks == 1 else f", its sticks move in {self.num_blocks} blocks"
            return f"resident (a {unit} stays in L1{blocks}{self._segments})"
        if self.strategy is Strategy.PARTLY_RESIDENT:
            blocks = counted(self.num_blocks, "block")
            return f"partly resident (a {unit} stays in L1, shared rows are read for each in {blocks}{self._segments})"
        blocks = f"{counted(self.num_blocks, 'block')} of {counted(self.block_tiles, 'tile')}"
        return f"streaming ({blocks}, each read once per pass{self._segments})"

    @property
    def _segments(self) -> str:
        """How cores share a line."""
        if self.rows.line_parts > 1:
            return f"; {self.rows.line_parts} parts of each on different cores, which exchange what they reduce"
        return "" if self.rows.segments == 1 else f"; {self.rows.segments} segments of each on different cores"

    @property
    def values_in_buffers(self) -> bool:
        """Whether values that are summed go through buffers, in the place of DST."""
        return self.schedule.values_in_buffers


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
    error: float = DEFAULT_ERROR,
) -> Plan:
    """The plan of a call: the first strategy that fits into ``l1_budget`` bytes, with the best blocks.

    Args:
        variants: what the operation has for each strategy, the quickest first.
        strategy, block_tiles: what to use instead of what would be chosen.
        error: what the matrix unit may leave out of a product, as a share of it.

    Raises:
        OperationError: not even blocks of one tile fit, or the operation has no such strategy.
    """
    if strategy is not None and strategy not in variants:
        has = ", ".join(each.value for each in variants)
        raise OperationError(f"{operation} has no {strategy.value} plan; it has {has}")
    smallest = None
    for cut, grid in _cuts(rows, variants, selection):
        for name, block in candidates(cut, list(variants), strategy, block_tiles):
            variant, num_blocks = variants[Strategy(name)].in_cut(cut), line_plan.num_blocks(cut, block)
            # A product that is made again in every pass needs its matrix again.
            is_lost = cut.keeps_right and not variant.schedule.makes_product_once
            if is_lost or (grid is not None and not fills_blocks(grid, cut.line_tiles, num_blocks, block)):
                continue
            smallest = (cut, grid, Strategy(name), block)
            if line_plan.l1_bytes([each.size for each in variant.buffers], cut, name, block) <= l1_budget:
                return _sized(operation, variants, *smallest, selection, l1_budget, error)
    if smallest is None:
        raise OperationError(
            f"{operation}: blocks of {block_tiles} tiles do not divide a row of {rows.core_tiles}, as a resident "
            "plan needs"
        )
    raise _does_not_fit(_sized(operation, variants, *smallest, selection, l1_budget, error))


def _sized(
    operation: str,
    variants: Mapping[Strategy, Variant],
    cut: TensorRows,
    grid: WorkGrid | None,
    strategy: Strategy,
    block_tiles: int,
    selection: CoreSelection,
    l1_budget: int,
    error: float,
) -> Plan:
    """The plan of one strategy, block and cut."""
    variant, num_blocks = variants[strategy].in_cut(cut), line_plan.num_blocks(cut, block_tiles)
    planned = _planned_buffers(variant.buffers, cut, strategy, block_tiles)
    schedule = _with_fidelity(variant, error)
    split = _split(cut, grid, selection, num_blocks, block_tiles)
    return Plan(
        operation, strategy, cut, block_tiles, num_blocks, planned, split,
        variant.kernels, schedule, l1_budget, error, schedule.fidelity,
    )  # fmt: skip


def _with_fidelity(variant: Variant, error: float) -> Schedule:
    """The schedule with the lowest fidelity that an error allows; kernels of one's own have HiFi4."""
    fidelity = lowest_fidelity(variant.schedule, 0 if variant.has_own_kernels else error)
    return dataclasses.replace(variant.schedule, fidelity=fidelity)


def _cuts(
    rows: TensorRows, variants: Mapping[Strategy, Variant], selection: CoreSelection
) -> list[tuple[TensorRows, WorkGrid | None]]:
    """Ways to cut the product of a matmul, the best first; no grid for lines of tiles as they come."""
    schedule = next(iter(variants.values())).schedule
    rectangle = rectangle_of(selection)
    if schedule.multiplication is None or any(each.has_own_kernels for each in variants.values()):
        return [(rows, None)]
    if not schedule.shares_operands or rectangle is None:
        return [
            (dataclasses.replace(rows, keeps_right=keeps, left_rows=left_rows, right_blocks=right_blocks), None)
            for keeps, left_rows, right_blocks in unshared_cuts(schedule.freedom)
        ]
    same = ("part_tiles", "keeps_right", "left_rows", "right_blocks", "left_parts")
    return [
        (dataclasses.replace(rows, **{name: getattr(grid, name) for name in same}), grid)
        for grid in _grids(rows, rectangle, next(iter(variants.values())))
    ]


def _grids(rows: TensorRows, rectangle: CoreRange, variant: Variant) -> Iterator[WorkGrid]:
    """Ways to cut a product, the best first; what is computed to be multiplied in parts, where it has equal ones."""
    size, schedule = rectangle.grid_size(), variant.schedule
    has_parts = variant.parted is not None and rows.inner_width % TILE_SIZE == 0
    freedom = schedule.freedom if variant.parted is None else variant.parted.schedule.freedom
    for grid in work_grids(rows.num_tile_rows, rows.line_tiles, size.x, size.y, freedom):
        parts = grid.most_left_parts(rows.inner_tiles) if has_parts else 1
        if parts > 1 or grid.left_rows == 1 or schedule.freedom.reads_ahead:
            yield dataclasses.replace(grid, left_parts=parts)


def _split(
    rows: TensorRows, grid: WorkGrid | None, selection: CoreSelection, num_blocks: int, block_tiles: int
) -> RowSplit:
    rectangle = rectangle_of(selection)
    if grid is None or rectangle is None:
        return split_rows(rows, selection)
    return split_product(rows, grid, rectangle, num_blocks, block_tiles)


def other_plans(rule: Plan, variants: Iterable[tuple[Strategy, Variant]], selection: CoreSelection) -> Iterator[Plan]:
    """Plans of the same rows: each strategy in blocks of several sizes, as far as they fit L1."""
    for strategy, variant in variants:
        if variant.schedule.exchanged:
            yield from _exchanged_plans(rule, strategy, variant, selection)
            continue
        for block in _blocks_to_try(rule.rows.line_tiles, strategy):
            plan = _in_blocks(rule, rule.rows, strategy, variant, block)
            num_blocks = plan.num_blocks
            if plan == rule or plan.l1_bytes > plan.l1_budget:
                continue
            if not variant.schedule.segmented:
                yield plan
                continue
            for segments in _segments_to_try(num_blocks, rule.rows.num_lines, selection):
                rows = dataclasses.replace(rule.rows, segments=segments)
                yield dataclasses.replace(plan, rows=rows, split=split_rows(rows, selection))


def _in_blocks(rule: Plan, rows: TensorRows, strategy: Strategy, variant: Variant, block_tiles: int) -> Plan:
    """The plan with another strategy, other blocks and other parts of a line."""
    schedule = _with_fidelity(variant, rule.error)
    return dataclasses.replace(
        rule, strategy=strategy, rows=rows, block_tiles=block_tiles, num_blocks=line_plan.num_blocks(rows, block_tiles),
        buffers=_planned_buffers(variant.buffers, rows, strategy, block_tiles),
        kernels=variant.kernels, schedule=schedule, fidelity=schedule.fidelity,
    )  # fmt: skip


def _exchanged_plans(rule: Plan, strategy: Strategy, variant: Variant, selection: CoreSelection) -> Iterator[Plan]:
    """Plans in which several cores have a part each of a line, as far as they fit L1."""
    rectangle = rectangle_of(selection)
    for groups in [] if rectangle is None else groups_to_try(rule.rows, rectangle):
        assert rectangle is not None
        rows = dataclasses.replace(rule.rows, part_tiles=rule.rows.line_tiles // groups.line_parts)
        for block in _blocks_to_try(rows.part_tiles, strategy)[:3]:
            plan = _in_blocks(rule, rows, strategy, variant, block)
            if plan.l1_bytes <= plan.l1_budget:
                yield dataclasses.replace(plan, split=split_parts(rows, groups, rectangle, plan.num_blocks))


def _segments_to_try(num_blocks: int, num_lines: int, selection: CoreSelection) -> list[int]:
    """Segments of a line, each of whole blocks: as many as there are cores for, and the next larger number."""
    num_cores = split_work_to_cores(selection, 1 << 30)[0]
    possible = [each for each in range(2, num_blocks + 1) if num_blocks % each == 0]
    fewer = [each for each in possible if each * num_lines <= num_cores]
    more = [each for each in possible if each * num_lines > num_cores]
    return [*fewer[-1:], *more[:1]]


def _blocks_to_try(line_tiles: int, strategy: Strategy) -> list[int]:
    """Tiles of a block: powers of two, of which the last is filled."""
    sizes = (line_tiles, 64, 32, 16, 8, 4, 2, 1)
    found = [-(-line_tiles // -(-line_tiles // size)) for size in sizes if size <= line_tiles]
    return [
        block
        for block in dict.fromkeys(found)
        if line_tiles % block == 0 or not strategy.keeps_lines
    ]  # fmt: skip


def _planned_buffers(
    buffers: Sequence[OperationBuffer], rows: TensorRows, strategy: Strategy, block_tiles: int
) -> tuple[PlannedBuffer, ...]:
    row_tiles = rows.core_tiles if strategy.keeps_lines else block_tiles
    line = LINE_SYMBOLS[rows.direction]
    names = {rows.core_tiles: "Pt", rows.line_tiles: line}
    row, block = (names.get(tiles, "B") for tiles in (row_tiles, block_tiles))
    is_partial = rows.last_tile_columns < TILE_SIZE
    planned = []
    for buffer in buffers:
        pages, page_bytes = buffer.size.of(rows, strategy, block_tiles)
        counts = rows.left_rows, rows.right_blocks, rows.computed_parts
        formula = buffer.count.formula(row, block, is_partial, *counts)
        if rows.keeps_right and buffer.count.per_inner_block:
            blocks = line_plan.num_blocks(rows, block_tiles)
            formula = f"Kt*{block}" if blocks == 1 else f"{blocks}*Kt*{block}"
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
