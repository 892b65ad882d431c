# SPDX-License-Identifier: Apache-2.0
"""Poison of DRAM is written at the first access; every reader sees what writing it at once would give."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tilewright._launch.chip import Chip
from tilewright._launch.run_options import RunOptions
from tilewright._tensor.arch import describe_arch
from tilewright._tensor.chip_memory import PageRange
from tilewright._tensor.memory_config import BufferType

WORDS = [0x7FC77FC7, 0x7FC7BAD0, 0xDEADBEEF]
BASE = 0x100000
BANK_BYTES = 16 * 1024  # of each bank, looked at
ALIGNMENT = 32


@pytest.fixture
def own_chip() -> Iterator[Chip]:
    chip = Chip(describe_arch("wormhole_b0"), (2, 1))
    yield chip
    chip.close()


class Mirror:
    """The same memory, filled at once."""

    def __init__(self, chip: Chip) -> None:
        self.chip = chip
        self.banks = np.zeros((len(chip.arch.dram_coords), BANK_BYTES), dtype=np.uint8)

    def pages(self, address: int, page_bytes: int, stride: int, count: int) -> Iterator[tuple[int, np.ndarray]]:
        for page in range(count):
            begin = address - BASE + page // len(self.banks) * stride
            yield page, self.banks[page % len(self.banks), begin : begin + page_bytes]

    def fill(self, address: int, stride: int, count: int, word: int) -> None:
        self.chip.fill_pages(PageRange(BufferType.DRAM, address, stride, stride, count), word)
        pattern = np.frombuffer(np.uint32(word).tobytes() * (stride // 4), dtype=np.uint8)
        for _, memory in self.pages(address, stride, stride, count):
            memory[:] = pattern

    def write(self, address: int, page_bytes: int, stride: int, data: np.ndarray) -> None:
        self.chip.write_pages(PageRange(BufferType.DRAM, address, page_bytes, stride, len(data)), data)
        for page, memory in self.pages(address, page_bytes, stride, len(data)):
            memory[:] = data[page]

    def check(self, address: int, page_bytes: int, stride: int, count: int) -> None:
        seen = self.chip.read_pages(PageRange(BufferType.DRAM, address, page_bytes, stride, count))
        for page, memory in self.pages(address, page_bytes, stride, count):
            np.testing.assert_array_equal(seen[page], memory)


def test_host_reads_poison_of_unwritten_memory(own_chip: Chip) -> None:
    generator = np.random.default_rng(11)
    mirror = Mirror(own_chip)
    banks = len(mirror.banks)
    for _ in range(3000):
        stride = int(generator.integers(1, 40)) * ALIGNMENT
        page_bytes = int(generator.integers(1, stride + 1))
        begin = int(generator.integers(0, BANK_BYTES // ALIGNMENT)) * ALIGNMENT
        rows = max(1, min(int(generator.integers(1, 12)), (BANK_BYTES - begin) // stride))
        if begin + stride > BANK_BYTES:
            continue
        count = (rows - 1) * banks + int(generator.integers(1, banks + 1))
        action = generator.integers(0, 4)
        if action == 0:
            mirror.fill(BASE + begin, stride, count, int(generator.choice(WORDS)))
        elif action < 3:
            data = generator.integers(0, 256, (count, page_bytes), dtype=np.uint8)
            mirror.write(BASE + begin, page_bytes, stride, data)
        else:
            mirror.check(BASE + begin, page_bytes, stride, count)
    mirror.check(BASE, BANK_BYTES, BANK_BYTES, banks)


# Writes `bytes` bytes of a page's start to DRAM at (address, bank 0), or reads them from there, or adds to one word.
TRANSFER = """
void kernel_main() {
    const uint32_t what = get_arg_val<uint32_t>(0), address = get_arg_val<uint32_t>(1);
    const uint32_t bytes = get_arg_val<uint32_t>(2);
    const uint64_t place = get_noc_addr_from_bank_id<true>(0, address);
    const uint32_t page = get_write_ptr(0);
    if (what == 0) {
        for (uint32_t i = 0; i < bytes; i++) {
            reinterpret_cast<volatile uint8_t*>(page)[i] = uint8_t(i * 7 + bytes);
        }
        noc_async_write(page, place, bytes);
        noc_async_write_barrier();
    } else if (what == 1) {
        noc_async_read(place, page, bytes);
        noc_async_read_barrier();
    } else {
        noc_inline_dw_write(place, 0x12345678);
        noc_async_write_barrier();
    }
}
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_kernels_read_and_keep_poison_of_unwritten_memory(own_chip: Chip, make_program, threads: int) -> None:
    generator = np.random.default_rng(5)
    mirror = Mirror(own_chip)
    banks = len(mirror.banks)
    for step in range(120):
        if step % 12 == 0:
            mirror.fill(BASE, 2048, 3 * banks, int(generator.choice(WORDS)))
        what = int(generator.integers(0, 3))
        offset = int(generator.integers(0, 3 * 2048 // ALIGNMENT - 70)) * ALIGNMENT
        num_bytes = int(generator.integers(1, 2048 // ALIGNMENT + 1)) * ALIGNMENT if what != 2 else 4
        args = {"reader": [what, BASE + offset, num_bytes]}
        program = make_program(grid=(2, 1), cbs={0: 1}, reader=TRANSFER, args=args)
        own_chip.launch(program, RunOptions(threads=threads, keep_l1=True))
        memory = mirror.banks[0, offset : offset + num_bytes]
        if what == 0:
            memory[:] = (np.arange(num_bytes) * 7 + num_bytes).astype(np.uint8)
        elif what == 1:
            page = own_chip.read_l1((1, 0), own_chip.arch.l1_unreserved_base, num_bytes)
            np.testing.assert_array_equal(page, memory)
        else:
            memory[:] = np.frombuffer(np.uint32(0x12345678).tobytes(), dtype=np.uint8)
    mirror.check(BASE, 3 * 2048, 3 * 2048, banks)


# Two cores write halves of the same lines.
HALVES = """
void kernel_main() {
    const uint32_t page = get_write_ptr(0), x = get_absolute_logical_x(), address = get_arg_val<uint32_t>(0);
    for (uint32_t piece = 0; piece < 256; piece++) {
        auto* word = reinterpret_cast<volatile uint32_t*>(page);
        for (uint32_t i = 0; i < 8; i++) {
            word[i] = 1000 * x + piece;
        }
        noc_async_write(page, get_noc_addr_from_bank_id<true>(0, address + 64 * piece + 32 * x), 32);
        noc_async_write_barrier();
    }
}
"""


def test_threads_that_share_a_line_lose_nothing(own_chip: Chip, make_program) -> None:
    program = make_program(grid=(2, 1), cbs={0: 1}, reader=HALVES, args={"reader": [BASE]})
    piece = np.arange(256, dtype=np.uint32)
    bank = PageRange(BufferType.DRAM, BASE, BANK_BYTES, BANK_BYTES, 1)
    for _ in range(200):
        own_chip.fill_pages(bank, WORDS[0])
        own_chip.launch(program, RunOptions(threads=2))
        lines = own_chip.read_pages(bank).view(np.uint32).reshape(256, 2, 8)
        np.testing.assert_array_equal(lines[:, 0], np.repeat(piece, 8).reshape(256, 8))
        np.testing.assert_array_equal(lines[:, 1], np.repeat(1000 + piece, 8).reshape(256, 8))
