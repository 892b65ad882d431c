# SPDX-License-Identifier: Apache-2.0
"""Emit the reader and writer of a schedule along tile-columns or over slabs as Python.

As along rows, what compute takes and gives comes in its order; but tiles come one by one: of a row-major tensor 32
parts of sticks each, of a tensor in tiles a page.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright._planner.emit.dataflow import LAST, DataflowText, broadcast_slab, moved_lines
from tilewright._planner.emit.phase import INDENT
from tilewright._planner.model import Role, Store
from tilewright.formula._direction import CannotPlanError, Direction
from tilewright.formula._graph import Extent


class TileDataflowText(DataflowText):
    """Reader and writer of lines of tiles that do not go across."""

    @property
    def _is_down(self) -> bool:
        return self._schedule.direction is Direction.COLUMNS

    @property
    def _line(self) -> list[str]:
        """Where the line is, and how many of its tiles lie side by side."""
        return ["column", "1"] if self._is_down else ["0", "width_tiles"]

    @property
    def _first_page(self) -> str:
        return "slab * height_tiles * width_tiles" + (" + column" if self._is_down else "")

    def _masks(self, store: Store) -> list[str]:
        columns = "32" if self._is_down else "last_tile_columns"
        return [f"fill_masks(cb.{store.name}, {columns}, last_tile_rows)"]

    def _scaler(self, store: Store) -> list[str]:
        return [f"fill_scaler_tile(cb.{store.name}, FLOAT32_ONE)"]

    def _lines_of_tiles(self, is_writer: bool = False) -> list[str]:
        counter = self._schedule.direction.counter
        loop = f"for {counter} in range(first_{counter}, first_{counter} + num_{counter}s):"
        if not self._is_down:
            return [loop]
        return [loop, f"{INDENT}slab = {counter} // width_tiles", f"{INDENT}column = {counter} % width_tiles"]

    def _loop(self, names: Sequence[str]) -> list[str]:
        lines = ["for block in range(num_blocks):"]
        for name in names:
            lines += self._block(name, self._inputs[name])
        return lines

    def _block(self, name: str, stores: dict[Role, Store]) -> list[str]:
        part = ["block * block_tiles", LAST, "block_tiles"]
        slabs = stores[Role.INPUT].slabs
        slab = "slab" if slabs is None else f"({broadcast_slab('slab', slabs)})"
        if slabs is not None and slabs.single_row:
            raise CannotPlanError(
                f"`{name}` has one row for each slab, which has no place beside such reductions: give it in full"
            )
        if len(stores) == 1:
            first = self._first_page.replace("slab", slab, 1)
            arguments = [f"cb.{stores[Role.INPUT].name}", first, self._line[1], "width_tiles", *part]
            return moved_lines("read_line_tiles", name, arguments, INDENT)
        arguments = [f"cb.{stores[Role.ROWS_IN].name}", slab, *self._line, *part, *self._stick_sizes(name)]
        return moved_lines("read_stick_tiles", name, arguments, INDENT)

    def _stick_sizes(self, name: str) -> list[str]:
        return ["height", self._size(name, "stick"), self._size(name, "element")]

    def _column(self, name: str) -> list[str]:
        """A row of which every tile-column has its part."""
        stores = self._inputs[name]
        assert stores[Role.INPUT].extent is Extent.COLUMN
        tiled = f"cb.{stores[Role.INPUT].name}"
        if Role.STICK not in stores:
            return moved_lines("read_tiles", name, [tiled, "column", "1", "1"], "")
        offset, row, stick = self._part_of_row(name)
        part = [offset, f"min({row}, {stick} - {offset})", row, "1"]
        return moved_lines("read_vector_row", name, [f"cb.{stores[Role.STICK].name}", tiled, *part], "")

    def _part_of_row(self, tensor: str) -> tuple[str, str, str]:
        """Where a tile-column's part of a stick begins, the bytes of a tile's row, and those of the stick."""
        row = f"TILE_ROWS * {self._size(tensor, 'element')}"
        return f"column * {row}", row, self._size(tensor, "stick")

    # Parts of the writer.

    def _written_wide(self, tensors: dict[str, str], wide: Sequence[str]) -> list[str]:
        lines = ["for block in range(num_blocks):"]
        part = ["block * block_tiles", LAST, "block_tiles"]
        for buffer in wide:
            name = tensors[buffer]
            if buffer in self._tiled_outputs:
                arguments = [f"cb.{buffer}", self._first_page, self._line[1], "width_tiles", *part]
                lines += moved_lines("write_line_tiles", name, arguments, INDENT)
            else:
                arguments = [f"cb.{buffer}", "slab", *self._line, *part, *self._stick_sizes(name)]
                lines += moved_lines("write_stick_tiles", name, arguments, INDENT)
        return lines

    def _written_column(self, tensor: str, buffer: str) -> list[str]:
        if buffer in self._tiled_outputs:
            page = "slab * width_tiles + column" if self._is_down else "slab"
            return moved_lines("write_tiles", tensor, [f"cb.{buffer}", page, "1", "1"], "")
        offset, row, stick = self._part_of_row(tensor)
        if self._is_down:
            part = [offset, f"min({row}, {stick} - {offset})", row, "1"]
        else:
            part = ["0", self._size(tensor, "element"), row, "1"]
        return moved_lines("write_sticks", tensor, [f"cb.{buffer}", "slab", "1", *part], "")
