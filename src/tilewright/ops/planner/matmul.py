# SPDX-License-Identifier: Apache-2.0
"""A matmul in a formula: where it is cut out, and what stands in its place.

``matmul(x, weights)`` multiplies rows of a tensor by a matrix. The planner plans what comes after it, with the product
as one more tensor of rows; only nobody reads it: the compute kernel makes it, block by block, where a reader would have
brought it. For that a tile-row of x stays in L1 until it is done, and the matrix comes in blocks of columns, all of its
rows at a time.
"""

from __future__ import annotations

import dataclasses

from tilewright.formula.graph import Extent, Value, nodes_of
from tilewright.formula.tracing import Formula
from tilewright.ops.direction import CannotPlanError, Direction, direction_of

PRODUCT = "product"


@dataclasses.dataclass(frozen=True)
class Multiplication:
    """The operands of a matmul, and the value that stands for its result in the formula that is planned."""

    left: Value
    right: Value
    product: Value


def without_matmul(formula: Formula) -> tuple[Formula, Multiplication | None]:
    """The formula with a tensor in the place of its matmul.

    Raises:
        CannotPlanError: there are several, or the operands are no tensors or are needed elsewhere.
    """
    found = [node for node in formula.nodes if node.function == "matmul"]
    if not found:
        return formula, None
    first = found[0]
    _check(formula, found)
    product = Value("input", extent=Extent.FULL, name=PRODUCT)
    made: dict[int, Value] = {id(first): product}
    for node in formula.nodes:
        if id(node) not in made:
            operands = [made[id(each)] for each in node.operands]
            same = all(new is old for new, old in zip(operands, node.operands, strict=True))
            made[id(node)] = node if same else _with_operands(node, operands)
    outputs = tuple(made[id(each)] for each in formula.outputs)
    left, right = first.operands
    if any(each is left or each is right for each in nodes_of(outputs)):
        raise CannotPlanError(
            f"`{first}`: {left.name} or {right.name} is needed besides it; give it once more, as a parameter of its own"
        )
    inputs = (product, *(each for each in formula.inputs if each is not left and each is not right))
    names = {id(made[key]): name for key, name in formula.names.items() if key in made and made[key] is not product}
    return Formula(inputs, formula.parameters, outputs, names), Multiplication(left, right, product)


def _check(formula: Formula, found: list[Value]) -> None:
    first = found[0]
    if len(found) > 1:
        raise CannotPlanError(f"`{found[1]}` is a second matmul: declare an operation for each")
    left, _ = first.operands
    if left.function != "input":
        raise CannotPlanError(
            f"`{left}` is computed, and matmul takes tensors: compute it with an operation of its own"
        )
    if direction_of(formula) is not Direction.ROWS:
        raise CannotPlanError(f"`{first}` goes along rows, as reductions beside it must: use dim=-1")


def _with_operands(node: Value, operands: list[Value]) -> Value:
    return Value(node.function, operands, node.extent, numbers=node.numbers, name=node.name, along=node.along)
