# SPDX-License-Identifier: Apache-2.0
"""A formula as code of torch or NumPy, literals of numbers, and tolerances, for an exported test."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Mapping

import numpy as np

from tilewright._tensor.dtype import DataType
from tilewright._tensor.paper_device import paper_device
from tilewright.formula._elementwise import ELEMENTWISE
from tilewright.formula._graph import Along, Value, expression_text, nodes_of, number_text
from tilewright.formula._tracing import Formula
from tilewright.formula._validation import OperationError
from tilewright.ops._operation import Operation

_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip
_DIMENSIONS: dict[Along | None, str] = {Along.ROWS: "-1", Along.COLUMNS: "-2", Along.BOTH: "(-2, -1)"}
_HOST_FUNCTIONS = ("sqrt", "exp", "log", "tanh", "erf", "sin", "cos", "expm1", "log1p")


@dataclasses.dataclass(frozen=True)
class _Dialect:
    """How a formula's functions are written for one library.

    Attributes:
        calls: functions of values, ``{0}`` the first operand.
        reductions: functions of a value and a dimension.
        as_number: a truth value as 0 or 1.
        as_tensor: a number where the library wants a tensor.
    """

    calls: Mapping[str, str]
    reductions: Mapping[str, str]
    as_number: str
    as_tensor: str


_TORCH = _Dialect(
    calls={
        **{name: f"{each.torch or f'torch.{name}'}({{0}})" for name, each in ELEMENTWISE.items()},
        "maximum": "torch.maximum({0}, {1})",
        "minimum": "torch.minimum({0}, {1})",
        "where": "torch.where({0} != 0, {1}, {2})",
        "clamp": "torch.clamp({0}, {1}, {2})",
        "power": "torch.pow({0}, {1})",
        "transpose": "{0}.transpose(-1, -2)",
        "matmul": "torch.matmul({0}, {1})",
        "causal": "{0}.masked_fill(torch.ones_like({0}).triu({0}.shape[-1] - {0}.shape[-2] + 1) > 0, -torch.inf)",
        "to_int32": "torch.clamp(torch.trunc({0}), -(2.0**31), 2.0**31 - 1)",
        "to_bfloat16": "{0}.to(torch.bfloat16).double()",
        "to_float32": "{0}.to(torch.float32).double()",
    },
    reductions={
        "sum": "{0}.sum({1}, keepdim=True)",
        "mean": "{0}.mean({1}, keepdim=True)",
        "max": "{0}.amax({1}, keepdim=True)",
    },
    as_number="{0}.double()",
    as_tensor="torch.tensor({0}, dtype=torch.float64)",
)
_NUMPY = _Dialect(
    calls={
        **{name: f"{'' if each.numpy else 'np.'}{name}({{0}})" for name, each in ELEMENTWISE.items()},
        "maximum": "np.maximum({0}, {1})",
        "minimum": "np.minimum({0}, {1})",
        "where": "np.where({0} != 0, {1}, {2})",
        "clamp": "np.clip({0}, {1}, {2})",
        "power": "np.power({0}, {1})",
        "transpose": "np.swapaxes({0}, -1, -2)",
        "matmul": "np.matmul({0}, {1})",
        "causal": "np.where(np.tri(*{0}.shape[-2:], {0}.shape[-1] - {0}.shape[-2]) != 0, {0}, -np.inf)",
        "to_int32": "np.clip(np.trunc({0}), -(2.0**31), 2.0**31 - 1)",
        "to_bfloat16": "to_bfloat16({0})",
        "to_float32": "np.float32({0}).astype(np.float64)",
    },
    reductions={name: f"{{0}}.{name}({{1}}, keepdims=True)" for name in ("sum", "mean", "max")},
    as_number="({0} * 1.0)",
    as_tensor="{0}",
)
# Bodies of functions that NumPy lacks.
_NUMPY_BODIES = {
    **{name: f"return {each.numpy}" for name, each in ELEMENTWISE.items() if each.numpy},
    "to_bfloat16": """\
