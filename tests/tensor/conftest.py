# SPDX-License-Identifier: Apache-2.0
"""A chip that is memory only, so that tensors can be tested without the engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright._tensor.arch import BLACKHOLE, WORMHOLE_B0, ArchDescription
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

    def _places(self, buffer_type: BufferType, address: int, aligned: int, num_pages: int, places=None):
        banks = self.num_banks[buffer_type]
        for page in range(num_pages):
            bank, row = page % banks, page // banks
            if places is not None:
                bank, row = divmod(int(places.of_pages[page]), places.pages_per_bank)
            yield page, (buffer_type, bank, address + row * aligned)

    def write_pages(self, buffer_type, address, page_bytes, aligned_page_bytes, pages, places=None):
        assert pages.dtype == np.uint8
        assert pages.shape[1] == page_bytes
        for page, place in self._places(buffer_type, address, aligned_page_bytes, len(pages), places):
            self.bytes[place][:page_bytes] = pages[page]

    def read_pages(self, buffer_type, address, page_bytes, aligned_page_bytes, num_pages, places=None):
        found = self._places(buffer_type, address, aligned_page_bytes, num_pages, places)
        return np.stack([self.bytes[place][:page_bytes] for _, place in found])

    def check_usable(self) -> None:
        pass

    def fill_pages(self, buffer_type, address, aligned_page_bytes, num_pages, pattern, places=None):
        for _, place in self._places(buffer_type, address, aligned_page_bytes, num_pages, places):
            words = np.full(-(-aligned_page_bytes // 4), pattern, np.uint32)
            self.bytes[place] = words.view(np.uint8)[:aligned_page_bytes].copy()


@pytest.fixture(params=[WORMHOLE_B0, BLACKHOLE], ids=lambda arch: arch.name)
def device(request: pytest.FixtureRequest) -> Device:
    return Device(request.param, FakeChip(request.param))


@pytest.fixture
def wormhole() -> Device:
    return Device(WORMHOLE_B0, FakeChip(WORMHOLE_B0))
