# SPDX-License-Identifier: Apache-2.0
"""The compute kernel of a schedule, as Python: what a person would write, with the library's phases where they fit.

A sum, difference or product of two buffers, a square, a reduction of a buffer and rows from tiles are phases of
``tilewright.kernels.phases``; everything else gets a phase of its own (:mod:`tilewright.ops.planner.phase_text`). Pages
are popped by the library's phase that reads them last, or by a call of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tilewright.formula.graph import Extent, Value, expression_text
from tilewright.formula.tracing import Formula
from tilewright.ops.direction import Direction
from tilewright.ops.planner.fold_text import edge_arguments, masked_fold, masked_helper
from tilewright.ops.planner.model import Compute, Deliver, Pass, Pop, Reduce, Role, Schedule, Scope, Step, Store, Tilize
from tilewright.ops.planner.phase_text import (
    INDENT,
    PhaseText,
    call_lines,
    column_phase,
    compute_phase,
    docstring,
    max_phase,
    rows_of_each_phase,
    signature_lines,
    sum_phase,
)
from tilewright.ops.planner.registers import Matrix, Place, RegisterProgram, Source, as_integers, loaded

_LIBRARY = {"NONE": "", "ROW": "_bcast_rows", "COL": "_bcast_cols", "SCALAR": "_bcast_scalar"}
COMPILE_TIME = (
    "width_tiles",
    "height_tiles",
    "slab_tiles",
    "num_blocks",
    "block_tiles",
    "last_block_tiles",
    "last_tile_columns",
    "last_tile_rows",
    "inner_tiles",
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
        self._tiles = {Scope.ROW: schedule.direction.tiles, Scope.BLOCK: "block_tiles", Scope.COLUMN: "1"}
        self._sticks = sticks
        self._phases: dict[object, PhaseText] = {}
        self._helpers: dict[str, str] = {}
        self._pass = Pass()
        self._kernel = self._kernel_text()

    @property
    def parts(self) -> list[str]:
        """Texts of the functions, in the order they are written."""
        return [*(each.text for each in self._phases.values()), *self._helpers.values(), self._kernel]

    # The kernel.

    def _kernel_text(self) -> str:
        body = [f"compute_kernel_hw_startup({', '.join(self._start_up())})"]
        inside = [INDENT + each for name in self._schedule.columns_in for each in self._column_input(name)]
        inside += [INDENT + each for each in self._left_lines()]
        for each in self._schedule.passes:
            inside += self._pass_lines(each)
        inside += [f"{INDENT}cb_pop_front(cb.{self._factor_buffer(Role.LEFT)}, inner_tiles)"] if self._product else []
        text = "\n".join(inside)
        if re.search(r"\bpartial\b", text):
            body.append("partial = last_tile_columns != 32")
        if re.search(r"\blast\b", text):
            body.append("last = num_blocks - 1")
        body += self._left_rows(persistent=True)
        body += [f"for _ in range(num_{self._direction.counter}s):", *inside]
        used = set(re.findall(r"\w+", "\n".join(body)))
        parameters = [f"num_{self._direction.counter}s: RuntimeArg"]
        parameters += [f"{name}: RuntimeArg" for name in self._schedule.numbers if name in used]
        parameters += [f"{name}: CompileTimeArg" for name in COMPILE_TIME if name in used]
        head = signature_lines(self._kernel_name, [*parameters, "cb: Buffers"])
        purpose = f"{self._formula.text()}; {self._how()}."
        return "\n".join(
            ["@compute_kernel", *head, *docstring(purpose), *(INDENT + each if each else each for each in body)]
        )

    # A matmul.

    @property
    def _product(self) -> str:
        """The tensor that is a product and comes from no reader; empty without one."""
        multiplication = self._schedule.multiplication
        return "" if multiplication is None else multiplication.product.name

    def _factor_buffer(self, role: Role) -> str:
        return next((each.name for each in self._schedule.stores.values() if each.role is role), "")

    def _left_rows(self, persistent: bool) -> list[str]:
        """Rows that are multiplied, or computed with before, become tiles: once, or for every tile-row."""
        rows = [each for each in self._schedule.stores.values() if each.role is Role.LEFT_ROWS]
        tiles = [self._left_tiles(each.value) for each in rows]
        return [
            f"tilize(cb.{a.name}, cb.{b.name}, inner_tiles)"
            for a, b in zip(rows, tiles, strict=True)
            if b.persistent is persistent
        ]

    def _left_tiles(self, value: Value | None) -> Store:
        found = [each for each in self._schedule.stores.values() if each.value is value]
        return next(each for each in found if each.role in (Role.LEFT, Role.LEFT_INPUT))

    def _left_lines(self) -> list[str]:
        """What is multiplied, as tiles."""
        lines, step = self._left_rows(persistent=False), self._schedule.left
        if step is None:
            return lines
        made = self._phase_of(step.name, step.value, step.program, {}, step.scope, step.as_rows)
        numbers = [each for each in made.arguments if each != "num_tiles"]
        buffers = [f"cb.{name}" for name in (*made.buffers, step.target)]
        lines += call_lines(made.name, [*buffers, "inner_tiles", *numbers], "")
        read = [self._schedule.stores[each.name] for each in step.program.sources]
        return lines + [f"cb_pop_front(cb.{each.name}, inner_tiles)" for each in read if not each.persistent]

    def _product_lines(self, indent: str) -> list[str]:
        """A block of the product."""
        left, right = self._factor_buffer(Role.LEFT), self._factor_buffer(Role.RIGHT)
        rows = self._factor_buffer(Role.RIGHT_ROWS)
        lines = []
        if rows:
            lines = [f"{indent}for _ in range(inner_tiles):"]
            lines.append(f"{indent}{INDENT}tilize(cb.{rows}, cb.{right}, block_tiles)")
        product = self._input_stores(self._product)[0]
        arguments = [f"cb.{left}", f"cb.{right}", f"cb.{product}", "inner_tiles", "block_tiles"]
        return lines + call_lines("multiply_rows", arguments, indent)

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
        roles = [each for each in stores.values() if each.role in (Role.ROWS_IN, Role.INPUT)]
        wide = [each for each in roles if each.extent is Extent.FULL] or roles
        first = wide[0].name
        second = "scaler" if "scaler" in stores else first
        return [f"cb.{first}", f"cb.{second}", f"cb.{self._schedule.outputs[0]}"]

    def _column_input(self, name: str) -> list[str]:
        tiled, rows = self._input_stores(name)
        return [f"{self._tilize}(cb.{rows}, cb.{tiled}, 1)"] if rows else []

    def _input_stores(self, name: str) -> tuple[str, str]:
        found = {"": ""}
        for each in self._schedule.stores.values():
            if each.value is not None and each.value.function == "input" and each.value.name == name:
                found[each.role.value] = each.name
        return found["input"], found.get("rows", "")

    @property
    def _tilize(self) -> str:
        if self._direction is not Direction.ROWS:
            return "tilize_each"
        return "tilize_sticks" if self._sticks else "tilize"

    def _pass_lines(self, part: Pass) -> list[str]:
        self._pass = part
        lines = []
        if part.loads or self._product in part.loaded_inputs:
            lines.append(f"{INDENT}for _ in range(num_blocks):")
            lines += self._product_lines(INDENT * 2) if self._product in part.loaded_inputs else []
            lines += [line for step in part.loads for line in self._step(step, INDENT * 2, ())[0]]
        lines += self._sequence(part.row, INDENT)
        block = self._product_lines(INDENT * 2) if self._product in part.streamed else []
        block += self._sequence(part.block, INDENT * 2)
        if block:
            name = "block" if any(re.search(r"\bblock\b", line) for line in block) else "_"
            lines += [f"{INDENT}for {name} in range(num_blocks):", *block]
        return lines + self._sequence(part.column, INDENT)

    def _sequence(self, steps: Sequence[Step], indent: str) -> list[str]:
        """Steps in order; pops that a step can do itself go with it."""
        lines: list[str] = []
        index = 0
        while index < len(steps):
            following = []
            for each in steps[index + 1 :]:
                if not isinstance(each, Pop):
                    break
                following.append(each)
            made, merged = self._step(steps[index], indent, following)
            lines += made
            index += 1
            rest = [each for each in following if each.buffer not in merged]
            lines += [line for each in rest for line in self._step(each, indent, ())[0]]
            index += len(following)
        return lines

    def _step(self, step: Step, indent: str, following: Sequence[Pop]) -> tuple[list[str], set[str]]:
        """Lines of a step, and the buffers it pops of those that are to be popped after it."""
        pops = {each.buffer for each in following}
        match step:
            case Tilize():
                tiles = "block_tiles" if step.extent is Extent.FULL else "1"
                return call_lines(self._tilize, [f"cb.{step.rows}", f"cb.{step.tiles}", tiles], indent), set()
            case Pop():
                return [f"{indent}cb_pop_front(cb.{step.buffer}, {self._tiles[step.scope]})"], set()
            case Compute():
                return self._compute(step, indent, pops)
            case Reduce():
                return self._reduce(step, indent, pops)
            case Deliver():
                return self._deliver(step, indent, pops)
        raise AssertionError(step)

    def _offsets(self, program: RegisterProgram, scope: Scope) -> dict[str, bool]:
        """Sources of which the block is not at the front: whole rows that stay."""
        if scope is not Scope.BLOCK:
            return {}
        stores = self._schedule.stores
        return {
            each.name: True
            for each in program.sources
            if stores[each.name].kept and each.name not in self._pass.drained
        }

    # Values.

    def _compute(self, step: Compute, indent: str, pops: set[str]) -> tuple[list[str], set[str]]:
        if step.value.own is not None:
            assert not self._offsets(step.program, step.scope), "its operands are copies of its own"
            buffers = [f"cb.{each.name}" for each in step.program.sources]
            arguments = [*buffers, f"cb.{step.target}", self._tiles[step.scope]]
            return call_lines(step.value.own.phase.name, arguments, indent), set()
        offset = self._offsets(step.program, step.scope)
        is_value = self._schedule.stores[step.target].role is Role.VALUE
        if is_value and step.scope is not Scope.COLUMN and not offset:
            library = self._library_call(step, pops)
            if library is not None:
                name, arguments, merged = library
                return call_lines(name, arguments, indent), merged
        made = self._phase_of(step.name, step.value, step.program, offset, step.scope, step.as_rows)
        return call_lines(made.name, self._arguments(made, step.program, step.target, step.scope), indent), set()

    def _arguments(self, made: PhaseText, program: RegisterProgram, target: str, scope: Scope) -> list[str]:
        values = {"first": "block * block_tiles", "num_tiles": self._tiles[scope]}
        return [
            *(f"cb.{name}" for name in made.buffers),
            f"cb.{target}",
            *(values.get(name, name) for name in made.arguments),
        ]

    def _library_call(self, step: Compute, pops: set[str]) -> tuple[str, list[str], set[str]] | None:
        """A call of the library, if the program is one call of the matrix unit."""
        steps = step.program.steps
        if len(steps) != 1 or not isinstance(steps[0], Matrix):
            return None
        only = steps[0]
        if only.spread == "ROW" and only.b.extent is not Extent.ROW:
            return None  # one tile serves the whole tile-column; the library's phase takes one for each tile
        tiles = self._tiles[step.scope]
        a, b = only.a.name, only.b.name
        if a == b:
            keep = [] if a in pops else ["keep=True"]
            return "square", [f"cb.{a}", f"cb.{step.target}", tiles, *keep], {a} & pops
        keep = [f"{flag}=True" for flag, name in (("keep_a", a), ("keep_b", b)) if name not in pops]
        arguments = [f"cb.{a}", f"cb.{b}", f"cb.{step.target}", tiles, *keep]
        return f"{only.function}{_LIBRARY[only.spread]}", arguments, {a, b} & pops

    def _phase_of(
        self,
        name: str,
        value: object,
        program: RegisterProgram,
        offset: dict[str, bool],
        scope: Scope,
        as_rows: bool,
    ) -> PhaseText:
        key = (program, tuple(sorted(offset)), scope is Scope.COLUMN, as_rows)
        if key not in self._phases:
            plain = f"make_{name}".replace("out_rm_values", "result").replace("out_tiled_values", "result")
            unique = self._unique(plain)
            purpose = f"out = {self._shown(value)}."
            if scope is Scope.COLUMN:
                held = self._direction.held(Extent.COLUMN)
                self._phases[key] = column_phase(unique, purpose, program, as_rows, held)
            elif as_rows and self._direction is not Direction.ROWS:
                self._phases[key] = rows_of_each_phase(unique, purpose, program, offset)
            else:
                self._phases[key] = compute_phase(unique, purpose, program, offset, as_rows, self._sticks)
        return self._phases[key]

    def _unique(self, plain: str) -> str:
        taken = {each.name for each in self._phases.values()}
        name, number = plain, 1
        while name in taken:
            number += 1
            name = f"{plain}_{number}"
        return name

    def _shown(self, value: object) -> str:
        """A value in terms of what lies in buffers."""
        names = {}
        for each in self._schedule.stores.values():
            if (
                each.value is not None
                and each.value is not value
                and each.role in (Role.INPUT, Role.VALUE, Role.NUMBER)
            ):
                names[id(each.value)] = each.value.name if each.role is Role.INPUT else each.name
        text = expression_text(value, names)  # type: ignore[arg-type]
        return text if len(text) < 90 else text[:86] + " ..."

    # Reductions.

    def _factor(self, step: Reduce) -> str:
        if step.value.function != "mean":
            return "FLOAT32_ONE"
        is_cut = self._schedule.stores[step.target].read_by_matrix_unit
        return "mean_factor_bits" if is_cut else f"inverse_{self._direction.length}_bits"

    def _reduce(self, step: Reduce, indent: str, pops: set[str]) -> tuple[list[str], set[str]]:
        if step.program is not None:
            return self._reduce_in_dst(step, indent), set()
        keep = [] if step.source in pops else ["keep=True"]
        arguments = [f"cb.{step.source}", "cb.scaler", f"cb.{step.target}"]
        if step.scope is Scope.ROW:
            arguments += [self._tiles[Scope.ROW], self._factor(step), *keep, "partial=partial"]
            return call_lines("reduce_row_mean", arguments, indent), {step.source} & pops
        arguments += ["block_tiles", "last_block_tiles if block == last else block_tiles", self._factor(step)]
        arguments += ["is_first=block == 0", "is_last=block == last", "partial=partial", *keep]
        return call_lines("accumulate_row_mean", arguments, indent), {step.source} & pops

    def _reduce_in_dst(self, step: Reduce, indent: str) -> list[str]:
        assert step.program is not None
        offset = self._offsets(step.program, step.scope)
        phase = self._fold_of(step, offset)
        helper = f"reduce_{step.target}"
        has_start = "start" in phase.arguments
        numbers = [each for each in phase.arguments if each.endswith("_bits")]
        is_row, is_max = step.scope is Scope.ROW, step.value.function == "max"
        arguments = ["block * block_tiles"] if has_start else []
        arguments += [self._tiles[Scope.ROW] if is_row else "last_block_tiles if block == last else block_tiles"]
        if self._direction is Direction.ROWS:
            self._helpers[helper] = self._helper_text(step, helper, phase, numbers, has_start)
            where = ["partial"]
        else:
            self._helpers[helper] = masked_helper(self._direction, step, helper, phase, numbers, has_start)
            arguments += ["0" if is_row else "block * block_tiles"]
            where = edge_arguments(self._direction)
        arguments += ["True", "True"] if is_row else ["block == 0", "block == last"]
        arguments += [] if is_max else [self._factor(step)]
        return call_lines(helper, [*arguments, *numbers, *where, "cb"], indent)

    def _fold_of(self, step: Reduce, offset: dict[str, bool]) -> PhaseText:
        assert step.program is not None
        key = ("fold", step.value.function == "max", step.program, tuple(sorted(offset)))
        if key not in self._phases:
            shown = self._shown(step.value.operands[0])
            if step.value.function == "max":
                name = self._unique(f"find_largest_of_{step.target}")
                purpose = f"out = one tile: the largest of num_tiles tiles of {shown} and of what out holds."
            else:
                name = self._unique(f"add_up_{step.target}")
                purpose = f"out = one tile: num_tiles tiles of {shown}, added up element by element."
            if self._direction is not Direction.ROWS:
                is_max = step.value.function == "max"
                self._phases[key] = masked_fold(name, purpose, step.program, offset, is_max)
            elif step.value.function == "max":
                self._phases[key] = max_phase(name, purpose, step.program, offset)
            else:
                self._phases[key] = sum_phase(name, purpose, step.program, offset)
        return self._phases[key]

    def _helper_text(self, step: Reduce, name: str, phase: PhaseText, numbers: Sequence[str], has_start: bool) -> str:
        is_max = step.value.function == "max"
        parameters = ["start: uint32"] if has_start else []
        parameters += ["num_tiles: uint32", "is_first: bool", "is_last: bool"]
        parameters += [] if is_max else ["scale: uint32"]
        parameters += [*(f"{each}: uint32" for each in numbers), "partial: CompileTimeArg[bool]", "cb: Buffers"]
        head = ["@kernel_function", *signature_lines(name, parameters)]
        start = ["start"] if has_start else []
        buffers = [*(f"cb.{each}" for each in phase.buffers), f"cb.{step.parts}"]
        target = [f"cb.{step.parts}", "cb.scaler", f"cb.{step.target}", "1"]
        if is_max:
            arguments = [*buffers, *start, "0", "num_tiles", "is_first", "is_last", *numbers, "partial"]
            body = [f'{INDENT}"""What num_tiles tiles do to {step.target}, which is known after the last of them."""']
            body += call_lines(phase.name, arguments, INDENT)
            body += [f"{INDENT}if is_last:", *call_lines("reduce_row_max", target, INDENT * 2)]
            return "\n".join([*head, *body])
        whole = call_lines(phase.name, [*buffers, *start, "0", "num_whole", *numbers], INDENT * 2)
        apart = call_lines(phase.name, [*buffers, *start, "num_whole", "1", *numbers], INDENT * 2)
        summed = [*target, "1", "scale"]
        ends = ["is_first=is_first", "is_last=is_last and num_apart == 0"]
        ends_apart = ["is_first=is_first and num_whole == 0", "is_last=True", "partial=partial"]
        body = [
            *docstring(
                f"What num_tiles tiles add to {step.target}. A last tile that is not full stays apart: its padding "
                "must not meet other tiles' columns."
            ),
            f"{INDENT}num_apart = 1 if partial and is_last else 0",
            f"{INDENT}num_whole = num_tiles - num_apart",
            f"{INDENT}if num_whole != 0:",
            *whole,
            *call_lines("accumulate_row_mean", [*summed, *ends], INDENT * 2),
            f"{INDENT}if num_apart != 0:",
            *apart,
            *call_lines("accumulate_row_mean", [*summed, *ends_apart], INDENT * 2),
        ]
        return "\n".join([*head, *body])

    # Results.

    def _deliver(self, step: Deliver, indent: str, pops: set[str]) -> tuple[list[str], set[str]]:
        store = self._schedule.stores[step.source]
        is_at_front = not (store.kept and step.source not in self._pass.drained) or step.scope is Scope.COLUMN
        tiles = self._tiles[step.scope]
        is_moved = store.format != "Int32" and self._schedule.stores[step.target].format != "Int32"
        if step.as_rows and is_at_front and step.source in pops and is_moved:
            name = "untilize_sticks" if self._sticks and step.scope is not Scope.COLUMN else "untilize"
            name = name if self._direction is Direction.ROWS else "untilize_each"
            return call_lines(name, [f"cb.{step.source}", f"cb.{step.target}", tiles], indent), {step.source}
        spread = "NONE"
        source = Source(step.source, store.extent, store.format, self._direction.held(store.extent))
        program = RegisterProgram((tuple(loaded(source, spread, Place(0))),), 1, 0)
        if self._schedule.stores[step.target].format == "Int32":
            program = as_integers(program)
        offset = self._offsets(program, step.scope)
        made = self._phase_of(f"{step.target}_values", store.value, program, offset, step.scope, step.as_rows)
        return call_lines(made.name, self._arguments(made, program, step.target, step.scope), indent), set()
