# SPDX-License-Identifier: Apache-2.0
"""A chip's memory lies in files: another mapping sees the same bytes, a forked process has none of it."""

from __future__ import annotations

import mmap
import multiprocessing
import os
from collections.abc import Callable

import numpy as np
import pytest

from tilewright import ttnn
from tilewright._errors import TilewrightError
from tilewright._launch.chip import Chip
from tilewright._tensor.arch import describe_arch
from tilewright._tensor.chip_memory import PageRange
from tilewright._tensor.memory_config import BufferType


def test_pages_lie_at_the_addresses_of_the_layout(chip: Chip) -> None:
    files = chip.memory_files()
    pages = np.arange(15 * 64, dtype=np.uint32).view(np.uint8).reshape(15, 256)
    for kind, file, stride in (
        (BufferType.DRAM, files.dram, files.dram_bank_stride),
        (BufferType.L1, files.l1, files.l1_slot_bytes),
    ):
        banks = chip.arch.num_dram_banks if kind is BufferType.DRAM else chip.grid[0] * chip.grid[1]
        chip.write_pages(PageRange(kind, 0x100000, 256, 512, 15), pages)
        with mmap.mmap(file, 0) as memory:
            for page in range(15):
                at = (page % banks) * stride + 0x100000 + (page // banks) * 512
                assert memory[at : at + 256] == pages[page].tobytes()


def test_a_second_chip_on_the_same_memory_reads_and_runs(chip: Chip, make_program) -> None:
    second = Chip(describe_arch("wormhole_b0"), memory=chip.memory_files())
    pages = PageRange(BufferType.DRAM, 0x200000, 512, 512, 3)
    chip.fill_pages(pages, 0x7FC07FC0)
    assert (second.read_pages(pages).view(np.uint32) == 0x7FC07FC0).all()
    second.launch(make_program(semaphores=1, reader="void kernel_main() { *(volatile int*)get_semaphore(0) = 3; }"))
    assert chip.read_semaphore((0, 0), 0) == 3
    second.close()
    assert chip.read_semaphore((0, 0), 0) == 3


def test_deferred_poison_is_written_on_request(chip: Chip) -> None:
    chip.fill_pages(PageRange(BufferType.DRAM, 0x300000, 4096, 4096, 1), 0x12345678)
    chip.settle()
    with mmap.mmap(chip.memory_files().dram, 0) as memory:
        assert memory[0x300000:0x301000] == np.full(1024, 0x12345678, np.uint32).tobytes()


def in_a_forked_process(work: Callable[[], bool]) -> int | None:
    process = multiprocessing.get_context("fork").Process(target=lambda: os._exit(0 if work() else 1))
    process.start()
    process.join(60)
    return process.exitcode


def test_a_forked_process_cannot_reach_its_parents_tensors() -> None:
    device = ttnn.open_device(0)
    tensor = ttnn.from_numpy(np.ones((32, 32), np.float32), device=device)

    def work() -> bool:
        for reach in (tensor.to_numpy, lambda: ttnn.from_numpy(np.zeros((32, 32), np.float32), device=device)):
            with pytest.raises(TilewrightError, match="was opened by process"):
                reach()
        own = ttnn.open_device(0)  # not the parent's, which has the same number
        again = ttnn.from_numpy(np.full((32, 32), 5, np.float32), device=own)
        return own is not device and bool((again.to_numpy() == 5).all())

    try:
        assert in_a_forked_process(work) == 0
        assert (tensor.to_numpy() == 1).all()
    finally:
        ttnn.close_device(device)
