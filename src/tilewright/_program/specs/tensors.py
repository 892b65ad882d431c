# SPDX-License-Identifier: Apache-2.0
"""Tensor arguments as the lowering of a program spec reads them, of our ttnn or of another one."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright._program.circular_buffer import CBDescriptor
from tilewright._program.tensor_accessor_args import TensorAccessorArgs
from tilewright._tensor.arch import ArchDescription
from tilewright._tensor.tensor import Tensor
from tilewright._tensor.tile import Tile
from tilewright._wire.data_formats import DataFormat


@dataclass(frozen=True)
class ForeignTensorArgument:
    """A device tensor of another ttnn: its format and address, and the words its ``TensorAccessorArgs`` give there."""

    data_format: DataFormat
    tile: Tile
    address: int
    accessor_compile_time_args: tuple[int, ...]
    accessor_common_runtime_args: tuple[int, ...]
    arch: ArchDescription


def argument_format(tensor: Tensor | ForeignTensorArgument) -> tuple[DataFormat, Tile]:
    """Format of the elements and shape of the tiles."""
    if isinstance(tensor, ForeignTensorArgument):
        return tensor.data_format, tensor.tile
    return tensor.dtype.data_format, tensor.tile


def argument_words(tensor: Tensor | ForeignTensorArgument) -> tuple[list[int], list[int]]:
    """Compile-time args of the tensor's accessor; its address, then the accessor's common runtime args."""
    if isinstance(tensor, ForeignTensorArgument):
        return list(tensor.accessor_compile_time_args), [tensor.address, *tensor.accessor_common_runtime_args]
    accessor = TensorAccessorArgs(tensor)
    return accessor.get_compile_time_args(), [tensor.buffer_address(), *accessor.get_common_runtime_args()]


def argument_arch(tensor: Tensor | ForeignTensorArgument) -> ArchDescription | None:
    """The chip the tensor lies on."""
    if isinstance(tensor, ForeignTensorArgument):
        return tensor.arch
    device = tensor.device()
    return None if device is None else device.description


def lay_over(cb: CBDescriptor, tensor: Tensor | ForeignTensorArgument) -> None:
    """Puts a circular buffer where the tensor's L1 memory is."""
    if isinstance(tensor, ForeignTensorArgument):
        cb.host_address, cb.host_lays_over_tensor = tensor.address, True
    else:
        cb.set_buffer_from_tensor(tensor)
