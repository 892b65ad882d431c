# SPDX-License-Identifier: Apache-2.0
"""Small programs of kernels given as source code, run with every rule watched."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

import tilewright
from tilewright import ttnn
from tilewright._launch.run_options import RunOptions
from tilewright._record.run import Run

TILE_BYTES = 2048
CONFIGS = {
    "reader": ttnn.ReaderConfigDescriptor,
    "writer": ttnn.WriterConfigDescriptor,
    "compute": ttnn.ComputeConfigDescriptor,
}
Arguments = Sequence[int] | Callable[[ttnn.CoreCoord], Sequence[int]]


def tiles(device: ttnn.Device, count: int) -> ttnn.Tensor:
    """A bfloat16 tensor of ``count`` tiles in DRAM."""
    values = np.arange(count * 1024, dtype=np.float32).reshape(32 * count, 32)
    return ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)  # type: ignore[return-value]


def run_checked(
    tensors: Sequence[ttnn.Tensor],
    *,
    grid: tuple[int, int] = (1, 1),
    cbs: dict[int, int] | None = None,
    semaphores: int = 0,
    args: Arguments = (),
    seed: int = 0,
    checked: bool = True,
    where: dict[str, tuple[int, int]] | None = None,
    **sources: str,
) -> Run:
    """Runs kernels called reader, writer or compute, or ``reader_<anything>`` and so on, on ``grid``.

    ``where`` puts a kernel on one core only; ``cbs`` has the pages of each circular buffer.
    """
    everywhere = _cores((0, 0), (grid[0] - 1, grid[1] - 1))
    kernels = []
    for name, source in sources.items():
        core = (where or {}).get(name)
        cores = everywhere if core is None else _cores(core, core)
        kernels.append(
            ttnn.KernelDescriptor(
                kernel_source=source,
                source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
                core_ranges=cores,
                runtime_args=[(core, list(args(core) if callable(args) else args)) for core in cores],
                config=CONFIGS[name.split("_")[0]](),
                name=name,
            )
        )
    buffers = [
        ttnn.CBDescriptor(
            total_size=pages * TILE_BYTES,
            core_ranges=everywhere,
            format_descriptors=[ttnn.CBFormatDescriptor(index, ttnn.bfloat16, TILE_BYTES)],
        )
        for index, pages in (cbs or {}).items()
    ]
    signals = [ttnn.SemaphoreDescriptor(id=i, core_ranges=everywhere, initial_value=0) for i in range(semaphores)]
    program = ttnn.ProgramDescriptor(kernels=kernels, cbs=buffers, semaphores=signals)
    return tilewright.run_program(list(tensors), program, RunOptions(checked=checked, seed=seed))


def rules(run: Run) -> set[str]:
    """Ids of this room's rules that the run saw broken."""
    return {note.rule for note in run.notes if note.rule.startswith(("noc-", "semaphore-"))}


def _cores(start: tuple[int, int], end: tuple[int, int]) -> ttnn.CoreRangeSet:
    return ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(*start), ttnn.CoreCoord(*end))])
