# SPDX-License-Identifier: Apache-2.0
"""Kernels of stubs alone, between a reader and a writer of tiles."""

from __future__ import annotations

from tilewright._workshop.stubs import stub
from tilewright.kernels import CircularBuffers, CompileTimeArg, RuntimeArg, compute_kernel, phases
from tilewright.kernels.api import compute_kernel_hw_startup


class Buffers(CircularBuffers):
    a = 0
    b = 1
    out = 16


stubbed_square = stub(phases.square)
stubbed_sub = stub(phases.sub_bcast_cols)


@compute_kernel
def kept_then_popped(num_rows: RuntimeArg, row_tiles: CompileTimeArg, cb: Buffers) -> None:
    compute_kernel_hw_startup(cb.a, cb.out)
    for _ in range(num_rows):
        stubbed_square(cb.a, cb.b, row_tiles, keep=True)
        stubbed_sub(cb.a, cb.b, cb.out, row_tiles, keep_b=True)
