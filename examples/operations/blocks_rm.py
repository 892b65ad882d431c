# SPDX-License-Identifier: Apache-2.0
"""Formulas of two matmuls, or with statistics of rows and of columns: attention, and what is split into programs."""

from tilewright import Matrix, Positive, Row, Rows, check_operation, operation
from tilewright.formula import Value, causal, gelu, max, mean, rsqrt, silu, softmax, square, transpose


@operation
def gated_mlp_rm(x: Rows, gate: Matrix, up: Matrix, down: Matrix) -> Value:
    """(silu(x @ gate) * (x @ up)) @ down: the feed-forward block of a transformer with gates."""
    hidden = silu(x @ gate) * (x @ up)
    return hidden @ down


@operation
def mlp_block_rm(x: Rows, gamma: Row, up: Matrix, bias: Row, down: Matrix, *, epsilon: Positive = 1e-6) -> Value:
    """x + gelu(rms_norm(x) @ up + bias) @ down: the second half of a transformer's layer."""
    normal = x * rsqrt(mean(square(x)) + epsilon) * gamma
    hidden = gelu(normal @ up + bias)
    return x + hidden @ down


@operation
def attention_heads_rm(q: Rows, k: Rows, v: Rows, mask: Rows, *, scale: Positive = 0.125) -> Value:
    """softmax(q @ transpose(k) * scale + mask) @ v, for each slab: the heads of a transformer's layer."""
    taken = softmax(q @ transpose(k) * scale + mask)
    return taken @ v


@operation
def causal_heads_rm(q: Rows, k: Rows, v: Rows, *, scale: Positive = 0.125) -> Value:
    """The same where a token sees itself and earlier ones only; keys that no row of a block sees are not read."""
    return softmax(causal(q @ transpose(k) * scale)) @ v


@operation
def both_ways_rm(x: Rows, gamma: Row, *, epsilon: Positive = 1e-5) -> Value:
    """Columns are centred, then each row is divided by the root of its mean square."""
    centred = x - mean(x, dim=-2)
    return centred * rsqrt(mean(square(centred)) + epsilon) * gamma


@operation
def scaled_by_largest_rm(x: Rows) -> tuple[Value, Value]:
    """Rows relative to the largest number of their slab, and the largest number of each row."""
    largest = max(x, dim=(-2, -1))
    return x - largest, max(x) - largest


def test_gated_mlp_rm() -> None:
    check_operation(gated_mlp_rm)


def test_mlp_block_rm() -> None:
    check_operation(mlp_block_rm)


def test_attention_heads_rm() -> None:
    check_operation(attention_heads_rm)


def test_causal_heads_rm() -> None:
    check_operation(causal_heads_rm)


def test_both_ways_rm() -> None:
    check_operation(both_ways_rm)


def test_scaled_by_largest_rm() -> None:
    check_operation(scaled_by_largest_rm)
