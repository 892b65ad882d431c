# SPDX-License-Identifier: Apache-2.0
"""Tensors like those a profiler's row describes, and what it says of the call that was measured."""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Any

import ttnn

from tools.timing_rows.rows_file import Row, family_of

Shape = list[int]

DTYPES = {
    name: getattr(ttnn, name.lower())
    for name in ("BFLOAT16", "BFLOAT8_B", "BFLOAT4_B", "UINT32", "FLOAT32", "INT32", "UINT16")
}
_LAYOUTS = {
    "L1_HEIGHT_SHARDED": ttnn.TensorMemoryLayout.HEIGHT_SHARDED,
    "L1_BLOCK_SHARDED": ttnn.TensorMemoryLayout.BLOCK_SHARDED,
}


@dataclasses.dataclass
class Described:
    """A tensor as a profiler's row has it."""

    padded: Shape
    logical: Shape
    layout: str
    dtype: str
    memory: str

    @property
    def is_sharded(self) -> bool:
        return self.memory in _LAYOUTS


@dataclasses.dataclass
class Measured:
    """A row: what was called, with what, on how many cores."""

    family: str
    inputs: list[Described]
    output: Described
    cores: int
    fidelity: str
    how: dict[str, str]

    def numbers(self, key: str) -> list[int]:
        """``dims=0,3,1,2`` or ``window=3x3``."""
        return [int(each) for each in re.split("[x,]", self.how[key])]


def measured(row: Row) -> Measured:
    how = dict(each.split("=", 1) for each in (row.get("how") or "").split())
    return Measured(
        family_of(row["op"]),
        _described(row["inputs"]),
        _described(row["output"])[0],
        int(row["cores"]),
        row["fidelity"],
        how,
    )


def _described(text: str) -> list[Described]:
    """``1[1]x32[19]|TILE|BFLOAT16|DEV_0_DRAM_INTERLEAVED ; ...``"""
    found = []
    for each in filter(None, (part.strip() for part in text.split(";"))):
        sides, layout, dtype, memory = each.split("|")
        pairs = [re.match(r"(\d+)(?:\[(\d+)\])?", side) for side in sides.split("x")]
        padded = [int(pair[1]) for pair in pairs if pair]
        logical = [int(pair[2] or pair[1]) for pair in pairs if pair]
        found.append(Described(padded, logical, layout, dtype, re.sub(r"DEV_\d+_", "", memory)))
    return found


class Bench:
    """A card, and tensors like those that were measured on it."""

    def __init__(self, device: Any) -> None:
        self.device = device
        size = device.compute_with_storage_grid_size()
        self.columns, self.rows = size.x, size.y

    def tensor(self, row: Measured, like: Described, shape: Shape | None = None) -> Any:
        return ttnn.empty(
            shape or like.logical,
            dtype=DTYPES[like.dtype],
            layout=ttnn.TILE_LAYOUT if like.layout == "TILE" else ttnn.ROW_MAJOR_LAYOUT,
            device=self.device,
            memory_config=self.memory(row, like),
        )

    def inputs(self, row: Measured) -> list[Any]:
        return [self.tensor(row, each) for each in row.inputs]

    def memory(self, row: Measured, tensor: Described) -> Any:
        """Where the tensor lies; shards as the row says of its output, else evenly."""
        if tensor.memory == "DRAM_INTERLEAVED":
            return ttnn.DRAM_MEMORY_CONFIG
        if tensor.memory == "L1_INTERLEAVED":
            return ttnn.L1_MEMORY_CONFIG
        if "shard" in row.how and tensor.memory == row.output.memory and _size(tensor) == _size(row.output):
            return self._said(tensor, row.how["shard"])
        if tensor.memory == "L1_HEIGHT_SHARDED":
            return self._rows(tensor, row.cores)
        return self._blocks(tensor, row.cores)

    def shards(self, row: Measured) -> Any:
        """How the row says its output is cut."""
        return self._said(row.output, row.how["shard"]).shard_spec

    def compute(self, row: Measured) -> Any:
        """Settings of the matrix unit as the row says."""
        return ttnn.init_device_compute_kernel_config(
            self.device.arch(),
            math_fidelity=getattr(ttnn.MathFidelity, row.fidelity),
            math_approx_mode=row.how.get("approx", "0") == "1",
            fp32_dest_acc_en=row.how.get("fp32", "0") == "1",
            packer_l1_acc=row.how.get("l1_acc", "1") == "1",
        )

    def _said(self, tensor: Described, text: str) -> Any:
        """``0.0-10.6+0.7-8.7:96x512:row``: ranges of cores, a shard, its order."""
        where, shape, order = text.split(":")
        ranges = []
        for each in where.split("+"):
            (x0, y0), (x1, y1) = ((int(n) for n in corner.split(".")) for corner in each.split("-"))
            ranges.append(ttnn.CoreRange(ttnn.CoreCoord(x0, y0), ttnn.CoreCoord(x1, y1)))
        return _sharded(tensor, ranges, [int(side) for side in shape.split("x")], order == "col")

    def _rows(self, tensor: Described, cores: int) -> Any:
        """Evenly over the first ``cores`` cores, row by row."""
        height, width = _size(tensor)
        unit = 32 if tensor.layout == "TILE" else 1
        piece = math.ceil(height / unit / cores) * unit
        whole, rest = divmod(math.ceil(height / piece), self.columns)
        ranges = []
        if whole:
            ranges.append(ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(self.columns - 1, whole - 1)))
        if rest:
            ranges.append(ttnn.CoreRange(ttnn.CoreCoord(0, whole), ttnn.CoreCoord(rest - 1, whole)))
        return _sharded(tensor, ranges, [piece, width])

    def _blocks(self, tensor: Described, cores: int) -> Any:
        """Over a rectangle of ``cores`` cores, else over all: columns of it share the width, or rows do."""
        height, width = _size(tensor)
        sides = [(columns, cores // columns) for columns in range(self.columns, 0, -1) if cores % columns == 0]
        for columns, rows in [*((x, y) for x, y in sides if y <= self.rows), (self.columns, self.rows)]:
            grid = [ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(columns - 1, rows - 1))]
            for across, down, by_columns in ((columns, rows, False), (rows, columns, True)):
                if (width // 32) % across == 0:
                    piece = [math.ceil(height / 32 / down) * 32, width // across]
                    return _sharded(tensor, grid, piece, by_columns)
        raise ValueError(f"no rectangle of {cores} cores divides {height}x{width}")


def _size(tensor: Described) -> tuple[int, int]:
    return math.prod(tensor.padded[:-1]), tensor.padded[-1]


def _sharded(tensor: Described, ranges: list[Any], shape: Shape, by_columns: bool = False) -> Any:
    order = ttnn.ShardOrientation.COL_MAJOR if by_columns else ttnn.ShardOrientation.ROW_MAJOR
    spec = ttnn.ShardSpec(ttnn.CoreRangeSet(ranges), shape, order)
    return ttnn.MemoryConfig(_LAYOUTS[tensor.memory], ttnn.BufferType.L1, spec)
