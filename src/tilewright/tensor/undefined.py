# SPDX-License-Identifier: Apache-2.0
"""Which bytes of a tensor on the device hold nothing: elements nobody wrote, and padding that is still poison."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilewright.tensor.block_float import BLOCK
from tilewright.tensor.dtype import DataType, exponent_bytes
from tilewright.tensor.layout import Layout, padding_mask, tilize
from tilewright.tensor.tensor import Tensor

_FLOATS = (DataType.BFLOAT16, DataType.FLOAT32)


@dataclass(frozen=True)
class UndefinedBytes:
    """Masks over the bytes of a tensor's pages, shaped like its pages; None where no byte is meant."""

    unwritten: NDArray[np.bool_] | None
    padding: NDArray[np.bool_] | None
    outside: NDArray[np.bool_] | None  # padding by the shape, whatever it holds


def undefined_bytes(tensor: Tensor) -> UndefinedBytes:
    """What of ``tensor`` is undefined now.

    Padding counts while it holds the dtype's poison. Elements of the shape count only if the host never wrote the
    tensor: a program may have written some of them, and what still holds poison is what it left out.
    """
    buffer = tensor.buffer()
    has_padding = tensor.volume() > tensor.logical_volume()
    if not buffer.num_pages or (buffer.host_wrote and not has_padding):
        return UndefinedBytes(None, None, None)
    pages = buffer.read()
    per_page = tensor.tile.height * tensor.tile.width if tensor.layout is Layout.TILE else tensor.padded_shape[-1]
    padding = np.zeros((len(pages), per_page), np.bool_)
    if has_padding:
        padding = tilize(padding_mask(tensor.shape, tensor.tile), tensor.tile)
    poisoned = _poisoned_bytes(pages, tensor.dtype)
    outside = _bytes_of(padding, tensor.dtype)
    padding_bytes = outside & poisoned
    if buffer.host_wrote:
        return UndefinedBytes(None, padding_bytes, outside)
    unwritten = poisoned & ~outside
    if tensor.dtype not in _FLOATS:
        # Any pattern of these dtypes may be somebody's number, but hardly a whole page of it.
        unwritten &= poisoned.all(axis=1, keepdims=True)
    return UndefinedBytes(unwritten, padding_bytes, outside)


def _poisoned_bytes(pages: NDArray[np.uint8], dtype: DataType) -> NDArray[np.bool_]:
    """Bytes of elements that hold the dtype's poison."""
    size = 1 if dtype.is_block_float else dtype.element_bytes
    pattern = np.array([dtype.poison], np.uint32).view(f"u{size}")[0]
    elements: NDArray[np.bool_] = np.ascontiguousarray(pages).view(f"u{size}") == pattern
    return np.repeat(elements, size, axis=1)


def _bytes_of(elements: NDArray[np.bool_], dtype: DataType) -> NDArray[np.bool_]:
    """A mask over elements as one over the bytes of their pages; a shared byte counts if all its elements do."""
    if not dtype.is_block_float:
        return np.repeat(elements, dtype.element_bytes, axis=1)
    blocks = elements.reshape(len(elements), -1, BLOCK).all(axis=2)
    exponents = np.zeros((len(elements), exponent_bytes(blocks.shape[1], BLOCK)), np.bool_)
    exponents[:, : blocks.shape[1]] = blocks
    codes = elements if dtype is DataType.BFLOAT8_B else elements[:, 0::2] & elements[:, 1::2]
    return np.concatenate([exponents, codes], axis=1)
