# SPDX-License-Identifier: Apache-2.0
"""Cores in words: rectangles instead of lists."""

from __future__ import annotations

from collections.abc import Iterable

Core = tuple[int, int]
Rectangle = tuple[Core, Core]  # first and last core

_SHOWN = 4


def core_rectangles(cores: Iterable[Core]) -> list[Rectangle]:
    """The cores as rectangles, from the top: rows of neighbours, and equal rows below each other as one.

    >>> core_rectangles([(0, 0), (1, 0), (0, 1), (1, 1), (3, 1)])
    [((0, 0), (1, 1)), ((3, 1), (3, 1))]
    """
    rows: list[Rectangle] = []
    for x, y in sorted(set(cores), key=lambda core: (core[1], core[0])):
        if rows and rows[-1][1] == (x - 1, y):
            rows[-1] = (rows[-1][0], (x, y))
        else:
            rows.append(((x, y), (x, y)))
    rectangles: list[Rectangle] = []
    for first, last in rows:
        above = next((r for r in rectangles if (r[0][0], r[1]) == (first[0], (last[0], last[1] - 1))), None)
        if above is None:
            rectangles.append((first, last))
        else:
            rectangles[rectangles.index(above)] = (above[0], last)
    return rectangles


def name_cores(cores: Iterable[Core]) -> str:
    """All cores, in few words.

    >>> name_cores([(0, 0)]), name_cores([(0, 0), (1, 0)]), name_cores([(0, 0), (2, 0)])
    ('core (0,0)', 'cores (0,0)-(1,0)', 'cores (0,0) and (2,0)')
    """
    rectangles = core_rectangles(cores)
    names = [_name(first) if first == last else f"{_name(first)}-{_name(last)}" for first, last in rectangles]
    is_one = len(rectangles) == 1 and rectangles[0][0] == rectangles[0][1]
    if len(names) > _SHOWN + 1:
        left = sum(_size(rectangle) for rectangle in rectangles[_SHOWN:])
        names = [*names[:_SHOWN], f"{left} more"]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{'core' if is_one else 'cores'} {listed}"


def _name(core: Core) -> str:
    return f"({core[0]},{core[1]})"


def _size(rectangle: Rectangle) -> int:
    (left, top), (right, bottom) = rectangle
    return (right - left + 1) * (bottom - top + 1)
