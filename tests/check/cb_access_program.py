# SPDX-License-Identifier: Apache-2.0
"""Small programs of kernels given as source code, run with every rule watched, and the rules they break."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

import tilewright
from tilewright import ttnn
from tilewright._launch.run_options import RunOptions
from tilewright._record.run import RunNote

PAGE_BYTES = 2048
_CONFIGS = {
    "reader": ttnn.ReaderConfigDescriptor,
    "writer": ttnn.WriterConfigDescriptor,
    "compute": ttnn.ComputeConfigDescriptor,
}
# Rules of this page; what other rules say about a program is tested elsewhere.
_RULES = re.compile(r"cb-|l1-")


def twin(source: str, *, fixed: bool) -> str:
    """A kernel whose lines ending in ``// -`` only the buggy twin has, those in ``// +`` only the fixed one."""
    other = "// -" if fixed else "// +"
    return "\n".join("" if line.rstrip().endswith(other) else line for line in source.split("\n"))


def words(device: ttnn.Device, *, l1: bool = False) -> ttnn.Tensor:
    """Eight uint32 in one page."""
    values = np.arange(8, dtype=np.uint32).reshape(1, 8)
    config = ttnn.L1_MEMORY_CONFIG if l1 else ttnn.DRAM_MEMORY_CONFIG
    return ttnn.from_numpy(values, dtype=ttnn.uint32, layout=ttnn.ROW_MAJOR_LAYOUT, device=device, memory_config=config)


def tiles(device: ttnn.Device, count: int) -> ttnn.Tensor:
    values = np.ones((32, 32 * count), np.float32)
    return ttnn.from_numpy(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


def notes(
    tensors: Sequence[ttnn.Tensor],
    cbs: dict[int, int],
    *,
    fixed: bool,
    cores: Sequence[tuple[int, int]] = ((0, 0),),
    semaphores: int = 0,
    args: Sequence[int] = (),
    page_bytes: int = PAGE_BYTES,
    **sources: str,
) -> list[RunNote]:
    """Notes of a checked run on one twin. ``cbs`` has the pages of each circular buffer."""
    placed = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(*core), ttnn.CoreCoord(*core)) for core in cores])
    kernels = [
        ttnn.KernelDescriptor(
            kernel_source=twin(source, fixed=fixed),
            source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
            core_ranges=placed,
            compile_time_args=[
                value for tensor in tensors for value in ttnn.TensorAccessorArgs(tensor).get_compile_time_args()
            ],
            runtime_args=[(core, [core.x, *args]) for core in placed],
            common_runtime_args=[tensor.buffer_address() for tensor in tensors],
            config=_CONFIGS[name](),
            name=name,
        )
        for name, source in sources.items()
    ]
    buffers = [
        ttnn.CBDescriptor(
            total_size=pages * page_bytes,
            core_ranges=placed,
            format_descriptors=[ttnn.CBFormatDescriptor(index, ttnn.bfloat16, page_bytes)],
        )
        for index, pages in cbs.items()
    ]
    flags = [ttnn.SemaphoreDescriptor(id=i, core_ranges=placed, initial_value=0) for i in range(semaphores)]
    program = ttnn.ProgramDescriptor(kernels=kernels, cbs=buffers, semaphores=flags)
    run = tilewright.run_program(tensors, program, RunOptions(checked=True, spin_limit=1))
    return [note for note in run.notes if _RULES.match(note.rule)]


def line_of(note: RunNote) -> int:
    """Line of the kernel itself that a note is about."""
    return next(frame.line for frame in note.stack if "native/include" not in str(frame.path))


def marked_line(source: str) -> int:
    """The line that ends in ``// BUG`` or ``// BUG // -``."""
    return next(number for number, line in enumerate(source.split("\n"), 1) if "// BUG" in line)
