# SPDX-License-Identifier: Apache-2.0
"""CoreCoord, CoreRange and CoreRangeSet.

The classes answer like ttnn's (same methods, same printed form), so host code written for a card runs here.
Iterating over a range or a set, which ttnn cannot do, is allowed here and yields cores row by row.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

from tilewright._tensor.argument import from_json, items, require, shown

# Going through the cores of a set is for sets a chip could have; no chip comes near this.
_MOST_CORES = 1 << 20


class CoreCoord:
    """Logical position of a core: ``x`` is the column, ``y`` the row.

    >>> CoreCoord(1, 2)
    1-2
    """

    __slots__ = ("_x", "_y")

    @overload
    def __init__(self, x: int, y: int, /) -> None: ...
    @overload
    def __init__(self, xy: tuple[int, int], /) -> None: ...
    def __init__(self, x: int | tuple[int, int], y: int | None = None, /) -> None:
        if y is None:
            if not isinstance(x, tuple) or len(x) != 2:
                raise TypeError(f"CoreCoord takes (x, y) or one tuple (x, y), not {shown(x)}")
            x, y = x
        self._x = _coordinate("x", x)
        self._y = _coordinate("y", y)

    @property
    def x(self) -> int:
        return self._x

    @property
    def y(self) -> int:
        return self._y

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CoreCoord):
            return self._x == other._x and self._y == other._y
        if isinstance(other, tuple):
            return (self._x, self._y) == other
        return NotImplemented

    def __hash__(self) -> int:
        return hash((self._x, self._y))

    def __repr__(self) -> str:
        return f"{self._x}-{self._y}"

    def to_json(self) -> str:
        return _to_json(_coord_as_dict(self))

    @staticmethod
    def from_json(text: str) -> CoreCoord:
        return from_json("text", text, "a core", _coord_from_dict)


class CoreRange:
    """The rectangle of cores from ``start`` to ``end``, both included.

    >>> CoreRange(CoreCoord(0, 0), CoreCoord(3, 4))
    [0-0 - 3-4]
    """

    __slots__ = ("_end", "_start")

    def __init__(self, start: CoreCoord | tuple[int, int], end: CoreCoord | tuple[int, int]) -> None:
        self._start = as_core(start)
        self._end = as_core(end)
        if self._end.x < self._start.x or self._end.y < self._start.y:
            raise ValueError(f"Invalid core range for start_coord: {self._start}, end_coord: {self._end}")

    @property
    def start(self) -> CoreCoord:
        return self._start

    @property
    def end(self) -> CoreCoord:
        return self._end

    def grid_size(self) -> CoreCoord:
        return CoreCoord(self._end.x - self._start.x + 1, self._end.y - self._start.y + 1)

    def num_cores(self) -> int:
        size = self.grid_size()
        return size.x * size.y

    def contains(self, other: CoreCoord | tuple[int, int] | CoreRange | CoreRangeSet) -> bool:
        if isinstance(other, CoreRangeSet):
            return all(self.contains(core_range) for core_range in other.ranges())
        if isinstance(other, CoreRange):
            return self.contains(other.start) and self.contains(other.end)
        core = as_core(other)
        return self._start.x <= core.x <= self._end.x and self._start.y <= core.y <= self._end.y

    def intersection(self, other: CoreRange) -> CoreRange | None:
        require("other", other, CoreRange, "a CoreRange")
        left, top = max(self._start.x, other._start.x), max(self._start.y, other._start.y)
        right, bottom = min(self._end.x, other._end.x), min(self._end.y, other._end.y)
        return CoreRange((left, top), (right, bottom)) if left <= right and top <= bottom else None

    def __iter__(self) -> Iterator[CoreCoord]:
        _refuse_endless(self)
        for y in range(self._start.y, self._end.y + 1):
            for x in range(self._start.x, self._end.x + 1):
                yield CoreCoord(x, y)

    def __contains__(self, core: object) -> bool:
        return isinstance(core, (CoreCoord, tuple)) and self.contains(core)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CoreRange):
            return NotImplemented
        return self._start == other._start and self._end == other._end

    def __hash__(self) -> int:
        return hash((self._start, self._end))

    def __repr__(self) -> str:
        return f"[{self._start} - {self._end}]"

    def to_json(self) -> str:
        return _to_json(_range_as_dict(self))

    @staticmethod
    def from_json(text: str) -> CoreRange:
        return from_json("text", text, "a core range", _range_from_dict)


class CoreRangeSet:
    """Rectangles of cores that do not overlap, in the order given.

    >>> CoreRangeSet([CoreRange((0, 0), (3, 3))]).num_cores()
    16
    """

    __slots__ = ("_cores", "_ranges")
    _ranges: tuple[CoreRange, ...]

    def __init__(self, core_ranges: Sequence[CoreRange] | set[CoreRange] | frozenset[CoreRange]) -> None:
        if isinstance(core_ranges, CoreRange):
            raise TypeError(f"core_ranges must be a list or set of CoreRange, not one: {core_ranges!r}")
        given = items("core_ranges", core_ranges, "a list or set of CoreRange", most=_MOST_CORES)
        for index, core_range in enumerate(given):
            require(f"core_ranges[{index}]", core_range, CoreRange, "a CoreRange")
        # A Python set has no order of its own: sort, so that the same set always gives the same program.
        self._ranges = tuple(_sorted(given) if isinstance(core_ranges, (set, frozenset)) else given)
        self._cores: tuple[CoreCoord, ...] | None = None
        self._refuse_overlap()

    def _refuse_overlap(self) -> None:
        for index, first in enumerate(self._ranges):
            for second in self._ranges[index + 1 :]:
                if first.intersection(second) is not None:
                    raise ValueError(
                        "Cannot create CoreRangeSet with specified core ranges because "
                        f"core ranges {first} and {second} overlap!"
                    )

    def ranges(self) -> list[CoreRange]:
        return list(self._ranges)

    def size(self) -> int:
        """Number of rectangles (not of cores)."""
        return len(self._ranges)

    def empty(self) -> bool:
        return not self._ranges

    def num_cores(self) -> int:
        return sum(core_range.num_cores() for core_range in self._ranges)

    def contains(self, other: CoreCoord | tuple[int, int] | CoreRange | CoreRangeSet) -> bool:
        if isinstance(other, CoreRangeSet):
            return all(self.contains(core_range) for core_range in other._ranges)
        if isinstance(other, CoreRange):
            covered = (core_range.intersection(other) for core_range in self._ranges)
            return sum(part.num_cores() for part in covered if part) == other.num_cores()
        return any(core_range.contains(other) for core_range in self._ranges)

    def intersects(self, other: CoreRangeSet) -> bool:
        """Whether the sets have a core in common."""
        require("other", other, CoreRangeSet, "a CoreRangeSet")
        if self is other:
            return not self.empty()
        return any(first.intersection(second) is not None for first in self._ranges for second in other._ranges)

    def bounding_box(self) -> CoreRange:
        if not self._ranges:
            raise ValueError("Cannot get bounding_box of an empty CoreRangeSet!")
        return CoreRange(
            (min(r.start.x for r in self._ranges), min(r.start.y for r in self._ranges)),
            (max(r.end.x for r in self._ranges), max(r.end.y for r in self._ranges)),
        )

    def merge(self, other: CoreRangeSet | Iterable[CoreRange]) -> CoreRangeSet:
        """All cores of both sets, as few rectangles as one downward scan finds."""
        given = other._ranges if isinstance(other, CoreRangeSet) else items("other", other, "a list of CoreRange")
        ranges = [require(f"other[{index}]", each, CoreRange, "a CoreRange") for index, each in enumerate(given)]
        return CoreRangeSet(_rectangles(core for r in (*self._ranges, *ranges) for core in r))

    def subtract(self, other: CoreRangeSet) -> CoreRangeSet:
        """The cores of this set that are not in ``other``."""
        require("other", other, CoreRangeSet, "a CoreRangeSet")
        remaining = list(self._ranges)
        for taken in other._ranges:
            remaining = [piece for core_range in remaining for piece in _without(core_range, taken)]
        return CoreRangeSet(remaining)

    def cores(self) -> tuple[CoreCoord, ...]:
        """Every core, rectangle after rectangle, row by row; made once, as programs are walked through often."""
        if self._cores is None:
            _refuse_endless(self)
            self._cores = tuple(core for core_range in self._ranges for core in core_range)
        return self._cores

    def __iter__(self) -> Iterator[CoreCoord]:
        return iter(self.cores())

    def __len__(self) -> int:
        """Number of cores, the number of items iteration gives."""
        return self.num_cores()

    def __contains__(self, core: object) -> bool:
        return isinstance(core, (CoreCoord, tuple)) and self.contains(core)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CoreRangeSet):
            return NotImplemented
        return self._ranges == other._ranges

    def __hash__(self) -> int:
        return hash(self._ranges)

    def __repr__(self) -> str:
        return "{" + ", ".join(map(str, self._ranges)) + "}"

    def to_json(self) -> str:
        return _to_json([_range_as_dict(core_range) for core_range in self._ranges])

    @staticmethod
    def from_json(text: str) -> CoreRangeSet:
        return from_json("text", text, "a list of core ranges", _range_set_from_list)


def ordered_cores(cores: CoreRangeSet, row_wise: bool) -> list[CoreCoord]:
    """The cores of a set, range after range; those of a range by rows or by columns."""
    result: list[CoreCoord] = []
    for core_range in cores.ranges():
        result += sorted(core_range, key=lambda c: (c.y, c.x) if row_wise else (c.x, c.y))
    return result


class CoreGrid:
    """A grid counted from core (0, 0), given by its size.

    >>> CoreGrid(x=8, y=4).num_cores
    32
    """

    __slots__ = ("x", "y")

    def __init__(self, *, x: int, y: int) -> None:
        self.x = _coordinate("x", x)
        self.y = _coordinate("y", y)

    @property
    def num_cores(self) -> int:
        return self.x * self.y

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CoreGrid) and (self.x, self.y) == (other.x, other.y)

    def __hash__(self) -> int:
        return hash((self.x, self.y))

    def __repr__(self) -> str:
        return f"ttnn.CoreGrid(x={self.x}, y={self.y})"


def _refuse_endless(cores: CoreRange | CoreRangeSet) -> None:
    if cores.num_cores() > _MOST_CORES:
        raise ValueError(f"{shown(cores)} has {cores.num_cores()} cores; at most {_MOST_CORES} can be gone through")


def as_core(value: CoreCoord | tuple[int, int]) -> CoreCoord:
    return value if isinstance(value, CoreCoord) else CoreCoord(value)


def _coordinate(name: str, value: object) -> int:
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} of a core must be an int, not {shown(value)}") from None
    if number < 0:
        raise TypeError(f"{name} of a core must be 0 or more, not {number}")
    return number


def _sorted(core_ranges: Iterable[CoreRange]) -> list[CoreRange]:
    return sorted(core_ranges, key=lambda r: (r.start.x, r.start.y, r.end.x, r.end.y))


def _rectangles(cores: Iterable[CoreCoord]) -> list[CoreRange]:
    """Rectangles covering ``cores``: horizontal runs row by row, equal runs of adjacent rows joined.

    Sorted by their left side, then their top.
    """
    columns_by_row: dict[int, set[int]] = {}
    for core in cores:
        columns_by_row.setdefault(core.y, set()).add(core.x)
    finished: list[list[int]] = []  # [left, top, right, bottom]
    for y in sorted(columns_by_row):
        for left, right in _runs(sorted(columns_by_row[y])):
            for rectangle in finished:
                if (rectangle[0], rectangle[2], rectangle[3]) == (left, right, y - 1):
                    rectangle[3] = y
                    break
            else:
                finished.append([left, y, right, y])
    return [CoreRange((left, top), (right, bottom)) for left, top, right, bottom in sorted(finished)]


def _runs(columns: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for x in columns:
        if runs and runs[-1][1] == x - 1:
            runs[-1] = (runs[-1][0], x)
        else:
            runs.append((x, x))
    return runs


def _without(core_range: CoreRange, taken: CoreRange) -> list[CoreRange]:
    """The up to four rectangles that remain of ``core_range``: left, right, above, below."""
    hole = core_range.intersection(taken)
    if hole is None:
        return [core_range]
    start, end = core_range.start, core_range.end
    pieces: list[CoreRange] = []
    if start.x < hole.start.x:
        pieces.append(CoreRange(start, (hole.start.x - 1, end.y)))
    if hole.end.x < end.x:
        pieces.append(CoreRange((hole.end.x + 1, start.y), end))
    if start.y < hole.start.y:
        pieces.append(CoreRange((hole.start.x, start.y), (hole.end.x, hole.start.y - 1)))
    if hole.end.y < end.y:
        pieces.append(CoreRange((hole.start.x, hole.end.y + 1), (hole.end.x, end.y)))
    return pieces


def _to_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def _coord_as_dict(core: CoreCoord) -> dict[str, int]:
    return {"x": core.x, "y": core.y}


def _range_as_dict(core_range: CoreRange) -> dict[str, Any]:
    return {"start": _coord_as_dict(core_range.start), "end": _coord_as_dict(core_range.end)}


def _coord_from_dict(value: dict[str, int]) -> CoreCoord:
    return CoreCoord(value["x"], value["y"])


def _range_set_from_list(ranges: list[dict[str, Any]]) -> CoreRangeSet:
    return CoreRangeSet([_range_from_dict(each) for each in ranges])


def _range_from_dict(value: dict[str, Any]) -> CoreRange:
    return CoreRange(_coord_from_dict(value["start"]), _coord_from_dict(value["end"]))
