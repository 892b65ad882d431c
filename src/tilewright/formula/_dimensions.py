# SPDX-License-Identifier: Apache-2.0
"""Which dimensions of a formula's inputs are equal.

Functions of several values make their rows and their columns equal, a matmul the columns of its first operand and the
rows of its second. So each side of an input is as long as the rows of the main input are many, as they are wide, or
free. Commands and derived test cases, which know the shape of the main input alone, make the others of it.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence

from tilewright.formula._graph import Extent, Value
from tilewright.formula._tracing import Formula


class Side(enum.Enum):
    """A side of the main input: how many rows it has, or how wide they are. The value is its index in the shape."""

    ROWS = -2
    COLUMNS = -1


class EqualSides:
    """Sides of a formula's values that are equal: (a value's id, 0 for its rows or 1 for its columns)."""

    def __init__(self, formula: Formula) -> None:
        self._parents: dict[tuple[int, int], tuple[int, int]] = {}
        for node in formula.nodes:
            _join(self, node)

    def follow(self, main: Value, inputs: Sequence[Value]) -> None:
        """Gives columns and rows beside no other tensor the sides of the main one: they are declared to have them."""
        known = {side for each in inputs if each.extent is Extent.FULL for side in self.of(each)}
        for each in inputs:
            if each.extent is Extent.COLUMN and self.of(each)[0] not in known:
                self.join((id(each), 0), (id(main), 0))
            if each.extent is Extent.ROW and self.of(each)[1] not in known:
                self.join((id(each), 1), (id(main), 1))

    def of(self, value: Value) -> tuple[tuple[int, int], tuple[int, int]]:
        """What stands for the rows and for the columns of a value: the same of values that have as many."""
        return self.root((id(value), 0)), self.root((id(value), 1))

    def root(self, side: tuple[int, int]) -> tuple[int, int]:
        while side in self._parents:
            side = self._parents[side]
        return side

    def join(self, first: tuple[int, int], second: tuple[int, int]) -> None:
        a, b = self.root(first), self.root(second)
        if a != b:
            self._parents[a] = b


def sides_of_inputs(formula: Formula, main: str) -> dict[str, tuple[Side, Side]]:
    """Rows and columns of each input by name, as sides of the main one; what is free is as wide as that."""
    groups = EqualSides(formula)
    own = next(each for each in formula.inputs if each.name == main)
    rows, columns = groups.of(own)
    known = {rows: Side.ROWS}
    known[columns] = Side.COLUMNS
    for each in formula.inputs:  # further rows that are free are as many as those of the main input
        if each.extent.per_row and not each.is_matrix:
            known.setdefault(groups.root((id(each), 0)), Side.ROWS)
    return {
        each.name: (
            known.get(groups.root((id(each), 0)), Side.COLUMNS),
            known.get(groups.root((id(each), 1)), Side.COLUMNS),
        )
        for each in formula.inputs
    }


def _join(groups: EqualSides, node: Value) -> None:
    """Joins the sides that a function makes equal."""
    own = id(node)
    if node.function == "transpose":
        groups.join((own, 0), (id(node.operands[0]), 1))
        groups.join((own, 1), (id(node.operands[0]), 0))
    elif node.function == "matmul":
        left, right = (id(each) for each in node.operands)
        groups.join((own, 0), (left, 0))
        groups.join((left, 1), (right, 0))
        groups.join((own, 1), (right, 1))
    else:
        for each in node.operands:
            if each.extent.per_row and node.extent.per_row:
                groups.join((own, 0), (id(each), 0))
            if each.extent.per_column and node.extent.per_column:
                groups.join((own, 1), (id(each), 1))


def shape_of_input(value: Value, sides: tuple[Side, Side], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of an input for a shape of the main one."""
    rows, columns = shape[sides[0].value], shape[sides[1].value]
    if value.is_matrix:
        return (rows, columns)
    return {
        Extent.FULL: (*shape[:-2], rows, columns),
        Extent.ROW: (columns,),
        Extent.COLUMN: (*shape[:-2], rows, 1),
        Extent.SCALAR: (1, 1),
    }[value.extent]
