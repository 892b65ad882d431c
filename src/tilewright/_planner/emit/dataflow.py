# SPDX-License-Identifier: Apache-2.0
"""Emit the reader and writer of a schedule as Python.

Constants come first: the scaler of reductions, numbers, tensors of one element, rows that serve all tile-rows. Then,
tile-row after tile-row, columns, and in every pass the inputs that it tilizes. Row-major tensors move in sticks,
tensors in tiles page by page. With a tensor in tiles, tile-rows begin anew with every slab of the last two
dimensions; without, all rows are one sequence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tilewright._planner.emit.phase import INDENT, call_lines, docstring, signature_lines
from tilewright._planner.exchange_kernels import EXCHANGE_PLACES, NUM_SEMAPHORES
from tilewright._planner.kernel_names import in_kernels
from tilewright._planner.model import Combine, Compute, Deliver, Pass, Role, Schedule, Scope, Store
from tilewright.formula._direction import Direction
from tilewright.formula._graph import Extent
from tilewright.formula._inputs import Slabs

PLACES = ("first_x", "first_y", "last_x", "last_y", "sender_x", "sender_y")  # of a group of cores
_LEFT = {Role.LEFT_ROWS: Role.ROWS_IN, Role.LEFT: Role.INPUT}
LAST = "last_block_tiles if block == num_blocks - 1 else block_tiles"
_RUNTIME = (
    "first_stick",
    "num_sticks",
    "first_segment",
    "num_segments",
    *(f"{which}_{each.counter}{s}" for each in Direction for which, s in (("first", ""), ("num", "s"))),
    "num_written_rows",
    "first_block",
    *EXCHANGE_PLACES,
    *(
        name
        for operand in ("left", "right")
        for name in (f"sends_{operand}", *(f"{operand}_{place}" for place in PLACES))
    ),
)
_COMPILE_TIME = (
    "height",
    "width",
    "height_tiles",
    "width_tiles",
    "line_parts",
    "num_blocks",
    "line_segments",
    "segment_blocks",
    "block_tiles",
    "last_block_tiles",
    "last_tile_columns",
    "last_tile_rows",
    "inner_width",
    "inner_tiles",
    "inner_last_tile_columns",
    "inner_group_tiles",
    "left_group_tiles",
    "left_part_tiles",
    "all_tile_rows",
    "keeps_right",
    "left_receivers",
    "right_receivers",
)


class DataflowText:
    """Reader and writer of one schedule.

    Args:
        outputs: names of the output tensors.
        widths: names of tensors whose elements are not as wide as those of the others; their sizes have names of
            their own.
    """

    def __init__(
        self,
        schedule: Schedule,
        outputs: Sequence[str],
        widths: frozenset[str],
        sticks: bool,
        tiled_outputs: Sequence[bool],
    ) -> None:
        self._schedule = schedule
        self._outputs = tuple(outputs)
        self._own_sizes = widths
        self._sticks = sticks
        self._tiled_outputs = {name for name, each in zip(schedule.outputs, tiled_outputs, strict=True) if each}
        self._inputs: dict[str, dict[Role, Store]] = {}
        self._left_inputs: dict[str, dict[Role, Store]] = {}  # of the rows that are multiplied by a matrix
        for each in schedule.stores.values():
            if (
                each.value is not None
                and each.value.function == "input"
                and each.role in (Role.ROWS_IN, Role.STICK, Role.INPUT, Role.LEFT_ROWS, Role.LEFT)
            ):
                inputs = self._left_inputs if each.inner or each.role in _LEFT else self._inputs
                inputs.setdefault(each.value.name, {})[_LEFT.get(each.role, each.role)] = each
        is_read = [each for name, each in self._inputs.items() if name != self._product]
        has_tiled_input = any(Role.INPUT in each and len(each) == 1 for each in (*is_read, *self._left_inputs.values()))
        has_broadcast_input = any(each.slabs is not None for each in schedule.stores.values())
        made = schedule.multiplication
        is_batched = made is not None and made.is_batched
        self._slabs = any(tiled_outputs) or has_tiled_input or has_broadcast_input or is_batched or schedule.exchanged
        # Whether a core may have a part of a line.
        self._has_parts = self._is_product or schedule.exchanged

    def reader(self, name: str) -> str:
        tensors = dict.fromkeys(each for each in (*self._left_inputs, *self._inputs) if each != self._product)
        lines = [*self._constants(), *self._reader_loop()]
        return self._kernel("reader_kernel", name, list(tensors), lines, "What compute takes, in its order.")

    def _reader_loop(self) -> list[str]:
        return [*self._lines_of_tiles(), *(INDENT + line for line in self._line_inputs())]

    def _line_inputs(self) -> list[str]:
        """What is read for a line: columns, and in every pass the inputs that it takes."""
        inside = [self._column(each) for each in self._schedule.columns_in]
        for each in self._schedule.passes:
            for names in (each.loaded_inputs, each.streamed):
                read = [name for name in names if name != self._product]
                inside += [self._loop(read)] if read else []
        return _repeated(inside)

    # A matmul.

    @property
    def _is_product(self) -> bool:
        """Whether there is a matmul, of which a core may have a part of the columns."""
        return self._schedule.multiplication is not None

    @property
    def _product(self) -> str:
        """The tensor that is a product and comes from no reader; empty without one."""
        made = self._schedule.multiplication
        return "" if made is None else made.product.name

    @property
    def _blocks(self) -> str:
        """The head of a loop over the blocks of a line that the core has."""
        if self._schedule.segmented:
            return "for block in range(own_block, own_block + segment_blocks):"
        blocks = "first_block, first_block + num_blocks" if self._has_parts else "num_blocks"
        return f"for block in range({blocks}):"

    @property
    def _block_tiles(self) -> str:
        """Tiles of a block that the line has."""
        if self._schedule.exchanged:
            return "block_tiles"
        return "part_of(block, block_tiles, width_tiles)" if self._is_product else LAST

    def _block_part(self, tensor: str, number: str = "block") -> list[str]:
        """Of a block of sticks: where it begins, its bytes, and those that it has room for."""
        stick, block = self._size(tensor, "stick"), self._size(tensor, "block")
        return [f"{number} * {block}", f"min({block}, {stick} - {number} * {block})", block]

    def writer(self, name: str) -> str:
        unit = self._schedule.direction.unit
        purpose = f"{unit.capitalize()} after {unit}, only what the tensor has."
        return self._kernel("writer_kernel", name, list(self._outputs), self._writer_loop(), purpose)

    def _writer_loop(self) -> list[str]:
        delivered = [line for each in self._schedule.passes for line in self._delivered(each)]
        return [*self._lines_of_tiles(is_writer=True), *(INDENT + line for line in delivered)]

    # Parts of the reader.

    def _constants(self) -> list[str]:
        lines = [line for each in self._schedule.stores.values() for line in self._constant(each)]
        for name, stores in self._inputs.items():
            if stores[Role.INPUT].extent is Extent.SCALAR:
                lines += self._scalar(name, stores)
        rows = [n for n, s in self._inputs.items() if s[Role.INPUT].extent is Extent.ROW and s[Role.INPUT].persistent]
        return lines + (self._loop(rows) if rows else [])

    def _constant(self, store: Store) -> list[str]:
        """A buffer that is filled once, from no tensor."""
        if store.role is Role.SCALER:
            return self._scaler(store)
        if store.role is Role.MASK:
            return self._masks(store)
        if store.role is not Role.NUMBER:
            return []
        assert store.value is not None
        return [f"fill_constant_tile(cb.{store.name}, {store.value.name}_bits)"]

    def _scaler(self, store: Store) -> list[str]:
        columns = "inner_last_tile_columns" if store.inner else "last_tile_columns"
        return [f"fill_row_scaler(cb.{store.name}, {columns})"]

    def _masks(self, store: Store) -> list[str]:
        raise AssertionError(f"{store.name}: sums along rows leave what lies beyond them out by their scaler")

    def _scalar(self, name: str, stores: dict[Role, Store]) -> list[str]:
        tiled = f"cb.{stores[Role.INPUT].name}"
        if Role.STICK not in stores:
            return moved_lines("read_tiles", name, [tiled, "0", "1", "1"], "")
        element = self._size(name, "element")
        sizes = ["0", element, f"TILE_ROWS * {element}", "1"]
        return moved_lines("read_vector_row", name, [f"cb.{stores[Role.STICK].name}", tiled, *sizes], "")

    def _column(self, name: str) -> list[str]:
        return self._column_lines(name, self._inputs[name])

    def _column_lines(self, name: str, stores: dict[Role, Store]) -> list[str]:
        if Role.ROWS_IN not in stores:
            page = self._tile_row(stores[Role.INPUT])
            return moved_lines("read_tiles", name, [f"cb.{stores[Role.INPUT].name}", page, "1", "1"], "")
        element = self._size(name, "element")
        sizes = ["0", element, f"TILE_ROWS * {element}", "1"]
        return self._rows_lines(name, stores[Role.ROWS_IN], sizes, "")

    def _tile_row(self, store: Store) -> str:
        """The tile-row of a tensor that belongs to the one at work."""
        if store.slabs is None:
            return "tile_row"
        slab = broadcast_slab("tile_row // height_tiles", store.slabs)
        return f"({slab} * height_tiles + tile_row % height_tiles)"

    def _rows_lines(self, name: str, store: Store, sizes: Sequence[str], indent: str) -> list[str]:
        """Sticks of a tensor that belong to the tile-row at work."""
        buffer = f"cb.{store.name}"
        if store.slabs is None:
            return moved_lines("read_sticks", name, [buffer, "stick", "rows", *sizes], indent)
        slab = broadcast_slab("tile_row // height_tiles", store.slabs)
        if store.slabs.single_row:
            return moved_lines("read_stick_again", name, [buffer, slab, "rows", *sizes], indent)
        return moved_lines("read_sticks", name, [buffer, f"{slab} * height + row", "rows", *sizes], indent)

    def _loop(self, names: Sequence[str]) -> list[str]:
        """Blocks of inputs, one of each at a time."""
        stores = self._inputs[names[0]]
        is_plain = len(names) == 1 and not self._has_parts and not self._schedule.segmented
        if is_plain and Role.ROWS_IN in stores and stores[Role.ROWS_IN].slabs is None:
            stick, block = self._size(names[0], "stick"), self._size(names[0], "block")
            arguments = [f"cb.{stores[Role.ROWS_IN].name}", "stick", "rows", stick, block, self._pages]
            return moved_lines("read_blocks", names[0], arguments, "")
        lines = [self._blocks]
        for name in names:
            lines += self._block(name, self._inputs[name])
        return lines

    @property
    def _pages(self) -> str:
        return "TILE_ROWS" if self._sticks else "block_tiles"

    def _block(self, name: str, stores: dict[Role, Store]) -> list[str]:
        tiled = f"cb.{stores[Role.INPUT].name}"
        if len(stores) == 1:
            begin = "block * block_tiles"
            row = f"{self._tile_row(stores[Role.INPUT])} * width_tiles + {begin}"
            page = begin if stores[Role.INPUT].extent is Extent.ROW else row
            return moved_lines("read_tiles", name, [tiled, page, self._block_tiles, "block_tiles"], INDENT)
        part = self._block_part(name)
        if Role.STICK in stores:
            arguments = [f"cb.{stores[Role.STICK].name}", tiled, *part, "block_tiles"]
            return moved_lines("read_vector_row", name, arguments, INDENT)
        return self._rows_lines(name, stores[Role.ROWS_IN], [*part, self._pages], INDENT)

    # Parts of the writer.

    def _delivered(self, part: Pass) -> list[str]:
        tensors = dict(zip(self._schedule.outputs, self._outputs, strict=True))
        wide = [
            each.target for each in part.block
            if isinstance(each, (Compute, Deliver)) and each.target in tensors
        ]  # fmt: skip
        lines = self._delivered_wide(part, tensors, wide)
        for step in part.column:
            if isinstance(step, Combine):
                lines += self._exchanged(step)
            if isinstance(step, (Compute, Deliver)) and step.target in tensors and step.scope is Scope.COLUMN:
                lines += self._written_column(tensors[step.target], step.target)
        return lines

    def _exchanged(self, step: Combine) -> list[str]:
        """What cores reduced their parts of a line to goes to all of them."""
        number = NUM_SEMAPHORES * [each.target for each in self._schedule.combined].index(step.target)
        half = ["(tile_row - first_tile_row) % 2", str(number)]
        places = ["own_part", "line_parts", *EXCHANGE_PLACES[1:]]
        return call_lines("exchange", [f"cb.{step.own}", f"cb.{step.source}", *half, *places], "")

    def _delivered_wide(self, part: Pass, tensors: dict[str, str], wide: Sequence[str]) -> list[str]:
        """Results of a pass as wide as the row."""
        return self._written_wide(tensors, wide) if wide else []

    def _written_wide(self, tensors: dict[str, str], wide: Sequence[str]) -> list[str]:
        """Results as wide as the row, a block of each at a time."""
        if len(wide) == 1 and wide[0] not in self._tiled_outputs and not (self._has_parts or self._schedule.segmented):
            name = tensors[wide[0]]
            sizes = [self._size(name, "stick"), self._size(name, "block"), self._pages]
            return moved_lines("write_blocks", name, [f"cb.{wide[0]}", "stick", "rows", *sizes], "")
        lines = [self._blocks]
        for each in wide:
            lines += self._written_block(tensors[each], each)
        return lines

    def _written_block(self, tensor: str, buffer: str) -> list[str]:
        if buffer in self._tiled_outputs:
            page = "tile_row * width_tiles + block * block_tiles"
            arguments = [f"cb.{buffer}", page, self._if_written(self._block_tiles), "block_tiles"]
            return moved_lines("write_tiles", tensor, arguments, INDENT)
        arguments = [f"cb.{buffer}", "stick", "rows", *self._block_part(tensor), self._pages]
        return moved_lines("write_sticks", tensor, arguments, INDENT)

    def _if_written(self, count: str) -> str:
        """A number of tiles; none in rounds that repeat a tile-row."""
        return f"{count} if index < num_written_rows else 0" if self._is_product else count

    def _written_column(self, tensor: str, buffer: str) -> list[str]:
        if buffer in self._tiled_outputs:
            count = self._if_first_part(self._if_written("1"))
            return moved_lines("write_tiles", tensor, [f"cb.{buffer}", "tile_row", count, "1"], "")
        element = self._size(tensor, "element")
        sizes = ["0", element, f"TILE_ROWS * {element}", "1"]
        rows = self._if_first_part("rows")
        return moved_lines("write_sticks", tensor, [f"cb.{buffer}", "stick", rows, *sizes], "")

    def _if_first_part(self, count: str) -> str:
        """A number of tiles or rows of a column, which one of the cores that share a line writes."""
        return f"{count} if own_part == 0 else 0" if self._schedule.exchanged else count

    # What both have.

    def _size(self, tensor: str, what: str) -> str:
        """The name of a size: of a stick, of a row of a block, of an element."""
        return f"{tensor}_{what}_bytes" if tensor in self._own_sizes else f"{what}_bytes"

    def _lines_of_tiles(self, is_writer: bool = False) -> list[str]:
        if self._schedule.segmented:
            return [
                "for segment in range(first_segment, first_segment + num_segments):",
                f"{INDENT}tile_row = segment // line_segments",
                f"{INDENT}own_block = segment % line_segments * segment_blocks",
                f"{INDENT}row = tile_row % height_tiles * TILE_ROWS",
                f"{INDENT}stick = tile_row // height_tiles * height + row",
                f"{INDENT}rows = min(TILE_ROWS, height - row)",
            ]
        if self._is_product:
            rows = self._if_written("min(TILE_ROWS, height - row)") if is_writer else "min(TILE_ROWS, height - row)"
            tile_row = "first_tile_row + index"
            return [
                "for index in range(num_tile_rows):",
                f"{INDENT}tile_row = {tile_row if is_writer else f'min({tile_row}, all_tile_rows - 1)'}",
                f"{INDENT}row = tile_row % height_tiles * TILE_ROWS",
                f"{INDENT}stick = tile_row // height_tiles * height + row",
                f"{INDENT}rows = {rows}",
            ]
        if not self._slabs:
            return [
                "end = first_stick + num_sticks",
                "for stick in range(first_stick, end, TILE_ROWS):",
                f"{INDENT}rows = min(TILE_ROWS, end - stick)",
            ]
        return [
            "for tile_row in range(first_tile_row, first_tile_row + num_tile_rows):",
            f"{INDENT}row = tile_row % height_tiles * TILE_ROWS",
            f"{INDENT}stick = tile_row // height_tiles * height + row",
            f"{INDENT}rows = min(TILE_ROWS, height - row)",
        ]

    def _kernel(self, decorator: str, name: str, tensors: Sequence[str], lines: list[str], purpose: str) -> str:
        lines = without_unused(lines)
        words = set(re.findall(r"\w+", "\n".join(lines)))
        parameters = [f"{in_kernels(each)}: TensorArg" for each in tensors]
        parameters += [f"{each}: RuntimeArg" for each in _RUNTIME if each in words]
        parameters += [f"{each}: RuntimeArg" for each in self._schedule.numbers if each in words]
        sizes = [f"{what}_bytes" for what in ("stick", "block", "element")]
        sizes += [f"{tensor}_{size}" for tensor in sorted(self._own_sizes) for size in sizes[:3]]
        parameters += [f"{each}: CompileTimeArg" for each in (*_COMPILE_TIME, *sizes) if each in words]
        head = signature_lines(name, [*parameters, "cb: Buffers"])
        return "\n".join([f"@{decorator}", *head, *docstring(purpose), *(INDENT + each for each in lines)])


def broadcast_slab(slab: str, slabs: Slabs) -> str:
    """The slab of a tensor that belongs to a slab of the first one."""
    if slabs.modulus == 1:
        return "0"
    if slabs.modulus == 0:
        return slab
    divided = slab if slabs.divisor == 1 else f"{slab} // {slabs.divisor}"
    return f"({divided}) % {slabs.modulus}" if "//" in divided else f"{divided} % {slabs.modulus}"


def moved_lines(function: str, tensor: str, arguments: Sequence[str], indent: str) -> list[str]:
    """A call that moves parts of a tensor."""
    return call_lines(function, [in_kernels(tensor), *arguments], indent)


def without_unused(lines: list[str]) -> list[str]:
    """Lines without assignments of row, stick and rows that nothing reads."""
    for name in ("rows", "stick", "row", "tile_row"):
        uses = sum(len(re.findall(rf"\b{name}\b", line)) for line in lines)
        assigned = [line for line in lines if re.match(rf"\s*{name} = ", line)]
        if assigned and uses == len(assigned):
            lines = [line for line in lines if line not in assigned]
    return lines


def _repeated(groups: Sequence[list[str]]) -> list[str]:
    """Groups of lines; equal ones that follow each other are a loop."""
    lines: list[str] = []
    index = 0
    while index < len(groups):
        count = 1
        while index + count < len(groups) and groups[index + count] == groups[index]:
            count += 1
        if count > 1:
            lines += [f"for _ in range({count}):", *(INDENT + each for each in groups[index])]
        else:
            lines += groups[index]
        index += count
    return lines
