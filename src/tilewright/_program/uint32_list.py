# SPDX-License-Identifier: Apache-2.0
"""Lists as ttnn's descriptors hold them.

``VectorUInt32`` is a live list of 32-bit words: changing it changes the descriptor. Every other list attribute of a
ttnn descriptor is handed out as a copy, so ``program.kernels.append(kernel)`` does nothing on a card, silently.
``CopiedList`` makes that mistake an error here.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, NoReturn, SupportsIndex, TypeVar

from tilewright._tensor.argument import items, shown

Item = TypeVar("Item")


def uint32(value: object, what: str) -> int:
    """``value`` as an int of 32 bits without sign; ``what`` names it in the error."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        is_tensor = hasattr(value, "buffer_address")
        given = "a tensor: pass its buffer_address()" if is_tensor else shown(value)
        raise TypeError(f"{what} must be an int that fits 32 bits without sign, not {given}") from None
    if not 0 <= number < 2**32:
        raise TypeError(f"{what} must be an int that fits 32 bits without sign (0 .. 2**32 - 1), not {number}")
    return number


class VectorUInt32(list[int]):
    """A list that holds 32-bit words only.

    >>> VectorUInt32([1, 2])
    VectorUInt32([1, 2])
    """

    def __init__(self, values: Iterable[int] = (), what: str = "value") -> None:
        self._what = what
        if isinstance(values, VectorUInt32):  # checked when it was made
            super().__init__(values)
            return
        words = items(what, values, "a list of ints that fit 32 bits without sign")
        if not all(type(word) is int and 0 <= word < 2**32 for word in words):
            words = [uint32(word, f"{what}[{index}]") for index, word in enumerate(words)]
        super().__init__(words)

    def copy(self) -> VectorUInt32:
        return VectorUInt32(self, self._what)

    def append(self, value: int) -> None:
        super().append(uint32(value, self._what))

    def extend(self, values: Iterable[int]) -> None:
        words = items(self._what, values, "a list of ints that fit 32 bits without sign")
        super().extend([uint32(value, self._what) for value in words])

    def insert(self, index: SupportsIndex, value: int) -> None:
        super().insert(index, uint32(value, self._what))

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            super().__setitem__(index, [uint32(item, self._what) for item in value])
        else:
            super().__setitem__(index, uint32(value, self._what))

    def __iadd__(self, values: Iterable[int]) -> VectorUInt32:  # type: ignore[misc, override]
        self.extend(values)
        return self

    def __repr__(self) -> str:
        return f"VectorUInt32({list(self)})"

    __str__ = __repr__


class CopiedList(list[Item]):
    """A list read from a descriptor attribute that has to be assigned as a whole."""

    def __init__(self, items: Iterable[Item], attribute: str) -> None:
        super().__init__(items)
        self._attribute = attribute

    def _refuse(self, *arguments: Any, **keywords: Any) -> NoReturn:
        raise TypeError(
            f"{self._attribute} cannot be changed in place: ttnn hands out a copy of this list, so the change "
            f"would be lost on a card. Assign a new list: x.{self._attribute.rpartition('.')[2]} = [...]"
        )

    append = extend = insert = remove = pop = clear = sort = reverse = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
