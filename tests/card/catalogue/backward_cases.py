# SPDX-License-Identifier: Apache-2.0
"""Gradients of element-wise operations, against those torch finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from tests.card.catalogue.operation_case import Bench, Case, operation

SHAPE = (1, 1, 32, 64)
Function = Callable[..., torch.Tensor]
# By name: the function, and where its arguments lie.
_UNARY: dict[str, tuple[Function, float, float]] = {
    "abs": (torch.abs, -4, 4), "acos": (torch.acos, -0.8, 0.8), "acosh": (torch.acosh, 1.5, 6),
    "asin": (torch.asin, -0.8, 0.8), "asinh": (torch.asinh, -4, 4), "atan": (torch.atan, -4, 4),
    "atanh": (torch.atanh, -0.8, 0.8), "ceil": (torch.ceil, -4, 4), "cos": (torch.cos, -3, 3),
    "cosh": (torch.cosh, -3, 3),
    "deg2rad": (torch.deg2rad, -90, 90), "digamma": (torch.digamma, 2, 10), "erf": (torch.erf, -2, 2),
    "erfc": (torch.erfc, -1, 1), "erfinv": (torch.erfinv, -0.8, 0.8), "exp2": (torch.exp2, -3, 3),
    "exp": (torch.exp, -3, 3), "expm1": (torch.expm1, -3, 3), "floor": (torch.floor, -4, 4),
    "frac": (torch.frac, 0.1, 4),
    "gelu": (torch.nn.functional.gelu, -3, 3), "hardsigmoid": (torch.nn.functional.hardsigmoid, -2, 2),
    "hardswish": (torch.nn.functional.hardswish, -2, 2), "i0": (torch.i0, -3, 3), "lgamma": (torch.lgamma, 3, 10),
    "log10": (torch.log10, 0.5, 8), "log1p": (torch.log1p, 0.5, 8), "log2": (torch.log2, 0.5, 8),
    "log": (torch.log, 0.5, 8),
    "log_sigmoid": (torch.nn.functional.logsigmoid, -3, 3), "neg": (torch.neg, -4, 4),
    "rad2deg": (torch.rad2deg, -2, 2),
    "reciprocal": (torch.reciprocal, 0.5, 4), "relu6": (torch.nn.functional.relu6, 0.5, 5), "relu": (torch.relu, -4, 4),
    "round": (torch.round, -4, 4), "rsqrt": (torch.rsqrt, 0.5, 8), "selu": (torch.selu, -3, 3),
    "sigmoid": (torch.sigmoid, -3, 3), "sign": (torch.sign, -4, 4), "silu": (torch.nn.functional.silu, -3, 3),
    "sin": (torch.sin, -3, 3), "sinh": (torch.sinh, -3, 3), "softsign": (torch.nn.functional.softsign, -3, 3),
    "sqrt": (torch.sqrt, 0.5, 8), "square": (torch.square, -4, 4), "tan": (torch.tan, -1, 1),
    "tanh": (torch.tanh, -2, 2),
    "tanhshrink": (torch.nn.functional.tanhshrink, 0.5, 3), "trunc": (torch.trunc, -4, 4),
}  # fmt: skip
_BINARY: dict[str, tuple[Function, float, float]] = {
    "add": (torch.add, -4, 4), "atan2": (torch.atan2, 0.5, 3), "div": (torch.div, 0.5, 3),
    "hypot": (torch.hypot, 0.5, 3),
    "logaddexp2": (torch.logaddexp2, -2, 2), "logaddexp": (torch.logaddexp, -2, 2), "max": (torch.max, -4, 4),
    "min": (torch.min, -4, 4), "mul": (torch.mul, -4, 4), "rsub": (torch.rsub, -4, 4),
    "squared_difference": (lambda a, b: (a - b).square(), -4, 4), "sub": (torch.sub, -4, 4),
    "xlogy": (torch.xlogy, 0.5, 3),
}  # fmt: skip


def _gradients(function: Function, gradient: torch.Tensor, *inputs: torch.Tensor) -> list[torch.Tensor]:
    leaves = [each.clone().requires_grad_() for each in inputs]
    function(*leaves).backward(gradient)
    return [torch.zeros_like(leaf) if leaf.grad is None else leaf.grad for leaf in leaves]


def _case(name: str, function: Function, low: float, high: float, inputs: int, *arguments: Any, **options: Any) -> Case:
    def run(bench: Bench) -> tuple[Any, Any]:
        gradient = bench.random(SHAPE)
        values = [bench.random(SHAPE, low, high) for _ in range(inputs)]
        tensors = map(bench.put, [gradient, *values])
        return operation(f"{name}_bw")(*tensors, *arguments, **options), _gradients(function, gradient, *values)

    return Case(f"{name}_bw", "", run, 16)  # formulas made of several operations, each rounded


def _with(function: Function, *arguments: Any, **options: Any) -> Function:
    return lambda *inputs: function(*inputs, *arguments, **options)


_nn = torch.nn.functional
CASES = [
    *(_case(name, function, low, high, 1) for name, (function, low, high) in _UNARY.items()),
    *(_case(name, function, low, high, 2) for name, (function, low, high) in _BINARY.items()),
    _case("addalpha", lambda a, b: a + 1.5 * b, -4, 4, 2, 1.5),
    _case("subalpha", lambda a, b: a - 1.5 * b, -4, 4, 2, 1.5),
    _case("addcmul", lambda a, b, c: torch.addcmul(a, b, c, value=0.5), 0.5, 3, 3, 0.5),
    _case("addcdiv", lambda a, b, c: torch.addcdiv(a, b, c, value=0.5), 0.5, 3, 3, 0.5),
    _case("celu", _with(_nn.celu, 1.0), -3, 3, 1, alpha=1.0),
    _case("elu", _with(_nn.elu, 1.0), -3, 3, 1, alpha=1.0),
    _case("leaky_relu", _with(_nn.leaky_relu, 0.1), -3, 3, 1, negative_slope=0.1),
    _case("hardshrink", _with(_nn.hardshrink, 0.5), -3, 3, 1, lambd=0.5),
    _case("softshrink", _with(_nn.softshrink, 0.5), -3, 3, 1, lambd=0.5),
    _case("hardtanh", _with(_nn.hardtanh, -1.0, 1.0), -3, 3, 1, min=-1.0, max=1.0),
    _case("threshold", _with(_nn.threshold, 1.0, 10.0), -3, 3, 1, 1.0, 10.0),
    _case("clamp", _with(torch.clamp, -1.0, 2.0), -4, 4, 1, -1.0, 2.0),
    _case("clip", _with(torch.clip, -1.0, 2.0), -4, 4, 1, -1.0, 2.0),
    _case("pow", _with(torch.pow, 2.0), 0.5, 3, 1, 2.0),
    # As ttnn means it: the derivative of a power, not of an exponential.
    _case("rpow", lambda a: torch.pow(a, 2.0), 0.5, 3, 1, 2.0),
    _case("rdiv", lambda a: 2.0 / a, 0.5, 3, 1, 2.0),
    _case("softplus", _with(_nn.softplus, 1.0, 20.0), -3, 3, 1, beta=1.0, threshold=20.0),
    _case("lerp", lambda a, b: torch.lerp(a, b, 0.25), -3, 3, 2, 0.25),
    _case("multigammaln", _with(torch.special.multigammaln, 4), 4, 10, 1),
    _case("polygamma", lambda a: torch.special.polygamma(1, a), 2, 8, 1, 1),
    _case("logit", torch.logit, 0.2, 0.8, 1),
    _case("logiteps", lambda a: torch.logit(a, 0.01), 0.2, 0.8, 1, eps=0.01),
    _case("fill_zero", lambda a: 0 * a, -3, 3, 1),
]  # fmt: skip
