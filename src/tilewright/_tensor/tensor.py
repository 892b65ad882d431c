# SPDX-License-Identifier: Apache-2.0
"""Tensors, on the host or on a device.

A tensor on the host holds the same pages a device would hold, so moving it is a plain copy and every conversion
happens in one place (``layout.encode`` and ``layout.decode``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tilewright._display.notebook import card, heat_map, paragraph
from tilewright._tensor.argument import items, real_number, require, shown
from tilewright._tensor.buffer import Buffer
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType, data_type_of_numpy, require_supported
from tilewright._tensor.kind import TensorKind, tensor_kind
from tilewright._tensor.layout import Layout, check_layout, decode, encode
from tilewright._tensor.memory_config import (
    DRAM_MEMORY_CONFIG,
    MemoryConfig,
    require_memory_config,
)
from tilewright._tensor.shape import Shape
from tilewright._tensor.tile import TILE_SIZE, Tile
from tilewright._tensor.ttnn_enum import TtnnEnum
from tilewright._tensor.ttnn_names import TENSOR_NAMES, missing_attribute

if TYPE_CHECKING:
    from numpy.typing import NDArray


class StorageType(TtnnEnum):
    HOST = 0
    DEVICE = 1


_USUAL_TILE = Tile((TILE_SIZE, TILE_SIZE))


class Tensor:
    """Elements of one dtype in pages. Made by ``ttnn.from_torch``, ``ttnn.from_numpy`` and their like.

    >>> Tensor(np.zeros((2, 40), np.float32), layout=Layout.TILE).padded_shape
    Shape([32, 64])
    """

    def __init__(
        self,
        tensor: Any,
        data_type: DataType | None = None,
        device: Device | None = None,
        layout: Layout | None = None,
        mem_config: MemoryConfig | None = None,
        tile: Tile | None = None,
        cq_id: int | None = None,
        pad_value: float | None = None,
    ) -> None:
        array = _as_numpy(tensor)
        dtype = require_supported(data_type) if data_type is not None else data_type_of_numpy(array)
        default_layout = Layout.TILE if dtype.is_block_float else Layout.ROW_MAJOR
        config = DRAM_MEMORY_CONFIG if mem_config is None else require_memory_config(mem_config)
        self._describe(Shape(array.shape), dtype, default_layout if layout is None else layout, tile, config)
        filling = 0 if pad_value is None else checked_fill_value("pad_value", pad_value, dtype)
        width = kind_of(self).page_width
        pages = encode(_convert(array, dtype), dtype, self._layout, self._tile, filling, width)
        self._pages: NDArray[np.uint8] | None = pages
        self._pad_value_given = pad_value is not None
        self._buffer: Buffer | None = None
        if device is not None:
            self._move_to(device, config)

    def _describe(
        self, shape: Shape, dtype: DataType, layout: Layout, tile: Tile | None, memory_config: MemoryConfig
    ) -> None:
        check_layout(dtype, layout)
        self._shape = shape
        self._dtype = dtype
        self._layout = layout
        self._tile = _USUAL_TILE if tile is None else require("tile", tile, Tile, "a ttnn.Tile")
        self._memory_config = memory_config
        self._kind: TensorKind | None = None

    def _move_to(self, device: Device, memory_config: MemoryConfig) -> None:
        _require_place(device, memory_config)
        kind = tensor_kind(self._shape, self._dtype, self._layout, self._tile, memory_config)
        pages = self._pages_of(kind)
        buffer = _new_buffer(kind, device)
        buffer.write(pages, self._pad_value_given)
        self._pages, self._buffer, self._memory_config, self._kind = None, buffer, memory_config, kind

    def _pages_of(self, kind: TensorKind) -> NDArray[np.uint8]:
        """The bytes of a host tensor in the pages of another placement."""
        pages, width = self.host_pages(), kind_of(self).page_width
        if kind.page_width == width:
            return pages
        array = decode(pages, self._shape, self._dtype, self._layout, self._tile, width)
        return encode(array, self._dtype, self._layout, self._tile, 0, kind.page_width)

    def write(self, host_tensor: Tensor) -> None:
        """Take the elements of a host tensor of the same shape, dtype and layout."""
        self.buffer().write(host_tensor._pages_of(kind_of(self)), host_tensor.pad_value_given)

    @classmethod
    def _made_of(
        cls,
        like: Tensor | tuple[Shape, DataType, Layout, Tile],
        pages: NDArray[np.uint8],
        memory_config: MemoryConfig,
        pad_value_given: bool,
    ) -> Tensor:
        """One on the host."""
        shape, dtype, layout, tile = (
            (like._shape, like._dtype, like._layout, like._tile) if isinstance(like, Tensor) else like
        )
        tensor = cls.__new__(cls)
        tensor._describe(shape, dtype, layout, tile, memory_config)
        tensor._pages, tensor._buffer = pages, None
        tensor._pad_value_given = pad_value_given
        return tensor

    # What it is

    @property
    def shape(self) -> Shape:
        """The logical shape, without padding."""
        return self._shape

    @property
    def padded_shape(self) -> Shape:
        return kind_of(self).padded_shape

    @property
    def dtype(self) -> DataType:
        return self._dtype

    @property
    def layout(self) -> Layout:
        return self._layout

    @property
    def tile(self) -> Tile:
        return self._tile

    def get_dtype(self) -> DataType:
        return self._dtype

    def get_layout(self) -> Layout:
        return self._layout

    def get_tile(self) -> Tile:
        return self._tile

    def logical_volume(self) -> int:
        return self._shape.volume()

    def volume(self) -> int:
        """Number of elements with padding."""
        return self.padded_shape.volume()

    def element_size(self) -> int:
        return self._dtype.element_bytes

    # Where it is

    def storage_type(self) -> StorageType:
        return StorageType.HOST if self._buffer is None else StorageType.DEVICE

    def memory_config(self) -> MemoryConfig:
        return self._memory_config

    def is_sharded(self) -> bool:
        return self._memory_config.is_sharded()

    def is_allocated(self) -> bool:
        return self._buffer.is_allocated() if self._buffer is not None else self._pages is not None

    def device(self) -> Device | None:
        return None if self._buffer is None else self._buffer.device

    def devices(self) -> list[Device]:
        return [] if self._buffer is None else [self._buffer.device]

    def buffer(self) -> Buffer:
        """The device memory behind this tensor."""
        if self._buffer is None:
            raise RuntimeError("Tensor must be on device to have a buffer; it is on the host")
        if not self._buffer.is_allocated():
            raise RuntimeError("Tensor is not allocated.")
        return self._buffer

    def buffer_address(self) -> int:
        return self.buffer().address

    def buffer_page_size(self) -> int:
        return self.buffer().page_size

    def buffer_aligned_page_size(self) -> int:
        return self.buffer().aligned_page_size

    def buffer_num_pages(self) -> int:
        return self.buffer().num_pages

    # Moving and converting

    def deallocate(self, force: bool = True) -> None:
        """Give the device memory back. ``force`` is accepted as in ttnn; tensors here never share a buffer."""
        if self._buffer is not None:
            self._buffer.deallocate()
        self._pages = None

    def cpu(self, blocking: bool = True, cq_id: int | None = None) -> Tensor:
        if self._buffer is None:
            return self
        return Tensor._made_of(self, self.buffer().read(), self._memory_config, self.buffer().pad_value_given)

    def to(self, target: Device | Layout, mem_config: MemoryConfig | None = None) -> Tensor:
        """A copy on a device, or (host tensors only) in another layout."""
        if isinstance(target, Layout):
            return self.to_layout(target)
        require("target", target, Device, "a device from ttnn.open_device, or a Layout")
        moved = Tensor._made_of(self, self.host_pages(), self._memory_config, self._pad_value_given)
        moved._move_to(target, self._memory_config if mem_config is None else mem_config)
        return moved

    def to_layout(self, layout: Layout, pad_value: float | None = None) -> Tensor:
        if layout is self._layout:
            return self
        check_layout(self._dtype, layout)
        filling = 0 if pad_value is None else checked_fill_value("pad_value", pad_value, self._dtype)
        pages = encode(self._decode(self._shape), self._dtype, layout, self._tile, filling)
        description = (self._shape, self._dtype, layout, self._tile)
        config = DRAM_MEMORY_CONFIG if self.is_sharded() else self._memory_config  # shards may not fit the new layout
        return Tensor._made_of(description, pages, config, pad_value is not None)

    def to_numpy(self) -> NDArray[Any]:
        """The elements without padding. Device tensors are read back first (ttnn wants ``.cpu()`` before)."""
        return self._decode(self._shape)

    def to_numpy_with_padding(self) -> NDArray[Any]:
        """The elements of the padded shape, to see what lies in the padding."""
        return self._decode(self.padded_shape)

    def _decode(self, shape: Shape) -> NDArray[Any]:
        pages = self.buffer().read() if self._buffer is not None else self.host_pages()
        return decode(pages, shape, self._dtype, self._layout, self._tile, kind_of(self).page_width)

    def to_torch(self) -> Any:
        return numpy_to_torch(self.to_numpy())

    def to_torch_with_padded_shape(self) -> Any:
        return numpy_to_torch(self.to_numpy_with_padding())

    def to_list(self) -> Any:
        array = self.to_numpy()
        return (array.astype(np.float32) if self._dtype is DataType.BFLOAT16 else array).tolist()

    def item(self) -> float | int:
        if self._shape.volume() != 1:
            raise RuntimeError(f"item() needs a tensor of one element, this one has shape {self._shape}")
        value = self.to_numpy().reshape(())
        return float(value) if self._dtype.is_floating_point else int(value)

    @property
    def pad_value_given(self) -> bool:
        """Whether a pad value was given; if not, padding is zeros and a checked run treats it as unwritten."""
        return self._pad_value_given if self._buffer is None else self._buffer.pad_value_given

    def host_pages(self) -> NDArray[np.uint8]:
        """The bytes of a host tensor, page by page, as a device would hold them."""
        if self._buffer is not None:
            raise RuntimeError("the tensor must be on the host: call .cpu() or ttnn.from_device first")
        if self._pages is None:
            raise RuntimeError("Tensor is not allocated.")
        return self._pages

    def __getattr__(self, name: str) -> Any:
        raise missing_attribute("ttnn.Tensor", name, TENSOR_NAMES)

    def __repr__(self) -> str:
        if not self.is_allocated():
            content = "<buffer is not allocated>"
        else:
            array = self.to_numpy()
            shown = array.astype(np.float32) if self._dtype.is_floating_point else array
            content = np.array2string(
                shown,
                separator=", ",
                threshold=100,
                edgeitems=2,
                prefix="ttnn.Tensor(",
                formatter={"float_kind": lambda value: f"{value: .4f}", "int_kind": lambda value: f"{value:5d}"},
            )
        return (
            f"ttnn.Tensor({content}, shape={self._shape}, dtype=DataType::{self._dtype.name}, "
            f"layout=Layout::{self._layout.name})"
        )

    def _repr_html_(self) -> str:
        place = self._memory_config.place if self.storage_type() is StorageType.DEVICE else "host"
        sides = " x ".join(map(str, self._shape)) or "scalar"
        title = f"ttnn.Tensor {sides}, {self._dtype.name.lower()}, {self._layout.name}, {place}"
        if not self.is_allocated() or not self._shape.volume():
            return card(title, paragraph("it holds nothing"))
        values = self.to_numpy().astype(np.float64)
        finite = values[np.isfinite(values)]
        odd = f", {values.size - finite.size} NaN or infinite" if finite.size < values.size else ""
        ranges = f"{finite.min():g} to {finite.max():g}, mean {finite.mean():g}" if finite.size else "no numbers"
        return card(title, paragraph(ranges + odd), self._repr_svg_())

    def _repr_svg_(self) -> str:
        """The first matrix as a heat map."""
        if not self.is_allocated() or not self._shape.volume():
            return heat_map(np.empty((0, 0)), "an empty tensor")
        values = self.to_numpy().astype(np.float64)
        matrix = values.reshape(-1, *values.shape[-2:])[0] if values.ndim >= 2 else values.reshape(1, -1)
        return heat_map(matrix, f"{matrix.shape[0]} x {matrix.shape[1]} elements of the tensor")


def allocate_tensor_on_device(
    shape: Shape | list[int] | tuple[int, ...],
    dtype: DataType,
    layout: Layout,
    mesh_device: Device,
    memory_config: MemoryConfig | None = None,
    *,
    tile: Tile | None = None,
) -> Tensor:
    """An unwritten tensor: it holds poison (see ``dtype.POISON_PATTERNS``)."""
    return unwritten_tensor(checked_kind(shape, dtype, layout, mesh_device, memory_config, tile), mesh_device)


def checked_kind(
    shape: Shape | list[int] | tuple[int, ...],
    dtype: DataType,
    layout: Layout,
    device: Device,
    memory_config: MemoryConfig | None = None,
    tile: Tile | None = None,
) -> TensorKind:
    """The kind of such tensors, if the device can have any."""
    config = DRAM_MEMORY_CONFIG if memory_config is None else memory_config
    used_tile = _USUAL_TILE if tile is None else require("tile", tile, Tile, "a ttnn.Tile")
    check_layout(require_supported(dtype), layout)
    sides = checked_shape(shape, dtype)
    _require_place(device, config)
    return tensor_kind(sides, dtype, layout, used_tile, config)


def kind_of(tensor: Tensor) -> TensorKind:
    """A tensor's properties without its elements."""
    kind = tensor._kind
    if kind is None:
        kind = tensor._kind = tensor_kind(
            tensor._shape, tensor._dtype, tensor._layout, tensor._tile, tensor._memory_config
        )
    return kind


