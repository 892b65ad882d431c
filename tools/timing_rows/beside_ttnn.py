# SPDX-License-Identifier: Apache-2.0
"""Writes the table of docs/timing.md that has tilewright's operations beside ttnn's own, on the same model.

    python -m tools.timing_rows.beside_ttnn WORK --python PYTHON [--page docs/timing.md]

WORK keeps the records. PYTHON has the published ttnn and this tilewright. Tensors are row-major bfloat16 on both sides:
ttnn's way to the same result has the launches that tilize and untilize in it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from pathlib import Path

import numpy as np

from tilewright._launch.observer import observed_launches
from tilewright._launch.open_devices import close_device, open_device
from tilewright._record.call_record import CallRecord
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.tensor import Tensor
from tilewright.ops import OPERATIONS
from tilewright.timing import replay
from tilewright.timing._observer import TimeObserver
from tools.timing_rows.measure_timing import write_page

CHILD = Path(__file__).with_name("ttnn_operations.py")
SHAPES = ((1024, 512), (1024, 2048))
CARDS = {"wormhole_b0": "8x8", "blackhole": "p150"}


def of_ttnn(work: Path, python: str, arch: str) -> dict[str, tuple[float, int]]:
    """Microseconds and launches of each case with the real ttnn."""
    records = work / arch
    records.mkdir(parents=True, exist_ok=True)
    out = work / f"{arch}.json"
    if not out.exists():
        sides = [f"{height}x{width}" for height, width in SHAPES]
        subprocess.run(
            [
                *(python, "-m", "tilewright", "exec", "--arch", arch, "--grid", CARDS[arch]),
                *(str(CHILD), str(records), str(out), *sides),
            ],
            env={**os.environ, "TILEWRIGHT_RECORDS": str(records)},
            check=True,
        )
    return {
        case: (sum(replay(CallRecord.load(records / name)).microseconds for name in names), len(names))
        for case, names in json.loads(out.read_text()).items()
    }


def ours(arch: str, name: str, shape: tuple[int, int]) -> float:
    """Microseconds of one of tilewright's operations."""
    device = open_device(0, arch)
    operation = OPERATIONS[name]
    tensors = {
        each.name: Tensor(np.ones(each.shape_of(shape), np.float32), DataType.BFLOAT16, device, Layout.ROW_MAJOR)
        for each in operation.inputs
    }
    with observed_launches(TimeObserver()) as launches:
        operation.launch(tensors)
    close_device(device)
    return sum(launch.time.microseconds for launch in launches)


def table(work: Path, python: str) -> str:
    lines = ["| operation | shape | chip | tilewright us | ttnn us | ttnn's launches |", "|---|---|---|---|---|---|"]
    for arch in CARDS:
        theirs = of_ttnn(work, python, arch)
        for name in OPERATIONS:
            for shape in SHAPES:
                sides = f"{shape[0]}x{shape[1]}"
                microseconds, launches = theirs[f"{name} {sides}"]
                own = ours(arch, name, shape)
                lines.append(f"| {name} | {sides} | {arch} | {own:.0f} | {microseconds:.0f} | {launches} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--python", required=True)
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    made = table(options.work, options.python)
    if options.page is not None:
        write_page(options.page, {"beside ttnn": made})
    else:
        print(made)


if __name__ == "__main__":
    main()
