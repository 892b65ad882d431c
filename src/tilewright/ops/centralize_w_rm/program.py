# SPDX-License-Identifier: Apache-2.0
"""Circular buffers and kernels of centralize_w_rm."""

from __future__ import annotations

from tilewright.ops.centralize_w_rm import kernels
from tilewright.ops.plan import Buffer, PageCount, Strategy
from tilewright.ops.row_kernels import read_rows, write_rows
from tilewright.ops.row_program import Kernels
from tilewright.tensor.dtype import DataType

BUFFERS = (
    Buffer(0, "in_rm", PageCount(per_block=2), "sticks from the reader, double-buffered", is_only_moved=True),
    Buffer(1, "in_tiled", PageCount(per_row=1), "the row as tiles, kept through the reduce if resident"),
    Buffer(2, "scaler", PageCount(fixed=1, partial=1), "ones for the row sum, never popped", DataType.BFLOAT16),
    Buffer(3, "mean", PageCount(fixed=1), "mean of each row, in column 0", DataType.FLOAT32),
    Buffer(4, "centralized", PageCount(per_block=1), "row minus mean, as tiles", is_only_moved=True),
    Buffer(16, "out_rm", PageCount(per_block=2), "sticks for the writer, double-buffered"),
)
KERNELS = {
    Strategy.RESIDENT: Kernels(read_rows, kernels.centralize, write_rows),
    Strategy.STREAMING: Kernels(read_rows, kernels.centralize_streaming, write_rows, num_passes=2),
}
