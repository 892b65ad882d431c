# SPDX-License-Identifier: Apache-2.0
"""Arguments a kernel gets when it is launched, per core."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tilewright._program.uint32_list import VectorUInt32
from tilewright._tensor.argument import items, shown, whole_number
from tilewright._tensor.cores import CoreCoord, as_core


class RuntimeArgs:
    """Runtime args per core, written ``args[x][y] = [...]`` (x first, as in ``CoreCoord``).

    >>> args = RuntimeArgs()
    >>> args[0][1] = [4, 5]
    >>> args[0][1].append(6)
    >>> args.to_list()
    [(0-1, [4, 5, 6])]
    """

    def __init__(self) -> None:
        self._cores: list[CoreCoord] = []
        self._words: list[VectorUInt32] = []  # of each of the cores
        self._first_of_core: dict[CoreCoord, VectorUInt32] = {}

    def __getitem__(self, x: int) -> RuntimeArgsColProxy:
        if not isinstance(x, int) or x < 0:
            raise TypeError(f"runtime args are indexed [x][y] with ints of 0 or more, not [{x!r}]")
        return RuntimeArgsColProxy(self, x)

    @property
    def words(self) -> Sequence[VectorUInt32]:
        """The live args of every entry, in the order they were given."""
        return self._words

    def append(self, coord: CoreCoord | tuple[int, int], values: Iterable[int]) -> None:
        """Add an entry for ``coord``. Like ttnn it does not look whether the core has one already."""
        core = as_core(coord)
        self._add(core, VectorUInt32(values, f"runtime_args[{core.x}][{core.y}]"))

    def _add(self, core: CoreCoord, words: VectorUInt32) -> None:
        self._cores.append(core)
        self._words.append(words)
        self._first_of_core.setdefault(core, words)

    def get(self, idx: int) -> tuple[CoreCoord, list[int]]:
        if whole_number("idx", idx) >= len(self._cores):
            raise IndexError(f"idx {idx} is outside the {len(self._cores)} entries of runtime args")
        return self._cores[idx], list(self._words[idx])

    def to_list(self) -> list[tuple[CoreCoord, list[int]]]:
        return [(core, list(values)) for core, values in self]

    def clear(self) -> None:
        self._cores.clear()
        self._words.clear()
        self._first_of_core.clear()

    def of_core(self, core: CoreCoord) -> VectorUInt32 | None:
        """The live args of ``core``, or None when it has no entry."""
        return self._first_of_core.get(as_core(core))

    def state(self) -> tuple[object, ...]:
        """The cores, and how many args each has."""
        return tuple(self._cores), tuple(map(len, self._words))

    def copy(self) -> RuntimeArgs:
        other = RuntimeArgs()
        for core, words in self:
            other._add(core, words.copy())
        return other

    def __iter__(self) -> Iterator[tuple[CoreCoord, VectorUInt32]]:
        return zip(self._cores, self._words, strict=True)

    def __len__(self) -> int:
        return len(self._cores)

    def __repr__(self) -> str:
        shown = [f"{core}: {list(values)}" for core, values in itertools.islice(self, 4)]
        more = len(self) - len(shown)
        return "RuntimeArgs{" + ", ".join(shown) + (f", ... {more} more cores" if more > 0 else "") + "}"


class RuntimeArgsColProxy:
    """Column ``x`` of runtime args: what ``args[x]`` gives, so that ``args[x][y]`` can be read and set."""

    def __init__(self, runtime_args: RuntimeArgs, x: int) -> None:
        self._runtime_args = runtime_args
        self._x = x

    def __getitem__(self, y: int) -> VectorUInt32:
        values = self._runtime_args.of_core(CoreCoord(self._x, y))
        if values is None:
            raise IndexError(f"No runtime args found for CoreCoord({self._x}, {y})")
        return values

    def __setitem__(self, y: int, values: Iterable[int]) -> None:
        core = CoreCoord(self._x, y)
        existing = self._runtime_args.of_core(core)
        if existing is None:
            self._runtime_args.append(core, values)
        else:
            existing[:] = VectorUInt32(values, f"runtime_args[{core.x}][{core.y}]")

    def append(self, y: int, value: int) -> None:
        self[y].append(value)

    def extend(self, y: int, values: Iterable[int]) -> None:
        self[y].extend(values)


def as_runtime_args(value: Any) -> RuntimeArgs:
    """A copy of ``value`` (RuntimeArgs, or a list of (core, args) pairs)."""
    if isinstance(value, RuntimeArgs):
        return value.copy()
    result = RuntimeArgs()
    for index, pair in enumerate(items("runtime_args", value, "a RuntimeArgs or a list of (CoreCoord, [values])")):
        if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], (CoreCoord, tuple)):
            raise TypeError(
                f"runtime_args[{index}] must be a pair (CoreCoord, [values]), not {shown(pair)}; "
                "or pass a ttnn.RuntimeArgs filled by args[x][y] = [values]"
            )
        result.append(pair[0], pair[1])
    return result
