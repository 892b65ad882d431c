# SPDX-License-Identifier: Apache-2.0
"""Runs softmax on a simulated chip, then the same program with one line missing."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from tilewright import Run, run_program, ttnn
from tilewright._cli.screen import wrapped
from tilewright._errors import DeadlockError

sys.path.insert(0, str(Path(__file__).parent))

from softmax.program import softmax_program

SHAPE = (4096, 1024)


def reference(x: np.ndarray) -> np.ndarray:
    exps = np.exp(x - x.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def show_run(run: Run, cores: int) -> None:
    print(f"  {len(run.kernels)} kernels on {cores} cores, {run.switches} switches, {run.seconds * 1e3:.1f} ms")
    print("  circular buffers of core (0,0):")
    for use in run.circular_buffers:
        if use.core == (0, 0):
            print(
                f"    {run.cb_label(use.index):<12} {use.num_pages:>4} pages of {use.page_bytes} B   "
                f"pushed {use.pushed:>4}  popped {use.popped:>4}  fullest {use.peak}"
            )


def main() -> None:
    device = ttnn.open_device(device_id=0)
    generator = np.random.default_rng(0)
    x = ttnn.from_numpy(
        generator.standard_normal(SHAPE, dtype=np.float32),
        dtype=ttnn.bfloat16,
        layout=ttnn.TILE_LAYOUT,
        device=device,
    )
    y = ttnn.allocate_tensor_on_device(x.shape, ttnn.bfloat16, ttnn.TILE_LAYOUT, device)

    print(f"softmax of a {SHAPE[0]}x{SHAPE[1]} bfloat16 tensor on a simulated {device.arch().name.lower()}")
    program = softmax_program(x, y)
    begin = time.perf_counter()
    run = run_program([x, y], program)
    print(f"  compiled, loaded and run in {time.perf_counter() - begin:.2f} s")
    show_run(run_program([x, y], program), len({use.core for use in run.circular_buffers}))
    got, expected = ttnn.to_numpy(y).astype(np.float64), reference(ttnn.to_numpy(x).astype(np.float64))
    relative = np.max(np.abs(got - expected) / expected)
    print(f"  largest relative error against float64: {relative:.4f} (bfloat16 itself rounds by 0.0039)")

    print()
    print("the same program without the line that pops the row maximum:")
    try:
        run_program([x, y], softmax_program(x, y, broken=True))
    except DeadlockError as error:
        print("\n".join(row for line in str(error).splitlines() for row in wrapped(f"  {line}", 100)))
    ttnn.close_device(device)


if __name__ == "__main__":
    main()
