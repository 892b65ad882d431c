# SPDX-License-Identifier: Apache-2.0
"""Tensor kind: shape, dtype, layout, tile and memory config, without elements; and the shards these make.

Calls on tensors of the same kinds do the same work, so what follows from a kind can be found by it. Kinds are compared
by identity, which costs next to nothing; the last ones asked for are there once each.
"""

from __future__ import annotations

import functools

from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout, padded_shape, page_geometry
from tilewright._tensor.memory_config import MemoryConfig
from tilewright._tensor.shape import Shape
from tilewright._tensor.sharding import page_width, sharding_of
from tilewright._tensor.tile import Tile


class TensorKind:
    """Get one from ``tensor_kind`` or ``Tensor.kind``; it does not change."""

    def __init__(self, shape: Shape, dtype: DataType, layout: Layout, tile: Tile, memory_config: MemoryConfig) -> None:
        self.shape = shape
        self.dtype = dtype
        self.layout = layout
        self.tile = tile
        self.memory_config = memory_config
        self.sharding = sharding_of(shape, dtype, layout, tile, memory_config)
        self.page_width = page_width(layout, memory_config)
        self.padded_shape = padded_shape(shape, layout, tile, self.page_width)
        self.page_size, self.num_pages = page_geometry(shape, dtype, layout, tile, self.page_width)


@functools.lru_cache(maxsize=1024)
def tensor_kind(shape: Shape, dtype: DataType, layout: Layout, tile: Tile, memory_config: MemoryConfig) -> TensorKind:
    """The kind of tensors like these.

    Raises:
        NotImplementedError: tilewright has no such memory.
        ValueError: shards do not fit the tensor.
    """
    return TensorKind(shape, dtype, layout, tile, memory_config)