words = np.float32(x).view(np.uint32)
    return (words + (0x7FFF + (words >> 16 & 1)) & 0xFFFF0000).view(np.float32).astype(np.float64)""",
}


def torch_lines(formula: Formula) -> list[str]:
    """The body of a function that computes a formula in torch; one line for each value with a name."""
    return _lines(formula, _TORCH)


def numpy_lines(formula: Formula) -> list[str]:
    """The same in NumPy, with the functions of :func:`numpy_helpers`."""
    return _lines(formula, _NUMPY)


def numpy_helpers(lines: Iterable[str]) -> str:
    """Definitions of the functions that lines in NumPy call and NumPy lacks."""
    text = "\n".join(lines)
    called = [name for name in _NUMPY_BODIES if re.search(rf"(?<![.\w]){name}\(", text)]
    return "".join(f"def {name}(x):\n    {_NUMPY_BODIES[name]}\n\n\n" for name in called)


def _lines(formula: Formula, dialect: _Dialect) -> list[str]:
    names = {id(each): each.name for each in (*formula.inputs, *formula.parameters)}
    lines = []
    for node in formula.nodes:
        if formula.name_of(node) and not node.is_leaf:
            lines.append(f"{formula.name_of(node)} = {_written(node, names, dialect)}")
            names[id(node)] = formula.name_of(node)
    return [*lines, f"return {', '.join(_written(each, names, dialect) for each in formula.outputs)}"]


def _written(node: Value, names: dict[int, str], dialect: _Dialect) -> str:
    if id(node) in names:
        return names[id(node)]
    if node.is_constant:
        return number_text(node.numbers[0])
    operands = [_written(each, names, dialect) for each in node.operands]
    if node.function in _OPERATORS:
        text = f"({operands[0]} {_OPERATORS[node.function]} {operands[1]})"
        return text if node.function in ("add", "sub", "mul", "div") else dialect.as_number.format(text)
    if node.function in dialect.reductions:
        return dialect.reductions[node.function].format(operands[0], _DIMENSIONS[node.along])
    if node.own is not None:
        places = tuple(Value("input", extent=each.extent) for each in node.operands)
        known = {id(place): text for place, text in zip(places, operands, strict=True)}
        return _written(node.own.meaning(places), known, dialect)
    if node.function in ("maximum", "minimum"):
        operands = [
            text if _has_input(each) else dialect.as_tensor.format(text)
            for text, each in zip(operands, node.operands, strict=True)
        ]
    return dialect.calls[node.function].format(*operands, *map(number_text, node.numbers))


def _has_input(value: Value) -> bool:
    """Whether a tensor is among what a value is computed from."""
    return any(each.function == "input" for each in nodes_of([value]))


def host_text(value: Value) -> str:
    """A number that the host computes, as Python."""
    for node in nodes_of([value]):
        if not node.is_leaf and node.function not in _OPERATORS and node.function not in (*_HOST_FUNCTIONS, "neg"):
            raise OperationError(
                f"`{value}` cannot be exported: {node.function} of a number; compute it before the call"
            )
    text = expression_text(value)
    for name in _HOST_FUNCTIONS:
        text = text.replace(f"{name}(", f"math.{name}(")
    return text


def largest_bound(operation: Operation, shape: tuple[int, ...], dtype: DataType) -> float:
    """Twice the largest bound on normal data, as a share of max(1, |result|): the card's data will be others.

    Exported operations have the plan of the planner's rules, not one that the clock prefers.

    Raises:
        OperationError: zeros would be within it, so a test with it could not fail.
    """
    generator, device = np.random.default_rng(0), paper_device("wormhole_b0")
    rows, width = min(math.prod(shape[:-1]), 64), shape[-1]
    sizes = operation.input_shapes((rows, width))
    operands = {
        each.name: generator.standard_normal(sizes[each.name]) / (width**0.5 if each.is_matrix else 1)
        for each in operation.inputs
    }
    parts = [(each, each.decision(shape, dtype, device).rule) for each in operation.parts_for(dtype)]
    found = operation.bounds_of_parts(parts, operands)
    shares = [allowed / np.maximum(1, np.abs(exact)) for exact, allowed in zip(found.exact, found.allowed, strict=True)]
    bound = 2 * max(float(each[np.isfinite(each)].max(initial=0.0)) for each in shares)
    if any(not np.isfinite(each).any() for each in shares) or any(np.abs(each).max() <= bound for each in found.exact):
        raise OperationError(
            f"{operation.name} cannot be exported: on normal numbers of shape {list(shape)} its error bound is as "
            "large as its results, so the test of the package could not fail; declare a tolerance of your own, such as "
            'tolerance=OwnTolerance(relative=0.05, reason="...")'
        )
    return bound
