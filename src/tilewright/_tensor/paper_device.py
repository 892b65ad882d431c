# SPDX-License-Identifier: Apache-2.0
"""A device without memory, for planning programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright._tensor.arch import Arch, describe_arch
from tilewright._tensor.cores import CoreCoord
from tilewright._tensor.device import Device

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tilewright._tensor.chip_memory import PageRange


class _NoMemory:
    """Takes what is written and has nothing to read."""

    def check_usable(self) -> None:
        pass

    def write_pages(self, pages: PageRange, data: NDArray[np.uint8]) -> None:
        pass

    def read_pages(self, pages: PageRange) -> NDArray[np.uint8]:
        raise RuntimeError("a device on paper has no memory to read")

    def fill_pages(self, pages: PageRange, pattern: int) -> None:
        pass


def paper_device(arch: str | Arch, grid: tuple[int, int] | None = None) -> Device:
    """A device to describe programs on; it needs no engine and cannot run them.

    >>> paper_device("blackhole").compute_with_storage_grid_size()
    13-10
    """
    return Device(describe_arch(arch), _NoMemory(), grid=CoreCoord(grid) if grid is not None else None)
