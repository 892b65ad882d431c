# SPDX-License-Identifier: Apache-2.0
"""Element-wise operations of one tensor."""

from __future__ import annotations

from typing import Any

import torch
import ttnn

from tests.card.catalogue.operation_case import Bench, Case, golden, operation

SHAPE = (1, 1, 64, 96)
# By name: where its arguments lie, and further arguments. Bounds keep away from poles, where a rounded argument alone
# moves the result by more than any bound.
_RANGES: dict[str, tuple[float, float]] = {
    "abs": (-4, 4), "acos": (-0.9, 0.9), "acosh": (1.5, 6), "asin": (-0.9, 0.9), "asinh": (-4, 4), "atan": (-4, 4),
    "atanh": (-0.8, 0.8), "cbrt": (0.5, 8), "ceil": (-4, 4), "cos": (-3, 3), "cosh": (-3, 3), "deg2rad": (-90, 90),
    "digamma": (2, 20), "eqz": (-1, 1), "erf": (-2, 2), "erfc": (-1, 1), "erfinv": (-0.8, 0.8), "exp": (-4, 4),
    "exp2": (-4, 4), "expm1": (-3, 3), "floor": (-4, 4), "frac": (0.1, 4), "gelu": (-4, 4), "gez": (-1, 1),
    "gtz": (-1, 1), "hardmish": (-4, 4), "hardsigmoid": (-4, 4), "hardswish": (-4, 4), "hardtanh": (-4, 4),
    "i0": (-3, 3),
    "i1": (-3, 3), "identity": (-4, 4), "isfinite": (-1, 1), "isinf": (-1, 1), "isnan": (-1, 1), "isneginf": (-1, 1),
    "isposinf": (-1, 1), "lez": (-1, 1), "lgamma": (3, 10), "log": (0.5, 8), "log10": (0.5, 8), "log1p": (0.1, 8),
    "log2": (0.5, 8), "log_sigmoid": (-4, 4), "logical_not": (-1, 1), "ltz": (-1, 1), "mish": (-4, 4),
    "multigammaln": (4, 10), "neg": (-4, 4), "nez": (-1, 1), "rad2deg": (-2, 2), "reciprocal": (0.5, 4),
    "relu": (-4, 4),
    "relu6": (-8, 8), "rsqrt": (0.5, 8), "selu": (-4, 4), "sigmoid": (-4, 4), "sign": (-1, 1), "signbit": (-1, 1),
    "silu": (-4, 4), "sin": (-3, 3), "sinh": (-3, 3), "softplus": (-4, 4), "softsign": (-4, 4), "sqrt": (0.1, 8),
    "square": (-4, 4), "swish": (-4, 4), "tan": (-1, 1), "tanh": (-3, 3), "tanhshrink": (1, 4), "trunc": (-4, 4),
    "sigmoid_accurate": (-4, 4),
}  # fmt: skip
_WITH_ARGUMENTS: dict[str, tuple[tuple[float, float], tuple[Any, ...], dict[str, Any]]] = {
    "celu": ((-4, 4), (), {"alpha": 1.5}),
    "clamp": ((-4, 4), (), {"min": -1.0, "max": 2.0}),
    "clip": ((-4, 4), (), {"min": -1.0, "max": 2.0}),
    "elu": ((-4, 4), (), {"alpha": 1.0}),
    "fill": ((-4, 4), (2.5,), {}),
    "hardshrink": ((-4, 4), (), {"lambd": 0.5}),
    "heaviside": ((-1, 1), (0.5,), {}),
    "leaky_relu": ((-4, 4), (0.1,), {}),
    "logit": ((0.2, 0.8), (), {"eps": 0.01}),
    "polygamma": ((2, 10), (1,), {}),
    "pow": ((0.5, 3), (2.0,), {}),
    "prelu": ((-4, 4), (0.25,), {}),
    "rdiv": ((0.5, 4), (2.0,), {}),
    "relu_max": ((-4, 4), (3.0,), {}),
    "relu_min": ((-4, 4), (1.0,), {}),
    "round": ((-4, 4), (), {}),
    "rpow": ((0.5, 3), (2.0,), {}),
    "rsub": ((-4, 4), (1.0,), {}),
    "softcap": ((-4, 4), (2.0,), {}),
    "softshrink": ((-4, 4), (), {"lambd": 0.5}),
    "threshold": ((-4, 4), (1.0, 10.0), {}),
    "tril": ((-4, 4), (), {"diagonal": 1}),
    "triu": ((-4, 4), (), {"diagonal": 1}),
}
# Formulas with more steps than one function.
_STEPS = {"digamma": 8, "lgamma": 8, "multigammaln": 24, "polygamma": 16, "erfinv": 8, "acosh": 8, "hardmish": 6}


def _unary(name: str, low: float, high: float, arguments: tuple[Any, ...] = (), **options: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random(SHAPE, low, high)
        result = operation(name)(bench.put(values), *arguments, **options)
        return result, golden(name)(values, *arguments, **options)

    return Case(name, "", run, _STEPS.get(name, 4))


def _glu(name: str) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 64, 128))
        return operation(name)(bench.put(values), -1), golden(name)(values, -1)

    return Case(name, "", run)


def _in_dtype(name: str, dtype: Any) -> Case:
    low, high = _RANGES[name]

    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random(SHAPE, low, high)
        tensor = bench.put(values, dtype)
        return operation(name)(tensor), golden(name)(bench.get(tensor).to(torch.float32))

    unit = 2.0**-10 if dtype == ttnn.float32 else 2.0**-6  # float32 goes through TF32, and polynomials
    return Case(name, str(dtype).rsplit(".", maxsplit=1)[-1].lower(), run, 4, unit)


def _bitwise_not() -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.integers(SHAPE, 0, 1000)
        return ttnn.bitwise_not(bench.put(values, ttnn.int32)), torch.bitwise_not(values)

    return Case("bitwise_not", "", run, 0)


def _sharded(name: str, strategy: str) -> Case:
    low, high = _RANGES[name]

    def run(bench: Bench) -> tuple[Any, Any]:
        values = bench.random((1, 1, 128, 128), low, high)
        grid = {"HEIGHT": (1, 4), "WIDTH": (4, 1), "BLOCK": (2, 2)}[strategy]
        memory = ttnn.create_sharded_memory_config(
            values.shape, ttnn.CoreGrid(x=grid[0], y=grid[1]), getattr(ttnn.ShardStrategy, strategy)
        )
        return operation(name)(bench.put(values, memory=memory)), golden(name)(values)

    return Case(name, f"{strategy.lower()} sharded", run)


CASES = [
    *(_unary(name, *ends) for name, ends in _RANGES.items()),
    *(_unary(name, *ends, arguments, **options) for name, (ends, arguments, options) in _WITH_ARGUMENTS.items()),
    *(_glu(name) for name in ("glu", "geglu", "reglu", "swiglu")),
    *(_in_dtype(name, dtype) for name in ("exp", "gelu", "relu", "sqrt") for dtype in (ttnn.float32, ttnn.bfloat8_b)),
    *(_sharded(name, way) for name in ("exp", "relu") for way in ("HEIGHT", "WIDTH", "BLOCK")),
    _bitwise_not(),
]
