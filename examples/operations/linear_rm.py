# SPDX-License-Identifier: Apache-2.0
"""Rows times a matrix, and what follows in the same kernel: a bias and an activation, a residual sum, a softmax."""

from tilewright import Matrix, Row, Rows, check_operation, operation
from tilewright.formula import Value, gelu, matmul, softmax


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


def test_linear_gelu_rm() -> None:
    check_operation(linear_gelu_rm)


def test_linear_residual_rm() -> None:
    check_operation(linear_residual_rm)


def test_router_rm() -> None:
    check_operation(router_rm)
