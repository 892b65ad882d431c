# SPDX-License-Identifier: Apache-2.0
"""Circular buffers and kernels of layernorm_fused_rm."""

from __future__ import annotations

from tilewright.ops.layernorm_fused_rm import kernels
from tilewright.ops.plan import Buffer, PageCount, PageKind, Strategy
from tilewright.ops.row_program import Kernels
from tilewright.tensor.dtype import DataType

STICK = PageKind.STICK

BUFFERS = (
    Buffer(0, "in_rm", PageCount(fixed=64), "sticks from the reader, double-buffered", page=STICK, is_only_moved=True),
    Buffer(1, "in_tiled", PageCount(per_row=1), "the row as tiles, kept until it is normalised"),
    Buffer(2, "scaler", PageCount(fixed=1, partial=1), "ones for both row sums, never popped", DataType.BFLOAT16),
    Buffer(3, "epsilon", PageCount(fixed=1), "epsilon everywhere, never popped", DataType.FLOAT32),
    Buffer(4, "gamma_rm", PageCount(fixed=1), "gamma's stick, the reader's own", page=STICK),
    Buffer(5, "beta_rm", PageCount(fixed=1), "beta's stick, the reader's own", page=STICK),
    Buffer(6, "gamma_tiled", PageCount(per_row=1), "gamma in row 0 of tiles, never popped if resident"),
    Buffer(7, "beta_tiled", PageCount(per_row=1), "beta in row 0 of tiles, never popped if resident"),
    Buffer(16, "out_rm", PageCount(fixed=64), "sticks for the writer, double-buffered", page=STICK),
    Buffer(24, "squared_sums", PageCount(fixed=1), "squares of row minus mean, summed", DataType.FLOAT32),
    Buffer(25, "mean", PageCount(fixed=1), "mean of each row, in column 0", DataType.FLOAT32),
    Buffer(26, "variance", PageCount(fixed=1), "variance of each row, in column 0", DataType.FLOAT32),
    Buffer(27, "inv_std", PageCount(fixed=2), "1 / sqrt(variance + epsilon)", DataType.FLOAT32),
)
KERNELS = {
    Strategy.RESIDENT: Kernels(kernels.read_rows_and_vectors, kernels.layernorm, kernels.write_rows),
    Strategy.STREAMING: Kernels(
        kernels.read_rows_and_vectors_streaming, kernels.layernorm_streaming, kernels.write_rows, num_passes=3
    ),
}
