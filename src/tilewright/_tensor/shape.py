# SPDX-License-Identifier: Apache-2.0
"""Shapes of tensors."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from math import prod

from tilewright._tensor.argument import items, shown, whole_number

_MOST_SIDES = 64  # as many as NumPy has


def _side(index: int, value: object) -> int:
    if type(value) is int and value >= 0:
        return value
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"shape[{index}] must be an int, not {shown(value)}") from None
    if number < 0:
        raise TypeError(f"shape[{index}] must be 0 or more, not {number}")
    return number


class Shape:
    """The sides of a tensor, outermost first.

    >>> Shape([2, 3])
    Shape([2, 3])
    """

    __slots__ = ("_sides",)
    _sides: tuple[int, ...]

    def __init__(self, shape: Sequence[int] | Shape) -> None:
        if isinstance(shape, Shape):
            self._sides = shape._sides
            return
        sides = items("shape", shape, "a list of sides", most=_MOST_SIDES)
        self._sides = tuple(_side(index, side) for index, side in enumerate(sides))

    @property
    def rank(self) -> int:
        return len(self._sides)

    def volume(self) -> int:
        return prod(self._sides)

    def to_rank(self, rank: int) -> Shape:
        """The same elements with sides of 1 added, or taken away, in front."""
        extra = whole_number("rank", rank, most=_MOST_SIDES) - self.rank
        if extra >= 0:
            return Shape((1,) * extra + self._sides)
        if any(side != 1 for side in self._sides[:-extra]):
            raise ValueError(f"{self} cannot have rank {rank}: a side that would go is not 1")
        return Shape(self._sides[-extra:])

    def __getitem__(self, index: int) -> int:
        number = whole_number("index", index, least=-_MOST_SIDES, most=_MOST_SIDES)
        if not -self.rank <= number < self.rank:
            raise IndexError(f"index {number} is outside {self}")
        return self._sides[number]

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
