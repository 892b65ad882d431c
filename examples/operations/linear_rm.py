# SPDX-License-Identifier: Apache-2.0
"""Rows times a matrix, and what comes before and after in the same kernel: a bias, activations, norms, softmax ..."""

from tilewright import Matrix, Positive, Row, Rows, check_operation, operation
from tilewright.formula import Value, gelu, matmul, mean, rsqrt, silu, softmax, square


@operation
def linear_gelu_rm(x: Rows, weights: Matrix, bias: Row) -> Value:
    """gelu(x @ weights + bias)."""
    return gelu(matmul(x, weights) + bias)


@operation
def linear_residual_rm(x: Rows, weights: Matrix, bias: Row, residual: Rows) -> Value:
    """x @ weights + bias + residual."""
    return matmul(x, weights) + bias + residual


@operation
def router_rm(x: Rows, weights: Matrix) -> Value:
    """softmax(x @ weights)."""
    return softmax(matmul(x, weights))


@operation
def gated_linear_rm(x: Rows, gate: Rows, weights: Matrix) -> Value:
    """(x * silu(gate)) @ weights: the second half of a gated layer."""
    return matmul(x * silu(gate), weights)


@operation
def rms_norm_linear_rm(x: Rows, gamma: Row, weights: Matrix, *, epsilon: Positive = 1e-6) -> Value:
    """Rows divided by the root of their mean square, times gamma, times a matrix: how a transformer's layer begins."""
    return matmul(x * rsqrt(mean(square(x)) + epsilon) * gamma, weights)


@operation
def attention_rm(scores: Rows, values: Matrix, *, scale: Positive = 0.125) -> Value:
    """How much of each value a row takes: softmax(scores * scale) @ values."""
    return matmul(softmax(scores * scale), values)


def test_linear_gelu_rm() -> None:
    check_operation(linear_gelu_rm)


def test_linear_residual_rm() -> None:
    check_operation(linear_residual_rm)


def test_router_rm() -> None:
    check_operation(router_rm)


def test_gated_linear_rm() -> None:
    check_operation(gated_linear_rm)


def test_rms_norm_linear_rm() -> None:
    check_operation(rms_norm_linear_rm)


def test_attention_rm() -> None:
    check_operation(attention_rm)
