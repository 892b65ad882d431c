# SPDX-License-Identifier: Apache-2.0
"""Circular buffers: how much L1, on which cores, under which indices and formats."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tilewright._program.kernel import require_core_ranges
from tilewright._program.uint32_list import CopiedList, uint32
from tilewright._tensor.argument import items, require, text
from tilewright._tensor.cores import CoreRangeSet
from tilewright._tensor.dtype import DataType
from tilewright._tensor.memory_config import BufferType
from tilewright._tensor.tensor import Tensor, require_tensor
from tilewright._tensor.tile import Tile
from tilewright._wire.data_formats import DataFormat

if TYPE_CHECKING:
    from tilewright._tensor.buffer import Buffer


class TileDescriptor:
    """Height and width of the tiles in a circular buffer, by default 32x32."""

    height: int
    width: int
    transpose: bool

    def __init__(self, height: int | Tile | TileDescriptor = 32, width: int = 32, transpose: bool = False) -> None:
        if isinstance(height, Tile):
            self.height, self.width, self.transpose = height.height, height.width, height.transpose_of_faces
        elif isinstance(height, TileDescriptor):
            self.height, self.width, self.transpose = height.height, height.width, height.transpose
        else:
            self.height, self.width, self.transpose = height, width, transpose

    def copy(self) -> TileDescriptor:
        return TileDescriptor(self.height, self.width, self.transpose)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TileDescriptor):
            return NotImplemented
        return (self.height, self.width, self.transpose) == (other.height, other.width, other.transpose)

    def __hash__(self) -> int:
        return hash((self.height, self.width, self.transpose))

    def __repr__(self) -> str:
        return f"TileDescriptor({self.height}, {self.width}, transpose={self.transpose})"


class CBFormatDescriptor:
    """Format and page size of one index of a circular buffer.

    ``name`` is ours: it is what messages call the buffer, ``c_<index>`` without one.

    >>> CBFormatDescriptor(buffer_index=0, data_format=DataType.BFLOAT16, page_size=2048).data_format_as_uint8
    5
    """

    def __init__(
        self,
        buffer_index: int | None = None,
        data_format: DataType | DataFormat | None = None,
        page_size: int | None = None,
        tile: TileDescriptor | None = None,
        *,
        name: str | None = None,
    ) -> None:
        given = {"buffer_index": buffer_index, "data_format": data_format, "page_size": page_size}
        missing = [label for label, value in given.items() if value is None]
        if missing and len(missing) < len(given):
            raise TypeError(f"CBFormatDescriptor needs {', '.join(given)}; missing: {', '.join(missing)}")
        self.buffer_index = 0 if buffer_index is None else buffer_index
        self.data_format = DataFormat.Float32 if data_format is None else data_format
        self.page_size = 0 if page_size is None else page_size
        self.tile = require("tile", tile, TileDescriptor, "a TileDescriptor").copy() if tile is not None else None
        # Number and rows of a tile's faces, where a host has them other than the tile's shape says.
        self.faces: tuple[int, int] | None = None
        self.name = name

    @property
    def buffer_index(self) -> int:
        return self._buffer_index

    @buffer_index.setter
    def buffer_index(self, index: int) -> None:
        checked = uint32(index, "buffer_index")
        if checked > 255:
            raise TypeError(f"buffer_index must fit 8 bits, not {checked}")
        self._buffer_index = checked

    @property
    def data_format(self) -> DataFormat:
        return self._data_format

    @data_format.setter
    def data_format(self, data_format: DataType | DataFormat) -> None:
        if isinstance(data_format, DataType):
            data_format = data_format.data_format
        if not isinstance(data_format, DataFormat):
            raise TypeError(f"data_format must be a dtype such as ttnn.bfloat16, not {data_format!r}")
        self._data_format = data_format

    @property
    def data_format_as_uint8(self) -> int:
        return self._data_format.value

    @property
    def page_size(self) -> int:
        return self._page_size

    @page_size.setter
    def page_size(self, page_size: int) -> None:
        self._page_size = uint32(page_size, "page_size")

    @property
    def name(self) -> str:
        return self._name or f"c_{self._buffer_index}"

    @name.setter
    def name(self, name: str | None) -> None:
        self._name = None if name is None else text("name", name)

    @property
    def label(self) -> str:
        """Index and name, as messages show it: ``c_3`` or ``c_3 in_tiled``."""
        index = f"c_{self._buffer_index}"
        return index if self.name == index else f"{index} {self.name}"

    def state(self) -> tuple[object, ...]:
        tile = self.tile
        shape = None if tile is None else (tile.height, tile.width, tile.transpose)
        return self._buffer_index, self._data_format, self._page_size, shape, self.faces, self._name

    def copy(self) -> CBFormatDescriptor:
        other = CBFormatDescriptor(self._buffer_index, self._data_format, self._page_size, self.tile, name=self._name)
        other.faces = self.faces
        return other

    def __repr__(self) -> str:
        parts = [
            f"buffer_index={self._buffer_index}",
            f"data_format={self._data_format.name}",
            f"page_size={self._page_size}",
        ]
        if self.tile is not None:
            parts.append(f"tile={self.tile!r}")
        if self.faces is not None:
            parts.append(f"faces={self.faces}")
        if self._name:
            parts.append(f"name={self._name!r}")
        return f"CBFormatDescriptor({', '.join(parts)})"


class CBDescriptor:
    """One circular buffer: ``total_size`` bytes of L1 on every core of ``core_ranges``.

    With several format descriptors the same memory is seen under several indices. ``name`` is ours and names the
    format descriptors that have no name themselves.
    """

    def __init__(
        self,
        total_size: int | None = None,
        core_ranges: CoreRangeSet | None = None,
        format_descriptors: Iterable[CBFormatDescriptor] | None = None,
        *,
        name: str | None = None,
    ) -> None:
        given = {
            "total_size": total_size,
            "core_ranges": core_ranges,
            "format_descriptors": format_descriptors,
        }
        missing = [label for label, value in given.items() if value is None]
        if missing and len(missing) < len(given):
            raise TypeError(f"CBDescriptor needs {', '.join(given)}; missing: {', '.join(missing)}")
        self._name = None if name is None else text("name", name)
        self.total_size = 0 if total_size is None else total_size
        self.core_ranges = CoreRangeSet([]) if core_ranges is None else core_ranges
        self.format_descriptors = () if format_descriptors is None else format_descriptors
        self.remote_format_descriptors: list[CBFormatDescriptor] = []
        self.address_offset = 0
        self.host_address: int | None = None  # where a host that places buffers itself has put it
        self.host_lays_over_tensor = False  # and whether that is a tensor's memory
        self._buffer: Buffer | None = None

    @property
    def total_size(self) -> int:
        return self._total_size

    @total_size.setter
    def total_size(self, total_size: int) -> None:
        self._total_size = uint32(total_size, "total_size")

    @property
    def address_offset(self) -> int:
        """Bytes from the start of the tensor this CB is backed by."""
        return self._address_offset

    @address_offset.setter
    def address_offset(self, address_offset: int) -> None:
        self._address_offset = uint32(address_offset, "address_offset")

    @property
    def core_ranges(self) -> CoreRangeSet:
        return self._core_ranges

    @core_ranges.setter
    def core_ranges(self, core_ranges: CoreRangeSet) -> None:
        self._core_ranges = require_core_ranges("CBDescriptor.core_ranges", core_ranges)

    @property
    def format_descriptors(self) -> CopiedList[CBFormatDescriptor]:
        return CopiedList(self._format_descriptors, "CBDescriptor.format_descriptors")

    @format_descriptors.setter
    def format_descriptors(self, descriptors: Iterable[CBFormatDescriptor]) -> None:
        copies = []
        given = items("format_descriptors", descriptors, "a list of CBFormatDescriptor")
        for index, descriptor in enumerate(given):
            if not isinstance(descriptor, CBFormatDescriptor):
                raise TypeError(f"format_descriptors[{index}] must be a CBFormatDescriptor, not {descriptor!r}")
            copies.append(descriptor.copy())
        for copy in copies:
            if copy._name is None:
                copy._name = self._name
        self._format_descriptors = copies

    @property
    def name(self) -> str:
        if self._name:
            return self._name
        return "/".join(descriptor.name for descriptor in self._format_descriptors) or "unnamed CB"

    @property
    def label(self) -> str:
        return " = ".join(descriptor.label for descriptor in self._format_descriptors) or self.name

    @property
    def buffer(self) -> Buffer | None:
        """The L1 buffer this CB lies in, when it is backed by a tensor."""
        return self._buffer

    def has_buffer(self) -> bool:
        return self._buffer is not None

    def owns_memory(self) -> bool:
        """Whether it has memory of its own, which we place."""
        return self._buffer is None and self.host_address is None

    def is_over_tensor(self) -> bool:
        """Whether it lies in the memory of a tensor, which holds something whatever is pushed."""
        return self._buffer is not None or self.host_lays_over_tensor

    def has_global_circular_buffer(self) -> bool:
        return False

    def buffer_address(self) -> int | None:
        """L1 address of the tensor this CB is backed by (without ``address_offset``), or None."""
        return None if self._buffer is None else self._buffer.address

    def set_buffer_from_tensor(self, tensor: Tensor) -> None:
        """Put this CB where ``tensor``'s L1 memory is (ours; ttnn does it in cb_descriptor_from_sharded_tensor)."""
        require_tensor("tensor", tensor)
        if tensor.buffer().buffer_type is not BufferType.L1:
            raise ValueError(
                f"a circular buffer can only be backed by a tensor in L1; this one is in "
                f"{tensor.buffer().buffer_type.name}"
            )
        self._buffer = tensor.buffer()

    def set_buffer_from_cb(self, other: CBDescriptor) -> None:
        self._buffer = require("other", other, CBDescriptor, "a CBDescriptor")._buffer

    def set_global_circular_buffer(self, global_circular_buffer: object) -> None:
        raise NotImplementedError("tilewright does not simulate global circular buffers")

    def state(self) -> tuple[object, ...]:
        """Everything a launch looks at. Of a tensor only numbers, so that its memory is not kept alive."""
        buffer = self._buffer
        return (
            type(self),
            self._name,
            self._total_size,
            self._core_ranges,
            self._address_offset,
            self.host_address,
            self.host_lays_over_tensor,
            None if buffer is None else (buffer.address, buffer.bytes_per_bank()),
            tuple([descriptor.state() for descriptor in self._format_descriptors]),
        )

    def copy(self) -> CBDescriptor:
        other = CBDescriptor()
        other._name = self._name
        other.total_size, other.core_ranges = self._total_size, self._core_ranges
        other.format_descriptors = self._format_descriptors
        other.remote_format_descriptors = list(self.remote_format_descriptors)
        other.address_offset = self.address_offset
        other.host_address = self.host_address
        other.host_lays_over_tensor = self.host_lays_over_tensor
        other._buffer = self._buffer
        return other

    def without_tensor(self) -> CBDescriptor:
        """A copy that keeps no tensor alive: where this one lies over a tensor, the copy has the address alone."""
        other = self.copy()
        if self._buffer is not None:
            other.host_address = self._buffer.address + self._address_offset
            other.host_lays_over_tensor = True
            other._buffer = None
        return other

    def __repr__(self) -> str:
        parts = [
            f"total_size={self._total_size}",
            f"core_ranges={self._core_ranges}",
            f"format_descriptors={list(self._format_descriptors)}",
        ]
        if self.host_address is not None:
            parts.append(f"host_address={self.host_address:#x}")
        if self._buffer is not None:
            parts.append(f"buffer_address={self._buffer.address:#x}")
        return f"CBDescriptor({', '.join(parts)})"


