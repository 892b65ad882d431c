# SPDX-License-Identifier: Apache-2.0
"""Run the shipped operations and softmax on a simulated chip, then softmax with one line missing."""

from __future__ import annotations

import time

import numpy as np
from softmax.program import softmax_program

from tilewright import Run, ops, run_program, ttnn
from tilewright._cli.screen import wrapped
from tilewright._errors import DeadlockError

SHAPE = (4096, 1024)


def show_operations(device: ttnn.Device) -> None:
    """Call the shipped operations on row-major tensors and compare each with float64."""
    generator = np.random.default_rng(0)
    x = ttnn.from_numpy(generator.standard_normal((4, 64, 512), dtype=np.float32), dtype=ttnn.float32, device=device)
    gamma, beta = (
        ttnn.from_numpy(generator.standard_normal(512, dtype=np.float32), dtype=ttnn.float32, device=device)
        for _ in range(2)
    )
    values, scale, shift = (ttnn.to_numpy(each).astype(np.float64) for each in (x, gamma, beta))
    centered = values - values.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    normalized = centered / np.sqrt(variance + 1e-5) * scale + shift
    results = {
        "centralize_w_rm": (ops.centralize_w_rm(x), centered),
        "variance_w_rm": (ops.variance_w_rm(x), variance),
        "layernorm_fused_rm": (ops.layernorm_fused_rm(x, gamma, beta), normalized),
    }
    print("shipped operations on a 4x64x512 float32 tensor, row-major:")
    for name, (got, expected) in results.items():
        error = np.max(np.abs(ttnn.to_numpy(got) - expected))
        print(f"  {name:<20} largest error against float64 {error:.1e}, values up to {np.max(np.abs(expected)):.1f}")


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
    show_operations(device)
    print()
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
