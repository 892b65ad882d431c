# SPDX-License-Identifier: Apache-2.0
"""Emit the compute kernel of a schedule as Python.

Tile-row after tile-row (or along other lines): columns, what is multiplied by a matrix, then the passes
(:mod:`tilewright._planner.emit.step` has their steps), a product block by block where a reader would bring a tensor.
"""

from __future__ import annotations

import re

from tilewright._planner.emit.phase import INDENT, PhaseText, call_lines, docstring, signature_lines
from tilewright._planner.emit.step import INNER, INNER_PART, StepText, measures_of
from tilewright._planner.model import Pass, Role, Schedule
from tilewright.formula._direction import Direction
from tilewright.formula._graph import Extent
from tilewright.formula._tracing import Formula

COMPILE_TIME = (
    "width_tiles",
    "height_tiles",
    "slab_tiles",
    "part_tiles",
    "line_parts",
    "num_blocks",
    "segment_blocks",
    "block_tiles",
    "last_block_tiles",
    "last_tile_columns",
    "last_tile_rows",
    "inner_tiles",
    "left_part_tiles",
    "keeps_right",
    "inner_last_tile_columns",
    "inner_mean_factor_bits",
    "inverse_inner_bits",
    "mean_factor_bits",
    *(f"inverse_{each.length}_bits" for each in Direction),
)


