# SPDX-License-Identifier: Apache-2.0
"""Data model of a schedule: buffers before sizing, steps, passes."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from tilewright._planner.matmul import Multiplication
from tilewright._planner.register_program import RegisterProgram
from tilewright._planner.strategy import Strategy
from tilewright._planner.work_grid import Freedom
from tilewright._program.kernel_config import MathFidelity
from tilewright._program.program import ProgramDescriptor
from tilewright._tensor.tensor import Tensor
from tilewright.formula._direction import Direction
from tilewright.formula._graph import Extent, Value
from tilewright.formula._inputs import Slabs
from tilewright.kernels import Kernel

OwnProgram: TypeAlias = Callable[[Mapping[str, Tensor], Mapping[str, float]], ProgramDescriptor]


@dataclasses.dataclass(frozen=True)
class Choices:
    """Choices of a declaration about its plan.

    Attributes:
        buffers: indices by name of the buffer; a value or a parameter of this name gets a buffer.
        sticks: pages of rows are sticks, 32 of them a block, instead of tiles.
        with_matrix_unit: whether sums, differences and products of two buffers go to the matrix unit, which is quicker
            and takes 10 mantissa bits of a float32.
        kernels: kernels of one's own by strategy and role, in the place of those that would be made.
        program: makes a program of one's own, of tensors and numbers by name, in the place of the planned one.
        values_in_buffers: whether values that are reduced go through buffers, where the matrix unit can make them, and
            not through DST alone; the clock decides.
        segmented: whether cores take segments of a tile-row; the clock decides.
        exchanged: whether cores have a part of a tile-row each and exchange what they reduce; the clock decides.
        parts_left: whether cores that need the same rows to multiply compute a part of them each; the planner decides.
        error: what the matrix unit may leave out of a product; None is the default.
    """

    buffers: Mapping[str, int] = dataclasses.field(default_factory=dict)
    sticks: bool = False
    with_matrix_unit: bool = True
    kernels: Mapping[str, Mapping[str, Kernel]] = dataclasses.field(default_factory=dict)
    program: OwnProgram | None = None
    values_in_buffers: bool = False
    segmented: bool = False
    exchanged: bool = False
    parts_left: bool = False
    error: float | None = None

    @property
    def fuses_attention(self) -> bool:
        """Whether attention may be one program, whose rows are tiles and whose matrix unit subtracts."""
        return self.with_matrix_unit and not self.sticks

    @property
    def decides_plan(self) -> bool:
        """Whether the declaration asks for a plan of its own, which the clock leaves as it is."""
        return bool(self.buffers or self.sticks or self.kernels or self.program is not None)


@dataclasses.dataclass(frozen=True)
class Operand:
    """An input as the schedule sees it: which it is, its extent, its format and whether it is in tiles.

    Attributes:
        slabs: how its slabs broadcast to those of the first tensor, if it has fewer.
    """

    name: str
    extent: Extent
    format: str
    is_tiled: bool = False
    slabs: Slabs | None = None


@dataclasses.dataclass(frozen=True)
class Factors:
    """The product that makes one of a schedule's tensors."""

    multiplication: Multiplication
    left: Sequence[Operand]
    right: Operand


class Role(enum.Enum):
    """Purposes of buffers."""

    ROWS_IN = "rows"  # row-major rows of an input, from the reader
    STICK = "stick"  # one row of an input, the reader's own
    INPUT = "input"  # tiles of an input
    NUMBER = "number"  # a parameter, in a tile
    VALUE = "value"  # a value of the formula
    PARTS = "parts"  # what of a reduction lies in one tile before it is reduced
    OWN_PART = "own part"  # what a core's part of a line is reduced to
    ALL_PARTS = "all parts"  # the same of every core that has a part of the line
    SCALER = "scaler"
    LEFT_ROWS = "left rows"  # row-major rows that are multiplied by a matrix as they are
    LEFT = "left"  # tiles of what is multiplied
    LEFT_PART = "left part"  # the part of them that a core computes for all that need them
    RIGHT_ROWS = "right rows"  # row-major rows of the matrix
    RIGHT = "right"  # tiles of it
    MASK = "mask"  # which elements of the tiles at an edge belong to the tensor
    OUTPUT = "output"