def unwritten_tensor(kind: TensorKind, device: Device) -> Tensor:
    """An unwritten tensor of a kind that the device can have."""
    tensor = Tensor.__new__(Tensor)
    tensor._shape, tensor._dtype, tensor._layout, tensor._tile = kind.shape, kind.dtype, kind.layout, kind.tile
    tensor._kind, tensor._memory_config = kind, kind.memory_config
    tensor._pages, tensor._pad_value_given = None, True
    tensor._buffer = _new_buffer(kind, device)
    return tensor


def numpy_to_torch(array: NDArray[Any]) -> Any:
    torch = _torch()
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def _require_place(device: Device, memory_config: MemoryConfig) -> None:
    if not isinstance(device, Device):
        raise TypeError(f"device must be a device from ttnn.open_device, not {shown(device)}")
    require_memory_config(memory_config)


def _new_buffer(kind: TensorKind, device: Device) -> Buffer:
    place = kind.memory_config.buffer_type
    return Buffer(device, place, kind.page_size, kind.num_pages, kind.dtype.poison, kind.sharding)


def _as_numpy(value: Any) -> NDArray[Any]:
    if isinstance(value, Tensor):
        return value.to_numpy()
    if hasattr(value, "detach"):  # a torch tensor, without importing torch to find out
        return torch_to_numpy(value)
    if isinstance(value, range) or (hasattr(value, "__next__") and not hasattr(value, "__array__")):
        raise TypeError(f"tensor must be an array of numbers, not {shown(value)}")
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise TypeError(f"tensor must be an array of numbers, not {shown(value)} ({error})") from None
    if array.dtype.kind not in "biuf":
        data_type_of_numpy(array)
    return array


