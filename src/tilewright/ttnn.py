# SPDX-License-Identifier: Apache-2.0
"""The drop-in face: ttnn's own names, running on a simulated chip.

>>> from tilewright import ttnn
>>> ttnn.Shape([1, 2])
Shape([1, 2])
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from tilewright.program import (
    NOC,
    NOC_MODE,
    CBDescriptor,
    CBFormatDescriptor,
    ComputeConfigDescriptor,
    CoreCoord,
    CoreGrid,
    CoreRange,
    CoreRangeSet,
    CoreType,
    DataMovementConfigDescriptor,
    DataMovementProcessor,
    KernelDescriptor,
    MathFidelity,
    ProgramDescriptor,
    ReaderConfigDescriptor,
    RuntimeArgs,
    RuntimeArgsColProxy,
    SemaphoreDescriptor,
    TensorAccessorArgs,
    TileDescriptor,
    UnpackToDestMode,
    WriterConfigDescriptor,
    cb_descriptor_from_sharded_tensor,
    corerange_to_cores,
    grid_to_cores,
    num_cores_to_corerangeset,
    num_cores_to_corerangeset_in_subcoregrids,
    split_work_to_cores,
)
from tilewright.program.errors import ProgramError
from tilewright.tensor.allocator import OutOfMemoryError
from tilewright.tensor.arch import Arch, describe_arch
from tilewright.tensor.creation import (
    as_tensor,
    copy_host_to_device_tensor,
    deallocate,
    empty,
    empty_like,
    from_device,
    from_numpy,
    from_torch,
    full,
    full_like,
    ones,
    ones_like,
    refuse_unsupported,
    to_device,
    to_dtype,
    to_layout,
    to_memory_config,
    to_numpy,
    to_torch,
    zeros,
    zeros_like,
)
from tilewright.tensor.device import Device
from tilewright.tensor.dtype import (
    DataType,
    bfloat4_b,
    bfloat8_b,
    bfloat16,
    float32,
    int32,
    uint8,
    uint16,
    uint32,
)
from tilewright.tensor.layout import ROW_MAJOR_LAYOUT, TILE_LAYOUT, Layout
from tilewright.tensor.memory_config import (
    DRAM_MEMORY_CONFIG,
    L1_MEMORY_CONFIG,
    BufferType,
    MemoryConfig,
    ShardOrientation,
    ShardSpec,
    TensorMemoryLayout,
)
from tilewright.tensor.shape import Shape
from tilewright.tensor.tensor import StorageType, Tensor, allocate_tensor_on_device
from tilewright.tensor.tile import TILE_SIZE, Tile
from tilewright.tensor.ttnn_names import TTNN_NAMES, missing_attribute

if TYPE_CHECKING:
    from tilewright.device.chip import Chip

MeshDevice = Device
DEVICE_STORAGE_TYPE = StorageType.DEVICE

_open_devices: dict[int, Device] = {}


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
    if not isinstance(device_id, int) or device_id < 0:
        raise ValueError(f"device_id must be an int of 0 or more, not {device_id!r}")
    description = describe_arch(arch)
    if device_id in _open_devices:
        device = _open_devices[device_id]
        if device.description is not description:
            raise ValueError(f"device {device_id} is open as {device.description.name}; close it first")
        open_grid = device.compute_with_storage_grid_size()
        if grid is not None and _checked_grid(grid, description.grid) != open_grid:
            raise ValueError(f"device {device_id} is open with a {open_grid.x}x{open_grid.y} grid; close it first")
        return device
    most = description.l1_bytes - description.l1_unreserved_base
    if not isinstance(l1_small_size, int) or not 0 <= l1_small_size < most:
        raise ValueError(f"l1_small_size must be 0 .. {most - 1} bytes, not {l1_small_size!r}")
    refuse_unsupported("open_device", worker_l1_size=worker_l1_size)
    size = _checked_grid(grid, description.grid)

    from tilewright.device.chip import Chip

    device = Device(description, Chip(description, (size.x, size.y)), device_id, size, l1_small_size)
    _open_devices[device_id] = device
    return device


def close_device(device: Device) -> None:
    """Free the chip's memory and forget the device; tensors on it are gone."""
    device.close()
    cast("Chip", device.memory).close()
    _open_devices.pop(device.id(), None)


