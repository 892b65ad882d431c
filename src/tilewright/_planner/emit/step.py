# SPDX-License-Identifier: Apache-2.0
"""Emit steps of a schedule as lines of a compute kernel, using library phases where they fit.

A sum, difference or product of two buffers, a square, a reduction of a buffer and rows from tiles are phases of
``tilewright.kernels.phases``; everything else gets a phase of its own (:mod:`tilewright._planner.emit.phase`). Pages
are popped by the library's phase that reads them last, or by a call of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from tilewright._planner.emit.fold import edge_arguments, masked_fold, masked_helper, summed_columns_helper
from tilewright._planner.emit.phase import (
    INDENT,
    SCALER,
    PhaseText,
    call_lines,
    column_phase,
    compute_phase,
    docstring,
    masked_phase,
    max_phase,
    rows_of_each_phase,
    signature_lines,
    sum_phase,
)
from tilewright._planner.model import Combine, Compute, Deliver, Pass, Pop, Reduce, Role, Schedule, Scope, Step, Tilize
from tilewright._planner.register_program import MatrixStep, Register, RegisterProgram, TileSource, as_integers, loaded
from tilewright.formula._direction import Direction
from tilewright.formula._graph import Extent, expression_text

_LIBRARY = {"NONE": "", "ROW": "_bcast_rows", "COL": "_bcast_cols", "SCALAR": "_bcast_scalar"}


@dataclasses.dataclass(frozen=True)
class Measures:
    """Names of a line's sizes in kernels: its tiles, those of a block, whether it ends inside a tile, and what makes
    a mean of a sum.
    """

    tiles: str
    block_tiles: str
    partial: str
    inverse: str
    mean_factor: str


# Of rows that are multiplied by a matrix, which come as a whole.
INNER = Measures("inner_tiles", "inner_tiles", "inner_partial", "inverse_inner_bits", "inner_mean_factor_bits")
# Of the part of them that a core computes.
INNER_PART = dataclasses.replace(INNER, tiles="left_part_tiles", block_tiles="left_part_tiles")


def measures_of(schedule: Schedule) -> Measures:
    direction = schedule.direction
    tiles = "part_tiles" if schedule.exchanged else direction.tiles
    return Measures(tiles, "block_tiles", "partial", f"inverse_{direction.length}_bits", "mean_factor_bits")


class StepText:
    """Lines of steps. Phases and helpers that they need are added to the given ones."""

    def __init__(
        self,
        schedule: Schedule,
        measures: Measures,
        sticks: bool,
        phases: dict[object, PhaseText],
        helpers: dict[str, str],
    ) -> None:
        self._schedule = schedule
        self._direction = schedule.direction
        self._measures = measures
        self._sticks = sticks
        self._phases = phases
        self._helpers = helpers
        self._pass = Pass()

    def begin(self, part: Pass) -> None:
        """Start of this pass: later steps belong to it."""
        self._pass = part

    def _tiles(self, scope: Scope) -> str:
        names = {Scope.ROW: self._measures.tiles, Scope.BLOCK: self._measures.block_tiles, Scope.COLUMN: "1"}
        return names[scope]

    @property
    def tilize(self) -> str:
        if self._direction is not Direction.ROWS:
            return "tilize_each"
        return "tilize_sticks" if self._sticks else "tilize"

    def load(self, step: Tilize, indent: str) -> list[str]:
        """Rows of an input, or of a block of it, become tiles."""
        return self._step(step, indent, ())[0]

    def sequence(self, steps: Sequence[Step], indent: str) -> list[str]:
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
                tiles = self._tiles(Scope.BLOCK) if step.extent is Extent.FULL else "1"
                return call_lines(self.tilize, [f"cb.{step.rows}", f"cb.{step.tiles}", tiles], indent), set()
            case Pop():
                return [f"{indent}cb_pop_front(cb.{step.buffer}, {self._tiles(step.scope)})"], set()
            case Compute():
                return self._compute(step, indent, pops)
            case Reduce():
                return self._reduce(step, indent, pops)
            case Combine():
                return self._combine(step, indent), set()
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
            arguments = [*buffers, f"cb.{step.target}", self._tiles(step.scope)]
            return call_lines(step.value.own.phase.name, arguments, indent), set()
        offset = self._offsets(step.program, step.scope)
        is_value = self._schedule.stores[step.target].role is Role.VALUE
        if is_value and step.scope is not Scope.COLUMN and not offset:
            library = self._library_call(step, pops)
            if library is not None:
                name, arguments, merged = library
                return call_lines(name, arguments, indent), merged
        made = self._phase_of(step.name, step.value, step.program, offset, step.scope, step.as_rows, step.masked)
        return call_lines(made.name, self._arguments(made, step.target, step.scope), indent), set()

    def _arguments(self, made: PhaseText, target: str, scope: Scope) -> list[str]:
        values = {"first": "block * block_tiles", "num_tiles": self._tiles(scope), "partial": self._measures.partial}
        buffers = [self._schedule.scaler if name == SCALER else name for name in made.buffers]
        return [
            *(f"cb.{name}" for name in buffers),
            f"cb.{target}",
            *(values.get(name, name) for name in made.arguments),
        ]

    def _library_call(self, step: Compute, pops: set[str]) -> tuple[str, list[str], set[str]] | None:
        """A call of the library, if the program is one call of the matrix unit."""
        steps = step.program.steps
        if len(steps) != 1 or not isinstance(steps[0], MatrixStep):
            return None
        only = steps[0]
        if only.broadcast == "ROW" and only.b.extent is not Extent.ROW:
            return None  # one tile serves the whole tile-column; the library's phase takes one for each tile
        tiles = self._tiles(step.scope)
        a, b = only.a.name, only.b.name
        if a == b:
            keep = [] if a in pops else ["keep=True"]
            return "square", [f"cb.{a}", f"cb.{step.target}", tiles, *keep], {a} & pops
        keep = [f"{flag}=True" for flag, name in (("keep_a", a), ("keep_b", b)) if name not in pops]
        arguments = [f"cb.{a}", f"cb.{b}", f"cb.{step.target}", tiles, *keep]
        return f"{only.function}{_LIBRARY[only.broadcast]}", arguments, {a, b} & pops

    def _phase_of(
        self,
        name: str,
        value: object,
        program: RegisterProgram,
        offset: dict[str, bool],
        scope: Scope,
        as_rows: bool,
        masked: bool = False,
    ) -> PhaseText:
        key = (program, tuple(sorted(offset)), scope is Scope.COLUMN, as_rows, masked)
        if key not in self._phases:
            plain = f"make_{name}".replace("out_rm_values", "result").replace("out_tiled_values", "result")
            plain = plain.replace("left_values", "left")
            unique = self._unique(plain)
            purpose = f"out = {self._shown(value)}."
            if scope is Scope.COLUMN:
                held = self._direction.held(Extent.COLUMN)
                self._phases[key] = column_phase(unique, purpose, program, as_rows, held)
            elif masked:
                self._phases[key] = masked_phase(unique, purpose, program)
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

    def _factor(self, step: Reduce | Combine) -> str:
        is_part = self._schedule.stores[step.target].role is Role.OWN_PART
        if step.value.function != "mean" or is_part:
            return "FLOAT32_ONE"
        is_cut = self._schedule.stores[step.target].read_by_matrix_unit
        return self._measures.mean_factor if is_cut else self._measures.inverse

    def _combine(self, step: Combine, indent: str) -> list[str]:
        arguments = [f"cb.{step.source}", f"cb.{step.target}", "line_parts"]
        if step.value.function == "max":
            return call_lines("largest_of_parts", arguments, indent)
        return call_lines("add_parts", [*arguments, self._factor(step)], indent)

    def _reduce(self, step: Reduce, indent: str, pops: set[str]) -> tuple[list[str], set[str]]:
        if step.program is not None:
            return self._reduce_in_dst(step, indent), set()
        keep = [] if step.source in pops else ["keep=True"]
        arguments = [f"cb.{step.source}", f"cb.{self._schedule.scaler}", f"cb.{step.target}"]
        if step.value.function == "max":
            arguments += [self._tiles(Scope.ROW), *keep]
            return call_lines("reduce_row_max", arguments, indent), {step.source} & pops
        if step.scope is Scope.ROW:
            arguments += [self._tiles(Scope.ROW), self._factor(step), *keep, f"partial={self._measures.partial}"]
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
        arguments += [self._tiles(Scope.ROW) if is_row else "last_block_tiles if block == last else block_tiles"]
        if self._direction is Direction.ROWS:
            self._helpers[helper] = self._helper_text(step, helper, phase, numbers, has_start)
            where = [self._measures.partial]
        else:
            if self._sums_columns(step):
                self._helpers[helper] = summed_columns_helper(step, helper, phase, has_start)
            else:
                self._helpers[helper] = masked_helper(self._direction, step, helper, phase, numbers, has_start)
            arguments += ["0" if is_row else "block * block_tiles"]
            where = edge_arguments(self._direction)
        arguments += ["True", "True"] if is_row else ["block == 0", "block == last"]
        arguments += [] if is_max else [self._factor(step)]
        return call_lines(helper, [*arguments, *numbers, *where, "cb"], indent)

    def _sums_columns(self, step: Reduce) -> bool:
        """Whether the matrix unit can add up the tiles of a buffer: it takes all bits of them."""
        if self._direction is not Direction.COLUMNS or step.value.function == "max" or step.program is None:
            return False
        (source, *others) = step.program.sources
        is_plain = step.program == RegisterProgram((tuple(loaded(source, "NONE", Register(0))),), 1, 0)
        return not others and is_plain and source.format not in ("Float32", "Int32")

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
        buffers = [*(f"cb.{each}" for each in phase.buffers if each != SCALER), f"cb.{step.parts}"]
        target = [f"cb.{step.parts}", f"cb.{self._schedule.scaler}", f"cb.{step.target}", "1"]
        if is_max:
            buffers.insert(-1, f"cb.{self._schedule.scaler}")
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
        tiles = self._tiles(step.scope)
        is_moved = store.format != "Int32" and self._schedule.stores[step.target].format != "Int32"
        if step.as_rows and is_at_front and step.source in pops and is_moved:
            name = "untilize_sticks" if self._sticks and step.scope is not Scope.COLUMN else "untilize"
            name = name if self._direction is Direction.ROWS else "untilize_each"
            return call_lines(name, [f"cb.{step.source}", f"cb.{step.target}", tiles], indent), {step.source}
        broadcast = "NONE"
        source = TileSource(step.source, store.extent, store.format, self._direction.held(store.extent))
        program = RegisterProgram((tuple(loaded(source, broadcast, Register(0))),), 1, 0)
        if self._schedule.stores[step.target].format == "Int32":
            program = as_integers(program)
        offset = self._offsets(program, step.scope)
        made = self._phase_of(f"{step.target}_values", store.value, program, offset, step.scope, step.as_rows)
        return call_lines(made.name, self._arguments(made, step.target, step.scope), indent), set()
