# SPDX-License-Identifier: Apache-2.0
"""The drop-in face: ttnn's own names, running on a simulated chip.

>>> from tilewright import ttnn
>>> ttnn.Shape([1, 2])
Shape([1, 2])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright._launch.open_devices import close_device, get_max_worker_l1_unreserved_size, manage_device, open_device
from tilewright._program import (
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
from tilewright._program.compute_kernel_config import WormholeComputeKernelConfig
from tilewright._program.errors import ProgramError
from tilewright._tensor.allocator import OutOfMemoryError
from tilewright._tensor.arch import Arch
from tilewright._tensor.argument import flag
from tilewright._tensor.creation import (
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
    interleaved_to_sharded,
    is_sharded,
    ones,
    ones_like,
    reshard,
    sharded_to_interleaved,
    to_device,
    to_dtype,
    to_layout,
    to_memory_config,
    to_numpy,
    to_torch,
    zeros,
    zeros_like,
)
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import (
    DataType,
    bfloat4_b,
    bfloat8_b,
    bfloat16,
    float32,
    int32,
    require_supported,
    uint8,
    uint16,
    uint32,
)
from tilewright._tensor.layout import ROW_MAJOR_LAYOUT, TILE_LAYOUT, Layout
from tilewright._tensor.memory_config import (
    DRAM_MEMORY_CONFIG,
    L1_BLOCK_SHARDED_MEMORY_CONFIG,
    L1_HEIGHT_SHARDED_MEMORY_CONFIG,
    L1_MEMORY_CONFIG,
    L1_WIDTH_SHARDED_MEMORY_CONFIG,
    BufferType,
    MemoryConfig,
    ShardOrientation,
    ShardSpec,
    TensorMemoryLayout,
)
from tilewright._tensor.shape import Shape
from tilewright._tensor.sharded_config import ShardStrategy, create_sharded_memory_config
from tilewright._tensor.tensor import StorageType, Tensor, allocate_tensor_on_device, require_tensor
from tilewright._tensor.tile import TILE_SIZE, Tile
from tilewright._tensor.ttnn_names import TTNN_NAMES, missing_attribute

MeshDevice = Device
DEVICE_STORAGE_TYPE = StorageType.DEVICE


def synchronize_device(device: Device, cq_id: int | None = None, sub_device_ids: Sequence[Any] = ()) -> None:
    """Nothing to wait for: a launch returns when the program has ended."""


def generic_op(io_tensors: Sequence[Tensor], program_descriptor: ProgramDescriptor, *, check: bool = False) -> Tensor:
    """Run a program. ``io_tensors`` are its inputs and, last, its output, which is returned.

    ``check`` is ours: run it under every rule of the checker, and raise ``CheckError`` if one is broken.
    """
    # Imported here: a program is described long before the engine is needed.
    if flag("check", check):
        from tilewright.check._check_program import require_clean

        require_clean(io_tensors, program_descriptor)
    else:
        from tilewright._launch.run_program import run_program

        run_program(io_tensors, program_descriptor)
    return io_tensors[-1]


def get_memory_config(tensor: Tensor) -> MemoryConfig:
    return require_tensor("tensor", tensor).memory_config()


def is_tensor_storage_on_device(tensor: Tensor) -> bool:
    return require_tensor("tensor", tensor).storage_type() is StorageType.DEVICE


def tile_size(dtype: DataType) -> int:
    """Bytes of a 32x32 tile."""
    return require_supported(dtype).tile_bytes()


def element_size(dtype: DataType) -> int:
    return require_supported(dtype).element_bytes


def __getattr__(name: str) -> Any:
    raise missing_attribute("ttnn", name, TTNN_NAMES)


__all__ = [
    "DEVICE_STORAGE_TYPE",
    "DRAM_MEMORY_CONFIG",
    "L1_BLOCK_SHARDED_MEMORY_CONFIG",
    "L1_HEIGHT_SHARDED_MEMORY_CONFIG",
    "L1_MEMORY_CONFIG",
    "L1_WIDTH_SHARDED_MEMORY_CONFIG",
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
    "ShardStrategy",
    "StorageType",
    "Tensor",
    "TensorAccessorArgs",
    "TensorMemoryLayout",
    "Tile",
    "TileDescriptor",
    "UnpackToDestMode",
    "WormholeComputeKernelConfig",
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
    "create_sharded_memory_config",
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
    "get_max_worker_l1_unreserved_size",
    "get_memory_config",
    "grid_to_cores",
    "int32",
    "interleaved_to_sharded",
    "is_sharded",
    "is_tensor_storage_on_device",
    "manage_device",
    "num_cores_to_corerangeset",
    "num_cores_to_corerangeset_in_subcoregrids",
    "ones",
    "ones_like",
    "open_device",
    "reshard",
    "sharded_to_interleaved",
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
