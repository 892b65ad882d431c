# SPDX-License-Identifier: Apache-2.0
"""Functions of the formula language; those of one value are the rows of its table.

>>> from tilewright.formula import Extent, Value, mean, rsqrt, square
>>> x = Value("input", extent=Extent.FULL, name="x")
>>> x * rsqrt(mean(square(x)) + 1e-6)
x * rsqrt(mean(square(x)) + 1e-06)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tilewright._tensor.argument import real_number
from tilewright.formula._elementwise import ELEMENTWISE, Elementwise
from tilewright.formula._graph import (
    CASTS,
    Extent,
    FormulaError,
    Operand,
    Value,
    as_value,
    binary,
    matmul,
    power,
    reduction,
    transpose,
    unary,
)

__all__ = [
    "abs", "cast", "causal", "clamp", "cos", "erf", "exp", "exp2", "expm1", "gelu", "l2_normalize", "log", "log1p",
    "matmul", "max", "maximum", "mean", "min", "minimum", "power", "reciprocal", "relu", "rsqrt", "sigmoid", "sign",
    "silu", "sin", "softmax", "sqrt", "square", "sum", "tanh", "transpose", "var", "where",
]  # fmt: skip


_Function = Callable[[Operand], Value]


def _function(name: str, meaning: str, reference: Callable[[Any], Any], call: str, **facts: Any) -> _Function:
    """A function of one value, whose row goes into the table."""
    ELEMENTWISE[name] = Elementwise(name, meaning, reference, call, **facts)

    def made(x: Operand) -> Value:
        return unary(name, x)

    made.__name__ = made.__qualname__ = name
    made.__doc__ = f"{meaning}, element by element: ``{name}(x)``."
    return made


_erf = np.vectorize(math.erf, otypes=[np.float64])  # NumPy has none
_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


abs = _function("abs", "The absolute value", np.abs, "abs_tile", is_exact=True)
square = _function("square", "The square", np.square, "square_tile")
sqrt = _function("sqrt", "The square root", np.sqrt, "sqrt_tile")
rsqrt = _function("rsqrt", "One over the square root", lambda x: 1 / np.sqrt(x), "rsqrt_tile", numpy="1 / np.sqrt(x)")
reciprocal = _function("reciprocal", "One over the value", lambda x: 1 / x, "recip_tile")
exp = _function("exp", "e to the power of the value", np.exp, "exp_tile", is_dear=True)
exp2 = _function("exp2", "2 to the power of the value", np.exp2, "exp2_tile", is_dear=True)
expm1 = _function("expm1", "exp(x) - 1", np.expm1, "expm1_tile", is_dear=True)
log = _function("log", "The natural logarithm", np.log, "log_tile", is_dear=True)
log1p = _function("log1p", "log(1 + x)", np.log1p, "log1p_tile", is_dear=True)
sigmoid = _function(
    "sigmoid", "1 / (1 + exp(-x))", _sigmoid, "sigmoid_tile", numpy="1 / (1 + np.exp(-x))", is_dear=True
)
tanh = _function("tanh", "The hyperbolic tangent", np.tanh, "tanh_tile", is_dear=True)
gelu = _function(
    "gelu",
    "x * (1 + erf(x / sqrt(2))) / 2",
    lambda x: x * _erfc(-x / np.sqrt(2)) / 2,  # 1 + erf would cancel far below zero
    "gelu_tile[False]",
    torch="torch.nn.functional.gelu",
    numpy="x * np.vectorize(math.erfc, otypes=[np.float64])(-x / np.sqrt(2)) / 2",
    is_dear=True,
    times_share=True,
)
silu = _function(
    "silu",
    "x * sigmoid(x)",
    lambda x: x * _sigmoid(x),
    "silu_tile",
    torch="torch.nn.functional.silu",
    numpy="x / (1 + np.exp(-x))",
    is_dear=True,
    times_share=True,
)
erf = _function(
    "erf", "The error function", _erf, "erf_tile", numpy="np.vectorize(math.erf, otypes=[np.float64])(x)", is_dear=True
)
relu = _function(
    "relu",
    "The larger of the value and 0",
    lambda x: np.maximum(x, 0),
    "relu_tile",
    numpy="np.maximum(x, 0)",
    is_exact=True,
    chooses=True,
)
sign = _function("sign", "-1, 0 or 1", np.sign, "sign_tile", is_exact=True, chooses=True)
sin = _function("sin", "The sine", np.sin, "sin_tile", is_dear=True)
cos = _function("cos", "The cosine", np.cos, "cos_tile", is_dear=True)
_function(
    "neg", "The value with its sign turned", np.negative, "negative_tile", numpy="-x", is_exact=True
)  # the operator -x


def maximum(a: Operand, b: Operand) -> Value:
    """The larger of two values, element by element: ``maximum(x, 0)``."""
    return binary("maximum", a, b)


def minimum(a: Operand, b: Operand) -> Value:
    """The smaller of two values, element by element: ``minimum(x, 6)``."""
    return binary("minimum", a, b)


def clamp(x: Operand, low: float, high: float) -> Value:
    """``x`` where it lies between two numbers, the nearer of them elsewhere: ``clamp(x, 0, 6)``."""
    value = as_value(x)
    low, high = real_number("low", low), real_number("high", high)
    if not low <= high:
        raise FormulaError(f"clamp({value}, {low}, {high}): the lower bound must not be above the upper")
    return Value("clamp", (value,), value.extent, numbers=(float(low), float(high)))


def cast(x: Operand, dtype: Any) -> Value:
    """``x`` rounded to a dtype: ``cast(x, "bfloat16")``, ``cast(x, ttnn.int32)``, which cuts what is behind the point.

    A result that is a cast has this dtype.
    """
    name = dtype.lower() if isinstance(dtype, str) else str(getattr(dtype, "name", dtype)).lower()
    if name not in CASTS:
        raise FormulaError(f"cast({as_value(x)}, {dtype!r}): the dtype must be one of {', '.join(CASTS)}")
    return unary(CASTS[name], x)


def where(condition: Operand, a: Operand, b: Operand) -> Value:
    """``a`` where the condition is not 0, ``b`` elsewhere: ``where(x > 0, x, 0.1 * x)``."""
    values = [as_value(each) for each in (condition, a, b)]
    extent = values[0].extent
    for each in values[1:]:
        extent = extent.broadcast_with(each.extent)
    return Value("where", values, extent)


def causal(x: Operand) -> Value:
    """``x`` where the column is not behind the row's place, minus infinity elsewhere: ``softmax(causal(scores)) @ v``.

    The last row sees every column, the row before it all but one, and so on: with as many rows as columns row i sees
    columns 0 to i. It has a place in the scores of attention only.
    """
    value = as_value(x)
    if value.extent is not Extent.FULL or value.is_matrix:
        raise FormulaError(f"causal({value}): it takes what has a number for every element, such as q @ transpose(k)")
    return Value("causal", (value,), Extent.FULL)


def sum(x: Operand, dim: Any = -1, *, cluster_axis: int | None = None) -> Value:
    """The sum over the last dimension (``dim=-1``), the one before it (-2), or both ((-2, -1)); they stay, as 1."""
    return reduction("sum", x, dim, cluster_axis)


def mean(x: Operand, dim: Any = -1, *, cluster_axis: int | None = None) -> Value:
    """The mean over a dimension: ``mean(x)``, ``mean(x, dim=-2)``."""
    return reduction("mean", x, dim, cluster_axis)


def max(x: Operand, dim: Any = -1, *, cluster_axis: int | None = None) -> Value:
    """The largest value over a dimension: ``max(x)``."""
    return reduction("max", x, dim, cluster_axis)


def min(x: Operand, dim: Any = -1, *, cluster_axis: int | None = None) -> Value:
    """The smallest value over a dimension: ``min(x)``."""
    return -reduction("max", -as_value(x), dim, cluster_axis)


def var(x: Operand, dim: Any = -1) -> Value:
    """The population variance over a dimension: ``var(x)``."""
    value = as_value(x)
    return mean(square(value - mean(value, dim)), dim)


def softmax(x: Operand, dim: Any = -1) -> Value:
    """``exp(x - max(x)) / sum(exp(x - max(x)))``."""
    value = as_value(x)
    powers = exp(value - max(value, dim))
    return powers * reciprocal(sum(powers, dim))


def l2_normalize(x: Operand, epsilon: float = 1e-12, dim: Any = -1) -> Value:
    """``x`` divided by its length, which counts as at least ``sqrt(epsilon)``."""
    value = as_value(x)
    return value * rsqrt(maximum(sum(square(value), dim), epsilon))