@dataclasses.dataclass(frozen=True)
class Store:
    """A circular buffer, before it has a size.

    Attributes:
        value: what it holds; None for the scaler.
        kept: whether several passes read it, or every tile-row: it has room for a whole row.
        persistent: whether it is filled once and never popped.
        read_by_matrix_unit: whether a float32 in it is cut to 10 mantissa bits.
        slabs: of an input, as in :class:`Operand`.
        inner: whether it belongs to the rows that are multiplied by a matrix, which have a width of their own.
    """

    name: str
    role: Role
    value: Value | None
    extent: Extent
    format: str
    kept: bool = False
    persistent: bool = False
    read_by_matrix_unit: bool = False
    slabs: Slabs | None = None
    inner: bool = False


class Scope(enum.Enum):
    """Units of a step."""

    ROW = "row"
    BLOCK = "block"
    COLUMN = "column"


@dataclasses.dataclass(frozen=True)
class Tilize:
    """Rows of an input become tiles."""

    rows: str
    tiles: str
    extent: Extent


@dataclasses.dataclass(frozen=True)
class Compute:
    """A value becomes tiles of a buffer, or rows or tiles of an output.

    Attributes:
        masked: whether what lies beyond the row is made zero.
    """

    name: str
    value: Value
    program: RegisterProgram
    target: str
    scope: Scope
    as_rows: bool
    masked: bool = False


@dataclasses.dataclass(frozen=True)
class Reduce:
    """A reduction of what a buffer holds; or of a value in DST, if there is a program: tiles are added up first.

    Attributes:
        parts: the buffer for what tiles were added up to.
    """

    value: Value
    target: str
    scope: Scope
    source: str = ""
    program: RegisterProgram | None = None
    parts: str = ""


@dataclasses.dataclass(frozen=True)
class Combine:
    """What cores reduced their parts of a line to is exchanged, and becomes the reduction of the line."""

    value: Value
    own: str
    source: str
    target: str
    scope: Scope = Scope.COLUMN


@dataclasses.dataclass(frozen=True)
class Deliver:
    """The content of a buffer becomes rows or tiles of an output."""

    source: str
    target: str
    scope: Scope
    as_rows: bool


@dataclasses.dataclass(frozen=True)
class Pop:
    """Pages that no step needs any more."""

    buffer: str
    scope: Scope


Step: TypeAlias = Tilize | Compute | Reduce | Combine | Deliver | Pop


@dataclasses.dataclass(frozen=True)
class Pass:
    """One way over a tile-row.

    Attributes:
        loads: inputs that stay, tilized block by block before anything else.
        row, block, column: steps over the row, over each block, and of columns.
        streamed: inputs that come block by block, in order.
        drained: buffers of whole rows that this pass pops block by block, so that the next block is at their front.
    """

    loads: tuple[Tilize, ...] = ()
    row: tuple[Step, ...] = ()
    block: tuple[Step, ...] = ()
    column: tuple[Step, ...] = ()
    loaded_inputs: tuple[str, ...] = ()
    streamed: tuple[str, ...] = ()
    drained: frozenset[str] = frozenset()


