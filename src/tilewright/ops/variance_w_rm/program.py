# SPDX-License-Identifier: Apache-2.0
"""Circular buffers and kernels of variance_w_rm."""

from __future__ import annotations

from tilewright.ops.plan import Buffer, PageCount, Strategy
from tilewright.ops.row_kernels import read_rows
from tilewright.ops.row_program import Kernels
from tilewright.ops.variance_w_rm import kernels
from tilewright.tensor.dtype import DataType

BUFFERS = (
    Buffer(0, "in_rm", PageCount(per_block=2), "sticks from the reader, double-buffered", is_only_moved=True),
    Buffer(1, "in_tiled", PageCount(per_row=1), "the row as tiles, kept through the reduce if resident"),
    Buffer(2, "scaler", PageCount(fixed=1, partial=1), "ones for both row sums, never popped", DataType.BFLOAT16),
    Buffer(3, "mean", PageCount(fixed=1), "mean of each row, in column 0", DataType.FLOAT32),
    Buffer(4, "centralized", PageCount(per_block=1), "row minus mean, as tiles", DataType.FLOAT32),
    Buffer(5, "squared", PageCount(per_block=1), "the squares of these", DataType.FLOAT32),
    Buffer(
        6, "variance", PageCount(fixed=1), "variance of each row, in column 0", DataType.FLOAT32, is_only_moved=True
    ),
    Buffer(16, "out_rm", PageCount(fixed=2), "one stick of 32 elements a row, the first counts, double-buffered"),
)
KERNELS = {
    Strategy.RESIDENT: Kernels(read_rows, kernels.variance, kernels.write_column),
    Strategy.STREAMING: Kernels(read_rows, kernels.variance_streaming, kernels.write_column, num_passes=2),
}
