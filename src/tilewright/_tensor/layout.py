# SPDX-License-Identifier: Apache-2.0
"""Page layouts of a tensor: rows of the last dimension, or tiles of faces.

``encode`` turns a NumPy array into the pages a device holds, ``decode`` turns pages into the array.
"""

from __future__ import annotations

import functools
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from tilewright._tensor.argument import shown
from tilewright._tensor.block_float import pack_tiles, unpack_tiles
from tilewright._tensor.dtype import DataType
from tilewright._tensor.shape import Shape
from tilewright._tensor.tile import Tile
from tilewright._tensor.ttnn_enum import TtnnEnum

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Layout(TtnnEnum):
    ROW_MAJOR = 0
    TILE = 1
    INVALID = 2


ROW_MAJOR_LAYOUT = Layout.ROW_MAJOR
TILE_LAYOUT = Layout.TILE


def check_layout(dtype: DataType, layout: Layout) -> None:
    if layout is not Layout.ROW_MAJOR and layout is not Layout.TILE:
        raise TypeError(f"layout must be ROW_MAJOR_LAYOUT or TILE_LAYOUT, not {shown(layout)}")
    if dtype.is_block_float and layout is not Layout.TILE:
        raise ValueError(f"{dtype.name} shares exponents within tiles: layout must be TILE_LAYOUT, not {layout!r}")


def padded_shape(shape: Shape, layout: Layout, tile: Tile, page_width: int | None = None) -> Shape:
    """The shape with the last two sides rounded up to whole tiles (TILE layout), at least rank 2.

    ``page_width``, in elements, is that of row-major shards that cut rows: rows are whole pages.
    """
    if layout is Layout.ROW_MAJOR:
        rows = shape if shape.rank else Shape([1])
        return rows if page_width is None else Shape([*list(rows)[:-1], _round_up(rows[-1], page_width)])
    sides = list(shape)
    while len(sides) < 2:
        sides.insert(0, 1)
    sides[-2] = _round_up(sides[-2], tile.height)
    sides[-1] = _round_up(sides[-1], tile.width)
    return Shape(sides)


@functools.lru_cache(maxsize=1024)
def page_geometry(
    shape: Shape, dtype: DataType, layout: Layout, tile: Tile, page_width: int | None = None
) -> tuple[int, int]:
    """(bytes of a page, number of pages): a page is a tile, or one row of the last side or of a shard."""
    padded = padded_shape(shape, layout, tile, page_width)
    if layout is Layout.TILE:
        return dtype.tile_bytes(tile.height, tile.width), padded.volume() // (tile.height * tile.width)
    if padded.volume() == 0:
        return 4, 0  # ttnn gives tensors without elements pages of one word
    width = padded[-1] if page_width is None else page_width
    return width * dtype.element_bytes, padded.volume() // width


def encode(
    array: NDArray[Any],
    dtype: DataType,
    layout: Layout,
    tile: Tile,
    pad_value: float = 0,
    page_width: int | None = None,
) -> NDArray[np.uint8]:
    """``array`` (already of the dtype's NumPy type) as pages; always a copy. Padding holds ``pad_value``."""
    shape = Shape(array.shape)
    page_bytes, num_pages = page_geometry(shape, dtype, layout, tile, page_width)
    if num_pages == 0:
        return np.empty((0, page_bytes), np.uint8)
    if layout is Layout.ROW_MAJOR:
        padded = padded_shape(shape, layout, tile, page_width)
        if padded == shape:
            rows = np.array(array, order="C", copy=True)
        else:
            rows = np.full(tuple(padded), pad_value, array.dtype)
            rows[..., : array.shape[-1] if array.ndim else 1] = array
        return rows.reshape(num_pages, -1).view(np.uint8)
    elements = tilize(_padded_matrices(array, tile, pad_value), tile)
    return pack_tiles(elements, dtype) if dtype.is_block_float else elements.view(np.uint8)


