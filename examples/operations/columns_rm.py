# SPDX-License-Identifier: Apache-2.0
"""Reductions over other dimensions than the last: columns, and whole slabs of the last two."""

from tilewright import Positive, Row, Rows, check_operation, operation
from tilewright.formula import Value, max, mean, rsqrt, softmax, square, sum


@operation
def column_mean_rm(x: Rows) -> Value:
    """The mean of every column."""
    return mean(x, dim=-2)


@operation
def batch_norm_rm(x: Rows, gamma: Row, beta: Row, *, epsilon: Positive = 1e-5) -> Value:
    """Columns, centred and divided by their standard deviation, times gamma, plus beta."""
    centred = x - mean(x, dim=-2)
    return centred * rsqrt(mean(square(centred), dim=-2) + epsilon) * gamma + beta


@operation
def column_softmax_rm(x: Rows) -> Value:
    """Softmax down every column."""
    return softmax(x, dim=-2)


@operation
def instance_norm_rm(x: Rows, *, epsilon: Positive = 1e-5) -> Value:
    """The last two dimensions, centred and divided by their standard deviation."""
    centred = x - mean(x, dim=(-2, -1))
    return centred * rsqrt(mean(square(centred), dim=(-2, -1)) + epsilon)


@operation
def slab_figures_rm(x: Rows) -> tuple[Value, Value]:
    """Sum of squares and largest element of the last two dimensions."""
    return sum(square(x), dim=(-2, -1)), max(x, dim=(-2, -1))


def test_column_mean_rm() -> None:
    check_operation(column_mean_rm)


def test_batch_norm_rm() -> None:
    check_operation(batch_norm_rm)


def test_column_softmax_rm() -> None:
    check_operation(column_softmax_rm)


def test_instance_norm_rm() -> None:
    check_operation(instance_norm_rm)


def test_slab_figures_rm() -> None:
    check_operation(slab_figures_rm)