def require_tensor(name: str, value: object) -> Tensor:
    """``value``, if it is a tensor."""
    return require(name, value, Tensor, "a ttnn.Tensor")


def tensor_list(name: str, value: object) -> list[Tensor]:
    """The inputs and, last, the output of a program; which of them are what they must be is the program's business."""
    if isinstance(value, Tensor):
        raise TypeError(f"{name} must be a list of tensors, not one ttnn.Tensor")
    given = items(name, value, "a list of tensors", most=_MOST_TENSORS)
    if not given:
        raise ValueError(f"{name} is empty; it takes the inputs and, last, the output tensor")
    return given


@contextlib.contextmanager
def held_buffers(tensors: Sequence[object]) -> Iterator[None]:
    """Within the block the tensors on devices keep their addresses, even if another thread deallocates them.

    Raises:
        RuntimeError: one of them is not allocated.
    """
    held: list[Buffer] = []
    try:
        for each in tensors:
            if isinstance(each, Tensor) and each.device() is not None:
                buffer = each.buffer()
                buffer.hold()
                held.append(buffer)
        yield
    finally:
        for buffer in held:
            buffer.release()


_MOST_TENSORS = 10_000
_MOST_BYTES = 1 << 36  # more than the memory of any chip


def checked_shape(shape: Shape | Sequence[int], dtype: DataType) -> Shape:
    """The shape of a tensor that can be made: no larger than the memory of any chip."""
    sides = Shape(shape)
    if sides.volume() * dtype.numpy_dtype.itemsize > _MOST_BYTES:
        raise ValueError(f"shape must be of at most {_MOST_BYTES} bytes in all, not {sides} of {dtype.name}")
    return sides