class ComputeText:
    """Phases and kernel function of one schedule."""

    def __init__(self, kernel_name: str, formula: Formula, schedule: Schedule, sticks: bool) -> None:
        self._kernel_name = kernel_name
        self._formula = formula
        self._schedule = schedule
        self._direction = schedule.direction
        self._phases: dict[object, PhaseText] = {}
        self._helpers: dict[str, str] = {}
        self._steps = StepText(schedule, measures_of(schedule), sticks, self._phases, self._helpers)
        self._kernel = self._kernel_text()

    @property
    def parts(self) -> list[str]:
        """Texts of the functions, in the order they are written."""
        return [*(each.text for each in self._phases.values()), *self._helpers.values(), self._kernel]

    # The kernel.

    def _kernel_text(self) -> str:
        body = [f"compute_kernel_hw_startup({', '.join(self._start_up())})"]
        inside = [
            INDENT + each
            for name in self._schedule.columns_in
            for each in self._column_input(name, self._schedule, self._steps)
        ]
        left = [INDENT + each for each in self._left_lines()]
        inside += [] if self._schedule.parts_left else left
        for each in self._schedule.passes:
            inside += self._pass_lines(each)
        inside += [INDENT + each for each in self._popped_factors()]
        if self._schedule.parts_left:
            inside = _one_line_ahead(left, inside, bool(re.search(r"\bindex\b", "\n".join(inside))))
        text = "\n".join(inside)
        if re.search(r"\bpartial\b", text):
            body.append("partial = last_tile_columns != 32")
        if re.search(r"\binner_partial\b", text):
            body.append("inner_partial = inner_last_tile_columns != 32")
        if re.search(r"\blast\b", text):
            body.append("last = num_blocks - 1")
        index = "index" if re.search(r"\bindex\b", text) else "_"
        loop = f"for {index} in range({self._num_lines}):"
        body += [f"for line in range({self._num_lines} + 1):" if self._schedule.parts_left else loop, *inside]
        used = set(re.findall(r"\w+", "\n".join(body)))
        counter = self._direction.counter
        parameters = [f"{name}: RuntimeArg" for name in (f"first_{counter}", self._num_lines) if name in used]
        parameters += ["own_part: RuntimeArg"] if "own_part" in used else []
        parameters += [f"{name}: RuntimeArg" for name in self._schedule.numbers if name in used]
        parameters += [f"{name}: CompileTimeArg" for name in COMPILE_TIME if name in used]
        head = signature_lines(self._kernel_name, [*parameters, "cb: Buffers"])
        purpose = f"{self._formula.text()}; {self._how()}."
        return "\n".join(
            ["@compute_kernel", *head, *docstring(purpose), *(INDENT + each if each else each for each in body)]
        )

    @property
    def _num_lines(self) -> str:
        return "num_segments" if self._schedule.segmented else f"num_{self._direction.counter}s"

    @property
    def _num_blocks(self) -> str:
        return "segment_blocks" if self._schedule.segmented else "num_blocks"

    # A matmul.

    @property
    def _product(self) -> str:
        """The tensor that is a product and comes from no reader; empty without one."""
        multiplication = self._schedule.multiplication
        return "" if multiplication is None else multiplication.product.name

    def _factor_buffer(self, role: Role) -> str:
        return next((each.name for each in self._schedule.stores.values() if each.role is role), "")

    def _left_lines(self) -> list[str]:
        """Operands of the product, as tiles; a part of them, if others compute the rest."""
        before = self._schedule.left
        if before is None:
            rows, tiles = self._factor_buffer(Role.LEFT_ROWS), self._factor_buffer(Role.LEFT)
            return [f"tilize(cb.{rows}, cb.{tiles}, inner_tiles)"] if rows else []
        measures = INNER_PART if self._schedule.parts_left else INNER
        text = StepText(before, measures, False, self._phases, self._helpers)
        lines = [line for name in before.columns_in for line in self._column_input(name, before, text)]
        for each in before.passes:
            text.begin(each)
            lines += [line for step in each.loads for line in text.load(step, "")]
            lines += [*text.sequence(each.row, ""), *text.sequence(each.column, "")]
        return lines

    def _product_lines(self, indent: str) -> list[str]:
        """A block of the product."""
        left, right = self._factor_buffer(Role.LEFT), self._factor_buffer(Role.RIGHT)
        rows = self._factor_buffer(Role.RIGHT_ROWS)
        made = self._schedule.multiplication
        is_transposed = made is not None and made.is_transposed
        times, tiles = ("block_tiles", "inner_tiles") if is_transposed else ("inner_tiles", "block_tiles")
        may_stay = self._schedule.makes_product_once
        lines = []
        if rows:
            tilized = [f"for _ in range({times}):", f"{INDENT}tilize(cb.{rows}, cb.{right}, {tiles})"]
            if may_stay:
                is_new = f"keeps_right == 0 or index == 0{self._or_new_slab('')}"
                tilized = [f"if {is_new}:", *(INDENT + each for each in tilized)]
            lines = [indent + each for each in tilized]
        product = _input_stores(self._schedule, self._product)[0]
        first = "keeps_right * block * inner_tiles * block_tiles" if may_stay else "0"
        arguments = [f"cb.{left}", f"cb.{right}", f"cb.{product}", first, "inner_tiles", "block_tiles"]
        lines += call_lines("multiply_rows_transposed" if is_transposed else "multiply_rows", arguments, indent)
        popped = [f"cb_pop_front(cb.{right}, inner_tiles * block_tiles)"]
        if may_stay:
            popped = ["if keeps_right == 0:", *(INDENT + each for each in popped)]
        return lines + [indent + each for each in popped]

    def _or_new_slab(self, later: str) -> str:
        """The rest of a condition: the tile-row, or one ``later``, is the first of a slab that has its own matrix."""
        made = self._schedule.multiplication
        if made is None or not made.is_batched:
            return ""
        return f" or (first_tile_row + index{later}) % height_tiles == 0"

    def _popped_factors(self) -> list[str]:
        """Pops of the operands: after their tile-row; a matrix that stays, after the last tile-row of its slab."""
        if not self._product:
            return []
        lines = [f"cb_pop_front(cb.{self._factor_buffer(Role.LEFT)}, inner_tiles)"]
        if self._schedule.makes_product_once:
            is_last = f"index + 1 == num_tile_rows{self._or_new_slab(' + 1')}"
            pages = "num_blocks * inner_tiles * block_tiles"
            lines += [f"if keeps_right != 0 and ({is_last}):"]
            lines += [f"{INDENT}cb_pop_front(cb.{self._factor_buffer(Role.RIGHT)}, {pages})"]
        return lines

    def _how(self) -> str:
        count = len(self._schedule.passes)
        passes = "one pass" if count == 1 else f"{count} passes"
        if self._schedule.strategy.value == "streaming":
            return f"{passes} over each {self._direction.unit}, every one block by block"
        if self._schedule.strategy.value == "blocked":
            return f"{passes} over each {self._direction.unit}, block by block"
        return f"{passes} over each {self._direction.unit}, which stays in L1"

    def _start_up(self) -> list[str]:
        stores = self._schedule.stores
        roles = [each for each in stores.values() if each.role in (Role.ROWS_IN, Role.INPUT) and not each.inner]
        wide = [each for each in roles if each.extent is Extent.FULL] or roles
        first = wide[0].name
        second = "scaler" if "scaler" in stores else first
        return [f"cb.{first}", f"cb.{second}", f"cb.{self._schedule.outputs[0]}"]

    def _column_input(self, name: str, schedule: Schedule, text: StepText) -> list[str]:
        tiled, rows = _input_stores(schedule, name)
        return [f"{text.tilize}(cb.{rows}, cb.{tiled}, 1)"] if rows else []

    def _pass_lines(self, part: Pass) -> list[str]:
        self._steps.begin(part)
        lines = []
        if part.loads or self._product in part.loaded_inputs:
            loads = self._product_lines(INDENT * 2) if self._product in part.loaded_inputs else []
            loads += [line for step in part.loads for line in self._steps.load(step, INDENT * 2)]
            lines += [f"{INDENT}for {_block_name(loads)} in range({self._num_blocks}):", *loads]
        lines += self._steps.sequence(part.row, INDENT)
        block = self._product_lines(INDENT * 2) if self._product in part.streamed else []
        block += self._steps.sequence(part.block, INDENT * 2)
        if block:
            lines += [f"{INDENT}for {_block_name(block)} in range({self._num_blocks}):", *block]
        return lines + self._steps.sequence(part.column, INDENT)


def _one_line_ahead(left: list[str], rest: list[str], is_counted: bool) -> list[str]:
    """A core's part of what is multiplied in the next line, and the line itself, which others' parts come for."""
    return [
        f"{INDENT}if line != num_tile_rows and own_part < line_parts:",
        *(INDENT + each for each in left),
        f"{INDENT}if line != 0:",
        *([f"{INDENT * 2}index = line - 1"] if is_counted else []),
        *(INDENT + each for each in rest),
    ]


def _block_name(lines: list[str]) -> str:
    """The variable of a loop over blocks."""
    return "block" if any(re.search(r"\bblock\b", line) for line in lines) else "_"


def _input_stores(schedule: Schedule, name: str) -> tuple[str, str]:
    """Buffers of an input: of tiles, and of rows if it has any."""
    found = {"": ""}
    for each in schedule.stores.values():
        if each.value is not None and each.value.function == "input" and each.value.name == name:
            found[each.role.value] = each.name
    return found["input"], found.get("rows", "")
