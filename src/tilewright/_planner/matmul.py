# SPDX-License-Identifier: Apache-2.0
"""Matmuls in a formula: splitting the formula at the matmul.

``matmul(x, weights)`` multiplies rows of a tensor by a matrix. The planner plans what comes after it, with the product
as one more tensor of rows; but the compute kernel makes it, block by block, where a reader would have
brought it. For that a tile-row of x stays in L1 until it is done, and the matrix comes in blocks of columns, all of its
rows at a time.

What is multiplied may be computed: ``matmul(rms_norm(x), weights)``. It has a schedule of its own, in which everything
as wide as its rows is in L1 as a whole; what it leaves is the tile-row that stays. Where its rows end inside a tile,
the rest of the tile meets rows of zeros of the matrix, and must be numbers. A tensor that is needed after the product,
too, comes twice.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

from tilewright.formula._direction import CannotPlanError, Direction, direction_of
from tilewright.formula._elementwise import ELEMENTWISE
from tilewright.formula._graph import CASTS, Extent, Value, nodes_of
from tilewright.formula._tracing import Formula

PRODUCT = "product"
# Beside the rows there are zeros, and what was made of them. Functions that leave zeros as they are:
_KEEPS_ZERO = (*CASTS.values(), *(each.name for each in ELEMENTWISE.values() if each.keeps_zero))
# Functions that make no number of a zero, and those that may of something else.
_WILD_AT_ZERO = tuple(each.name for each in ELEMENTWISE.values() if each.is_wild_at_zero)
_WILD = ("div", "power", "mul", *(each.name for each in ELEMENTWISE.values() if each.is_wild))


@dataclasses.dataclass(frozen=True)
class Multiplication:
    """The operands of a matmul, and the value that stands for its result in the formula that is planned.

    Attributes:
        left: what is multiplied by the matrix: a tensor, or what is computed of some.
        is_transposed: whether the matrix is given with its dimensions exchanged.
    """

    left: Value
    right: Value
    product: Value
    is_transposed: bool = False

    @property
    def is_batched(self) -> bool:
        """Whether there is a matrix for each slab."""
        return not self.right.is_matrix

    def columns(self, shape: Sequence[int]) -> int:
        """Columns of the product, for a shape of the matrix."""
        return shape[-2 if self.is_transposed else -1]

    def shape_of_right(self, left: Sequence[int], columns: int) -> tuple[int, ...]:
        """The shape of the matrix for a shape of what is multiplied."""
        sides = (columns, left[-1]) if self.is_transposed else (left[-1], columns)
        return (*left[:-2], *sides) if self.is_batched else sides

    @property
    def left_inputs(self) -> tuple[Value, ...]:
        """The tensors that ``left`` is computed of; itself, if it is one."""
        return tuple(each for each in nodes_of([self.left]) if each.function == "input")


def without_matmul(formula: Formula) -> tuple[Formula, Multiplication | None]:
    """The formula with a tensor in the place of its matmul.

    Raises:
        CannotPlanError: there are several, or reductions that go another way.
    """
    hidden = next((node for node in formula.nodes if node.function == "causal"), None)
    if hidden is not None:
        raise CannotPlanError(f"`{hidden}` has a place in attention only: softmax(causal(q @ transpose(k))) @ v")
    found = [node for node in formula.nodes if node.function == "matmul"]
    if not found:
        return formula, None
    first = found[0]
    _check(formula, found)
    is_transposed = first.operands[1].function == "transpose"
    right = first.operands[1].operands[0] if is_transposed else first.operands[1]
    product = Value("input", extent=Extent.FULL, name=PRODUCT)
    made: dict[int, Value] = {id(first): product}
    for node in formula.nodes:
        if id(node) not in made:
            operands = [made[id(each)] for each in node.operands]
            same = all(new is old for new, old in zip(operands, node.operands, strict=True))
            made[id(node)] = node if same else node.with_operands(operands, node.extent)
    outputs = tuple(made[id(each)] for each in formula.outputs)
    names = {id(made[key]): name for key, name in formula.names.items() if key in made and made[key] is not product}
    needed = {id(each) for each in nodes_of(outputs)}
    left, copied = _apart(first.operands[0], needed)
    names |= {id(copied[key]): name for key, name in formula.names.items() if key in copied}
    if right.function != "input":
        raise CannotPlanError(f"`{right}` is computed, and `{first}` multiplies by a tensor")
    if id(right) in needed or any(each is right for each in nodes_of([first.operands[0]])):
        raise CannotPlanError(f"`{right}` is needed beside `{first}`, which multiplies by it")
    factors = [id(each) for each in (*nodes_of([first.operands[0]]), right)]
    inputs = (product, *(each for each in formula.inputs if id(each) in needed or id(each) not in factors))
    return Formula(inputs, formula.parameters, outputs, names), Multiplication(left, right, product, is_transposed)


def _apart(left: Value, needed: Collection[int]) -> tuple[Value, dict[int, Value]]:
    """The operands, with tensors of their own where others are ``needed`` besides it; values by the id they had."""
    made: dict[int, Value] = {}
    for node in nodes_of([left]):
        if node.function == "input" and id(node) in needed:
            made[id(node)] = Value("input", extent=node.extent, name=node.name)
            continue
        operands = [made[id(each)] for each in node.operands]
        same = all(new is old for new, old in zip(operands, node.operands, strict=True))
        made[id(node)] = node if same else node.with_operands(operands, node.extent)
    return made[id(left)], made


def may_be_nan_outside_rows(left: Value) -> bool:
    """Whether what is multiplied may be no number beside its rows, where a mask has to make it zero."""
    is_zero: dict[int, bool] = {}
    for node in nodes_of([left]):
        given = [is_zero[id(each)] for each in node.operands]
        is_zero[id(node)] = _is_zero(node, given)
        if node.extent is Extent.FULL and _is_wild(node, given):
            return True
    return False


def _is_zero(node: Value, given: list[bool]) -> bool:
    """Whether a value is zero beside the rows, if its operands are where ``given``."""
    if node.function == "input":
        return node.extent in (Extent.FULL, Extent.ROW)
    if node.function in ("mul", "div"):
        return any(given) if node.function == "mul" else given[0] and not given[1]
    if node.function == "where":
        return all(given[1:])
    return node.function in (*_KEEPS_ZERO, "add", "sub", "maximum", "minimum") and all(given)


def _is_wild(node: Value, given: list[bool]) -> bool:
    function = node.function
    if node.own is not None:
        return True
    if function == "mul":
        return not any(given)
    if function == "div":
        return given[1] or not given[0]
    if function == "power" and given[0]:
        return node.numbers[0] < 0
    return function in (_WILD_AT_ZERO if all(given) else _WILD)


def _check(formula: Formula, found: list[Value]) -> None:
    first = found[0]
    if len(found) > 1:
        raise CannotPlanError(f"`{found[1]}` is a second matmul: declare an operation for each")
    if direction_of(formula) is not Direction.ROWS:
        raise CannotPlanError(f"`{first}` goes along rows, as reductions beside it must: use dim=-1")
