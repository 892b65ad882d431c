# SPDX-License-Identifier: Apache-2.0
"""Tensor creation from arrays and fill values. Signatures follow ttnn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tilewright._tensor.argument import shown
from tilewright._tensor.dtype import DataType, require_supported
from tilewright._tensor.layout import Layout
from tilewright._tensor.memory_config import MemoryConfig
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
    """A copy of a device tensor at another place."""
    device = require_tensor("tensor", tensor).device()
    if device is None:
        raise RuntimeError("to_memory_config: the tensor must be on a device")
    if dtype is not None and require_supported(dtype) is not tensor.dtype:
        raise NotImplementedError("to_memory_config: tilewright does not change the dtype of device tensors")
    return tensor.cpu().to(device, memory_config)


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
    device_tensor.buffer().write(host_tensor.host_pages(), host_tensor.pad_value_given)


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
