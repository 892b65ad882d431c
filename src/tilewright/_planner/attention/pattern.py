# SPDX-License-Identifier: Apache-2.0
"""Recognise attention in a formula: ``softmax(scores(q @ transpose(k))) @ v``.

What makes it attention is the graph, not names: a matmul whose left operand is a softmax along rows of scores, which
are computed element by element of one matmul with a transposed tensor. Between the two matmuls every row of scores is
divided by its sum; so the rows need not be there as a whole. Blocks of keys go through L1 one after the other, with the
largest score and the sum of powers so far (Milakov and Gimelshein; Dao and others).
"""

from __future__ import annotations

import dataclasses

from tilewright._planner.matmul import PRODUCT
from tilewright.formula._graph import REDUCTIONS, Along, Extent, Value, nodes_of, rebuilt
from tilewright.formula._tracing import Formula


@dataclasses.dataclass(frozen=True)
class Attention:
    """The parts of an attention.

    Attributes:
        queries, keys, values: the tensors.
        product: stands for ``queries @ transpose(keys)`` in the scores.
        scores: of the product and further tensors and numbers, before what is hidden.
        masks: the further tensors, as large as the scores.
        is_causal: whether a row sees the columns up to its own place only.
    """

    queries: Value
    keys: Value
    values: Value
    product: Value
    scores: Value
    masks: tuple[Value, ...]
    is_causal: bool

    @property
    def inputs(self) -> tuple[Value, ...]:
        return (self.queries, self.keys, self.values, *self.masks)


def attention_of(formula: Formula) -> Attention | None:
    """The attention that a formula is as a whole; None if it is something else."""
    if len(formula.outputs) != 1 or formula.outputs[0].function != "matmul":
        return None
    weights, values = formula.outputs[0].operands
    scores = _scores_of(weights)
    if scores is None or not _is_rows(values):
        return None
    is_causal = scores.function == "causal"
    if is_causal:
        scores = scores.operands[0]
    products = [each for each in nodes_of([scores]) if each.function == "matmul"]
    if len(products) != 1:
        return None
    queries, transposed = products[0].operands
    if transposed.function != "transpose" or not _is_rows(queries) or not _is_rows(transposed.operands[0]):
        return None
    product = Value("input", extent=Extent.FULL, name=PRODUCT)
    scores = _with_product(scores, products[0], product)
    nodes = nodes_of([scores])
    masks = tuple(each for each in nodes if each.function == "input" and each is not product)
    tensors = [queries, transposed.operands[0], values, *masks]
    is_elementwise = all(
        each.function not in (*REDUCTIONS, "matmul", "transpose", "causal") and each.own is None for each in nodes
    )
    if not is_elementwise or not all(map(_is_rows, masks)) or len({id(each) for each in tensors}) < len(tensors):
        return None
    return Attention(queries, transposed.operands[0], values, product, scores, masks, is_causal)


def _is_rows(value: Value) -> bool:
    return value.function == "input" and value.extent is Extent.FULL and not value.is_matrix


def _scores_of(weights: Value) -> Value | None:
    """What a softmax along rows is taken of; None if it is none."""
    if weights.function == "mul":
        pairs = [weights.operands, weights.operands[::-1]]
        powers, total = next(((a, b.operands[0]) for a, b in pairs if b.function == "reciprocal"), (None, None))
    elif weights.function == "div":
        powers, total = weights.operands
    else:
        return None
    if powers is None or total is None or powers.function != "exp" or total.function != "sum":
        return None
    shifted = powers.operands[0]
    if total.operands[0] is not powers or total.along is not Along.ROWS or shifted.function != "sub":
        return None
    scores, largest = shifted.operands
    if largest.function != "max" or largest.along is not Along.ROWS or largest.operands[0] is not scores:
        return None
    return scores


def _with_product(scores: Value, matmul: Value, product: Value) -> Value:
    """Scores with a tensor in the place of the matmul."""
    made: dict[int, Value] = {id(matmul): product}
    for node in nodes_of([scores]):
        if id(node) not in made:
            made[id(node)] = rebuilt(node, [made[id(each)] for each in node.operands])
    return made[id(scores)]
