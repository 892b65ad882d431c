# SPDX-License-Identifier: Apache-2.0
"""Schedule of a formula: passes, steps, kept and recomputed values.

The unit of work is a tile-row, 32 rows of the tensor. A reduction needs the whole row before anything that depends on
it can begin, so a formula falls into passes over the row: reductions whose operands need no other reduction are in
pass 1, those that need these in pass 2, and what is as wide as the row and depends on reductions of n passes is in
pass n + 1. Between passes, columns (one number a row) are computed, one tile for all 32 rows.

Which values have a circular buffer:

- inputs, and results of reductions;
- a column that something as wide as the row depends on: it is computed once, not for every tile;
- what the declaration gives an index (``buffers=``);
- a value as wide as the row that costs much and is needed more than once (``KEEP_FROM_COST``), while a row may stay
  in L1;
- a part of an expression that does not fit DST (:mod:`tilewright._planner.registers`);
- if the clock prefers it (``values_in_buffers``), what is summed, where the matrix unit makes it.

Everything else lives in DST and is computed again where it is needed again.

What is said of rows here goes for lines of tiles in the other directions too (:mod:`tilewright.formula._direction`).

Three strategies. *Resident*: what several passes read stays in L1 as long as a tile-row lasts, and rows that serve all
tile-rows stay for ever. *Partly resident*: the same, but rows that serve all tile-rows are read block by block for
each tile-row. *Streaming*: nothing as wide as the row stays; every pass reads its inputs again, block by block, and
makes the values with buffers again. A formula with one pass and no such rows has one schedule, *blocked*.

A pass has four parts, in this order: inputs that stay are loaded block by block; steps over the whole row; steps
block by block; then columns. A step is one over the whole row if all it reads is there as a whole.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

from tilewright._planner.integers import compile_integers, is_number_of, is_whole
from tilewright._planner.matmul import may_be_nan_outside_rows
from tilewright._planner.model import Choices, Factors, Operand, Role, Schedule
from tilewright._planner.passes import Draft, PassBuilder
from tilewright._planner.recompute_cost import KEEP_FROM_COST, cost_of, is_number, values_to_keep
from tilewright._planner.register_program import DST_TILES, RegisterProgram, TileSource, as_integers
from tilewright._planner.registers import Surroundings, TooManyRegistersError, compile_program, number_argument
from tilewright._planner.stores import LEFT, LEFT_PART, LEFT_SCALER, factor_stores, stores_of
from tilewright._planner.strategy import Strategy
from tilewright.formula._direction import CannotPlanError, Direction
from tilewright.formula._graph import REDUCTIONS, Extent, Value, levels, nodes_of
from tilewright.formula._tracing import Formula


def make_schedule(
    formula: Formula,
    operands: Sequence[Operand],
    choices: Choices,
    strategy: Strategy,
    output_formats: Sequence[str],
    outputs_tiled: Sequence[bool] = (),
    direction: Direction = Direction.ROWS,
    factors: Factors | None = None,
) -> Schedule:
    """The schedule of a formula that was turned into a direction, along lines of which it is computed.

    Args:
        outputs_tiled: which results are written as tiles; the others are written as rows.

    Raises:
        CannotPlanError: part of it has no place in one; the message shows the part and says what to write.
    """
    made = _Scheduler(formula, operands, choices, strategy, output_formats, outputs_tiled, direction).schedule()
    return made if factors is None else _multiplied(made, formula, choices, factors, output_formats)


def _multiplied(
    schedule: Schedule, formula: Formula, choices: Choices, factors: Factors, output_formats: Sequence[str]
) -> Schedule:
    """The schedule with buffers for the factors, and with what is done to compute the left one.

    That has the format of the results, as an intermediate of several programs that is multiplied has."""
    made = factors.multiplication
    before = None
    stores = factor_stores(factors.right, made.right, Role.RIGHT_ROWS, Role.RIGHT, inner=made.is_transposed)
    if made.left.is_leaf:
        stores = factor_stores(factors.left[0], made.left, Role.LEFT_ROWS, Role.LEFT, schedule.stores) | stores
    else:
        part = Formula(made.left_inputs, formula.parameters, (made.left,), formula.names)
        format_ = "Float16_b" if output_formats[0] == "Float16_b" else "Float32"
        is_exchanged = choices.parts_left and any(each.function in REDUCTIONS for each in nodes_of([made.left]))
        before = _Scheduler(
            part, factors.left, dataclasses.replace(choices, exchanged=is_exchanged), Strategy.RESIDENT, [format_],
            [True], Direction.ROWS, schedule,
        ).schedule()  # fmt: skip
        stores = {**before.stores, **stores}
    numbers = schedule.numbers if before is None else before.numbers
    read = Role.RIGHT if factors.right.is_tiled else Role.RIGHT_ROWS
    by_writer = frozenset(name for name, each in stores.items() if each.role is read)
    return dataclasses.replace(
        schedule,
        stores={**stores, **schedule.stores},
        multiplication=made,
        parts_left=choices.parts_left,
        left=before,
        numbers=numbers,
        filled_by_writer=by_writer,
    )


def strategies_of(
    formula: Formula, operands: Sequence[Operand], choices: Choices, direction: Direction
) -> tuple[Strategy, ...]:
    """The strategies that differ for a formula, the quickest first."""
    formats = ["Float32"] * len(formula.outputs)
    resident = make_schedule(formula, operands, choices, Strategy.RESIDENT, formats, direction=direction)
    kept = {each.extent for each in resident.stores.values() if each.kept}
    if {Extent.FULL, Extent.ROW} <= kept:
        return (Strategy.RESIDENT, Strategy.PARTLY_RESIDENT, Strategy.STREAMING)
    return (Strategy.RESIDENT, Strategy.STREAMING) if kept else (Strategy.BLOCKED,)


class _Scheduler:
    def __init__(
        self,
        formula: Formula,
        operands: Sequence[Operand],
        choices: Choices,
        strategy: Strategy,
        output_formats: Sequence[str],
        outputs_tiled: Sequence[bool],
        direction: Direction,
        after: Schedule | None = None,
    ) -> None:
        """``after``: the schedule that multiplies the one result by a matrix; it stays in L1 for that."""
        self._direction = direction
        self._after = after
        self._formula = formula
        self._operands = {each.name: each for each in operands}
        self._choices = choices
        self._strategy = strategy
        self._resident = strategy is not Strategy.STREAMING
        self._output_formats = tuple(output_formats)
        self._outputs_tiled = tuple(outputs_tiled) or (False,) * len(formula.outputs)
        self._nodes = formula.nodes
        self._levels = levels(formula.outputs)
        self._numbers: dict[str, Value] = {}
        self._names: dict[int, str] = {}
        # Buffers that no value may be called after.
        self._taken_names = {
            "scaler",
            "mask",
            LEFT,
            LEFT_PART,
            LEFT_SCALER,
            *(() if after is None else after.stores),
        } | {name for each in operands for name in (self._tiled_name(each), self._rows_name(each))}
        self._check()
        self.stored = self._first_stored()

    # What has a buffer.

    def _check(self) -> None:
        for output in self._formula.outputs:
            if not output.extent.per_row:
                raise CannotPlanError(
                    f"the result `{output}` is the same for all {self._direction.value}: an operation has a number for "
                    f"each of the {self._direction.value} at least; compute it on the host, or with another operation"
                )

    def _first_stored(self) -> dict[int, Value]:
        stored = {id(each): each for each in self._formula.inputs}
        for node in self._nodes:
            named = node.name if node.function == "parameter" else self._formula.name_of(node)
            is_forced = bool(named) and named in self._choices.buffers
            if node.function in REDUCTIONS or (is_forced and node.function != "constant"):
                stored[id(node)] = node
            if node.own is not None:
                stored |= {id(each): each for each in (*node.operands, node)}
            if node.function in REDUCTIONS and self._choices.values_in_buffers:
                stored |= {id(each): each for each in values_to_keep(node.operands[0])}
        for node in self._nodes:
            for operand in node.operands:
                if operand.extent is Extent.COLUMN and node.extent is Extent.FULL and node.function not in REDUCTIONS:
                    stored[id(operand)] = operand
        return stored

    def _is_number(self, node: Value) -> bool:
        return id(node) not in self.stored and is_number(node)

    def _store_dear_values(self) -> None:
        """Values that are expensive and needed in several places, as long as they can stay in L1."""
        counts: dict[int, set[tuple[int, int]]] = {}
        for target, place in self._targets():
            for node in self._segment(target):
                counts.setdefault(id(node), set()).add((place, id(target)))
        by_id = {id(each): each for each in self._nodes}
        for key, places in counts.items():
            node = by_id[key]
            where = len({place for place, _ in places})
            is_needed_twice = len(places) > 1 if self._resident else len(places) > where
            if node.extent is Extent.FULL and is_needed_twice and cost_of(node, self.stored) >= KEEP_FROM_COST:
                self.stored[key] = node
                return self._store_dear_values()
        return None

    def _targets(self) -> list[tuple[Value, int]]:
        """Values that passes compute, with the number of the pass: reductions' operands, results, stored values."""
        found = []
        for node in self._nodes:
            if node.function in REDUCTIONS:
                found.append((node.operands[0], self._levels[id(node)]))
            if node.extent is Extent.FULL and id(node) in self.stored and not node.is_leaf:
                found.append((node, self._levels[id(node)] + 1))
        for node in self._formula.outputs:
            if node.extent is Extent.FULL and id(node) not in self.stored:
                found.append((node, self._levels[id(node)] + 1))
        return found

    def _segment(self, target: Value) -> list[Value]:
        """Values that are computed with a target, up to what lies in buffers; not the target if it is stored."""
        found, stack = [], [target]
        while stack:
            node = stack.pop()
            if node.is_leaf or (id(node) in self.stored and node is not target) or self._is_number(node):
                continue
            if node is not target or id(node) not in self.stored:
                found.append(node)
            stack.extend(node.operands)
        return list({id(each): each for each in found}.values())

    # Names.

    def name_of(self, node: Value) -> str:
        """A name for a value's buffer: its variable's, or what makes it."""
        if id(node) not in self._names:
            plain = node.name if node.is_leaf else self._formula.name_of(node) or node.function
            self._names[id(node)] = self._unique(plain)
        return self._names[id(node)]

    def _unique(self, plain: str) -> str:
        name, number = plain, 1
        while name in self._taken_names:
            number += 1
            name = f"{plain}_{number}"
        self._taken_names.add(name)
        return name

    def _tiled_name(self, operand: Operand) -> str:
        alone = [each for each in self._operands.values() if each.extent is Extent.FULL]
        plain = f"{operand.name}_tiled"
        if self._after is not None:
            return f"{LEFT}_{plain}" if plain in self._after.stores else plain
        return "in_tiled" if len(alone) == 1 and operand.extent is Extent.FULL else plain

    def _rows_name(self, operand: Operand) -> str:
        return self._tiled_name(operand).removesuffix("_tiled") + "_rm"

    def buffer_of(self, node: Value) -> str:
        if node.function == "input":
            return self._tiled_name(self._operands[node.name])
        return self.name_of(node)

    # Programs.

    def _bits(self, node: Value, prefix: str) -> str:
        return number_argument(node, prefix, self._numbers)

    def sources(self) -> dict[int, TileSource]:
        """Buffers by the id of the value they hold."""
        sources = {}
        for node in self.stored.values():
            extent = node.extent
            format_ = self._operands[node.name].format if node.function == "input" else "Float32"
            sources[id(node)] = TileSource(self.buffer_of(node), extent, format_, self._direction.held(extent))
        return sources

    def _around(self, with_products: bool = True) -> Surroundings:
        with_matrix_unit = self._choices.with_matrix_unit
        return Surroundings(self.sources(), self._bits, self._is_number, with_matrix_unit, with_products)

    def _program(self, target: Value, extent: Extent) -> RegisterProgram:
        return compile_program(target, extent, self._around())

    def _result_program(self, target: Value) -> RegisterProgram:
        """The program of a result as wide as the row; a mask lies in a temporary."""
        if not self.is_masked:
            return self._program(target, Extent.FULL)
        made = compile_program(target, Extent.FULL, self._around(), DST_TILES - 1)
        return dataclasses.replace(made, num_temporaries=max(1, made.num_temporaries))

    @property
    def _integers(self) -> set[str]:
        return {each.name for each in self._operands.values() if each.format == "Int32"}

    def _is_whole(self, output: Value) -> bool:
        """Whether a result is computed with integers, from the tensors on."""
        return is_whole(output, self._integers)

    def _integer_program(self, output: Value) -> RegisterProgram:
        inputs = {id(each): each for each in self._formula.inputs}
        sources = {key: each for key, each in self.sources().items() if key in inputs}
        return compile_integers(output, Surroundings(sources, self._bits, is_number_of(self._integers), False))

    def _summed_program(self, target: Value) -> RegisterProgram:
        """The program of a value of which tiles are added up in slot 0, one after the other in the same registers."""
        return compile_program(target, Extent.FULL, self._around(with_products=False), DST_TILES - 1)

    # The schedule.

    def schedule(self) -> Schedule:
        self._store_dear_values()
        for _ in range(100):
            try:
                return self._attempt()
            except TooManyRegistersError as error:
                if error.part is None or id(error.part) in self.stored:
                    raise CannotPlanError(
                        f"`{error.whole}` does not fit the four tiles of DST, and no part of it can have a buffer: "
                        "compute part of it with an operation of its own, and give the result"
                    ) from None
                self.stored[id(error.part)] = error.part
        raise AssertionError("parts of an expression get smaller and smaller")

    def _attempt(self) -> Schedule:
        self._numbers = {} if self._after is None else dict(self._after.numbers)
        last = max([self._levels[id(each)] for each in self._nodes if each.function in REDUCTIONS], default=0)
        for each in self._formula.outputs:
            if each.extent is Extent.FULL:
                last = max(last, self._levels[id(each)] + 1)
        drafts = [self._draft(number) for number in range(last + 1)]
        self._settle(drafts)
        return self._assembled(drafts)

    def _draft(self, number: int) -> Draft:
        """Values that a pass must compute; pass 0 has columns only, of column inputs."""
        draft = Draft(number)
        wanted: list[tuple[Value, Value | None]] = []
        for node in self._nodes:
            if node.function in REDUCTIONS and self._levels[id(node)] == number:
                wanted.append((node.operands[0], node))
        results = [
            each for each in self._formula.outputs
            if each.extent is Extent.FULL and self._levels[id(each)] + 1 == number
        ]  # fmt: skip
        made: dict[int, Value] = {}
        for operand, reduction in wanted:
            if id(operand) in self.stored:
                self._require(operand, made, draft)
                draft.reductions.append((reduction, None))  # type: ignore[arg-type]
            else:
                program = self._summed_program(operand)
                self._require_sources(program, made, draft)
                draft.reductions.append((reduction, program))  # type: ignore[arg-type]
        for output in dict.fromkeys(results):
            if self._is_whole(output):
                program = self._integer_program(output)
                self._require_sources(program, made, draft)
                draft.results.append((output, program))
            elif id(output) in self.stored:
                self._require(output, made, draft)
                draft.results.append((output, None))
            else:
                program = self._result_program(output)
                self._require_sources(program, made, draft)
                draft.results.append((output, program))
        columns = [
            each for each in self._nodes
            if each.extent is Extent.COLUMN and self._levels[id(each)] == number
        ]  # fmt: skip
        for node in columns:
            is_output = any(each is node for each in self._formula.outputs)
            if id(node) in self.stored and node.function not in REDUCTIONS and not node.is_leaf:
                draft.columns.append((node, self._program(node, Extent.COLUMN), False))
            elif is_output and id(node) not in self.stored:
                draft.columns.append((node, self._program(node, Extent.COLUMN), True))
            if is_output and id(node) in self.stored:
                draft.columns.append((node, None, True))
        return draft

    def _require_sources(self, program: RegisterProgram, made: dict[int, Value], draft: Draft) -> None:
        names = {each.name for each in program.sources}
        for node in list(self.stored.values()):
            if self.buffer_of(node) in names:
                self._require(node, made, draft)

    def _require(self, node: Value, made: dict[int, Value], draft: Draft) -> None:
        """A stored value that a pass reads: it is loaded or computed there, or was before."""
        if id(node) in made:
            return
        if node.function == "input":
            made[id(node)] = node
            if node.extent is Extent.FULL:
                draft.inputs.append(node)
            elif node.extent is Extent.ROW:
                draft.rows.append(node)
        elif node.extent is Extent.FULL:
            program = self._program(node, Extent.FULL)
            self._require_sources(program, made, draft)
            made[id(node)] = node
            draft.values.append((node, program))

    def _settle(self, drafts: Sequence[Draft]) -> None:
        """While a row stays in L1, values made once are not made again, and what only they needed is not read."""
        if not self._resident:
            return
        known: set[int] = set()
        for draft in drafts:
            draft.values = [(node, program) for node, program in draft.values if id(node) not in known]
            needed = set(draft.read_names(self.buffer_of))
            draft.inputs = [each for each in draft.inputs if self.buffer_of(each) in needed]
            draft.rows = [each for each in draft.rows if self.buffer_of(each) in needed]
            known |= {id(node) for node, _ in draft.values}

    def _assembled(self, drafts: Sequence[Draft]) -> Schedule:
        reads = {draft.number: draft.read_names(self.buffer_of) for draft in drafts}
        full = [each for each in self.stored.values() if each.extent is Extent.FULL]
        passes_of = {
            self.buffer_of(each): [number for number, names in reads.items() if self.buffer_of(each) in names]
            for each in self.stored.values()
        }
        kept = {
            self.buffer_of(each)
            for each in full
            if self.is_whole or (self._resident and len(passes_of[self.buffer_of(each)]) > 1)
        }  # fmt: skip
        rows = [each for each in self.stored.values() if each.extent is Extent.ROW]
        kept |= {self.buffer_of(each) for each in rows if self.keeps_rows}
        builder = PassBuilder(self, kept, passes_of, self._choices.exchanged)
        passes = [builder.build(draft) for draft in drafts]
        stores = stores_of(self, kept, passes)
        if not passes[0].column:
            passes = passes[1:]
        columns_in = tuple(each.name for each in self._operands.values() if each.extent is Extent.COLUMN)
        outputs = tuple(self.output_name(index) for index in range(len(self._formula.outputs)))
        numbers = dict(self._numbers)
        for node in self.stored.values():
            if node.function == "parameter":
                numbers[f"{node.name}_bits"] = node
        made = Schedule(self._direction, self._strategy, columns_in, tuple(passes), stores, numbers, outputs)
        same = ("values_in_buffers", "segmented", "exchanged")
        return dataclasses.replace(made, **{name: getattr(self._choices, name) for name in same})

    def output_name(self, index: int) -> str:
        if self._after is not None:
            return LEFT_PART if self._choices.parts_left else LEFT
        kind = "out_tiled" if self._outputs_tiled[index] else "out_rm"
        return kind if len(self._formula.outputs) == 1 else f"{kind}_{index}"

    def outputs_of(self, node: Value) -> list[str]:
        return [self.output_name(index) for index, each in enumerate(self._formula.outputs) if each is node]

    def is_written_as_rows(self, output: str) -> bool:
        return any(self.output_name(i) == output and not each for i, each in enumerate(self._outputs_tiled))

    def rows_of(self, node: Value) -> str:
        return self._rows_name(self._operands[node.name])

    def is_tiled(self, node: Value) -> bool:
        return self._operands[node.name].is_tiled

    def is_integer(self, node: Value) -> bool:
        return node.function == "input" and self._operands[node.name].format == "Int32"

    def as_output(self, node: Value, program: RegisterProgram) -> RegisterProgram:
        """The program of a result, in what the result is written in."""
        index = next(index for index, each in enumerate(self._formula.outputs) if each is node)
        return as_integers(program) if self._output_formats[index] == "Int32" else program

    @property
    def direction(self) -> Direction:
        return self._direction

    @property
    def is_whole(self) -> bool:
        return self._after is not None

    @functools.cached_property
    def is_masked(self) -> bool:
        return self._after is not None and may_be_nan_outside_rows(self._formula.outputs[0])

    @property
    def formula(self) -> Formula:
        return self._formula

    @property
    def operands(self) -> Sequence[Operand]:
        return list(self._operands.values())

    @property
    def output_formats(self) -> Sequence[str]:
        return self._output_formats

    @property
    def keeps_rows(self) -> bool:
        return self._strategy in (Strategy.RESIDENT, Strategy.BLOCKED)

    def parts_of(self, reduction: Value) -> str:
        return f"{self.name_of(reduction)}_parts"
