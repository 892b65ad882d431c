# SPDX-License-Identifier: Apache-2.0
"""Runs the operations of measured rows with the real ttnn on the simulated card, so that their calls are recorded.

``measure_timing.py`` starts it, once for each chip and grid: ``run_rows.py ROWS.tsv CHIP CORES RECORDS OUT.jsonl``. It
writes a line for each row: the files of its launches, or why it could not be run.
"""

from __future__ import annotations

import csv
import dataclasses
import gc
import itertools
import json
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ttnn

Row = dict[str, str]
Shape = list[int]

DTYPES = {
    name: getattr(ttnn, name.lower())
    for name in ("BFLOAT16", "BFLOAT8_B", "BFLOAT4_B", "UINT32", "FLOAT32", "INT32", "UINT16")
}


@dataclasses.dataclass
class Described:
    """A tensor as a profiler's row has it."""

    padded: Shape
    logical: Shape
    layout: str
    dtype: str
    memory: str


def described(text: str) -> list[Described]:
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

    def cores(self, count: int) -> Any:
        """The first ``count`` cores, row by row."""
        whole, rest = divmod(count, self.columns)
        ranges = []
        if whole:
            ranges.append(ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(self.columns - 1, whole - 1)))
        if rest:
            ranges.append(ttnn.CoreRange(ttnn.CoreCoord(0, whole), ttnn.CoreCoord(rest - 1, whole)))
        return ttnn.CoreRangeSet(ranges)

    def memory(self, tensor: Described, cores: int) -> Any:
        if tensor.memory == "DRAM_INTERLEAVED":
            return ttnn.DRAM_MEMORY_CONFIG
        if tensor.memory == "L1_INTERLEAVED":
            return ttnn.L1_MEMORY_CONFIG
        height, width = math.prod(tensor.padded[:-1]), tensor.padded[-1]
        unit = 32 if tensor.layout == "TILE" else 1
        if tensor.memory == "L1_HEIGHT_SHARDED":
            piece = math.ceil(height / unit / cores) * unit
            shards = self.cores(math.ceil(height / piece))
            return self._sharded(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, shards, [piece, width])
        if tensor.memory == "L1_BLOCK_SHARDED":
            for columns in (self.columns, 4, 2, 1):
                if (width // 32) % columns == 0 and cores % columns == 0 and cores // columns <= self.rows:
                    rows = cores // columns
                    end = ttnn.CoreCoord(columns - 1, rows - 1)
                    grid = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), end)])
                    piece = math.ceil(height / 32 / rows) * 32
                    return self._sharded(ttnn.TensorMemoryLayout.BLOCK_SHARDED, grid, [piece, width // columns])
        raise ValueError(f"cannot place {tensor.memory}")

    def _sharded(self, layout: Any, grid: Any, shape: Shape) -> Any:
        spec = ttnn.ShardSpec(grid, shape, ttnn.ShardOrientation.ROW_MAJOR)
        return ttnn.MemoryConfig(layout, ttnn.BufferType.L1, spec)

    def tensor(self, like: Described, cores: int, shape: Shape | None = None) -> Any:
        return ttnn.empty(
            shape or like.logical,
            dtype=DTYPES[like.dtype],
            layout=ttnn.TILE_LAYOUT if like.layout == "TILE" else ttnn.ROW_MAJOR_LAYOUT,
            device=self.device,
            memory_config=self.memory(like, cores),
        )

    def compute(self, fidelity: str, *, fp32: bool = False, l1_acc: bool = True) -> Any:
        return ttnn.init_device_compute_kernel_config(
            self.device.arch(),
            math_fidelity=getattr(ttnn.MathFidelity, fidelity),
            math_approx_mode=False,
            fp32_dest_acc_en=fp32,
            packer_l1_acc=l1_acc,
        )


Make = Callable[[Bench, Row, list[Described], list[Described], int], Callable[[], Any]]


def binary(bench: Bench, row: Row, inputs: list[Described], outputs: list[Described], cores: int) -> Callable[[], Any]:
    a = bench.tensor(inputs[0], cores)
    to = bench.memory(outputs[0], cores)
    if len(inputs) == 1:
        return lambda: ttnn.multiply(a, 1.5, memory_config=to)
    b = bench.tensor(inputs[1], cores)
    if len(inputs) == 3:
        return lambda: ttnn.add(a, b, output_tensor=a)
    return lambda: ttnn.add(a, b, memory_config=to)


def unary(bench: Bench, row: Row, inputs: list[Described], outputs: list[Described], cores: int) -> Callable[[], Any]:
    a = bench.tensor(inputs[0], cores)
    to = {"output_tensor": a} if len(inputs) > 1 else {"memory_config": bench.memory(outputs[0], cores)}
    function = ttnn.gelu if "clip" in row["file"] else ttnn.relu
    return lambda: function(a, **to)


def moved(function: str, **extra: Any) -> Make:
    """An operation of one tensor that only moves or converts it."""

    def make(
        bench: Bench, row: Row, inputs: list[Described], outputs: list[Described], cores: int
    ) -> Callable[[], Any]:
        a = bench.tensor(inputs[0], cores)
        to = bench.memory(outputs[0], cores)
        return lambda: getattr(ttnn, function)(a, memory_config=to, **extra)

    return make


def untilize_with_unpadding(
    bench: Bench, row: Row, inputs: list[Described], outputs: list[Described], cores: int
) -> Callable[[], Any]:
    a = bench.tensor(inputs[0], cores, inputs[0].padded)
    last = [side - 1 for side in outputs[0].logical]
    to = bench.memory(outputs[0], cores)
    return lambda: ttnn.untilize_with_unpadding(a, last, memory_config=to, use_multicore=True)


def typecast(
    bench: Bench, row: Row, inputs: list[Described], outputs: list[Described], cores: int
) -> Callable[[], Any]:
    a = bench.tensor(inputs[0], cores)
    to = bench.memory(outputs[0], cores)
    return lambda: ttnn.typecast(a, DTYPES[outputs[0].dtype], memory_config=to)


def placed(function: str) -> Make:
    def make(
        bench: Bench, row: Row, inputs: list[Described], outputs: list[Described], cores: int
    ) -> Callable[[], Any]:
        a = bench.tensor(inputs[0], cores)
        to = bench.memory(outputs[0], cores)
        return lambda: getattr(ttnn, function)(a, to)

    return make


def concat(bench: Bench, row: Row, inputs: list[Described], outputs: list[Described], cores: int) -> Callable[[], Any]:
    parts = [bench.tensor(each, cores) for each in inputs]
    to = bench.memory(outputs[0], cores)
    return lambda: ttnn.concat(parts, dim=-1, memory_config=to)


def permuted(
    bench: Bench, row: Row, inputs: list[Described], outputs: list[Described], cores: int
) -> Callable[[], Any]:
    a = bench.tensor(inputs[0], cores)
    before, after = inputs[0].logical, outputs[0].logical
    orders = [order for order in itertools.permutations(range(4)) if [before[i] for i in order] == after]
    order = min((each for each in orders if each != (0, 1, 2, 3)), key=lambda o: sum(i != j for i, j in enumerate(o)))
    to = bench.memory(outputs[0], cores)
    if row["op"].startswith("Transpose"):
        first, second = (i for i in range(4) if order[i] != i)
        return lambda: ttnn.transpose(a, first, second, memory_config=to)
    return lambda: ttnn.permute(a, order, memory_config=to)


def sliced(bench: Bench, row: Row, inputs: list[Described], outputs: list[Described], cores: int) -> Callable[[], Any]:
    a = bench.tensor(inputs[0], cores)
    end = outputs[0].logical
    to = bench.memory(outputs[0], cores)
    return lambda: ttnn.slice(a, [0] * len(end), end, memory_config=to)


def layer_norm(
    bench: Bench, row: Row, inputs: list[Described], outputs: list[Described], cores: int
) -> Callable[[], Any]:
    a, gamma = bench.tensor(inputs[0], cores), bench.tensor(inputs[1], cores)
    to = bench.memory(outputs[0], cores)
    if len(inputs) == 2:
        config = bench.compute("HiFi2", fp32=True)
        return lambda: ttnn.rms_norm(a, weight=gamma, epsilon=1e-6, memory_config=to, compute_kernel_config=config)
    beta = bench.tensor(inputs[2], cores)
    return lambda: ttnn.layer_norm(a, weight=gamma, bias=beta, memory_config=to)


def matmul(bench: Bench, row: Row, inputs: list[Described], outputs: list[Described], cores: int) -> Callable[[], Any]:
    a, b = bench.tensor(inputs[0], cores), bench.tensor(inputs[1], cores)
    how = {
        "memory_config": bench.memory(outputs[0], cores),
        "dtype": DTYPES[outputs[0].dtype],
        "compute_kernel_config": bench.compute(row["fidelity"]),
    }
    if len(inputs) > 2:
        c = bench.tensor(inputs[2], cores)
        return lambda: ttnn.linear(a, b, bias=c, **how)
    return lambda: ttnn.matmul(a, b, **how)


MAKERS: dict[str, Make] = {
    "BinaryNg": binary,
    "Binary": binary,
    "Unary": unary,
    "Tilize": moved("tilize", use_multicore=True),
    "Untilize": moved("untilize", use_multicore=True),
    "TilizeWithValPadding": moved("tilize_with_zero_padding", use_multicore=True),
    "UntilizeWithUnpadding": untilize_with_unpadding,
    "Typecast": typecast,
    "InterleavedToSharded": placed("interleaved_to_sharded"),
    "ShardedToInterleaved": placed("sharded_to_interleaved"),
    "Reshard": placed("to_memory_config"),
    "Copy": moved("clone"),
    "Move": moved("move"),
    "Concat": concat,
    "Transpose": permuted,
    "Permute": permuted,
    "Slice": sliced,
    "LayerNorm": layer_norm,
    "Softmax": moved("softmax", dim=-1),
    "Matmul": matmul,
}


def family(op: str) -> str:
    return op.replace("DeviceOperation", "").replace("Operation", "")


def run_row(bench: Bench, row: Row, records: Path) -> dict[str, Any]:
    make = MAKERS.get(family(row["op"]))
    if make is None:
        return {"why": "no way to call it here"}
    before = len(list(records.iterdir()))
    try:
        call = make(bench, row, described(row["inputs"]), described(row["output"]), int(row["cores"]))
        result = call()
        ttnn.synchronize_device(bench.device)
        del result
    except Exception as error:
        return {"why": str(error).strip().splitlines()[0][:160]}
    return {"records": [path.name for path in sorted(records.iterdir())[before:]]}


def main(arguments: list[str]) -> int:
    rows_file, arch, cores, records, out = arguments
    device = ttnn.open_device(device_id=0)
    bench = Bench(device)
    done = set()
    if Path(out).exists():
        done = {json.loads(line)["row"] for line in Path(out).read_text().splitlines()}
    with Path(rows_file).open() as file, Path(out).open("a") as answers:
        for number, row in enumerate(csv.DictReader(file, delimiter="\t")):
            if (row["arch"], row["available"]) != (arch, cores) or number in done:
                continue
            answers.write(json.dumps({"row": number, **run_row(bench, row, Path(records))}) + "\n")
            answers.flush()
            gc.collect()
    ttnn.close_device(device)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