def checked_fill_value(name: str, value: object, dtype: DataType) -> float:
    """A number that elements of the dtype can hold."""
    number = real_number(name, value)
    if not dtype.is_floating_point:
        limits = np.iinfo(dtype.numpy_dtype)
        if not limits.min <= number <= limits.max:
            allowed = f"a number from {limits.min} to {limits.max}, as {dtype.name} holds"
            raise ValueError(f"{name} must be {allowed}, not {shown(value)}")
        return int(number)
    return number


def torch_to_numpy(value: Any) -> NDArray[Any]:
    torch = _torch()
    tensor = value.detach().cpu()
    if tensor.dtype == torch.bfloat16:
        from tilewright._tensor.dtype import bfloat16_numpy_dtype

        bits: NDArray[Any] = tensor.contiguous().view(torch.int16).numpy()
        return bits.view(bfloat16_numpy_dtype())
    array: NDArray[Any] = tensor.numpy()
    return array


def _torch() -> Any:
    try:
        import torch  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise ImportError("torch is not installed: pip install torch, or use to_numpy / from_numpy") from None
    return torch


def _convert(array: NDArray[Any], dtype: DataType) -> NDArray[Any]:
    """``array`` in the dtype's NumPy type; floats go to bfloat16 rounded to nearest even."""
    target = dtype.numpy_dtype
    if array.dtype == target:
        return array
    if array.dtype.kind in "fV" and not dtype.is_floating_point:
        array = np.asarray(array, np.float64)
    if array.dtype == np.float64 and dtype is DataType.BFLOAT16:
        array = array.astype(np.float32)  # as torch does it: by way of float32
    with np.errstate(invalid="ignore"):  # NaNs stay NaNs; nothing to warn about
        return array.astype(target)
