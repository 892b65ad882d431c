# SPDX-License-Identifier: Apache-2.0
"""Programs made of kernels given as source code, called reader, compute and writer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tilewright import ttnn
from tilewright._launch.run_options import RunOptions
from tilewright.check import CheckResult, check_program

PAGE_BYTES = 2048
_CONFIGS = {
    "reader": ttnn.ReaderConfigDescriptor,
    "compute": ttnn.ComputeConfigDescriptor,
    "writer": ttnn.WriterConfigDescriptor,
}


def core_grid(columns: int, rows: int) -> ttnn.CoreRangeSet:
    return ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(columns - 1, rows - 1))])


def source_program(
    cbs: Mapping[int, int],
    *,
    grid: tuple[int, int] = (1, 1),
    semaphores: int = 0,
    args: Mapping[str, Sequence[int]] | None = None,
    **sources: str,
) -> ttnn.ProgramDescriptor:
    """``cbs`` are pages by index; ``args`` are the same on every core."""
    cores = core_grid(*grid)
    given = args or {}
    return ttnn.ProgramDescriptor(
        kernels=[
            ttnn.KernelDescriptor(
                source,
                ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
                core_ranges=cores,
                runtime_args=[(core, list(given.get(name, ()))) for core in cores],
                config=_CONFIGS[name](),
                name=name,
            )
            for name, source in sources.items()
        ],
        cbs=[
            ttnn.CBDescriptor(
                total_size=pages * PAGE_BYTES,
                core_ranges=cores,
                format_descriptors=[ttnn.CBFormatDescriptor(index, ttnn.bfloat16, PAGE_BYTES)],
            )
            for index, pages in cbs.items()
        ],
        semaphores=[
            ttnn.SemaphoreDescriptor(id=number, core_ranges=cores, initial_value=0) for number in range(semaphores)
        ],
    )


def scratch_tensor(device: ttnn.Device) -> ttnn.Tensor:
    return ttnn.zeros([32, 32], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


def check_source(
    device: ttnn.Device,
    program: ttnn.ProgramDescriptor,
    options: RunOptions = RunOptions(spin_limit=2.0),  # noqa: B008
    seeds: int | None = None,
) -> CheckResult:
    """Checks a program that touches no tensor."""
    return check_program([scratch_tensor(device)], program, options, seeds=seeds)


def rules(result: CheckResult) -> list[str]:
    return [finding.rule for finding in result.findings]
