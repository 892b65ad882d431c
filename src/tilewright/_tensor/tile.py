# SPDX-License-Identifier: Apache-2.0
"""The tile: how many elements high and wide, and the faces it is stored as."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright._tensor.argument import items, whole_number
from tilewright._tensor.dtype import DataType, require_supported

TILE_SIZE = 32

# The tile shapes the hardware takes, and the face each is made of.
FACE_SHAPES: dict[tuple[int, int], tuple[int, int]] = {
    (32, 32): (16, 16),
    (16, 32): (16, 16),
    (32, 16): (16, 16),
    (16, 16): (16, 16),
    (8, 32): (8, 16),
    (4, 32): (4, 16),
    (2, 32): (2, 16),
    (1, 32): (1, 16),
    (8, 16): (8, 16),
    (4, 16): (4, 16),
    (2, 16): (2, 16),
    (1, 16): (1, 16),
}


class Tile:
    """A tile's shape.

    >>> Tile((16, 32)).num_faces
    2
    """

    __slots__ = ("_shape", "_transpose")

    def __init__(self, tile_shape: Sequence[int], transpose_tile: bool = False) -> None:
        given = items("tile_shape", tile_shape, "(height, width)", most=64)
        shape = tuple(whole_number(f"tile_shape[{index}]", side) for index, side in enumerate(given))
        if len(shape) != 2 or shape not in FACE_SHAPES:
            allowed = ", ".join(f"{h}x{w}" for h, w in FACE_SHAPES)
            raise ValueError(f"tile_shape {list(shape)} is not valid for the hardware; allowed: {allowed}")
        self._shape = (shape[0], shape[1])
        self._transpose = bool(transpose_tile)

    @property
    def tile_shape(self) -> list[int]:
        return list(self._shape)

    @property
    def height(self) -> int:
        return self._shape[0]

    @property
    def width(self) -> int:
        return self._shape[1]

    @property
    def face_shape(self) -> list[int]:
        return list(FACE_SHAPES[self._shape])

    @property
    def num_faces(self) -> int:
        face_height, face_width = FACE_SHAPES[self._shape]
        return (self.height // face_height) * (self.width // face_width)

    @property
    def partial_face(self) -> int:
        return int(self.height < 32)

    @property
    def narrow_tile(self) -> int:
        return int(self.width == 16)

    @property
    def transpose_of_faces(self) -> bool:
        return self._transpose

    @property
    def transpose_within_face(self) -> bool:
        return self._transpose

    def get_tile_size(self, dtype: DataType) -> int:
        return require_supported(dtype).tile_bytes(self.height, self.width)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tile):
            return NotImplemented
        return (self._shape, self._transpose) == (other._shape, other._transpose)

    def __hash__(self) -> int:
        return hash((self._shape, self._transpose))

    def __repr__(self) -> str:
        return f"Tile with shape: [{self.height}, {self.width}]"
