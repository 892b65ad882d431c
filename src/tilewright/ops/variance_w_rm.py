# SPDX-License-Identifier: Apache-2.0
"""variance_w_rm: population variance of rows."""

from __future__ import annotations

from tilewright.formula import Value, mean, square
from tilewright.ops._declaration import Rows, operation
from tilewright.ops.centralize_w_rm import WORDING

BUFFERS = {
    "in_rm": 0, "in_tiled": 1, "scaler": 2, "mean": 3, "centralized": 4, "squared": 5, "variance": 6, "out_rm": 16,
}  # fmt: skip


@operation(wording=WORDING, buffers=BUFFERS)
def variance_w_rm(x: Rows) -> Value:
    """Population variance of rows, of shape ``[..., 1]``."""
    centralized = x - mean(x)
    squared = square(centralized)
    variance = mean(squared)
    return variance
