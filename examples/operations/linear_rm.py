# SPDX-License-Identifier: Apache-2.0
"""Rows times a matrix, and what comes before and after in the same kernel: a bias, activations, a residual sum ..."""

from tilewright import Matrix, Row, Rows, check_operation, operation
from tilewright.formula import Value, gelu, matmul, silu, softmax


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


def test_linear_gelu_rm() -> None:
    check_operation(linear_gelu_rm)


def test_linear_residual_rm() -> None:
    check_operation(linear_residual_rm)


def test_router_rm() -> None:
    check_operation(router_rm)


def test_gated_linear_rm() -> None:
    check_operation(gated_linear_rm)
