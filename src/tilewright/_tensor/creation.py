# SPDX-License-Identifier: Apache-2.0
"""Tensor creation from arrays and fill values. Signatures follow ttnn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tilewright._tensor.argument import flag, require, shown
from tilewright._tensor.cores import CoreCoord, CoreRange, CoreRangeSet
from tilewright._tensor.dtype import DataType, require_supported
from tilewright._tensor.layout import Layout
from tilewright._tensor.memory_config import (
    DRAM_MEMORY_CONFIG,
    BufferType,
    MemoryConfig,
    ShardOrientation,
    ShardSpec,
    TensorMemoryLayout,
    require_memory_config,
)
from tilewright._tensor.shape import Shape
from tilewright._tensor.tensor import (
    Tensor,
    allocate_tensor_on_device,
    checked_fill_value,
    checked_shape,
    numpy_to_torch,
    require_tensor,
)
from tilewright._tensor.tile import Tile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tilewright._tensor.device import Device

Sides: TypeAlias = Shape | Sequence[int]


def from_numpy(
    array: NDArray[Any],
    dtype: DataType | None = None,
    *,
    tile: Tile | None = None,
    pad_value: float | None = None,
    layout: Layout | None = None,
    device: Device | None = None,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    """``from_torch`` for NumPy arrays (ours: ttnn has no function of this name)."""
    return Tensor(array, dtype, device, layout, memory_config, tile, pad_value=pad_value)


def from_torch(
    tensor: Any,
    dtype: DataType | None = None,
    *,
    spec: Any = None,
    tile: Tile | None = None,
    pad_value: float | None = None,
    layout: Layout | None = None,
    device: Device | None = None,
    memory_config: MemoryConfig | None = None,
    mesh_mapper: Any = None,
    cq_id: int | None = None,
) -> Tensor | None:
    """A tensor with the elements of a torch tensor (or NumPy array); None gives None.

    Without ``pad_value`` the padding of tile tensors is zeros, as in ttnn. A checked run still reports results that
    take it in: another operation may leave anything there.
    """
    refuse_unsupported("from_torch", spec=spec, mesh_mapper=mesh_mapper)
    if tensor is None:
        return None
    return Tensor(tensor, dtype, device, layout, memory_config, tile, pad_value=pad_value)


def as_tensor(
    tensor: Any,
    dtype: DataType | None = None,
    *,
    layout: Layout | None = Layout.ROW_MAJOR,
    device: Device | None = None,
    memory_config: MemoryConfig | None = None,
    cache_file_name: Any = None,
    preprocess: Callable[[Any], Any] | None = None,
    mesh_mapper: Any = None,
) -> Tensor:
    refuse_unsupported("as_tensor", cache_file_name=cache_file_name, mesh_mapper=mesh_mapper)
    if preprocess is not None and not callable(preprocess):
        raise TypeError(f"preprocess must be a function of the tensor, not {shown(preprocess)}")
    prepared = preprocess(tensor) if preprocess is not None else tensor
    return Tensor(prepared, dtype, device, layout, memory_config)


def to_torch(
    tensor: Tensor,
    dtype: Any = None,
    *,
    torch_rank: int | None = None,
    mesh_composer: Any = None,
    device: Device | None = None,
    cq_id: int | None = None,
) -> Any:
    """The elements as a torch tensor, read back from the device if they are there."""
    refuse_unsupported("to_torch", mesh_composer=mesh_composer)
    array = require_tensor("tensor", tensor).to_numpy()
    if torch_rank is not None:
        array = array.reshape(tuple(tensor.shape.to_rank(torch_rank)))
    result = numpy_to_torch(array)
    return result if dtype is None else result.to(dtype)


def to_numpy(tensor: Tensor) -> NDArray[Any]:
    return require_tensor("tensor", tensor).to_numpy()


def to_device(
    tensor: Tensor, device: Device, memory_config: MemoryConfig | None = None, *, queue_id: Any = None
) -> Tensor:
    if require_tensor("tensor", tensor).device() is not None:
        raise RuntimeError("to_device: the tensor is on a device already")
    return tensor.to(device, memory_config)


def from_device(tensor: Tensor, blocking: bool = True, *, queue_id: Any = None) -> Tensor:
    return require_tensor("tensor", tensor).cpu(blocking)


def to_layout(
    tensor: Tensor,
    layout: Layout,
    dtype: DataType | None = None,
    memory_config: MemoryConfig | None = None,
    *,
    pad_value: float | None = None,
) -> Tensor:
    """The tensor in another layout. On host tensors only: on a device this is an operation of its own."""
    if require_tensor("tensor", tensor).device() is not None:
        raise NotImplementedError(
            "to_layout: tilewright converts layouts of host tensors only; call ttnn.from_device first, "
            "or run a tilize/untilize program"
        )
    converted = tensor.to_layout(layout, pad_value)
    return converted if dtype is None or dtype is converted.dtype else to_dtype(converted, dtype)


def to_dtype(tensor: Tensor, dtype: DataType | None) -> Tensor:
    if require_tensor("tensor", tensor).device() is not None:
        raise RuntimeError("to_dtype: the tensor must be on the host")
    return Tensor(tensor, dtype, layout=tensor.layout, tile=tensor.tile)


def to_memory_config(tensor: Tensor, memory_config: MemoryConfig, dtype: DataType | None = None) -> Tensor:
    """A copy of a device tensor at another place: DRAM or L1, interleaved or sharded."""
    return _moved("to_memory_config", tensor, memory_config, "dtype", dtype)


def interleaved_to_sharded(
    input_tensor: Tensor,
    grid: CoreCoord | CoreRangeSet | MemoryConfig | None = None,
    shard_shape: Any = None,
    shard_scheme: TensorMemoryLayout | None = None,
    shard_orientation: ShardOrientation | None = None,
    output_dtype: DataType | None = None,
    *,
    sharded_memory_config: MemoryConfig | None = None,
    keep_l1_aligned: bool | None = False,
) -> Tensor:
    """A sharded copy of an interleaved tensor. Takes the parts of a shard spec, or a whole memory config.

    Example::

        config = ttnn.create_sharded_memory_config((1, 1, 64, 64), ttnn.CoreGrid(x=2, y=1), ttnn.ShardStrategy.HEIGHT)
        y = ttnn.interleaved_to_sharded(x, config)
    """
    if keep_l1_aligned is not None and flag("keep_l1_aligned", keep_l1_aligned):
        refuse_unsupported("interleaved_to_sharded", keep_l1_aligned=keep_l1_aligned)
    if isinstance(grid, MemoryConfig):
        if shard_scheme is not None or shard_orientation is not None or sharded_memory_config is not None:
            raise TypeError("interleaved_to_sharded takes a memory config or the parts of a shard spec, not both")
        sharded_memory_config = grid
        output_dtype = output_dtype if shard_shape is None else require_supported(shard_shape)
    elif sharded_memory_config is None:
        scheme = require("shard_scheme", shard_scheme, TensorMemoryLayout, "a ttnn.TensorMemoryLayout")
        if isinstance(grid, CoreCoord):
            if not (grid.x and grid.y):
                raise ValueError(f"grid must have at least one core, not {shown(grid)}")
            grid = CoreRangeSet([CoreRange((0, 0), (grid.x - 1, grid.y - 1))])
        spec = ShardSpec(grid, shard_shape, shard_orientation)  # type: ignore[arg-type]
        sharded_memory_config = MemoryConfig(scheme, BufferType.L1, spec)
    if require_tensor("input_tensor", input_tensor).is_sharded():
        place = input_tensor.memory_config().place
        raise ValueError(f"interleaved_to_sharded: input_tensor must be interleaved, not {place}; use ttnn.reshard")
    if not require_memory_config(sharded_memory_config).is_sharded():
        raise ValueError(f"sharded_memory_config must be sharded, not {sharded_memory_config.place}")
    return _moved("interleaved_to_sharded", input_tensor, sharded_memory_config, "output_dtype", output_dtype)


def sharded_to_interleaved(
    input_tensor: Tensor,
    memory_config: MemoryConfig | None = None,
    output_dtype: DataType | None = None,
) -> Tensor:
    """An interleaved copy of a tensor, by default in DRAM."""
    config = DRAM_MEMORY_CONFIG if memory_config is None else require_memory_config(memory_config)
    if config.is_sharded():
        raise ValueError(f"memory_config must be interleaved, not {config.place}; use ttnn.reshard")
    return _moved("sharded_to_interleaved", input_tensor, config, "output_dtype", output_dtype)


def reshard(input_tensor: Tensor, output_memory_config: MemoryConfig) -> Tensor:
    """A copy of a sharded tensor in other shards."""
    if not require_tensor("input_tensor", input_tensor).is_sharded():
        place = input_tensor.memory_config().place
        raise ValueError(f"reshard: input_tensor must be sharded, not {place}; use ttnn.interleaved_to_sharded")
    if not require_memory_config(output_memory_config).is_sharded():
        raise ValueError(f"output_memory_config must be sharded, not {output_memory_config.place}")
    return _moved("reshard", input_tensor, output_memory_config, "dtype", None)


def _moved(function: str, tensor: Tensor, memory_config: MemoryConfig, argument: str, dtype: DataType | None) -> Tensor:
    device = require_tensor("tensor", tensor).device()
    if device is None:
        raise RuntimeError(f"{function}: the tensor must be on a device")
    if dtype is not None and require_supported(dtype) is not tensor.dtype:
        raise NotImplementedError(
            f"{function}: tilewright does not change the dtype of device tensors; {argument} must be "
            f"{tensor.dtype.name} or None, not {dtype.name}"
        )
    return tensor.cpu().to(device, memory_config)


def is_sharded(tensor: Tensor) -> bool:
    return require_tensor("tensor", tensor).is_sharded()


def deallocate(tensor: Tensor, force: bool = True) -> None:
    require_tensor("tensor", tensor).deallocate(force)


def full(
    shape: Sides,
    fill_value: float,
    dtype: DataType | None = None,
    layout: Layout | None = None,
    device: Device | None = None,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    """A tensor with every element ``fill_value``; by default bfloat16 and row-major, as in ttnn.

    >>> full([2, 3], 1.5).dtype
    DataType.BFLOAT16
    """
    chosen = DataType.BFLOAT16 if dtype is None else require_supported(dtype)
    sides, value = checked_shape(shape, chosen), checked_fill_value("fill_value", fill_value, chosen)
    return Tensor(np.full(tuple(sides), value, chosen.numpy_dtype), chosen, device, layout, memory_config)


def zeros(
    shape: Sides,
    dtype: DataType | None = None,
    layout: Layout | None = None,
    device: Device | None = None,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    return full(shape, 0, dtype, layout, device, memory_config)


def ones(
    shape: Sides,
    dtype: DataType | None = None,
    layout: Layout | None = None,
    device: Device | None = None,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    return full(shape, 1, dtype, layout, device, memory_config)


def empty(
    shape: Sides,
    dtype: DataType | None = None,
    layout: Layout | None = None,
    device: Device | None = None,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    """A device tensor of poison: what ``allocate_tensor_on_device`` gives, with ttnn's defaults."""
    if device is None:
        raise ValueError("empty: device must be given")
    chosen = DataType.BFLOAT16 if dtype is None else dtype
    return allocate_tensor_on_device(
        Shape(shape), chosen, Layout.ROW_MAJOR if layout is None else layout, device, memory_config
    )


