# SPDX-License-Identifier: Apache-2.0
"""Measures the tables of docs/operations.md: every operation, every kind of row, every width, against float64.

python -m tools.measure_operations [--dtype float32] [operation ...]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import tilewright.ops
from tilewright import ttnn
from tilewright.ops._accuracy import compare, correlation
from tilewright.ops._operation import Operation

Array = NDArray[np.float64]
ROWS = 64
WIDTHS = (1, 31, 32, 33, 64, 96, 100, 128, 160, 224, 256, 768, 1000, 1024, 1536, 2048, 4096, 5000, 8192)


def alternating(generator: np.random.Generator, width: int) -> Array:
    """Signs change from element to element, magnitudes from row to row."""
    signs = np.where(np.arange(width) % 2, -1.0, 1.0)
    return signs * (1 + np.arange(ROWS)[:, None])


def spike(generator: np.random.Generator, width: int) -> Array:
    """Zeros, and one 100 per row, each row somewhere else."""
    rows = np.zeros((ROWS, width))
    rows[np.arange(ROWS), np.arange(ROWS) * 7 % width] = 100
    return rows


KINDS: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "N(0,1)": lambda generator, width: generator.standard_normal((ROWS, width)),
    "N(10,1)": lambda generator, width: generator.standard_normal((ROWS, width)) + 10,
    "constant": lambda generator, width: np.broadcast_to(generator.standard_normal((ROWS, 1)) * 8, (ROWS, width)),
    "alternating": alternating,
    "spike": spike,
    "denormal": lambda generator, width: generator.standard_normal((ROWS, width)) * 2.0**-130,
}


def documents_bound(exact: np.ndarray, beta: np.ndarray | None) -> np.ndarray:
    """Two roundings to bfloat16 of the largest of 1, the result, and the result before beta is added."""
    scale = np.maximum(1, np.abs(exact))
    if beta is not None:
        scale = np.maximum(scale, np.abs(exact - beta.reshape(-1)))
    return np.asarray(2.0**-7 * scale)


def measure(operation: Operation, width: int, kind: str, dtype: ttnn.DataType, device: ttnn.Device) -> str:
    """Largest error as a share of the bound, ``exact`` for none at all; for N(10,1) the correlation as well.

    Where that is below 0.9999, what the exact result has after rounding to the output's format is put beside it.
    """
    generator = np.random.default_rng(width)
    arrays = {"x": KINDS[kind](generator, width)}
    arrays |= {each.name: generator.standard_normal(width) for each in operation.inputs[1:]}
    tensors = {
        name: ttnn.from_numpy(each.astype(np.float32), dtype=dtype, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
        for name, each in arrays.items()
    }
    result = ttnn.to_numpy(operation(*tensors.values()))
    exact = {name: ttnn.to_numpy(tensor).astype(np.float64) for name, tensor in tensors.items()}
    wanted = operation.reference(exact)[0]
    accuracy = compare(result, wanted, documents_bound(wanted, exact.get("beta")))
    if accuracy.largest_error == 0:
        return "exact"
    text = f"{accuracy.share_of_bound:.2f}"
    if kind != "N(10,1)":
        return text
    if accuracy.pcc >= 0.9999:
        return f"{text} ({accuracy.pcc:.6f})"
    rounded = wanted.astype(result.dtype).astype(np.float64)
    best = correlation(rounded, wanted)
    return f"{text} ({accuracy.pcc:.6f}, at best {best:.6f})"


def table(operation: Operation, dtype: ttnn.DataType, device: ttnn.Device) -> list[str]:
    lines = [f"| W | {' | '.join(KINDS)} |", f"|{'---|' * (len(KINDS) + 1)}"]
    for width in WIDTHS:
        print(f"{operation.name}: W = {width}", file=sys.stderr)
        cells = [measure(operation, width, kind, dtype, device) for kind in KINDS]
        lines.append(f"| {width} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the tables of docs/operations.md.")
    parser.add_argument("operations", nargs="*", metavar="operation", help="all, if none is named")
    parser.add_argument("--dtype", choices=("bfloat16", "float32"), default="bfloat16")
    options = parser.parse_args()
    device = ttnn.open_device(device_id=0)
    for name in options.operations or tilewright.ops.OPERATIONS:
        print(f"\n**{name}**, {options.dtype}\n")
        print("\n".join(table(tilewright.ops.OPERATIONS[name], getattr(ttnn, options.dtype), device)))
    ttnn.close_device(device)


if __name__ == "__main__":
    main()
