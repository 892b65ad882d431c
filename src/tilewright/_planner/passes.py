# SPDX-License-Identifier: Apache-2.0
"""Order of steps in a pass: loads, steps over the row, steps per block, pops.

A step runs over the whole row if everything it reads is there as a whole, and block by block otherwise. A buffer is
popped after the last step that reads it: block by block in the last pass that does, so that the next block is at its
front.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from tilewright._planner.model import Combine, Compute, Deliver, Pass, Pop, Reduce, Scope, Step, Tilize
from tilewright._planner.register_program import Register, RegisterProgram, TileSource, loaded
from tilewright.formula._direction import Direction
from tilewright.formula._graph import Extent, Value


class Surveyor(Protocol):
    """Input of the ordering: names and places of values."""

    stored: dict[int, Value]

    def is_written_as_rows(self, output: str) -> bool: ...

    @property
    def direction(self) -> Direction: ...

    @property
    def is_whole(self) -> bool: ...

    @property
    def is_masked(self) -> bool: ...

    def buffer_of(self, node: Value) -> str: ...

    def rows_of(self, node: Value) -> str: ...

    def is_tiled(self, node: Value) -> bool: ...

    def is_integer(self, node: Value) -> bool: ...

    def as_output(self, node: Value, program: RegisterProgram) -> RegisterProgram: ...

    def parts_of(self, reduction: Value) -> str: ...

    def outputs_of(self, node: Value) -> list[str]: ...

    def sources(self) -> Mapping[int, TileSource]: ...


class Draft:
    """The work of a pass, not yet ordered."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.inputs: list[Value] = []
        self.rows: list[Value] = []
        self.values: list[tuple[Value, RegisterProgram]] = []
        self.reductions: list[tuple[Value, RegisterProgram | None]] = []
        self.results: list[tuple[Value, RegisterProgram | None]] = []
        self.columns: list[tuple[Value, RegisterProgram | None, bool]] = []

    def read_names(self, buffer_of: Callable[[Value], str]) -> list[str]:
        """Buffers that steps of this pass read, each once."""
        names: list[str] = []
        for reduction, program in self.reductions:
            names += [buffer_of(reduction.operands[0])] if program is None else [e.name for e in program.sources]
        for node, program in (*self.values, *self.results):
            names += [buffer_of(node)] if program is None else [each.name for each in program.sources]
        for node, program, _ in self.columns:
            names += [buffer_of(node)] if program is None else [each.name for each in program.sources]
        return list(dict.fromkeys(names))


