# SPDX-License-Identifier: Apache-2.0
"""Recompute cost of a value, against a buffer that keeps it."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.formula._elementwise import ELEMENTWISE
from tilewright.formula._graph import REDUCTIONS, Extent, Value, nodes_of

# Calls of the vector unit that a value must save to be worth a buffer; functions such as exp count as four.
KEEP_FROM_COST = 5
_DEAR = ("power", *(each.name for each in ELEMENTWISE.values() if each.is_dear))


def cost_of(value: Value, is_outside: Mapping[int, object]) -> int:
    """Calls that computing a value takes, up to what lies in buffers."""
    total, seen, stack = 0, set(), [value]
    while stack:
        node = stack.pop()
        if id(node) in seen or node.is_leaf or (node is not value and id(node) in is_outside):
            continue
        seen.add(id(node))
        total += 4 if node.function in _DEAR else 1
        stack.extend(node.operands)
    return total


def is_number(value: Value) -> bool:
    """Whether the host knows a value: nothing but constants and parameters is in it."""
    return value.extent is Extent.SCALAR and not any(
        each.function in ("input", *REDUCTIONS) for each in nodes_of([value])
    )


def values_to_keep(reduced: Value) -> list[Value]:
    """Values that make up what is reduced and may go through buffers: what the matrix unit can make, or a choice.

    A choice between inputs and numbers, such as scores behind a mask, costs more calls than reading it again, and a
    buffer that the matrix unit reads holds bfloat16s of it whole.
    """
    is_choice = reduced.function == "where" and reduced.extent is Extent.FULL
    if is_choice and all(each.function == "input" or is_number(each) for each in reduced.operands[1:]):
        return [reduced]
    return matrix_values(reduced)


def matrix_values(reduced: Value) -> list[Value]:
    """The values that make up what is reduced, if the matrix unit can make each of buffers; empty if it cannot.

    A square, or a sum, difference or product of rows with rows or columns.
    """
    found: list[Value] = []
    stack = [reduced]
    while stack:
        node = stack.pop()
        if node.is_leaf or node.extent is not Extent.FULL:
            continue
        if node.function not in ("square", "add", "sub", "mul") or any(
            each.extent is Extent.SCALAR for each in node.operands
        ):
            return []
        found.append(node)
        stack.extend(node.operands)
    return found
