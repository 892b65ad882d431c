# SPDX-License-Identifier: Apache-2.0
"""A matmul in a formula: where it is cut out, and what stands in its place.

``matmul(x, weights)`` multiplies rows of a tensor by a matrix. The planner plans what comes after it, with the product
as one more tensor of rows; only nobody reads it: the compute kernel makes it, block by block, where a reader would have
brought it. For that a tile-row of x stays in L1 until it is done, and the matrix comes in blocks of columns, all of its
rows at a time.

What is multiplied may be computed: ``matmul(x * silu(gate), weights)``. A tile-row of each of its tensors comes, is
computed with element by element, and becomes the tile-row that stays.
"""

from __future__ import annotations

import dataclasses

from tilewright.formula.graph import REDUCTIONS, Extent, Value, nodes_of
from tilewright.formula.tracing import Formula
from tilewright.ops.direction import CannotPlanError, Direction, direction_of

PRODUCT = "product"


@dataclasses.dataclass(frozen=True)
class Multiplication:
    """The operands of a matmul, and the value that stands for its result in the formula that is planned.

    Attributes:
        left: what is multiplied by the matrix: a tensor, or what is computed of some.
    """

    left: Value
    right: Value
    product: Value

    @property
    def left_inputs(self) -> tuple[Value, ...]:
        """The tensors that ``left`` is computed of; itself, if it is one."""
        return tuple(each for each in nodes_of([self.left]) if each.function == "input")


def without_matmul(formula: Formula) -> tuple[Formula, Multiplication | None]:
    """The formula with a tensor in the place of its matmul.

    Raises:
        CannotPlanError: there are several, or their operands are reduced or needed elsewhere.
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
            made[id(node)] = node if same else node.with_operands(operands, node.extent)
    outputs = tuple(made[id(each)] for each in formula.outputs)
    left, right = first.operands
    multiplication = Multiplication(left, right, product)
    factors = (*multiplication.left_inputs, multiplication.right)
    needed = {id(each) for each in nodes_of(outputs)}
    for each in factors:
        if id(each) in needed:
            raise CannotPlanError(
                f"`{first}`: {each.name} is needed besides it; give it once more, as a parameter of its own"
            )
    inputs = (product, *(each for each in formula.inputs if all(each is not factor for factor in factors)))
    names = {id(made[key]): name for key, name in formula.names.items() if key in made and made[key] is not product}
    return Formula(inputs, formula.parameters, outputs, names), multiplication


def _check(formula: Formula, found: list[Value]) -> None:
    first = found[0]
    if len(found) > 1:
        raise CannotPlanError(f"`{found[1]}` is a second matmul: declare an operation for each")
    for node in nodes_of([first.operands[0]]):
        if node.function in REDUCTIONS:
            raise CannotPlanError(
                f"`{node}` is a reduction before `{first}`: only what goes element by element has a place there; "
                "compute it with an operation of its own, and give the result"
            )
        if node.function == "input" and node.extent in (Extent.COLUMN, Extent.SCALAR):
            raise CannotPlanError(
                f"`{node.name}` is computed with before `{first}`, where only Rows and a Row have a place: "
                "multiply the product by it, or give it spread out as Rows"
            )
    if direction_of(formula) is not Direction.ROWS:
        raise CannotPlanError(f"`{first}` goes along rows, as reductions beside it must: use dim=-1")
