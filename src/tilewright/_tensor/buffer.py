# SPDX-License-Identifier: Apache-2.0
"""Buffers: pages over the banks in turn, or in shards."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tilewright._tensor.chip_memory import PagePlaces, PageRange
from tilewright._tensor.memory_config import BufferType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tilewright._tensor.device import Device
    from tilewright._tensor.sharding import Sharding


class Buffer:
    """A buffer in DRAM or L1, interleaved or sharded. Unwritten memory holds the dtype's poison.

    Its addresses are free again when it is deallocated or, as in ttnn, when the last reference to the tensor is gone.
    A call that uses the addresses holds the buffer: if another thread deallocates the buffer meanwhile, the addresses
    are freed at the end of the call. The protocol needs no lock, which a forked process could inherit locked:
    ``hold`` adds its mark before it looks at ``_is_allocated``, and ``deallocate`` changes ``_is_allocated`` before it
    looks for marks, so at least one of the two sees the other.
    """

    def __init__(
        self,
        device: Device,
        buffer_type: BufferType,
        page_size: int,
        num_pages: int,
        poison: int,
        sharding: Sharding | None = None,
    ) -> None:
        self.device = device  # before anything can fail: a buffer that was never whole is deallocated, too
        self._is_allocated = False
        self.buffer_type = buffer_type
        self.page_size = page_size
        self.num_pages = num_pages
        self.aligned_page_size = align(page_size, device.page_alignment(buffer_type))
        self._allocator = device.allocator(buffer_type)
        self.sharding = sharding
        self.places = None if sharding is None else _places(sharding, device, buffer_type)
        self.address = 0
        self._marks: list[None] = []  # one for each call that uses the addresses
        self._to_free: list[int] = []  # the address, until it is freed
        self.host_wrote = False  # programs may have written it all the same
        self.pad_value_given = True  # False: the host wrote zeros into the padding because no value was given
        if num_pages:
            total = self.aligned_page_size * num_pages
            self.address = self._allocator.allocate(self.bytes_per_bank(), total_bytes=total)
            self._to_free.append(self.address)
        self._is_allocated = True
        device.register(self)
        if num_pages:
            device.memory.fill_pages(self.page_range(), poison)

    def __del__(self) -> None:
        self.deallocate()

    def bytes_per_bank(self) -> int:
        """Bytes this buffer takes in each bank: the same everywhere, even where it has fewer pages or no shard."""
        if self.sharding is not None:
            return self.sharding.pages_per_core * self.aligned_page_size
        pages_per_bank = -(-self.num_pages // self._allocator.num_banks)
        return pages_per_bank * self.aligned_page_size

    def page_location(self, page: int) -> tuple[int, int]:
        """(bank, address in the bank) of page number ``page``."""
        if not 0 <= page < self.num_pages:
            raise IndexError(f"page {page} is outside the buffer's {self.num_pages} pages")
        if self.places is not None:
            bank, in_bank = divmod(int(self.places.of_pages[page]), self.places.pages_per_bank)
            return bank, self.address + in_bank * self.aligned_page_size
        banks = self._allocator.num_banks
        return page % banks, self.address + page // banks * self.aligned_page_size

    def is_allocated(self) -> bool:
        return self._is_allocated

    def write(self, pages: NDArray[np.uint8], pad_value_given: bool = True) -> None:
        with self._held():
            if pages.shape != (self.num_pages, self.page_size):
                raise ValueError(f"pages have shape {pages.shape}, the buffer takes {(self.num_pages, self.page_size)}")
            self.host_wrote, self.pad_value_given = True, pad_value_given
            if self.num_pages:
                self.device.memory.write_pages(self.page_range(), pages)

    def read(self) -> NDArray[np.uint8]:
        with self._held():
            if not self.num_pages:
                return np.empty((0, self.page_size), np.uint8)
            return self.device.memory.read_pages(self.page_range())

    def page_range(self) -> PageRange:
        """Its pages as the chip's memory takes them."""
        return PageRange(
            self.buffer_type, self.address, self.page_size, self.aligned_page_size, self.num_pages, self.places
        )

    def deallocate(self) -> None:
        """Give the addresses back; doing so twice is harmless, as in ttnn."""
        if self.device.unregister(self):
            self._is_allocated = False
            self._free_unless_held()

    def hold(self) -> None:
        """Keep the addresses until ``release``, even if another thread deallocates the buffer meanwhile."""
        self._marks.append(None)
        if not self._is_allocated:
            self.release()
            raise RuntimeError("Tensor is not allocated.")

    def release(self) -> None:
        """Undo one ``hold``."""
        self._marks.pop()
        if not self._is_allocated:
            self._free_unless_held()

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        self.hold()
        try:
            yield
        finally:
            self.release()

    def _free_unless_held(self) -> None:
        if not self._marks:
            with contextlib.suppress(IndexError):  # of several threads, one frees it
                self._allocator.free(self._to_free.pop())

    def __repr__(self) -> str:
        return (
            f"Buffer({self.buffer_type.name}, address={self.address:#x}, page_size={self.page_size}, "
            f"aligned_page_size={self.aligned_page_size}, num_pages={self.num_pages})"
        )


def _places(sharding: Sharding, device: Device, buffer_type: BufferType) -> PagePlaces:
    bank_of = {core: device.bank_of(core, buffer_type) for core in sharding.cores}
    pages_per_bank = sharding.pages_per_core
    last = np.array([(bank + 1) * pages_per_bank - 1 for bank in bank_of.values()], np.uint32)
    return PagePlaces(pages_per_bank, sharding.places(bank_of.__getitem__), last)


def align(size: int, alignment: int) -> int:
    return (size + alignment - 1) // alignment * alignment
