# SPDX-License-Identifier: Apache-2.0
"""Opening and closing chips, and which are open."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tilewright._tensor.arch import Arch, ArchDescription, describe_arch
from tilewright._tensor.argument import require, whole_number
from tilewright._tensor.cores import CoreCoord
from tilewright._tensor.creation import refuse_unsupported
from tilewright._tensor.device import Device

if TYPE_CHECKING:
    pass

_MOST_DEVICES = 1024  # more chips than a machine has memory for
_open_devices: dict[int, Device] = {}
_opening = threading.Lock()  # of two threads that open the same number, one makes the device


def _forget_parents_devices() -> None:
    """In a forked process, which opens its own; a thread of the parent may have had the lock."""
    global _opening
    _opening = threading.Lock()
    _open_devices.clear()


os.register_at_fork(after_in_child=_forget_parents_devices)

# What tt-metal keeps of L1 for the configurations of kernels, below the circular buffers.
KERNEL_CONFIG_BYTES = 69 * 1024


def open_device(
    device_id: int = 0,
    arch: str | Arch = "wormhole_b0",
    *,
    grid: CoreCoord | tuple[int, int] | None = None,
    l1_small_size: int = 0,
    trace_region_size: int = 0,
    num_command_queues: int = 1,
    dispatch_core_config: Any = None,
    worker_l1_size: int | None = None,
) -> Device:
    """A simulated chip; opening an open one again gives the same device.

    ``arch`` ("wormhole_b0" or "blackhole") and ``grid`` (fewer columns and rows than the chip has) are ours.
    ``l1_small_size`` bytes at the top of every L1 are kept free, as on a card; nothing here allocates from them.
    """
    device_id = whole_number("device_id", device_id, most=_MOST_DEVICES - 1)
    description = describe_arch(arch)
    with _opening:
        known = _open_devices.get(device_id)
        if known is not None:
            return _same(known, description, grid)
        most = description.l1_bytes - description.l1_unreserved_base
        l1_small_size = whole_number("l1_small_size", l1_small_size, most=most - 1)
        refuse_unsupported("open_device", worker_l1_size=worker_l1_size)
        size = _checked_grid(grid, description.grid)

        from tilewright._launch.chip import Chip
        from tilewright._launch.chip_device import ChipDevice

        device = ChipDevice(description, Chip(description, (size.x, size.y)), device_id, size, l1_small_size)
        _open_devices[device_id] = device
        return device


def _same(device: Device, description: ArchDescription, grid: CoreCoord | tuple[int, int] | None) -> Device:
    """An open device, if it is what a call wants to open."""
    if device.description is not description:
        raise ValueError(f"device {device.id()} is open as {device.description.name}; close it first")
    open_grid = device.compute_with_storage_grid_size()
    if grid is not None and _checked_grid(grid, description.grid) != open_grid:
        raise ValueError(f"device {device.id()} is open with a {open_grid.x}x{open_grid.y} grid; close it first")
    return device


def close_device(device: Device) -> None:
    """Free the chip's memory and forget the device; tensors on it are gone."""
    require("device", device, Device, "a device from ttnn.open_device")
    with _opening:
        if _open_devices.get(device.id()) is device:  # not another that was opened since under its number
            del _open_devices[device.id()]
    device.close()


def all_open_devices() -> list[Device]:
    """Open devices, by number."""
    return [device for _, device in sorted(_open_devices.copy().items(), key=lambda item: item[0])]


def default_device() -> Device:
    """The open device with the lowest number; without one, device 0, which stays open."""
    return next(iter(all_open_devices()), None) or open_device(0)


def get_max_worker_l1_unreserved_size() -> int:
    """Bytes of a core's L1 above the firmware: configurations of kernels, circular buffers and tensors share them."""
    description = default_device().description
    return description.l1_bytes - description.l1_unreserved_base + KERNEL_CONFIG_BYTES


@contextmanager
def manage_device(device_id: int, arch: str | Arch = "wormhole_b0") -> Iterator[Device]:
    """``open_device`` for a ``with`` block."""
    device = open_device(device_id, arch)
    try:
        yield device
    finally:
        close_device(device)


@contextmanager
def opened_as_first(device: Device) -> Iterator[None]:
    """Within the block a device that was made otherwise is the open device 0."""
    before = _open_devices.get(0)
    _open_devices[0] = device
    try:
        yield
    finally:
        _open_devices.pop(0, None)
        if before is not None:
            _open_devices[0] = before


def _checked_grid(grid: CoreCoord | tuple[int, int] | None, largest: CoreCoord) -> CoreCoord:
    if grid is None:
        return largest
    size = grid if isinstance(grid, CoreCoord) else CoreCoord(grid)
    if not (1 <= size.x <= largest.x and 1 <= size.y <= largest.y):
        raise ValueError(f"grid {size.x}x{size.y} does not fit; allowed: 1x1 to {largest.x}x{largest.y}")
    return size
