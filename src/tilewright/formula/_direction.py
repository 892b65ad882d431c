# SPDX-License-Identifier: Apache-2.0
"""Reduction direction: along a tile-row, a tile-column or a whole slab.

A reduction takes a line of tiles together, and everything else follows the lines that the reductions need. Rows are the
first case, and the planner is written in its words: *rows* are lines, a *column* has one number for each of them. For
the other two directions a formula is turned (:func:`turned`): its values get the extents they have along the line, and
only what looks into a tile (broadcasts, the last step of a reduction, readers and writers) must know the direction.

=========  ======================  ==========================  =============================
direction  a line of tiles         its one number lies in      reductions over
=========  ======================  ==========================  =============================
rows       across a tile-row       column 0 of a tile          the last dimension
columns    down a tile-column      row 0 of a tile             the dimension before the last
slabs      over a slab, by rows    element [0,0] of a tile     the last two dimensions
=========  ======================  ==========================  =============================
"""

from __future__ import annotations

import enum
from collections.abc import Sequence

from tilewright.formula._graph import REDUCTIONS, Along, Extent, Value
from tilewright.formula._tracing import Formula
from tilewright.formula._validation import OperationError


class CannotPlanError(OperationError):
    """A formula that cannot be planned: the part of it, and what to write instead."""


class Direction(str, enum.Enum):
    """Which way lines of tiles go."""

    ROWS = "rows"
    COLUMNS = "columns"
    SLABS = "slabs"

    @property
    def unit(self) -> str:
        """The unit of a core's work, in words."""
        return {Direction.ROWS: "tile-row", Direction.COLUMNS: "tile-column", Direction.SLABS: "slab"}[self]

    @property
    def line(self) -> str:
        """The part of the tensor in a line of tiles: a row of the tensor, one of its columns, a slab of it."""
        return self.value.removesuffix("s")

    @property
    def counter(self) -> str:
        """The same as part of a kernel's names."""
        return self.unit.replace("-", "_")

    @property
    def tiles(self) -> str:
        """A kernel's name for the number of tiles of a line."""
        return f"{self.length}_tiles"

    @property
    def length(self) -> str:
        """Number of elements in a line."""
        return {Direction.ROWS: "width", Direction.COLUMNS: "height", Direction.SLABS: "slab"}[self]

    def held(self, extent: Extent) -> Extent:
        """Where in its tiles a value lies that has an extent along the lines."""
        if self is Direction.COLUMNS:
            return {Extent.COLUMN: Extent.ROW, Extent.ROW: Extent.COLUMN}.get(extent, extent)
        if self is Direction.SLABS and extent is Extent.COLUMN:
            return Extent.SCALAR
        return extent


_DIRECTIONS = {Along.ROWS: Direction.ROWS, Along.COLUMNS: Direction.COLUMNS, Along.BOTH: Direction.SLABS}


def direction_of(formula: Formula) -> Direction:
    """The direction of a formula's reductions; rows if it has none.

    Raises:
        CannotPlanError: it has reductions in two directions.
    """
    reductions = [node for node in formula.nodes if node.function in REDUCTIONS]
    if not reductions:
        return Direction.ROWS
    first = reductions[0]
    for other in reductions[1:]:
        if other.along is not first.along:
            raise CannotPlanError(
                f"`{first}` and `{other}` take different dimensions together, and an operation works along one of "
                "them: declare an operation for each, and give the one's result to the other"
            )
    assert first.along is not None
    return _DIRECTIONS[first.along]


def turned(formula: Formula, direction: Direction) -> Formula:
    """The formula with every value's extent along lines of a direction; rows are as they are.

    Raises:
        CannotPlanError: an input has no place beside lines of this direction.
    """
    if direction is Direction.ROWS:
        return formula
    made: dict[int, Value] = {}
    for node in formula.nodes:
        made[id(node)] = _turned(node, [made[id(each)] for each in node.operands], direction)
    inputs = tuple(made[id(each)] for each in formula.inputs)
    parameters = tuple(made.get(id(each), each) for each in formula.parameters)
    names = {id(made[key]): name for key, name in formula.names.items() if key in made}
    return Formula(inputs, parameters, tuple(made[id(each)] for each in formula.outputs), names)


def _turned(node: Value, operands: Sequence[Value], direction: Direction) -> Value:
    if node.is_leaf:
        extent = _input_extent(node, direction) if node.function == "input" else node.extent
    elif node.function in REDUCTIONS:
        extent = Extent.COLUMN
    else:
        extent = operands[0].extent
        for each in operands[1:]:
            extent = extent.broadcast_with(each.extent)
    return node.with_operands(operands, extent)


def _input_extent(node: Value, direction: Direction) -> Extent:
    if node.extent in (Extent.FULL, Extent.SCALAR):
        return node.extent
    if direction is Direction.COLUMNS and node.extent is Extent.ROW:
        return Extent.COLUMN
    kind = node.extent.name.capitalize()
    raise CannotPlanError(
        f"`{node.name}` is a {kind}, which has no place beside reductions over {_over(direction)}: annotate it with "
        "Rows and give it in full, or declare another operation for that part"
    )


def _over(direction: Direction) -> str:
    return next(along.value for along, each in _DIRECTIONS.items() if each is direction)