def full_like(
    tensor: Tensor,
    fill_value: float,
    dtype: DataType | None = None,
    layout: Layout | None = None,
    device: Device | None = None,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    """A tensor of the same shape with every element ``fill_value``; other properties default to those of ``tensor``."""
    require_tensor("tensor", tensor)
    place = tensor.device() if device is None else device
    config = tensor.memory_config() if memory_config is None and place is not None else memory_config
    dtype, layout = _or_as_in(tensor, dtype, layout)
    return full(tensor.shape, fill_value, dtype, layout, place, config)


def _or_as_in(tensor: Tensor, dtype: DataType | None, layout: Layout | None) -> tuple[DataType, Layout]:
    """The given dtype and layout; those of ``tensor`` where None."""
    return tensor.dtype if dtype is None else dtype, tensor.layout if layout is None else layout


def zeros_like(
    tensor: Tensor,
    dtype: DataType | None = None,
    layout: Layout | None = None,
    device: Device | None = None,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    return full_like(tensor, 0, dtype, layout, device, memory_config)


def ones_like(
    tensor: Tensor,
    dtype: DataType | None = None,
    layout: Layout | None = None,
    device: Device | None = None,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    return full_like(tensor, 1, dtype, layout, device, memory_config)


def empty_like(
    tensor: Tensor,
    *,
    dtype: DataType | None = None,
    layout: Layout | None = None,
    device: Device | None = None,
    memory_config: MemoryConfig | None = None,
) -> Tensor:
    require_tensor("tensor", tensor)
    place = tensor.device() if device is None else device
    config = tensor.memory_config() if memory_config is None else memory_config
    return empty(tensor.shape, *_or_as_in(tensor, dtype, layout), place, config)


def copy_host_to_device_tensor(host_tensor: Tensor, device_tensor: Tensor, cq_id: int | None = None) -> None:
    """Write a host tensor into a device tensor of the same shape, dtype and layout."""
    _require_alike("copy_host_to_device_tensor", host_tensor, device_tensor)
    device_tensor.write(host_tensor)


def _require_alike(function: str, first: Tensor, second: Tensor) -> None:
    require_tensor("host_tensor", first)
    require_tensor("device_tensor", second)
    for name in ("shape", "dtype", "layout"):
        if getattr(first, name) != getattr(second, name):
            raise ValueError(
                f"{function}: the tensors must have the same {name}, not {getattr(first, name)} "
                f"and {getattr(second, name)}"
            )


def refuse_unsupported(function: str, **arguments: Any) -> None:
    """Name the arguments that were given although nothing here takes them."""
    for name, value in arguments.items():
        if value is not None:
            raise NotImplementedError(f"{function}: tilewright does not simulate the argument {name}")
