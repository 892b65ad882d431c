# SPDX-License-Identifier: Apache-2.0
"""Functions of the vector unit: how ttnn's host writes them into a chain, what they are, and where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tests.conformance.error_bounds import (
    BFLOAT16_NEAREST,
    BFLOAT16_TRUNCATED,
    FLOAT32_STEP,
    FLUSHED_TO_ZERO,
    Array,
    rounded,
)
from tests.conformance.unary_program import float_bits, sfpu_chain

Mask = NDArray[np.bool_]

# Functions in float32 may be off by a few of its steps before anything is rounded to the output's format (published
# accuracy of Wormhole's: 1 for exp, log, sqrt, recip; 3 for sigmoid, silu, tanh).
EVALUATED = 4 * FLOAT32_STEP
EXACT = 0.0


@dataclass(frozen=True)
class Function:
    """``domain``: where it is tried. ``store``: what a result loses on its way into 16-bit DST."""

    name: str
    init: str
    call: str
    reference: Callable[[Array], Array]
    domain: Callable[[Array], Mask]
    store: float = BFLOAT16_NEAREST

    def __str__(self) -> str:
        return self.name

    def defines(self, float32: bool = False) -> list[tuple[str, str]]:
        return sfpu_chain(self.init, self.call, float32=float32)

    def bound_in_dst(self, expected: Array, *, wide: bool) -> Array:
        """Error of the value DST holds."""
        if self.store == EXACT:
            return np.zeros_like(expected)
        evaluated = rounded(expected, EVALUATED)
        return evaluated + FLUSHED_TO_ZERO + (0.0 if wide else rounded(np.abs(expected) + evaluated, self.store))


def _within(limit: float) -> Callable[[Array], Mask]:
    return lambda x: np.abs(x) <= limit


def _positive(x: Array) -> Mask:
    return (x > 2.0**-60) & (x < 2.0**60)


def _not_zero(x: Array) -> Mask:
    return (np.abs(x) > 2.0**-60) & (np.abs(x) < 2.0**60)


def _gelu(x: Array) -> Array:
    return np.asarray(x * special.ndtr(x))


def _leaky(x: Array) -> Array:
    return np.where(x < 0, x * float(np.float32(0.1)), x)


TRUNCATED = BFLOAT16_TRUNCATED
FUNCTIONS = [
    Function("exp", "exp_tile_init<0u>();", "exp_tile<0u>(0);", np.exp, _within(80)),
    Function("exp2", "exp2_tile_init();", "exp2_tile(0);", np.exp2, _within(120)),
    Function("expm1", "expm1_tile_init();", "expm1_tile(0);", np.expm1, _within(80)),
    Function("log", "log_tile_init<0u>();", "log_tile<0u>(0);", np.log, _positive),
    Function("log1p", "log1p_tile_init<0u>();", "log1p_tile<0u>(0);", np.log1p, lambda x: (x > -1) & (x < 2.0**60)),
    Function("sqrt", "sqrt_tile_init();", "sqrt_tile(0);", np.sqrt, lambda x: (x >= 0) & (x < 2.0**60)),
    Function("rsqrt", "rsqrt_tile_init();", "rsqrt_tile(0);", lambda x: 1 / np.sqrt(x), _positive),
    Function("recip", "recip_tile_init();", "recip_tile(0);", lambda x: 1 / x, _not_zero),
    Function("cbrt", "cbrt_tile_init();", "cbrt_tile(0);", np.cbrt, _within(2.0**60)),
    Function("square", "square_tile_init();", "square_tile(0);", np.square, _within(2.0**60)),
    Function(
        "power",
        "power_tile_init();",
        f"power_tile(0, {float_bits(2.5)});",
        lambda x: x**2.5,
        lambda x: (x > 0) & (x < 1e9),
    ),
    Function(
        "power_iterative",
        "power_iterative_tile_init();",
        "power_iterative_tile(0, 3);",
        lambda x: x**3,
        _within(2.0**40),
        TRUNCATED,
    ),
    Function("sin", "sin_tile_init();", "sin_tile(0);", np.sin, _within(20)),
    Function("cos", "cos_tile_init();", "cos_tile(0);", np.cos, _within(20)),
    Function("tan", "tan_tile_init();", "tan_tile(0);", np.tan, _within(1.5)),
    Function("atan", "atan_tile_init();", "atan_tile(0);", np.arctan, _within(1e6)),
    Function("asin", "asin_tile_init();", "asin_tile(0);", np.arcsin, _within(1)),
    Function("tanh", "tanh_tile_init<0u>();", "tanh_tile<0u>(0);", np.tanh, _within(100)),
    Function(
        "sigmoid", "sigmoid_tile_init<0u>();", "sigmoid_tile<(int)VectorMode::RC, 0u>(0);", special.expit, _within(80)
    ),
    Function("silu", "silu_tile_init();", "silu_tile(0);", lambda x: x * special.expit(x), _within(80)),
    Function("gelu", "gelu_tile_init<0u>();", "gelu_tile<0u>(0);", _gelu, _within(12)),
    Function("erf", "erf_tile_init<0u>();", "erf_tile<0u>(0);", special.erf, _within(10), TRUNCATED),
    Function("erfc", "erfc_tile_init();", "erfc_tile(0);", special.erfc, _within(9), TRUNCATED),
    Function(
        "softplus",
        "softplus_tile_init();",
        f"softplus_tile(0, {float_bits(1)}, {float_bits(1)}, {float_bits(20)});",
        lambda x: np.where(x > 20, x, np.log1p(np.exp(np.minimum(x, 20)))),
        _within(80),
    ),
    Function(
        "elu",
        "elu_tile_init();",
        f"elu_tile(0, {float_bits(1)});",
        lambda x: np.where(x < 0, np.expm1(x), x),
        _within(80),
    ),
    Function("relu", "relu_tile_init();", "relu_tile(0);", lambda x: np.maximum(x, 0), _within(1e30), EXACT),
    Function(
        "relu6",
        "relu_max_tile_init();",
        f"relu_max_tile(0, {float_bits(6)});",
        lambda x: np.clip(x, 0, 6),
        _within(1e30),
        EXACT,
    ),
    # 0.1 itself is a float32; the product is cut to bfloat16.
    Function(
        "leaky_relu",
        "leaky_relu_tile_init();",
        f"leaky_relu_tile(0, {float_bits(0.1)});",
        _leaky,
        _within(1e30),
        TRUNCATED,
    ),
    Function(
        "clamp",
        "clamp_tile_init();",
        f"clamp_tile(0, {float_bits(-1)}, {float_bits(2)});",
        lambda x: np.clip(x, -1, 2),
        _within(1e30),
        EXACT,
    ),
    Function("abs", "abs_tile_init();", "abs_tile(0);", np.abs, _within(1e30), EXACT),
    Function("neg", "negative_tile_init();", "negative_tile(0);", np.negative, _within(1e30), EXACT),
    Function("sign", "sign_tile_init();", "sign_tile(0);", np.sign, _within(1e30), EXACT),
    Function("floor", "rounding_op_tile_init();", "floor_tile(0);", np.floor, _within(1e30), EXACT),
    Function("ceil", "rounding_op_tile_init();", "ceil_tile(0);", np.ceil, _within(1e30), EXACT),
    Function("trunc", "rounding_op_tile_init();", "trunc_tile(0);", np.trunc, _within(1e30), EXACT),
    Function("gtz", "gtz_tile_init();", "gtz_tile(0);", lambda x: (x > 0).astype(np.float64), _within(1e30), EXACT),
    Function(
        "add_scalar",
        "binop_with_scalar_tile_init();",
        f"add_unary_tile(0, {float_bits(1.25)});",
        lambda x: x + 1.25,
        _within(1e30),
        TRUNCATED,
    ),
    Function("rsub", "rsub_tile_init();", f"rsub_tile(0, {float_bits(2)});", lambda x: 2 - x, _within(1e30)),
]
BY_NAME = {function.name: function for function in FUNCTIONS}
