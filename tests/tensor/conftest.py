# SPDX-License-Identifier: Apache-2.0
"""A chip that is memory only, so that tensors can be tested without the engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright._tensor.arch import BLACKHOLE, WORMHOLE_B0, ArchDescription
from tilewright._tensor.chip_memory import PageRange
from tilewright._tensor.device import Device
from tilewright._tensor.memory_config import BufferType


class FakeChip:
    """Banks as dictionaries of pages; the placement rule is written out page by page."""

    def __init__(self, description: ArchDescription) -> None:
        self.num_banks = {
            BufferType.DRAM: description.num_dram_banks,
            BufferType.L1: description.grid.x * description.grid.y,
        }
        self.bytes: dict[tuple[BufferType, int, int], np.ndarray[Any, Any]] = {}

    def _places(self, pages: PageRange):
        banks = self.num_banks[pages.buffer_type]
        for page in range(pages.num_pages):
            bank, row = page % banks, page // banks
            if pages.places is not None:
                bank, row = divmod(int(pages.places.of_pages[page]), pages.places.pages_per_bank)
            yield page, (pages.buffer_type, bank, pages.address + row * pages.aligned_page_bytes)

    def write_pages(self, pages: PageRange, data):
        assert data.dtype == np.uint8
        assert data.shape == (pages.num_pages, pages.page_bytes)
        for page, place in self._places(pages):
            self.bytes[place][: pages.page_bytes] = data[page]

    def read_pages(self, pages: PageRange):
        return np.stack([self.bytes[place][: pages.page_bytes] for _, place in self._places(pages)])

    def check_usable(self) -> None:
        pass

    def fill_pages(self, pages: PageRange, pattern):
        for _, place in self._places(pages):
            words = np.full(-(-pages.aligned_page_bytes // 4), pattern, np.uint32)
            self.bytes[place] = words.view(np.uint8)[: pages.aligned_page_bytes].copy()


@pytest.fixture(params=[WORMHOLE_B0, BLACKHOLE], ids=lambda arch: arch.name)
def device(request: pytest.FixtureRequest) -> Device:
    return Device(request.param, FakeChip(request.param))


@pytest.fixture
def wormhole() -> Device:
    return Device(WORMHOLE_B0, FakeChip(WORMHOLE_B0))
