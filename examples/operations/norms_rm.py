# SPDX-License-Identifier: Apache-2.0
"""Rows made comparable: by their length, by their range, after a residual sum; and what is known about them."""

from tilewright import Positive, Row, Rows, check_operation, operation
from tilewright.formula import Value, l2_normalize, max, mean, min, reciprocal, rsqrt, square, var


@operation
def l2_normalize_rm(x: Rows) -> Value:
    """x / sqrt(max(sum(x^2), 1e-12))."""
    return l2_normalize(x)


@operation
def scale_to_unit_rm(x: Rows, *, epsilon: Positive = 1e-6) -> Value:
    """(x - min(x)) / (max(x) - min(x) + epsilon)."""
    smallest = min(x)
    return (x - smallest) * reciprocal(max(x) - smallest + epsilon)


@operation
def residual_layernorm_rm(x: Rows, residual: Rows, gamma: Row, beta: Row, *, epsilon: Positive = 1e-5) -> Value:
    """Layer normalisation of x + residual."""
    total = x + residual
    centred = total - mean(total)
    return centred * rsqrt(mean(square(centred)) + epsilon) * gamma + beta


@operation
def moments_rm(x: Rows) -> tuple[Value, Value]:
    """Mean and variance of rows: two results."""
    return mean(x), var(x)


def test_l2_normalize_rm() -> None:
    check_operation(l2_normalize_rm)


def test_scale_to_unit_rm() -> None:
    check_operation(scale_to_unit_rm)


def test_residual_layernorm_rm() -> None:
    check_operation(residual_layernorm_rm)


def test_moments_rm() -> None:
    check_operation(moments_rm)
