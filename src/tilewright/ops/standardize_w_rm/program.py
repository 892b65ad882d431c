# SPDX-License-Identifier: Apache-2.0
"""Circular buffers and kernels of standardize_w_rm."""

from __future__ import annotations

from tilewright.ops.plan import Buffer, PageCount, Strategy
from tilewright.ops.row_kernels import write_rows
from tilewright.ops.row_program import Kernels
from tilewright.ops.standardize_w_rm import kernels
from tilewright.tensor.dtype import DataType

BUFFERS = (
    Buffer(0, "in_rm", PageCount(per_block=2), "sticks from the reader, double-buffered", is_only_moved=True),
    Buffer(1, "in_tiled", PageCount(per_row=1), "the row as tiles, kept through the reduce if resident"),
    Buffer(2, "scaler", PageCount(fixed=1, partial=1), "ones for both row sums, never popped", DataType.BFLOAT16),
    Buffer(3, "mean", PageCount(fixed=1), "mean of each row, in column 0", DataType.FLOAT32),
    Buffer(4, "centralized", PageCount(per_row=1), "row minus mean, kept until it is scaled", DataType.FLOAT32),
    Buffer(5, "squared", PageCount(per_block=1), "the squares of these", DataType.FLOAT32),
    Buffer(6, "variance", PageCount(fixed=1), "variance of each row, in column 0", DataType.FLOAT32),
    Buffer(7, "epsilon", PageCount(fixed=1), "epsilon everywhere, never popped", DataType.FLOAT32),
    Buffer(8, "inv_std", PageCount(fixed=1), "1 / sqrt(variance + epsilon), in column 0", DataType.FLOAT32),
    Buffer(9, "standardized", PageCount(per_block=1), "the result, as tiles", is_only_moved=True),
    Buffer(16, "out_rm", PageCount(per_block=2), "sticks for the writer, double-buffered"),
)
KERNELS = {
    Strategy.RESIDENT: Kernels(kernels.read_rows_and_epsilon, kernels.standardize, write_rows),
    Strategy.STREAMING: Kernels(kernels.read_rows_and_epsilon, kernels.standardize_streaming, write_rows, num_passes=3),
}
