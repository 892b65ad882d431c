# SPDX-License-Identifier: Apache-2.0
"""Element by element: a bias and gelu, and two halves of a gated layer."""

from tilewright import Row, Rows, check_operation, operation
from tilewright.formula import Value, gelu, silu


@operation
def bias_gelu_rm(x: Rows, bias: Row) -> Value:
    """gelu(x + bias)."""
    return gelu(x + bias)


@operation
def geglu_rm(x: Rows, gate: Rows) -> Value:
    """x * gelu(gate)."""
    return x * gelu(gate)


@operation
def swiglu_rm(x: Rows, gate: Rows) -> Value:
    """x * silu(gate)."""
    return x * silu(gate)


def test_bias_gelu_rm() -> None:
    check_operation(bias_gelu_rm)


def test_geglu_rm() -> None:
    check_operation(geglu_rm)


def test_swiglu_rm() -> None:
    check_operation(swiglu_rm)
