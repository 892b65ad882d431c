# SPDX-License-Identifier: Apache-2.0
"""Emit the reader and writer of a matmul and of what is computed around it.

The reader brings the rows that are multiplied, the writer the matrix: two processors, so that neither operand waits for
the transfers of the other. Cores that need the same tiles share them. What has to be computed before it is multiplied,
each of them computes a part of for all: one tile-row ahead of the one at work, so that the parts come meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright._planner.emit.dataflow import PLACES, DataflowText, moved_lines, without_unused
from tilewright._planner.emit.phase import INDENT, call_lines
from tilewright._planner.exchange_kernels import EXCHANGE_PLACES, NUM_SEMAPHORES
from tilewright._planner.model import Pass, Role, Store
from tilewright._planner.shared_kernels import NUM_SEMAPHORES as SHARED_SEMAPHORES
from tilewright._planner.stores import LEFT, LEFT_PART
from tilewright.formula._graph import Extent

# The tile-row of which rows are computed to be multiplied, and the one before, at work.
_LINES = ("line", "line - 1")
_BARRIERS = ("noc_async_write_barrier()", "noc_async_atomic_barrier()")


class ProductDataflowText(DataflowText):
    """Reader and writer of a schedule with a matmul."""

    def _reader_loop(self) -> list[str]:
        rest = self._line_inputs()
        if self._schedule.parts_left:
            return [*self._one_line_ahead([*self._left(), *self._exchanged_left()], rest), *_BARRIERS]
        return [*self._lines_of_tiles(), *(INDENT + line for line in (*self._left(), *rest)), *_BARRIERS]

    def writer(self, name: str) -> str:
        made = self._schedule.multiplication
        assert made is not None
        purpose = "The matrix, and the results: only what the tensor has."
        tensors = [made.right.name, *self._outputs]
        return self._kernel("writer_kernel", name, tensors, [*self._writer_loop(), *_BARRIERS], purpose)

    def _constants(self) -> list[str]:
        """Those of what is computed to be multiplied, for the cores that compute; then those of the rest."""
        before = self._schedule.left
        own = {} if before is None else before.stores
        left = [line for each in own.values() for line in super(ProductDataflowText, self)._constant(each)]
        for name, stores in self._left_inputs.items():
            extent = stores[Role.INPUT].extent
            left += self._scalar(name, stores) if extent is Extent.SCALAR else []
            left += self._left_row(name, stores) if extent is Extent.ROW else []
        if left and self._schedule.parts_left:
            left = ["if own_part < line_parts:", *(INDENT + each for each in left)]
        return [*left, *super()._constants()]

    def _constant(self, store: Store) -> list[str]:
        before = self._schedule.left
        return [] if before is not None and store.name in before.stores else super()._constant(store)

    # What is multiplied.

    def _group(self, operand: str) -> list[str]:
        """Arguments of a shared read: its group of cores."""
        places = [f"{operand}_{place}" for place in PLACES]
        return [f"sends_{operand}", *places, f"{operand}_receivers", f"{operand.upper()}_SEMAPHORES"]

    def _factor(self, *roles: Role) -> list[str]:
        return [each.name for role in roles for each in self._schedule.stores.values() if each.role is role]

    def _left(self) -> list[str]:
        """A tile-row of what is multiplied, or computed with before."""
        lines: list[str] = []
        for name, stores in self._left_inputs.items():
            extent = stores[Role.INPUT].extent
            if extent is Extent.COLUMN:
                lines += self._column_lines(name, stores)
            elif extent is Extent.FULL and self._schedule.parts_left:
                lines += self._left_part(name, stores)
            elif extent is Extent.FULL and Role.ROWS_IN not in stores:
                tiles = stores[Role.INPUT]
                page, groups = f"{self._tile_row(tiles)} * inner_tiles", "inner_tiles // left_group_tiles"
                sizes = ["1", "left_group_tiles", "left_group_tiles", "left_group_tiles"]
                arguments = [f"cb.{tiles.name}", page, groups, *sizes, *self._group("left")]
                lines += moved_lines("read_shared_tiles", name, arguments, "")
            elif extent is Extent.FULL:
                element = self._size(name, "element")
                sizes = ["0", f"inner_width * {element}", f"inner_tiles * TILE_ROWS * {element}", "inner_tiles"]
                lines += self._left_rows_lines(name, stores[Role.ROWS_IN], sizes)
        return lines

    def _one_line_ahead(self, left: Sequence[str], rest: Sequence[str]) -> list[str]:
        """A core's part of what is multiplied in the next line, and what else the line itself takes."""
        places = [f"left_{each}" for each in PLACES[:4]]
        arguments = [f"cb.{LEFT_PART}", f"cb.{LEFT}", "left_part_tiles", "LEFT_SEMAPHORES", "own_part", "line_parts"]
        gathered = call_lines("gather", [*arguments, *EXCHANGE_PLACES[1:], *places, "left_receivers"], INDENT * 2)
        places_of = {number: [e.replace("index", number) for e in self._lines_of_tiles()[1:]] for number in _LINES}
        next_line, this_line = (
            without_unused([*places_of[number], *(INDENT + line for line in read)])
            for number, read in zip(_LINES, (left, rest), strict=True)
        )
        return [
            "for line in range(num_tile_rows + 1):",
            f"{INDENT}if line != num_tile_rows and own_part < line_parts:",
            *(INDENT + each for each in next_line),
            f"{INDENT}if line != 0:",
            *gathered,
            *(INDENT + each for each in this_line),
        ]

    def _exchanged_left(self) -> list[str]:
        """What cores reduced their parts of a row that is multiplied to goes to all that compute one."""
        before = self._schedule.left
        combined = () if before is None else before.combined
        places = ["own_part", "line_parts", *EXCHANGE_PLACES[1:]]
        lines = []
        for number, each in enumerate(combined):
            half = ["line % 2", str(SHARED_SEMAPHORES + NUM_SEMAPHORES * number)]
            lines += call_lines("exchange", [f"cb.{each.own}", f"cb.{each.source}", *half, *places], "")
        return lines

    def _left_rows_lines(self, name: str, store: Store, sizes: Sequence[str]) -> list[str]:
        if store.slabs is not None:
            return self._rows_lines(name, store, sizes, "")
        arguments = [f"cb.{store.name}", "stick", "rows", "rows", *sizes, *self._group("left")]
        return moved_lines("read_shared_sticks", name, arguments, "")

    def _left_part(self, name: str, stores: dict[Role, Store]) -> list[str]:
        """The core's part of a tile-row that is computed with before it is multiplied."""
        first = "own_part * left_part_tiles"
        if Role.ROWS_IN not in stores:
            tiles = stores[Role.INPUT]
            page = f"{self._tile_row(tiles)} * inner_tiles + {first}"
            return moved_lines("read_tiles", name, [f"cb.{tiles.name}", page, *["left_part_tiles"] * 2], "")
        row = f"TILE_ROWS * {self._size(name, 'element')}"
        part = f"left_part_tiles * {row}"
        sizes = [f"{first} * {row}", part, part, "left_part_tiles"]
        return self._rows_lines(name, stores[Role.ROWS_IN], sizes, "")

    def _left_row(self, name: str, stores: dict[Role, Store]) -> list[str]:
        """A row that serves all rows which are multiplied, a tile at a time."""
        tiled = f"cb.{stores[Role.INPUT].name}"
        first, count = "0", "inner_tiles"
        if self._schedule.parts_left:
            first, count = "own_part * left_part_tiles", "left_part_tiles"
        if Role.STICK not in stores:
            return moved_lines("read_tiles", name, [tiled, first, count, count], "")
        part = f"TILE_ROWS * {self._size(name, 'element')}"
        whole = f"inner_width * {self._size(name, 'element')}"
        arguments = [
            f"cb.{stores[Role.STICK].name}",
            tiled,
            f"inner * {part}",
            f"min({part}, {whole} - inner * {part})",
        ]
        lines = moved_lines("read_vector_row", name, [*arguments, part, "1"], INDENT)
        numbers = count if first == "0" else f"{first}, {first} + {count}"
        return [f"for inner in range({numbers}):", *lines]

    # The matrix.

    def _whole_right(self) -> list[str]:
        """The core's part of the matrix, block after block."""
        return [self._blocks, *(INDENT + each for each in self._right("block"))]

    def _right(self, block: str) -> list[str]:
        """A block of columns of the matrix, all of its rows."""
        assert self._schedule.multiplication is not None
        made = self._schedule.multiplication
        name = made.right.name
        rows, tiles = self._factor(Role.RIGHT_ROWS), self._factor(Role.RIGHT)
        if made.is_transposed:
            return self._transposed_right(block, name, rows, tiles)
        slab = "tile_row // height_tiles * inner_tiles * width_tiles + " if made.is_batched else ""
        if not rows:
            page, groups = f"{slab}{block} * block_tiles", "inner_tiles // inner_group_tiles"
            part = f"part_of({block}, block_tiles, width_tiles)"
            sizes = ["inner_group_tiles", "width_tiles", part, "block_tiles"]
            arguments = [f"cb.{tiles[0]}", page, groups, *sizes, *self._group("right")]
            return self._if_needed(moved_lines("read_shared_tiles", name, arguments, ""))
        slab = "tile_row // height_tiles * inner_width + " if made.is_batched else ""
        first = f"{slab}inner * TILE_ROWS"
        arguments = [f"cb.{rows[0]}", first, "min(TILE_ROWS, inner_width - inner * TILE_ROWS)", "TILE_ROWS"]
        arguments += [*self._block_part(name, block), "block_tiles", *self._group("right")]
        lines = moved_lines("read_shared_sticks", name, arguments, INDENT)
        return self._if_needed(["for inner in range(inner_tiles):", *lines])

    def _if_needed(self, lines: Sequence[str]) -> list[str]:
        """Lines that read a block of a matrix: once, if it stays for all tile-rows that are multiplied by it."""
        made = self._schedule.multiplication
        if made is None or not self._schedule.makes_product_once:
            return list(lines)
        is_new = "index == 0 or tile_row % height_tiles == 0" if made.is_batched else "index == 0"
        return [f"if keeps_right == 0 or {is_new}:", *(INDENT + line for line in lines)]

    def _transposed_right(self, block: str, name: str, rows: Sequence[str], tiles: Sequence[str]) -> list[str]:
        """A block of rows of a transposed matrix, a tile-row at a time; those beyond it are not written."""
        made = self._schedule.multiplication
        assert made is not None
        head = ["for part in range(block_tiles):", f"{INDENT}column = ({block} * block_tiles + part) * TILE_ROWS"]
        if not rows:
            slab = "tile_row // height_tiles * width_tiles + " if made.is_batched else ""
            page = f"({slab}{block} * block_tiles + part) * inner_tiles"
            count = "inner_tiles if column < width else 0"
            arguments = [f"cb.{tiles[0]}", page, "1", "1", "0", count, "inner_tiles", *self._group("right")]
            return self._if_needed([*head, *moved_lines("read_shared_tiles", name, arguments, INDENT)])
        element = self._size(name, "element")
        slab = "tile_row // height_tiles * width + " if made.is_batched else ""
        count = "min(TILE_ROWS, width - column) if column < width else 0"
        sizes = ["0", f"inner_width * {element}", f"inner_tiles * TILE_ROWS * {element}", "inner_tiles"]
        arguments = [f"cb.{rows[0]}", f"{slab}column", count, "TILE_ROWS", *sizes, *self._group("right")]
        return self._if_needed([*head, *moved_lines("read_shared_sticks", name, arguments, INDENT)])

    # Results.

    def _delivered_wide(self, part: Pass, tensors: dict[str, str], wide: Sequence[str]) -> list[str]:
        if wide and self._product in part.streamed:
            return self._written_after_right(tensors, wide)
        has_right = self._product in (*part.loaded_inputs, *part.streamed)
        lines = self._whole_right() if has_right else []
        return [*lines, *super()._delivered_wide(part, tensors, wide)]

    def _written_after_right(self, tensors: dict[str, str], wide: Sequence[str]) -> list[str]:
        """Results of a product. A block of the matrix is read before the results of the one before are written."""
        following = ["if block + 1 < first_block + num_blocks:", *(INDENT + e for e in self._right("(block + 1)"))]
        lines = [*self._right("first_block"), self._blocks, *(INDENT + each for each in following)]
        for each in wide:
            lines += self._written_block(tensors[each], each)
        return lines