def cb_descriptor_from_sharded_tensor(
    cb_index: int,
    tensor: Tensor,
    address_offset: int = 0,
    total_size: int = 0,
    core_ranges: CoreRangeSet | None = None,
) -> CBDescriptor:
    """A CB over the shards of a tensor in L1, by default on their cores: it holds what the tensor holds."""
    shard_spec = require_tensor("tensor", tensor).memory_config().shard_spec
    if shard_spec is None:
        raise ValueError(
            f"cb_descriptor_from_sharded_tensor: tensor has no shard_spec (memory_config {tensor.memory_config()})"
        )
    buffer = tensor.buffer()
    size = total_size or buffer.bytes_per_bank()
    if address_offset + size > buffer.bytes_per_bank():
        raise ValueError(
            f"cb_descriptor_from_sharded_tensor: address_offset {address_offset} + total_size {size} exceeds the "
            f"{buffer.bytes_per_bank()} bytes of a shard"
        )
    cb = CBDescriptor(
        total_size=size,
        core_ranges=core_ranges or shard_spec.grid,
        format_descriptors=[CBFormatDescriptor(cb_index, tensor.dtype, buffer.aligned_page_size, _tile_of(tensor))],
    )
    cb.address_offset = address_offset
    cb.set_buffer_from_tensor(tensor)
    return cb


def _tile_of(tensor: Tensor) -> TileDescriptor:
    return TileDescriptor(tensor.tile)
