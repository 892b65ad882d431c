# SPDX-License-Identifier: Apache-2.0
"""Kernels that do what no kernel should, all in one library: an argument chooses what it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tilewright._launch.chip import Chip
from tilewright._program.kernel import KernelDescriptor
from tilewright._program.kernel_config import ReaderConfigDescriptor
from tilewright._program.program import ProgramDescriptor
from tilewright._program.semaphore import SemaphoreDescriptor
from tilewright._tensor.arch import describe_arch
from tilewright._tensor.cores import CoreCoord, CoreRange, CoreRangeSet

MakeProgram = Callable[..., ProgramDescriptor]
KERNEL = Path(__file__).parent / "hostile.cpp"


@pytest.fixture(scope="session")
def hostile_chip(hostile_program: MakeProgram) -> Iterator[Chip]:
    chip = Chip(describe_arch("wormhole_b0"), (2, 1))
    chip.launch(hostile_program(0))  # compiles the kernel, which no test should wait for
    yield chip
    chip.close()


@pytest.fixture(scope="session")
def deeds() -> dict[str, tuple[int, int]]:
    """Number and line of each deed of the kernel, by the name it has there."""
    found: dict[str, tuple[int, int]] = {}
    for number, text in enumerate(KERNEL.read_text().splitlines(), 1):
        if text.strip().startswith("case "):
            name = text.split("// ", 1)[1].strip()
            found[name] = (int(text.split()[1].rstrip(":")), number)
    return found


@pytest.fixture(scope="session")
def hostile_program() -> MakeProgram:
    def make(deed: int, source: str | Path = KERNEL) -> ProgramDescriptor:
        cores = CoreRangeSet([CoreRange(CoreCoord(1, 0), CoreCoord(1, 0))])
        kernel = KernelDescriptor(
            kernel_source=str(source),
            source_type=KernelDescriptor.SourceType.FILE_PATH
            if isinstance(source, Path)
            else KernelDescriptor.SourceType.SOURCE_CODE,
            core_ranges=cores,
            runtime_args=[(CoreCoord(1, 0), [deed])],
            config=ReaderConfigDescriptor(),
            name="hostile",
        )
        semaphores = [SemaphoreDescriptor(id=0, core_ranges=cores, initial_value=0)]
        return ProgramDescriptor(kernels=[kernel], cbs=[], semaphores=semaphores)

    return make
