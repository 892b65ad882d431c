# SPDX-License-Identifier: Apache-2.0
"""centralize_w_rm: rows minus their mean."""

from __future__ import annotations

from tilewright.formula import Value, mean
from tilewright.formula._validation import Wording
from tilewright.ops._declaration import Rows, operation

WORDING = Wording(
    rank="Input must be at least 2D, got rank {}",
    row_major="Input must be in ROW_MAJOR layout",
    interleaved="Input must be interleaved",
    on_device="Input must be on device",
    dtype="Unsupported dtype {}; allowed: BFLOAT16, FLOAT32",
    width="Width must be at least 1, got {}",
)


@operation(wording=WORDING, buffers={"in_rm": 0, "in_tiled": 1, "scaler": 2, "mean": 3, "out_rm": 16})
def centralize_w_rm(x: Rows) -> Value:
    """Rows minus their mean."""
    centralized = x - mean(x)
    return centralized
