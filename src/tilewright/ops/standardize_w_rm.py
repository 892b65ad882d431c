# SPDX-License-Identifier: Apache-2.0
"""standardize_w_rm: rows with mean 0 and variance 1."""

from __future__ import annotations

from tilewright.formula import Value, mean, rsqrt, square
from tilewright.formula._parameters import Positive
from tilewright.formula._validation import Wording
from tilewright.ops._declaration import Rows, operation
from tilewright.ops.variance_w_rm import BUFFERS

WORDING = Wording(
    rank="Input tensor must be at least 2D, got rank {}",
    row_major="Input tensor must be in ROW_MAJOR layout",
    interleaved="Input tensor must have INTERLEAVED memory layout",
    on_device="Input tensor must be on device",
    dtype="Unsupported dtype {}; allowed: BFLOAT16, FLOAT32",
    width="Width must be positive, got {}",
)


@operation(wording=WORDING, buffers={**BUFFERS, "epsilon": 7, "inv_std": 8, "standardized": 9})
def standardize_w_rm(x: Rows, epsilon: Positive = 1e-5) -> Value:
    """Rows with mean 0 and variance 1."""
    centralized = x - mean(x)
    squared = square(centralized)
    variance = mean(squared)
    inv_std = rsqrt(variance + epsilon)
    standardized = centralized * inv_std
    return standardized
