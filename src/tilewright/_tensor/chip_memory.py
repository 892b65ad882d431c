# SPDX-License-Identifier: Apache-2.0
"""Protocol of a chip's memory as tensors use it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tilewright._tensor.memory_config import BufferType


@dataclasses.dataclass(frozen=True)
class PagePlaces:
    """Where the pages of a sharded buffer lie: ``bank * pages_per_bank + page of the bank``.

    Attributes:
        pages_per_bank: the room in each bank that has a shard.
        of_pages: a place for each page.
        last: the last place of each bank.
    """

    pages_per_bank: int
    of_pages: NDArray[np.uint32]
    last: NDArray[np.uint32]


@dataclasses.dataclass(frozen=True)
class PageRange:
    """The pages of a buffer.

    Page ``i`` of an interleaved buffer lies in bank ``i % num_banks`` at
    ``address + (i // num_banks) * aligned_page_bytes``. DRAM banks are the arch's DRAM channels; L1 bank ``i`` is the
    core in column ``i % grid.x`` of row ``i // grid.x``.

    Attributes:
        address: in each bank.
        places: of a sharded buffer.
    """

    buffer_type: BufferType
    address: int
    page_bytes: int
    aligned_page_bytes: int
    num_pages: int
    places: PagePlaces | None = None


class ChipMemory(Protocol):
    """Buffers, page by page."""

    def check_usable(self) -> None:
        """Raise if the memory is gone."""
        ...

    def write_pages(self, pages: PageRange, data: NDArray[np.uint8]) -> None:
        """Write an array (num_pages, page_bytes)."""
        ...

    def read_pages(self, pages: PageRange) -> NDArray[np.uint8]:
        """Read an array (num_pages, page_bytes) that belongs to the caller."""
        ...

    def fill_pages(self, pages: PageRange, pattern: int) -> None:
        """Fill whole pages, the alignment gap included, with a 32-bit pattern; of shards also their padding."""
        ...
