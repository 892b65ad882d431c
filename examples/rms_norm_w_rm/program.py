# SPDX-License-Identifier: Apache-2.0
"""Circular buffers and kernels of rms_norm_w_rm."""

from __future__ import annotations

from tilewright.ops.plan import Buffer, PageCount, Strategy
from tilewright.ops.row_program import Kernels
from tilewright.tensor.dtype import DataType

from rms_norm_w_rm import kernels

BUFFERS = (
    Buffer(0, "in_rm", PageCount(per_block=2), "sticks from the reader, double-buffered", is_only_moved=True),
    Buffer(1, "in_tiled", PageCount(per_row=1), "the row as tiles, kept until it is scaled"),
    Buffer(2, "scaler", PageCount(fixed=1, partial=1), "ones for the row sum, never popped", DataType.BFLOAT16),
    Buffer(3, "squared", PageCount(per_block=1), "the squares of a block", DataType.FLOAT32),
    Buffer(4, "mean_square", PageCount(fixed=1), "mean of the squares of each row, in column 0", DataType.FLOAT32),
    Buffer(5, "epsilon", PageCount(fixed=1), "epsilon everywhere, never popped", DataType.FLOAT32),
    Buffer(6, "inv_rms", PageCount(fixed=1), "1 / sqrt(mean square + epsilon), in column 0", DataType.FLOAT32),
    Buffer(7, "gamma_rm", PageCount(per_block=1), "gamma's stick in each of 32 rows", is_only_moved=True),
    Buffer(8, "gamma_tiled", PageCount(per_row=1), "gamma as tiles, never popped"),
    Buffer(9, "normalized", PageCount(per_row=1), "the row divided by its root mean square", DataType.FLOAT32),
    Buffer(10, "scaled", PageCount(per_row=1), "the result, as tiles", is_only_moved=True),
    Buffer(16, "out_rm", PageCount(per_block=2), "sticks for the writer, double-buffered"),
)
KERNELS = {
    Strategy.RESIDENT: Kernels(kernels.read_rows, kernels.compute_rows, kernels.write_rows),
    Strategy.STREAMING: Kernels(
        kernels.read_rows_streaming, kernels.compute_rows_streaming, kernels.write_rows, num_passes=2
    ),
}
