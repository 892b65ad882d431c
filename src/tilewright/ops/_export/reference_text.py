# SPDX-License-Identifier: Apache-2.0
"""Torch code of a formula, literals of numbers, and tolerances, for an exported test."""

from __future__ import annotations

import math

import numpy as np

from tilewright._tensor.dtype import DataType
from tilewright._tensor.paper_device import paper_device
from tilewright.formula._elementwise import ELEMENTWISE
from tilewright.formula._graph import CASTS, Along, FormulaError, Value, expression_text, nodes_of, number_text
from tilewright.formula._tracing import Formula
from tilewright.ops._operation import Operation

_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip
_FUNCTIONS = {
    "maximum": "torch.maximum",
    "minimum": "torch.minimum",
    **{name: each.torch or f"torch.{name}" for name, each in ELEMENTWISE.items()},
}
_REDUCTIONS = {"sum": "sum", "mean": "mean", "max": "amax"}
_DIMENSIONS: dict[Along | None, str] = {Along.ROWS: "-1", Along.COLUMNS: "-2", Along.BOTH: "(-2, -1)"}
_HOST_FUNCTIONS = ("sqrt", "exp", "log", "tanh", "erf", "sin", "cos", "expm1", "log1p")


def torch_lines(formula: Formula) -> list[str]:
    """The body of a function that computes a formula in torch; one line for each value with a name."""
    names = {id(each): each.name for each in (*formula.inputs, *formula.parameters)}
    lines = []
    for node in formula.nodes:
        if formula.name_of(node) and not node.is_leaf:
            lines.append(f"{formula.name_of(node)} = {_torch(node, names)}")
            names[id(node)] = formula.name_of(node)
    return [*lines, f"return {', '.join(_torch(each, names) for each in formula.outputs)}"]


def _torch(node: Value, names: dict[int, str]) -> str:
    if id(node) in names:
        return names[id(node)]
    if node.is_constant:
        return number_text(node.numbers[0])
    operands = [_torch(each, names) for each in node.operands]
    if node.function in _OPERATORS:
        text = f"({operands[0]} {_OPERATORS[node.function]} {operands[1]})"
        return f"{text}.double()" if node.function not in ("add", "sub", "mul", "div") else text
    if node.function in ("maximum", "minimum"):
        operands = [_tensor(text, each) for text, each in zip(operands, node.operands, strict=True)]
    if node.function in _FUNCTIONS:
        return f"{_FUNCTIONS[node.function]}({', '.join(operands)})"
    if node.function in _REDUCTIONS:
        return f"{operands[0]}.{_REDUCTIONS[node.function]}({_DIMENSIONS[node.along]}, keepdim=True)"
    if node.own is not None:
        places = tuple(Value("input", extent=each.extent) for each in node.operands)
        known = {id(place): text for place, text in zip(places, operands, strict=True)}
        return _torch(node.own.meaning(places), known)
    if node.function == "to_int32":
        return f"torch.clamp(torch.trunc({operands[0]}), -(2.0**31), 2.0**31 - 1)"
    if node.function in CASTS.values():
        return f"{operands[0]}.to(torch.{node.function.removeprefix('to_')}).double()"
    if node.function == "transpose":
        return f"{operands[0]}.transpose(-1, -2)"
    if node.function == "matmul":
        return f"torch.matmul({operands[0]}, {operands[1]})"
    if node.function == "where":
        return f"torch.where({operands[0]} != 0, {operands[1]}, {operands[2]})"
    numbers = ", ".join(number_text(each) for each in node.numbers)
    return f"torch.{'clamp' if node.function == 'clamp' else 'pow'}({operands[0]}, {numbers})"


def _tensor(text: str, node: Value) -> str:
    is_number = not any(each.function == "input" for each in nodes_of([node]))
    return f"torch.tensor({text}, dtype=torch.float64)" if is_number else text


def host_text(value: Value) -> str:
    """A number that the host computes, as Python."""
    for node in nodes_of([value]):
        if not node.is_leaf and node.function not in _OPERATORS and node.function not in (*_HOST_FUNCTIONS, "neg"):
            raise FormulaError(f"`{value}` cannot be exported: {node.function} of a number; compute it before the call")
    text = expression_text(value)
    for name in _HOST_FUNCTIONS:
        text = text.replace(f"{name}(", f"math.{name}(")
    return text


def largest_bound(operation: Operation, shape: tuple[int, ...], dtype: DataType) -> float:
    """Twice the largest bound on normal data, as a share of max(1, |result|): the card's data will be others."""
    generator, device = np.random.default_rng(0), paper_device("wormhole_b0")
    rows, width = min(math.prod(shape[:-1]), 64), shape[-1]
    sizes = operation.input_shapes((rows, width))
    operands = {
        each.name: generator.standard_normal(sizes[each.name]) / (width**0.5 if each.is_matrix else 1)
        for each in operation.inputs
    }
    parts = [(each, each.plan(shape, dtype, device)) for each in operation.parts_for(dtype)]
    found = operation.bounds_of_parts(parts, operands)
    shares = [allowed / np.maximum(1, np.abs(exact)) for exact, allowed in zip(found.exact, found.allowed, strict=True)]
    largest = max(float(each[np.isfinite(each)].max()) for each in shares)
    return 2 * largest
