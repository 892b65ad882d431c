# SPDX-License-Identifier: Apache-2.0
"""layernorm_fused_rm: layer normalisation of rows in one program."""

from __future__ import annotations

from tilewright.formula import Value, mean, rsqrt, square
from tilewright.formula._parameters import Positive
from tilewright.formula._validation import Wording
from tilewright.ops._declaration import Row, Rows, operation

WORDING = Wording(
    rank="Input must have at least 2 dimensions, got rank {}",
    row_major="Input must be in ROW_MAJOR layout",
    interleaved="Input must be in INTERLEAVED memory",
    on_device="Input must be allocated on device",
    dtype="Input must be BFLOAT16 or FLOAT32, got {}",
    width="Width must be positive, got {}",
    operand_dtype="{name} dtype must match input dtype, expected {expected} got {got}",
    operand_layout="{name} must be in {expected} layout, got {got}",
)
BUFFERS = {
    "in_rm": 0, "in_tiled": 1, "scaler": 2, "epsilon": 3, "gamma_rm": 4, "beta_rm": 5, "gamma_tiled": 6,
    "beta_tiled": 7, "out_rm": 16, "variance_parts": 24, "mean": 25, "variance": 26, "inv_std": 27,
}  # fmt: skip


@operation(wording=WORDING, buffers=BUFFERS, pages="stick")
def layernorm_fused_rm(x: Rows, gamma: Row, beta: Row, epsilon: Positive = 1e-5) -> Value:
    """Layer normalisation of rows: centred, divided by their standard deviation, times gamma, plus beta."""
    centred = x - mean(x)
    variance = mean(square(centred))
    inv_std = rsqrt(variance + epsilon)
    return centred * inv_std * gamma + beta
