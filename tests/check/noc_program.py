# SPDX-License-Identifier: Apache-2.0
"""Small programs of kernels given as source code, run with every rule watched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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
PLACES = """
const uint32_t here_x = get_arg_val<uint32_t>(1), here_y = get_arg_val<uint32_t>(2);
const uint32_t there_x = get_arg_val<uint32_t>(3), there_y = get_arg_val<uint32_t>(4);
const uint64_t there_ready = get_noc_addr(there_x, there_y, get_semaphore(0));
volatile uint32_t* ready = (volatile uint32_t*)get_semaphore(0);
"""
ACCESSOR = """
const InterleavedAddrGen<true> x = {.bank_base_address = get_arg_val<uint32_t>(0), .page_size = 2048};
"""
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


def kernel(body: str) -> str:
    return f"void kernel_main() {{ {ACCESSOR} {body} }}"


def run_pair(device: ttnn.Device, sender: str, receiver: str, *, pages: int = 1, **more: Any) -> Run:
    """A sender on core (0,0), a receiver on core (1,0); arguments 1..4 are their coordinates."""
    x = tiles(device, 4)
    here, there = (device.worker_core_from_logical_core((column, 0)) for column in (0, 1))
    return run_checked(
        [x, x],
        grid=(2, 1),
        cbs={0: pages, 1: 2},
        semaphores=2,
        args=[x.buffer_address(), here.x, here.y, there.x, there.y],
        where={"reader": (0, 0), "writer": (0, 0), "reader_far": (1, 0)},
        reader=kernel(PLACES + sender),
        reader_far=kernel(PLACES + receiver),
        **more,
    )


def multicast(linked: str = "false") -> str:
    address = "get_noc_multicast_addr(there_x, there_y, there_x, there_y, get_write_ptr({}))"
    return f"noc_async_write_multicast(get_write_ptr(0), {address.format(0)}, 2048, 1, {linked});"
