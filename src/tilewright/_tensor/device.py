# SPDX-License-Identifier: Apache-2.0
"""The device of ttnn's API: grid, coordinates, free memory."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from tilewright._tensor.allocator import BankAllocator
from tilewright._tensor.arch import Arch, ArchDescription
from tilewright._tensor.argument import require, shown, whole_number
from tilewright._tensor.cores import CoreCoord, CoreGrid, as_core
from tilewright._tensor.memory_config import BufferType
from tilewright._tensor.ttnn_names import DEVICE_NAMES, missing_attribute

if TYPE_CHECKING:
    from tilewright._tensor.buffer import Buffer
    from tilewright._tensor.chip_memory import ChipMemory


class Device:
    """One open chip. Get one from ``ttnn.open_device``."""

    def __init__(
        self,
        description: ArchDescription,
        memory: ChipMemory,
        device_id: int = 0,
        grid: CoreCoord | None = None,
        l1_small_size: int = 0,
    ) -> None:
        self.description = require("description", description, ArchDescription, "what describe_arch gives")
        self.memory = memory
        self._device_id = device_id
        self._grid = description.grid if grid is None else as_core(grid)
        self._is_open = True
        self._buffers: dict[int, weakref.ref[Buffer]] = {}  # by identity; each takes itself out when it goes
        alignment = description.allocation_alignment
        kept = whole_number("l1_small_size", l1_small_size, most=description.l1_bytes)
        self.l1_end = (description.l1_bytes - kept) // alignment * alignment
        self._allocators = {
            BufferType.DRAM: BankAllocator(
                "DRAM",
                description.num_dram_banks,
                description.dram_unreserved_base,
                description.dram_bank_bytes,
                alignment,
            ),
            BufferType.L1: BankAllocator(
                "L1",
                self._grid.x * self._grid.y,
                description.l1_unreserved_base,
                self.l1_end,
                alignment,
                top_down=True,
            ),
        }

    def id(self) -> int:
        return self._device_id

    def arch(self) -> Arch:
        return self.description.arch

    def compute_with_storage_grid_size(self) -> CoreCoord:
        return self._grid

    @property
    def core_grid(self) -> CoreGrid:
        return CoreGrid(x=self._grid.x, y=self._grid.y)

    def dram_grid_size(self) -> CoreCoord:
        return CoreCoord(self.description.num_dram_banks, 1)

    def num_dram_channels(self) -> int:
        return self.description.num_dram_banks

    def l1_size_per_core(self) -> int:
        return self.description.l1_bytes

    def worker_core_from_logical_core(self, logical_core: CoreCoord | tuple[int, int]) -> CoreCoord:
        core = as_core(logical_core)
        if core.x >= self._grid.x or core.y >= self._grid.y:
            raise ValueError(f"logical_core {core} is outside the {self._grid.x}x{self._grid.y} grid of the device")
        return self.description.worker_core_from_logical_core(core)

    def logical_core_from_worker_core(self, virtual_core: CoreCoord | tuple[int, int]) -> CoreCoord:
        return self.description.logical_core_from_worker_core(virtual_core)

    def dram_core_from_logical_core(self, logical_core: CoreCoord | tuple[int, int]) -> CoreCoord:
        core = as_core(logical_core)
        if core.y != 0 or core.x >= self.description.num_dram_banks:
            raise ValueError(
                f"logical_core {core} is not a DRAM core; allowed: x below {self.num_dram_channels()}, y 0"
            )
        return CoreCoord(self.description.dram_coords[core.x])

    def get_num_devices(self) -> int:
        return 1

    def get_device_ids(self) -> list[int]:
        return [self._device_id]

    def sfpu_eps(self) -> float:
        return 1.1920899822825959e-07

    def sfpu_inf(self) -> float:
        return 1.7013999693950742e38

    def sfpu_nan(self) -> float:
        return 7.0039998997052e19

    def is_open(self) -> bool:
        return self._is_open

    def close(self) -> None:
        """Free every buffer that is still allocated; the device cannot be used afterwards."""
        self._is_open = False  # first: no other thread may allocate a buffer behind the loop
        for buffer in self._allocated():
            buffer.deallocate()

    def allocator(self, buffer_type: BufferType) -> BankAllocator:
        if not self._is_open:
            raise RuntimeError(f"device {self._device_id} is closed")
        self.memory.check_usable()
        if not isinstance(buffer_type, BufferType) or buffer_type not in self._allocators:
            raise ValueError(f"buffer_type must be BufferType.DRAM or BufferType.L1, not {shown(buffer_type)}")
        return self._allocators[buffer_type]

    def bank_of(self, logical_core: CoreCoord | tuple[int, int], buffer_type: BufferType) -> int:
        """The bank in which a core of a shard grid has its shard: its own L1, or a DRAM bank by its number."""
        core = as_core(logical_core)
        require("buffer_type", buffer_type, BufferType, "a ttnn.BufferType")
        grid = self.dram_grid_size() if buffer_type is BufferType.DRAM else self._grid
        if core.x >= grid.x or core.y >= grid.y:
            raise ValueError(
                f"memory_config: Invalid shard grid: shard core {core} has no {buffer_type.name} bank on this device; "
                f"allowed: cores of the {grid.x}x{grid.y} grid"
            )
        return core.y * grid.x + core.x

    def page_alignment(self, buffer_type: BufferType) -> int:
        is_dram = buffer_type is BufferType.DRAM
        return self.description.dram_alignment if is_dram else self.description.l1_alignment

    def l1_buffers(self) -> list[Buffer]:
        """Buffers that lie in the cores' L1 now, lowest address first."""
        buffers = [buffer for buffer in self.buffers() if buffer.buffer_type is BufferType.L1]
        return sorted(buffers, key=lambda buffer: buffer.address)

    def circular_buffers_end(self) -> int:
        """Where a core's circular buffers have to end: at the lowest buffer in L1, or with L1."""
        return self._allocators[BufferType.L1].lowest()

    def circular_buffer_bytes(self) -> int:
        """What a core's circular buffers may take together."""
        return self.circular_buffers_end() - self.description.l1_unreserved_base

    def buffers(self) -> list[Buffer]:
        """Buffers of either memory that hold pages now."""
        return [buffer for buffer in self._allocated() if buffer.num_pages]

    def _allocated(self) -> list[Buffer]:
        found = [reference() for reference in list(self._buffers.values())]
        return [buffer for buffer in found if buffer is not None]

    def register(self, buffer: Buffer) -> None:
        self._buffers[id(buffer)] = weakref.ref(buffer)

    def unregister(self, buffer: Buffer) -> bool:
        """Whether it was registered: of several that deallocate a buffer, one gets to."""
        return self._buffers.pop(id(buffer), None) is not None

    def __getattr__(self, name: str) -> Any:
        raise missing_attribute("ttnn.Device", name, DEVICE_NAMES)

    def __repr__(self) -> str:
        return f"Device({self._device_id}, {self.description.name}, {self._grid.x}x{self._grid.y} cores)"
