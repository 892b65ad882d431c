# SPDX-License-Identifier: Apache-2.0
"""Evaluate a formula in float64 on NumPy arrays.

This is the reference of every test. It walks the same graph the planner does, so the two cannot disagree about what an
operation computes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilewright.formula._elementwise import ELEMENTWISE
from tilewright.formula._graph import Along, Extent, Value, nodes_of
from tilewright.formula._own_phase import OwnPhase

Float64: TypeAlias = NDArray[np.float64]

_AXES: dict[Along, Any] = {Along.ROWS: -1, Along.COLUMNS: -2, Along.BOTH: (-2, -1)}


def _to_bfloat16(x: Float64) -> Float64:
    """To nearest, ties to even, of what float32 can hold; everything else stays what it is."""
    bits = np.asarray(x, dtype=np.float32).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return np.where(np.isfinite(x), rounded.astype(np.float64), x)


def _to_int32(x: Float64) -> Float64:
    """Towards zero, the ends of the range beyond it."""
    return np.clip(np.trunc(x), -(2.0**31), 2.0**31 - 1)


UNARY: dict[str, Callable[[Float64], Any]] = {
    **{name: each.reference for name, each in ELEMENTWISE.items()},
    "to_bfloat16": _to_bfloat16,
    "to_float32": lambda x: np.asarray(x, dtype=np.float32).astype(np.float64),
    "to_int32": _to_int32,
}
BINARY: dict[str, Callable[[Float64, Float64], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}
_REDUCTIONS: dict[str, Any] = {"sum": np.sum, "mean": np.mean, "max": np.max}


def apply(node: Value, operands: Sequence[Float64]) -> Float64:
    """One node, of what its operands are."""
    with np.errstate(all="ignore"):
        if node.function in UNARY:
            return np.asarray(UNARY[node.function](operands[0]))
        if node.function in BINARY:
            return np.asarray(BINARY[node.function](*operands), dtype=np.float64)
        if node.function in _REDUCTIONS:
            assert node.along is not None
            return np.asarray(_REDUCTIONS[node.function](operands[0], axis=_AXES[node.along], keepdims=True))
        if node.own is not None:
            return _of_own_phase(node.own, operands)
        if node.function == "matmul":
            return np.asarray(np.matmul(operands[0], of_heads(operands[1], operands[0].shape)))
        if node.function == "transpose":
            return np.swapaxes(operands[0], -1, -2)
        if node.function == "causal":
            rows, columns = operands[0].shape[-2:]
            return np.where(np.tri(rows, columns, columns - rows, dtype=bool), operands[0], -np.inf)
        if node.function == "where":
            return np.where(operands[0] != 0, operands[1], operands[2])
        if node.function == "clamp":
            return np.asarray(np.minimum(np.maximum(operands[0], node.numbers[0]), node.numbers[1]))
        if node.function == "power":
            return np.power(operands[0], node.numbers[0])
    raise AssertionError(node.function)


def of_heads(matrices: Float64, rows: Sequence[int]) -> Float64:
    """Matrices for the slabs of rows of a shape; with fewer heads, several heads of the rows share one."""
    if matrices.ndim < 3 or len(rows) != matrices.ndim or rows[-3] in (1, matrices.shape[-3]):
        return matrices
    group, rest = divmod(rows[-3], matrices.shape[-3])
    return matrices if rest else np.repeat(matrices, group, axis=-3)


def _of_own_phase(own: OwnPhase, operands: Sequence[Float64]) -> Float64:
    names = {f"operand_{index}": each for index, each in enumerate(operands)}
    meaning = own.meaning(tuple(Value("input", extent=Extent.FULL, name=name) for name in names))
    return evaluate_all([meaning], names)[id(meaning)]


def evaluate_all(outputs: Sequence[Value], names: Mapping[str, Any]) -> dict[int, Float64]:
    """The value of every node, by id; ``names`` has inputs and parameters."""
    values: dict[int, Float64] = {}
    for node in nodes_of(outputs):
        if node.is_constant:
            values[id(node)] = np.asarray(node.numbers[0])
        elif node.is_leaf:
            values[id(node)] = np.asarray(names[node.name], dtype=np.float64)
        else:
            values[id(node)] = apply(node, [values[id(each)] for each in node.operands])
    return values
