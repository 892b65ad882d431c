# SPDX-License-Identifier: Apache-2.0
"""Which bytes of a tensor's pages are padding by its shape."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from tilewright._tensor.block_float import BLOCK
from tilewright._tensor.dtype import DataType, exponent_bytes
from tilewright._tensor.kind import TensorKind
from tilewright._tensor.layout import Layout, padding_mask, tilize
from tilewright._tensor.tensor import Tensor, kind_of


def padding_bits(tensor: Tensor) -> NDArray[np.uint8] | None:
    """One bit for each byte of the tensor's pages, lowest bit first; None for a tensor without padding.

    Example::

        x = ttnn.from_numpy(np.ones((1, 1, 32, 10), np.float32), layout=ttnn.TILE_LAYOUT, device=device)
        assert padding_bits(x)[0] == 0  # the first two elements of the first row
    """
    if not tensor.buffer().num_pages or tensor.volume() == tensor.logical_volume():
        return None
    return padding_bits_of(kind_of(tensor))


@functools.lru_cache(maxsize=16)
def padding_bits_of(kind: TensorKind) -> NDArray[np.uint8]:
    """The same for tensors of a kind that may have none."""
    mask = padding_mask(kind.shape, kind.layout, kind.tile, kind.page_width)
    is_tiled = kind.layout is Layout.TILE
    outside = _bytes_of(tilize(mask, kind.tile) if is_tiled else mask.reshape(kind.num_pages, -1), kind.dtype)
    return np.packbits(outside, bitorder="little")


def _bytes_of(elements: NDArray[np.bool_], dtype: DataType) -> NDArray[np.bool_]:
    """A mask over elements as one over the bytes of their pages; a shared byte counts if all its elements do."""
    if not dtype.is_block_float:
        return np.repeat(elements, dtype.element_bytes, axis=1)
    blocks = elements.reshape(len(elements), -1, BLOCK).all(axis=2)
    exponents = np.zeros((len(elements), exponent_bytes(blocks.shape[1], BLOCK)), np.bool_)
    exponents[:, : blocks.shape[1]] = blocks
    codes = elements if dtype is DataType.BFLOAT8_B else elements[:, 0::2] & elements[:, 1::2]
    return np.concatenate([exponents, codes], axis=1)