@contextmanager
def manage_device(device_id: int, arch: str | Arch = "wormhole_b0") -> Iterator[Device]:
    """``open_device`` for a ``with`` block."""
    device = open_device(device_id, arch)
    try:
        yield device
    finally:
        close_device(device)


def synchronize_device(device: Device, cq_id: int | None = None, sub_device_ids: Sequence[Any] = ()) -> None:
    """Nothing to wait for: a launch returns when the program has ended."""


def generic_op(io_tensors: Sequence[Tensor], program_descriptor: ProgramDescriptor, *, check: bool = False) -> Tensor:
    """Run a program. ``io_tensors`` are its inputs and, last, its output, which is returned.

    ``check`` is ours: run it under every rule of the checker, and raise ``CheckError`` if one is broken.
    """
    # Imported here: a program is described long before the engine is needed.
    if check:
        from tilewright.check.check_program import require_clean

        require_clean(io_tensors, program_descriptor)
    else:
        from tilewright.device.run_program import run_program

        run_program(io_tensors, program_descriptor)
    return io_tensors[-1]


def get_memory_config(tensor: Tensor) -> MemoryConfig:
    return tensor.memory_config()


def is_tensor_storage_on_device(tensor: Tensor) -> bool:
    return tensor.storage_type() is StorageType.DEVICE


def tile_size(dtype: DataType) -> int:
    """Bytes of a 32x32 tile."""
    return dtype.tile_bytes()


def element_size(dtype: DataType) -> int:
    return dtype.element_bytes


def _checked_grid(grid: CoreCoord | tuple[int, int] | None, largest: CoreCoord) -> CoreCoord:
    if grid is None:
        return largest
    size = grid if isinstance(grid, CoreCoord) else CoreCoord(grid)
    if not (1 <= size.x <= largest.x and 1 <= size.y <= largest.y):
        raise ValueError(f"grid {size.x}x{size.y} does not fit; allowed: 1x1 to {largest.x}x{largest.y}")
    return size


def __getattr__(name: str) -> Any:
    raise missing_attribute("ttnn", name, TTNN_NAMES)


__all__ = [
    "DEVICE_STORAGE_TYPE",
    "DRAM_MEMORY_CONFIG",
    "L1_MEMORY_CONFIG",
    "NOC",
    "NOC_MODE",
    "ROW_MAJOR_LAYOUT",
    "TILE_LAYOUT",
    "TILE_SIZE",
    "Arch",
    "BufferType",
    "CBDescriptor",
    "CBFormatDescriptor",
    "ComputeConfigDescriptor",
    "CoreCoord",
    "CoreGrid",
    "CoreRange",
    "CoreRangeSet",
    "CoreType",
    "DataMovementConfigDescriptor",
    "DataMovementProcessor",
    "DataType",
    "Device",
    "KernelDescriptor",
    "Layout",
    "MathFidelity",
    "MemoryConfig",
    "MeshDevice",
    "OutOfMemoryError",
    "ProgramDescriptor",
    "ProgramError",
    "ReaderConfigDescriptor",
    "RuntimeArgs",
    "RuntimeArgsColProxy",
    "SemaphoreDescriptor",
    "Shape",
    "ShardOrientation",
    "ShardSpec",
    "StorageType",
    "Tensor",
    "TensorAccessorArgs",
    "TensorMemoryLayout",
    "Tile",
    "TileDescriptor",
    "UnpackToDestMode",
    "WriterConfigDescriptor",
    "allocate_tensor_on_device",
    "as_tensor",
    "bfloat4_b",
    "bfloat8_b",
    "bfloat16",
    "cb_descriptor_from_sharded_tensor",
    "close_device",
    "copy_host_to_device_tensor",
    "corerange_to_cores",
    "deallocate",
    "element_size",
    "empty",
    "empty_like",
    "float32",
    "from_device",
    "from_numpy",
    "from_torch",
    "full",
    "full_like",
    "generic_op",
    "get_memory_config",
    "grid_to_cores",
    "int32",
    "is_tensor_storage_on_device",
    "manage_device",
    "num_cores_to_corerangeset",
    "num_cores_to_corerangeset_in_subcoregrids",
    "ones",
    "ones_like",
    "open_device",
    "split_work_to_cores",
    "synchronize_device",
    "tile_size",
    "to_device",
    "to_dtype",
    "to_layout",
    "to_memory_config",
    "to_numpy",
    "to_torch",
    "uint8",
    "uint16",
    "uint32",
    "zeros",
    "zeros_like",
]
