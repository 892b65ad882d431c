# SPDX-License-Identifier: Apache-2.0
"""The host's tensors for a checked run: where they lie, and what their unwritten bytes hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilewright._tensor.buffer import Buffer
from tilewright._tensor.dtype import DataType
from tilewright._tensor.kind import tensor_kind
from tilewright._tensor.layout import Layout, padded_shape
from tilewright._tensor.memory_config import DRAM_MEMORY_CONFIG, BufferType
from tilewright._tensor.padding_bytes import padding_bits, padding_bits_of
from tilewright._tensor.shape import Shape
from tilewright._tensor.tensor import Tensor
from tilewright._tensor.tile import Tile
from tilewright._wire import runner as wire

_LAYOUTS = {Layout.ROW_MAJOR: wire.HostLayout.ROW_MAJOR, Layout.TILE: wire.HostLayout.TILE}
_UNKNOWN_FORMAT = 255  # tt-metal's DataFormat::Invalid
_SPARE_BYTES = 16  # the engine reads bits a few words at a time
_FLOATS = (DataType.BFLOAT16, DataType.FLOAT32)


@dataclasses.dataclass(frozen=True)
class ForeignTensor:
    """A tensor that another host than ``tilewright.ttnn`` laid out.

    Which of its bytes were written is known only of one that ``is_new``: it was allocated, and holds poison.
    """

    is_dram: bool
    address: int
    page_bytes: int
    stride: int
    num_pages: int
    layout: Layout
    shape: Shape
    tile: Tile
    dtype: DataType
    pages_per_shard: int = 0  # of a tensor in shards, whose num_pages is 0
    is_new: bool = False

    @property
    def padded_shape(self) -> Shape:
        return padded_shape(self.shape, self.layout, self.tile)


class HostMemory:
    """Every buffer of the device the tensors are on; of the tensors themselves also what is in them.

    Of another host's tensors, the tensors only: ``is_all`` says that there are no other buffers. Findings tell tensors
    by their place in the list, so one that is not known (None) has its place, and no pages.
    """

    def __init__(self, io_tensors: Sequence[object]) -> None:
        # By the description's identity: bits of the bytes beside the tensor's shape, and where pages of shards lie.
        self._outside: dict[int, NDArray[np.uint8]] = {}
        self._places: dict[int, NDArray[np.uint32]] = {}
        foreign = [each for each in io_tensors if each is None or isinstance(each, ForeignTensor)]
        self.is_all = not foreign
        if foreign:
            self.specs = [self._describe_foreign(tensor) for tensor in foreign]
            return
        tensors = [each for each in io_tensors if isinstance(each, Tensor) and each.device() is not None]
        described = {id(tensor.buffer()): self._describe(tensor) for tensor in tensors}
        devices = {id(device): device for tensor in tensors if (device := tensor.device()) is not None}
        others = [buffer for device in devices.values() for buffer in device.buffers() if id(buffer) not in described]
        self.specs = [*described.values(), *(self._spec(buffer) for buffer in others)]

    def parts(self) -> list[bytes]:
        """The buffers in the words of the runner's messages."""
        parts = []
        for spec in self.specs:
            bits = self._outside.get(id(spec))
            places = self._places.get(id(spec))
            parts += [bytes(spec), bits.tobytes() if bits is not None else b""]
            parts.append(places.tobytes() if places is not None else b"")
        return parts

    def _describe(self, tensor: Tensor) -> wire.HostBufferMessage:
        """Padding that holds the dtype's poison, or the zeros of a host that said no ``pad_value``, holds nothing.

        Elements of the shape count only if the host never wrote the tensor: a program may have written some of them,
        and what still holds poison is what it left out.
        """
        spec = self._spec(tensor.buffer())
        spec.layout = _LAYOUTS[tensor.layout]
        if tensor.layout is Layout.ROW_MAJOR and tensor.is_sharded() and not spec.is_dram:
            spec.pages_per_shard = spec.pages_per_bank
        _set_sides(spec, tensor.shape)
        spec.data_format = tensor.dtype.data_format.value
        _set_poison(spec, tensor.dtype)
        spec.host_wrote = tensor.buffer().host_wrote
        spec.zeros_pad = not tensor.buffer().pad_value_given
        padding = padding_bits(tensor)
        if padding is not None:
            self._set_outside(spec, padding)
        return spec

    def _describe_foreign(self, tensor: ForeignTensor | None) -> wire.HostBufferMessage:
        if tensor is None:
            return wire.HostBufferMessage(
                layout=wire.HostLayout.UNKNOWN, page_bytes=1, stride=1, num_pages=0, data_format=_UNKNOWN_FORMAT
            )
        spec = wire.HostBufferMessage(
            is_dram=int(tensor.is_dram),
            layout=wire.HostLayout.UNKNOWN if tensor.pages_per_shard else _LAYOUTS[tensor.layout],
            address=tensor.address,
            page_bytes=tensor.page_bytes,
            stride=tensor.stride,
            num_pages=tensor.num_pages,
            data_format=tensor.dtype.data_format.value,
            pages_per_shard=tensor.pages_per_shard,
        )
        _set_sides(spec, tensor.shape)
        if tensor.is_new:
            _set_poison(spec, tensor.dtype)
        if tensor.layout is Layout.TILE:
            kind = tensor_kind(tensor.shape, tensor.dtype, tensor.layout, tensor.tile, DRAM_MEMORY_CONFIG)
            self._set_outside(spec, padding_bits_of(kind))
        return spec

    def _set_outside(self, spec: wire.HostBufferMessage, padding: NDArray[np.uint8]) -> None:
        bits = np.concatenate([padding, np.zeros(_SPARE_BYTES, np.uint8)])
        self._outside[id(spec)] = bits
        spec.outside_bytes = len(bits)

    def outside(self, spec: wire.HostBufferMessage) -> int | None:
        """Address of the bits of the bytes beside a tensor's shape."""
        bits = self._outside.get(id(spec))
        return bits.ctypes.data if bits is not None else None

    def places(self, spec: wire.HostBufferMessage) -> int | None:
        """Address of the places of a sharded tensor's pages."""
        places = self._places.get(id(spec))
        return places.ctypes.data if places is not None else None

    def _spec(self, buffer: Buffer) -> wire.HostBufferMessage:
        spec = wire.HostBufferMessage(
            is_dram=int(buffer.buffer_type is BufferType.DRAM),
            layout=wire.HostLayout.UNKNOWN,
            address=buffer.address,
            page_bytes=buffer.page_size,
            stride=buffer.aligned_page_size,
            num_pages=buffer.num_pages,
            data_format=_UNKNOWN_FORMAT,
        )
        if buffer.places is not None:
            self._places[id(spec)] = buffer.places.of_pages
            spec.num_places, spec.pages_per_bank = len(buffer.places.of_pages), buffer.places.pages_per_bank
        return spec


def _set_sides(spec: wire.HostBufferMessage, shape: Shape) -> None:
    spec.height, spec.width = (1, 1, *shape)[-2:]


def _set_poison(spec: wire.HostBufferMessage, dtype: DataType) -> None:
    spec.element_bytes = 1 if dtype.is_block_float else dtype.element_bytes
    spec.poison = dtype.poison
    # Any pattern of these dtypes may be a number, but hardly a whole page of it.
    spec.poison_is_a_value = dtype not in _FLOATS
