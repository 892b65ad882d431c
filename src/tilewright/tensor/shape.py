# SPDX-License-Identifier: Apache-2.0
"""Shapes of tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod


class Shape:
    """The sides of a tensor, outermost first.

    >>> Shape([2, 3])
    Shape([2, 3])
    """

    __slots__ = ("_sides",)

    def __init__(self, shape: Sequence[int] | Shape) -> None:
        sides = []
        for index, side in enumerate(shape):
            try:
                number = int(side.__index__())
            except AttributeError:
                raise TypeError(f"shape[{index}] must be an int, not {side!r}") from None
            if number < 0:
                raise TypeError(f"shape[{index}] must be 0 or more, not {number}")
            sides.append(number)
        self._sides = tuple(sides)

    @property
    def rank(self) -> int:
        return len(self._sides)

    def volume(self) -> int:
        return prod(self._sides)

    def to_rank(self, rank: int) -> Shape:
        """The same elements with sides of 1 added, or taken away, in front."""
        extra = rank - self.rank
        if extra >= 0:
            return Shape((1,) * extra + self._sides)
        if any(side != 1 for side in self._sides[:-extra]):
            raise ValueError(f"{self} cannot have rank {rank}: a side that would go is not 1")
        return Shape(self._sides[-extra:])

    def __getitem__(self, index: int) -> int:
        if not -self.rank <= index < self.rank:
            raise IndexError(f"index {index} is outside {self}")
        return self._sides[index]

    def __len__(self) -> int:
        return len(self._sides)

    def __iter__(self) -> Iterator[int]:
        return iter(self._sides)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (Shape, list, tuple)):
            return self._sides == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._sides)

    def __repr__(self) -> str:
        return f"Shape({list(self._sides)})"
