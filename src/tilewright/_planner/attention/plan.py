# SPDX-License-Identifier: Apache-2.0
"""L1 plan of an attention: blocks of keys, chunks of queries, circular buffers and cores.

A chunk of tile-rows of queries shares the blocks of keys and values that a core reads. Blocks and chunks divide their
lines, so that pages never run over the end of a buffer. The plan by rule has the largest chunk that keeps every core
busy and the largest block that fits; :func:`attention_plans` has those the clock may prefer.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping

from tilewright._planner.attention.pattern import Attention
from tilewright._planner.attention.text import AttentionText
from tilewright._planner.line_plan import PageCount
from tilewright._planner.model import Operand, Role, Schedule, Store
from tilewright._planner.plan import OperationBuffer, Plan, PlannedBuffer, Variant
from tilewright._planner.row_split import CoreSelection, TensorRows, counted, split_rows
from tilewright._planner.strategy import Strategy
from tilewright._program.kernel_config import MathFidelity
from tilewright._program.work_split import split_work_to_cores
from tilewright._tensor.dtype import DataType
from tilewright._tensor.tile import TILE_SIZE
from tilewright.formula._direction import Direction
from tilewright.formula._graph import Extent, Value
from tilewright.formula._validation import OperationError

# Larger blocks save nothing.
LARGEST_BLOCK_TILES = 16


class AttentionNotPlannedError(OperationError):
    """One program cannot compute an attention as it is called; several may."""


@dataclasses.dataclass(frozen=True)
class AttentionRows(TensorRows):
    """The rows of an attention's result; ``inner_width`` is that of queries and keys.

    Attributes:
        key_rows: of a slab of keys.
        slab_group: slabs of queries that share one of keys and values.
        chunk_rows: tile-rows of queries that a core works on at a time.
        widths: of a row of each tensor, by name.
        is_causal: whether earlier rows see fewer keys.
    """

    key_rows: int = 1
    slab_group: int = 1
    chunk_rows: int = 1
    widths: tuple[tuple[str, int], ...] = ()
    is_causal: bool = False

    @property
    def key_tiles(self) -> int:
        """Tile-rows of a slab of keys."""
        return -(-self.key_rows // TILE_SIZE)

    @property
    def num_lines(self) -> int:
        """Chunks of all slabs."""
        return self.num_tile_rows // self.chunk_rows

    @property
    def num_chunks(self) -> int:
        """Chunks of a slab."""
        return self.height_tiles // self.chunk_rows

    @property
    def line_period(self) -> int:
        return self.num_chunks

    @property
    def lines_differ(self) -> bool:
        return self.is_causal

    def more_compile_time_values(self, block_tiles: int, element_bytes: Mapping[str, int]) -> dict[str, int]:
        last = self.key_rows - (self.key_tiles - 1) * TILE_SIZE
        values = {
            "deep_tiles": self.inner_tiles,
            "value_tiles": self.width_tiles,
            "key_tiles": self.key_tiles,
            "query_tiles": self.height_tiles,
            "query_rows": self.height,
            "key_rows": self.key_rows,
            "chunk_rows": self.chunk_rows,
            "num_chunks": self.num_chunks,
            "slab_group": self.slab_group,
            "block_tiles": block_tiles,
            "num_blocks": self.key_tiles // block_tiles,
            "last_key_columns": last,
            "hidden_columns": (self.key_rows - self.height) % TILE_SIZE,
        }
        for name, width in self.widths:
            size = element_bytes.get(name, 0)  # of block floats, which come in tiles, there is none
            row = -(-width // TILE_SIZE) * TILE_SIZE * size
            values |= {f"{name}_stick_bytes": width * size, f"{name}_row_bytes": row}
            values |= {f"{name}_block_bytes": block_tiles * TILE_SIZE * size, f"{name}_element_bytes": size}
        return values


@dataclasses.dataclass(frozen=True)
class AttentionPlan(Plan):
    """A plan of an attention; its lines are chunks of queries, its blocks those of the keys."""

    def describe(self) -> str:
        assert isinstance(self.rows, AttentionRows)
        blocks = f"{counted(self.num_blocks, 'block')} of {counted(self.block_tiles, 'tile')}"
        chunk = counted(self.rows.chunk_rows, "tile-row")
        return f"streaming attention ({blocks} of keys go by {chunk} of queries, which stay in L1)"


class AttentionVariant:
    """Kernels and buffers of an attention for formats and layouts of its tensors."""

    def __init__(
        self,
        name: str,
        found: Attention,
        operands: Mapping[str, Operand],
        output: tuple[str, DataType, bool],
        dtypes: Mapping[str, DataType],
        formula: str,
    ) -> None:
        self._name = name
        self.found = found
        self._dtypes = dtypes
        self._output, self._output_dtype, tiled = output
        self._text = AttentionText(
            name, found, operands, (self._output, self._output_dtype.data_format.name, tiled), formula
        )
        self._parts = self._text.parts()
        self._tables = self._table_of_buffers()

    @property
    def powers_dtype(self) -> DataType:
        """Of the powers, which matmuls read: that of the results."""
        return self._output_dtype

    def _table_of_buffers(self) -> dict[str, tuple[int, DataType, bool, str]]:
        """Index, dtype, whether only moved, and purpose of each buffer by name."""
        text, found, made = self._text, self.found, {}
        index = 0
        for each in found.inputs:
            dtype, rows = self._dtypes[each.name], text.rows_of(each)
            if rows:
                made[rows] = (index, dtype, True, f"rows of {each.name}")
                index += 1
            is_mask = any(each is other for other in found.masks)
            made[text.tiles_of(each)] = (index, dtype, is_mask, f"{each.name} as tiles")
            index += 1
        wide, result = DataType.FLOAT32, self._output_dtype
        hidden = "what of a tile at an edge is seen, never popped"
        made |= {
            "scaler": (index, DataType.BFLOAT16, False, "ones for row sums, never popped"),
            "hidden": (index + 1, DataType.BFLOAT16, True, hidden),
            text.output: (index + 2, result, False, "the result for the writer, double-buffered"),
            "scores": (index + 3, wide, False, f"{found.scores} of a block"),
            "largest": (index + 4, wide, False, "the largest score of each row so far, in column 0"),
            "before": (index + 5, wide, False, "the same before the block, for each tile-row"),
            "powers": (index + 6, self.powers_dtype, False, "exp(scores - largest) of a block"),
            "share": (index + 7, wide, True, "exp(before - largest), in column 0"),
            "total": (index + 8, wide, True, "the sum of powers so far, in column 0, for each tile-row"),
            "sum": (index + 9, wide, True, "powers times values so far, for each tile-row"),
            "inverse": (index + 10, wide, True, "one over the total, in column 0"),
        }
        return made

    @property
    def indices(self) -> dict[str, int]:
        return {name: entry[0] for name, entry in self._tables.items()}

    @property
    def numbers(self) -> dict[str, Value]:
        return self._text.numbers

    @property
    def parts(self) -> list[str]:
        return self._parts

    def buffers(self) -> tuple[OperationBuffer, ...]:
        return tuple(
            OperationBuffer(index, name, PageCount(), purpose, dtype, is_only_moved=is_moved)
            for name, (index, dtype, is_moved, purpose) in self._tables.items()
        )

    def schedule(self) -> Schedule:
        """What commands show of it: its buffers and results."""
        text, found = self._text, self.found
        values = {text.tiles_of(each): (Role.INPUT, each) for each in found.inputs}
        values |= {text.rows_of(each): (Role.ROWS_IN, each) for each in found.inputs if text.rows_of(each)}
        values |= {"scaler": (Role.SCALER, None), "hidden": (Role.MASK, None), text.output: (Role.OUTPUT, None)}  # type: ignore[dict-item]
        stores = {}
        for name, (_, dtype, is_moved, _) in self._tables.items():
            role, value = values.get(name, (Role.VALUE, None))
            stores[name] = Store(
                name, role, value, Extent.FULL, dtype.data_format.name,
                persistent=role in (Role.SCALER, Role.MASK), read_by_matrix_unit=not is_moved,
            )  # fmt: skip
        by_writer = frozenset({"scaler", "hidden", text.rows_of(found.values) or text.tiles_of(found.values)})
        return Schedule(
            Direction.ROWS, Strategy.STREAMING, (), (), stores, dict(self.numbers), (text.output,),
            filled_by_writer=by_writer,
        )  # fmt: skip

    # Sizes.

    def pages(self, rows: AttentionRows, block: int, depth: int) -> dict[str, tuple[int, str]]:
        """Pages of each buffer, and what they follow from."""
        text, found = self._text, self.found
        deep, wide, chunk = rows.inner_tiles, rows.width_tiles, rows.chunk_rows
        q, k, v = found.queries, found.keys, found.values
        made = {
            text.tiles_of(q): (chunk * deep, "C*Kt"),
            text.tiles_of(k): (depth * block * deep, f"{depth}*B*Kt"),
            text.tiles_of(v): (depth * block * wide, f"{depth}*B*Wt"),
            text.rows_of(q): (2 * deep, "2*Kt"),
            text.rows_of(k): (2 * deep, "2*Kt"),
            text.rows_of(v): (2 * wide, "2*Wt"),
            "scaler": (1, "1"),
            "hidden": (2 if found.is_causal else 1, "2" if found.is_causal else "1"),
            text.output: (2 * wide, "2*Wt"),
            "scores": (block, "B"),
            "largest": (1, "1"),
            "before": (chunk, "C"),
            "powers": (block, "B"),
            "share": (1, "1"),
            "total": (chunk + 1, "C + 1"),
            "sum": ((chunk + 1) * wide, "(C + 1)*Wt"),
            "inverse": (1, "1"),
        }
        for each in found.masks:
            made[text.tiles_of(each)] = (2 * block, "2*B")
            made[text.rows_of(each)] = (2 * block, "2*B")
        made.pop("", None)
        return made

    def planned(self, rows: AttentionRows, block: int, depth: int) -> tuple[PlannedBuffer, ...]:
        pages = self.pages(rows, block, depth)
        return tuple(
            PlannedBuffer(each, each.dtype, pages[each.name][0], each.dtype.tile_bytes(), pages[each.name][1])
            for each in self.buffers()
        )


def attention_plans(
    operation: str,
    made: AttentionVariant,
    variant: Variant,
    rows: AttentionRows,
    selection: CoreSelection,
    l1_budget: int,
    block_tiles: int | None = None,
) -> Iterator[AttentionPlan]:
    """Plans that fit L1, the one by rule first.

    Raises:
        AttentionNotPlannedError: there is none.
    """
    found = False
    for cut in _cuts(rows, made, selection):
        count = 0
        for block in _blocks(rows.key_tiles, block_tiles):
            for depth in (2, 1):
                buffers = made.planned(cut, block, depth)
                if sum(each.total_bytes for each in buffers) > l1_budget:
                    continue
                yield _plan(operation, variant, cut, block, buffers, selection, l1_budget)
                found = True
                count += 1
                break
            if count == 3:
                break
    if not found:
        smallest = made.planned(dataclasses.replace(rows, chunk_rows=1), 1, 1)
        needed = sum(each.total_bytes for each in smallest)
        raise AttentionNotPlannedError(
            f"{operation} does not fit L1 as one program: blocks of one tile of keys need {needed} bytes, "
            f"{l1_budget} are free"
        )


def _cuts(rows: AttentionRows, made: AttentionVariant, selection: CoreSelection) -> Iterator[AttentionRows]:
    """Chunks of queries, the largest that keeps every core busy first; causal ones have one tile-row."""
    num_cores = split_work_to_cores(selection, 1 << 30)[0]
    of_core = -(-rows.num_tile_rows // num_cores)
    chunks = [each for each in range(1, min(of_core, rows.height_tiles) + 1) if rows.height_tiles % each == 0]
    for chunk in [1] if made.found.is_causal else chunks[:-3:-1] + chunks[:1] * (len(chunks) > 2):
        yield dataclasses.replace(rows, chunk_rows=chunk)


def _blocks(key_tiles: int, asked: int | None) -> list[int]:
    """Tile-rows of keys in a block, the best first; all of them divide the keys."""
    divisors = [each for each in range(1, key_tiles + 1) if key_tiles % each == 0]
    if asked is not None:
        return [max(each for each in divisors if each <= max(1, asked))]
    return [each for each in reversed(divisors) if each <= LARGEST_BLOCK_TILES]


def _plan(
    operation: str,
    variant: Variant,
    rows: AttentionRows,
    block: int,
    buffers: tuple[PlannedBuffer, ...],
    selection: CoreSelection,
    l1_budget: int,
) -> AttentionPlan:
    return AttentionPlan(
        operation, Strategy.STREAMING, rows, block, rows.key_tiles // block, buffers, split_rows(rows, selection),
        variant.kernels, variant.schedule, l1_budget, 0.0, MathFidelity.HiFi4,
    )  # fmt: skip


def attention_rows(
    shapes: Mapping[str, tuple[int, ...]], found: Attention, dtype: DataType, output: str
) -> AttentionRows:
    """The rows of the result for shapes of the tensors by name."""
    queries, keys, columns = shapes[found.queries.name], shapes[found.keys.name], shapes[found.values.name][-1]
    widths = {found.queries.name: queries[-1], found.keys.name: queries[-1], found.values.name: columns}
    widths |= {each.name: keys[-2] for each in found.masks} | {output: columns}
    return AttentionRows(
        (*queries[:-1], columns), dtype, True, inner_width=queries[-1], key_rows=keys[-2],
        slab_group=math.prod(queries[:-2]) // math.prod(keys[:-2]), widths=tuple(widths.items()),
        is_causal=found.is_causal,
    )  # fmt: skip