class PassBuilder:
    """Puts the steps of passes in order, and pops after the last reader."""

    def __init__(
        self, scheduler: Surveyor, kept: set[str], passes_of: Mapping[str, list[int]], exchanged: bool = False
    ) -> None:
        """``exchanged``: what is reduced is a core's part of a line, and becomes the line's behind the blocks."""
        self._exchanged = exchanged
        self._scheduler = scheduler
        self._kept = kept
        self._passes_of = passes_of
        self._loaded: set[int] = set()

    def build(self, draft: Draft) -> Pass:
        scheduler = self._scheduler
        loads, streamed_steps, loaded, streamed = [], [], [], []
        for node in draft.inputs:
            tiles = scheduler.buffer_of(node)
            step = Tilize(scheduler.rows_of(node), tiles, node.extent)
            if tiles in self._kept:
                if id(node) in self._loaded:
                    continue
                self._loaded.add(id(node))
                loaded.append(node.name)
                loads += [] if scheduler.is_tiled(node) else [step]
            else:
                streamed.append(node.name)
                streamed_steps += [] if scheduler.is_tiled(node) else [step]
        streamed += [each.name for each in draft.rows if scheduler.buffer_of(each) not in self._kept]
        # Read block by block: what is not there as a whole when the pass begins.
        by_block = {scheduler.buffer_of(each) for each in (*draft.inputs, *draft.rows)} - self._kept
        row: list[Step] = []
        block: list[Step] = list(streamed_steps)
        for node, program in draft.values:
            name = scheduler.buffer_of(node)
            scope = self._scope(program, "", by_block, is_whole=name in self._kept)
            if scope is Scope.BLOCK:
                by_block.add(name)
            step_ = Compute(name, node, program, name, scope, as_rows=False)
            (row if scope is Scope.ROW else block).append(step_)
        combined: list[Combine] = []
        for reduction, folded in draft.reductions:
            source = "" if folded is not None else scheduler.buffer_of(reduction.operands[0])
            # What lies beyond the tensor must not count; sums along rows leave it out by their scaler.
            # So do maxima of whole tiles, which parts of lines are.
            is_left_out = scheduler.direction is Direction.ROWS and (
                reduction.function != "max" or (self._exchanged and self._scope(None, source, by_block) is Scope.ROW)
            )
            # Library phases read at the front, where a row that stays has its first block.
            is_behind_front = source in self._kept and self._scope(None, source, by_block) is Scope.BLOCK
            is_integer = scheduler.is_integer(reduction.operands[0])
            if folded is None and (not is_left_out or is_behind_front or is_integer):
                source = ""
                folded = _plain_copy(scheduler, reduction.operands[0])
            scope = self._scope(folded, source, by_block)
            parts = scheduler.parts_of(reduction) if folded is not None else ""
            target = scheduler.buffer_of(reduction)
            if self._exchanged:
                combined.append(Combine(reduction, f"{target}_own", f"{target}_all", target))
            made = Reduce(reduction, combined[-1].own if combined else target, scope, source, folded, parts)
            (row if scope is Scope.ROW else block).append(made)
        for node, made_by in draft.results:
            for output in scheduler.outputs_of(node):
                (row if scheduler.is_whole else block).append(self._result(node, made_by, output))
        column: list[Step] = list(combined)
        for node, made_by, is_output in draft.columns:
            if not is_output:
                name = scheduler.buffer_of(node)
                assert made_by is not None
                column.append(Compute(name, node, made_by, name, Scope.COLUMN, as_rows=False))
                continue
            for output in scheduler.outputs_of(node):
                as_rows = scheduler.is_written_as_rows(output)
                if made_by is None:
                    column.append(Deliver(scheduler.buffer_of(node), output, Scope.COLUMN, as_rows))
                else:
                    made_by = scheduler.as_output(node, made_by)
                    column.append(Compute(f"{output}_values", node, made_by, output, Scope.COLUMN, as_rows))
        return self._popped(draft, loads, row, block, column, loaded, streamed)

    def _result(self, node: Value, made_by: RegisterProgram | None, output: str) -> Step:
        """A result as wide as the row."""
        scheduler = self._scheduler
        as_rows = scheduler.is_written_as_rows(output)
        scope = Scope.ROW if scheduler.is_whole else Scope.BLOCK
        if made_by is None and not scheduler.is_masked:
            return Deliver(scheduler.buffer_of(node), output, scope, as_rows)
        program = scheduler.as_output(node, made_by or _plain_copy(scheduler, node))
        return Compute(f"{output}_values", node, program, output, scope, as_rows, scheduler.is_masked)

    def _scope(
        self, program: RegisterProgram | None, source: str, by_block: Iterable[str], is_whole: bool = True
    ) -> Scope:
        read = {source} if program is None else {each.name for each in program.sources}
        return Scope.ROW if is_whole and not read & set(by_block) else Scope.BLOCK

    def _popped(
        self,
        draft: Draft,
        loads: Sequence[Tilize],
        row: list[Step],
        block: list[Step],
        column: list[Step],
        loaded: Sequence[str],
        streamed: Sequence[str],
    ) -> Pass:
        drained: set[str] = set()
        for name, store in self._stored_names().items():
            passes = self._passes_of.get(name, [])
            if not passes or self._is_persistent(store):
                continue
            is_wide = store.extent in (Extent.FULL, Extent.ROW)
            is_last = passes[-1] == draft.number
            if name not in self._kept and is_wide:
                is_last = draft.number in passes  # made anew in every pass
            if not is_last:
                continue
            if is_wide and any(_reads(step, name) for step in block):
                if name in self._kept:
                    drained.add(name)
                _insert_pop(block, name, Scope.BLOCK)
            elif is_wide:
                _insert_pop(row, name, Scope.ROW)
            else:
                self._pop_column(name, row, block, column)
        return Pass(
            tuple(loads), tuple(row), tuple(block), tuple(column),
            tuple(loaded), tuple(streamed), frozenset(drained),
        )  # fmt: skip

    def _pop_column(self, name: str, row: list[Step], block: list[Step], column: list[Step]) -> None:
        if any(_reads(step, name) for step in column):
            _insert_pop(column, name, Scope.COLUMN)
        elif any(_reads(step, name) for step in block):
            column.insert(0, Pop(name, Scope.COLUMN))
        else:
            _insert_pop(row, name, Scope.COLUMN)

    def _is_persistent(self, node: Value) -> bool:
        if node.function == "parameter" or node.extent is Extent.SCALAR:
            return True
        return node.extent is Extent.ROW and self._scheduler.buffer_of(node) in self._kept

    def _stored_names(self) -> dict[str, Value]:
        return {self._scheduler.buffer_of(each): each for each in self._scheduler.stored.values()}


def _plain_copy(scheduler: Surveyor, node: Value) -> RegisterProgram:
    """A program that brings tiles of a buffer to DST as they are."""
    source = scheduler.sources()[id(node)]
    return RegisterProgram((tuple(loaded(source, "NONE", Register(0))),), 1, 0)


def _reads(step: Step, name: str) -> bool:
    if isinstance(step, (Compute, Reduce)) and step.program is not None:
        return any(each.name == name for each in step.program.sources)
    if isinstance(step, (Reduce, Deliver)):
        return step.source == name
    return False


def _insert_pop(steps: list[Step], name: str, scope: Scope) -> None:
    """After the last step that reads a buffer."""
    last = max(index for index, step in enumerate(steps) if _reads(step, name))
    steps.insert(last + 1, Pop(name, scope))
