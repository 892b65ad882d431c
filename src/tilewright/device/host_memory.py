# SPDX-License-Identifier: Apache-2.0
"""What a checked run must know of the host's tensors: where they lie and which of their bytes hold nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilewright.device import engine as native
from tilewright.tensor.buffer import Buffer
from tilewright.tensor.layout import Layout
from tilewright.tensor.memory_config import BufferType
from tilewright.tensor.tensor import Tensor
from tilewright.tensor.undefined import undefined_bytes

_LAYOUT_UNKNOWN = 0
_LAYOUTS = {Layout.ROW_MAJOR: 1, Layout.TILE: 2}
_SPARE_BYTES = 16  # the engine reads bits a few words at a time


class HostMemory:
    """Every buffer of the device the tensors are on; of the tensors themselves also layout and undefined bytes."""

    def __init__(self, io_tensors: Sequence[object]) -> None:
        self._keep: list[NDArray[np.uint8]] = []
        tensors = [each for each in io_tensors if isinstance(each, Tensor) and each.device() is not None]
        described = {id(tensor.buffer()): self._describe(tensor) for tensor in tensors}
        devices = {id(device): device for tensor in tensors if (device := tensor.device()) is not None}
        others = [buffer for device in devices.values() for buffer in device.buffers() if id(buffer) not in described]
        specs = [*described.values(), *(_spec(buffer) for buffer in others)]
        self.specs = (native.HostMemory * len(specs))(*specs)

    def _describe(self, tensor: Tensor) -> native.HostMemory:
        spec = _spec(tensor.buffer())
        spec.layout = _LAYOUTS[tensor.layout]
        undefined = undefined_bytes(tensor)
        spec.unwritten = self._bits(undefined.unwritten)
        spec.padding = self._bits(undefined.padding)
        spec.outside = self._bits(undefined.outside)
        return spec

    def _bits(self, mask: NDArray[np.bool_] | None) -> int | None:
        if mask is None or not mask.any():
            return None
        bits = np.concatenate([np.packbits(mask, bitorder="little"), np.zeros(_SPARE_BYTES, np.uint8)])
        self._keep.append(bits)
        return int(bits.ctypes.data)


def _spec(buffer: Buffer) -> native.HostMemory:
    return native.HostMemory(
        is_dram=int(buffer.buffer_type is BufferType.DRAM),
        layout=_LAYOUT_UNKNOWN,
        address=buffer.address,
        page_bytes=buffer.page_size,
        stride=buffer.aligned_page_size,
        num_pages=buffer.num_pages,
    )