def decode(
    pages: NDArray[np.uint8],
    shape: Shape,
    dtype: DataType,
    layout: Layout,
    tile: Tile,
    page_width: int | None = None,
) -> NDArray[Any]:
    """The array of ``shape`` that ``pages`` hold, without padding; never a view of ``pages``."""
    if shape.volume() == 0:
        return np.empty(tuple(shape), dtype.numpy_dtype)
    if layout is Layout.ROW_MAJOR:
        sides = tuple(padded_shape(shape, layout, tile, page_width))
        rows = np.array(pages, order="C", copy=True).view(dtype.numpy_dtype).reshape(sides)
        return np.ascontiguousarray(rows[..., : shape[-1] if shape.rank else 1]).reshape(tuple(shape))
    padded = padded_shape(shape, layout, tile)
    if dtype.is_block_float:
        elements: NDArray[Any] = unpack_tiles(pages, dtype, tile.height * tile.width)
    else:
        elements = np.ascontiguousarray(pages).view(dtype.numpy_dtype)
    matrices = untilize(elements, padded[-2], padded[-1], tile)
    height = shape[-2] if shape.rank >= 2 else 1
    width = shape[-1] if shape.rank >= 1 else 1
    return np.ascontiguousarray(matrices[:, :height, :width]).reshape(tuple(shape))


def tilize(matrices: NDArray[Any], tile: Tile) -> NDArray[Any]:
    """(n, rows, columns) in whole tiles -> (number of tiles, elements of a tile) in face order."""
    _, height, width = matrices.shape
    tiles = np.empty((matrices.size // (tile.height * tile.width), tile.height * tile.width), matrices.dtype)
    faces, rows = _face_views(tiles, np.ascontiguousarray(matrices), height, width, tile)
    faces[...] = rows
    return tiles


def untilize(tiles: NDArray[Any], height: int, width: int, tile: Tile) -> NDArray[Any]:
    """The inverse of ``tilize``."""
    matrices = np.empty((tiles.size // (height * width), height, width), tiles.dtype)
    faces, rows = _face_views(np.ascontiguousarray(tiles), matrices, height, width, tile)
    rows[...] = faces
    return matrices


def _face_views(
    tiles: NDArray[Any], matrices: NDArray[Any], height: int, width: int, tile: Tile
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Two views of the same shape: the tiles' memory and the matrices' memory, one item per row of a face.

    A face row is contiguous on both sides, so it is copied as one item: that is what makes this fast.
    """
    face_height, face_width = tile.face_shape
    face_row = np.dtype((np.void, face_width * tiles.dtype.itemsize))
    tile_rows, tile_columns = height // tile.height, width // tile.width
    faces_down, faces_across = tile.height // face_height, tile.width // face_width
    count = prod(matrices.shape) // (height * width) if height * width else 0
    faces = tiles.view(face_row).reshape(count, tile_rows, tile_columns, faces_down, faces_across, face_height)
    rows = (
        matrices.reshape(count * height, width)
        .view(face_row)
        .reshape(count, tile_rows, faces_down, face_height, tile_columns, faces_across)
    )
    if tile.transpose_of_faces:
        raise NotImplementedError("tilewright does not simulate tiles with transpose_tile=True")
    # Rows outermost, so that the row-major side is walked in order.
    return faces.transpose(0, 1, 3, 5, 2, 4), rows


def _padded_matrices(array: NDArray[Any], tile: Tile, pad_value: float) -> NDArray[Any]:
    """``array`` as (n, rows, columns) with rows and columns filled up to whole tiles."""
    padded = padded_shape(Shape(array.shape), Layout.TILE, tile)
    height = array.shape[-2] if array.ndim >= 2 else 1
    width = array.shape[-1] if array.ndim >= 1 else 1
    matrices = array.reshape(-1, height, width)
    if (height, width) == (padded[-2], padded[-1]):
        return matrices
    result = np.full((len(matrices), padded[-2], padded[-1]), pad_value, array.dtype)
    result[:, :height, :width] = matrices
    return result


def padding_mask(shape: Shape, layout: Layout, tile: Tile, page_width: int | None = None) -> NDArray[np.bool_]:
    """True where a tensor has elements beyond its shape, as (n, rows, columns)."""
    padded = padded_shape(shape, layout, tile, page_width)
    height = padded[-2] if padded.rank >= 2 else 1
    mask = np.ones((padded.volume() // (height * padded[-1]), height, padded[-1]), np.bool_)
    mask[:, : shape[-2] if shape.rank >= 2 else 1, : shape[-1] if shape.rank else 1] = False
    return mask


def _round_up(value: int, multiple: int) -> int:
    return (value + multiple - 1) // multiple * multiple