@dataclasses.dataclass(frozen=True)
class Schedule:
    """The steps of a core for each line of tiles.

    Attributes:
        direction: of the lines; facts about rows here hold for them.
        columns_in: column inputs, brought first.
        passes: in order.
        stores: buffers by name.
        numbers: runtime arguments of kernels, by name: what the host computes for them.
        outputs: buffers of the results, in order of the formula.
        multiplication: of which one of the tensors it reads is the product.
        left: what is done to make what is multiplied, if it is computed; its buffers are among ``stores``.
        values_in_buffers, segmented, exchanged, parts_left: as in :class:`Choices`.
        filled_by_writer: buffers that the writer fills, in the place of the reader.
        fidelity: of the matrix unit.
    """

    direction: Direction
    strategy: Strategy
    columns_in: tuple[str, ...]
    passes: tuple[Pass, ...]
    stores: Mapping[str, Store]
    numbers: Mapping[str, Value]
    outputs: tuple[str, ...]
    multiplication: Multiplication | None = None
    left: Schedule | None = None
    values_in_buffers: bool = False
    filled_by_writer: frozenset[str] = frozenset()
    segmented: bool = False
    exchanged: bool = False
    parts_left: bool = False
    fidelity: MathFidelity = MathFidelity.HiFi4

    @property
    def may_exchange(self) -> bool:
        """Whether cores could have a part of a tile-row each and exchange what they reduce."""
        return (
            self.direction is Direction.ROWS
            and self.multiplication is None
            and self.strategy.keeps_lines
            and any(isinstance(step, Reduce) for step in self.steps())
        )

    @property
    def has_independent_blocks(self) -> bool:
        """Whether every block of a tile-row can be computed without the others."""
        steps = [step for each in self.passes for step in (*each.loads, *each.row, *each.block, *each.column)]
        return (
            self.direction is Direction.ROWS
            and self.multiplication is None
            and not self.strategy.keeps_lines
            and not any(isinstance(step, Reduce) for step in steps)
            and all(self.stores[each].extent is Extent.FULL for each in self.outputs)
        )

    @property
    def shares_operands(self) -> bool:
        """Whether cores may need the same tiles: there is one matrix for all rows."""
        return self.multiplication is not None and not self.multiplication.is_batched

    @property
    def may_part_left(self) -> bool:
        """Whether cores that need the same rows to multiply could compute a part of them each."""
        return (
            self.left is not None
            and self.shares_operands
            and not any(isinstance(step, Compute) and step.value.own is not None for step in self.left.steps())
        )

    @property
    def freedom(self) -> Freedom:
        """How a product may be cut and kept."""
        steps = [step for each in self.passes for step in (*each.row, *each.block, *each.column)]
        is_reduced = any(isinstance(step, Reduce) for step in steps)
        is_wide = all(self.stores[name].extent is Extent.FULL for name in self.outputs)
        reads_ahead = self.left is None or self.parts_left
        return Freedom(not is_reduced and is_wide, self.makes_product_once, reads_ahead)

    @property
    def num_product_passes(self) -> int:
        """Passes that make the product."""
        if self.multiplication is None:
            return 0
        name = self.multiplication.product.name
        return sum(name in (*each.loaded_inputs, *each.streamed) for each in self.passes)

    @property
    def makes_product_once(self) -> bool:
        return self.num_product_passes == 1

    @property
    def scaler(self) -> str:
        """The buffer with the ones of this schedule's own sums; empty if there is none."""
        found = [each for each in self.stores.values() if each.role is Role.SCALER]
        own = [each for each in found if not each.inner]  # beside one of what is done before
        return next((each.name for each in (*own, *found)), "")

    @property
    def combined(self) -> tuple[Combine, ...]:
        """What cores exchange for each line, in order."""
        return tuple(step for each in self.passes for step in each.column if isinstance(step, Combine))

    def store_of(self, value: Value, *roles: Role) -> Store | None:
        wanted = roles or (Role.INPUT, Role.VALUE, Role.NUMBER)
        return next((each for each in self.stores.values() if each.value is value and each.role in wanted), None)

    def steps(self) -> list[Step]:
        before = [] if self.left is None else self.left.steps()
        return before + [step for each in self.passes for step in (*each.loads, *each.row, *each.block, *each.column)]
