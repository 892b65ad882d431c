# SPDX-License-Identifier: Apache-2.0
"""Spreading units of work over cores, with the same result as ttnn gives for the same numbers."""

from __future__ import annotations

import inspect
from typing import TypeAlias

from tilewright._tensor.argument import require, shown, whole_number
from tilewright._tensor.cores import CoreCoord, CoreGrid, CoreRange, CoreRangeSet, as_core, ordered_cores

WorkSplit = tuple[int, CoreRangeSet, CoreRangeSet, CoreRangeSet, int, int]
Grid: TypeAlias = CoreCoord | CoreGrid | tuple[int, int]


def split_work_to_cores(grid_size: Grid | CoreRangeSet, units_to_divide: int, row_wise: bool = False) -> WorkSplit:
    """Divide units as evenly as whole units allow.

    Gives (number of cores, all cores, cores with more, cores with fewer, units per core with more, with fewer).

    >>> split_work_to_cores(CoreCoord(8, 8), 10)
    (10, {[0-0 - 0-7], [1-0 - 1-1]}, {[0-0 - 0-7], [1-0 - 1-1]}, {}, 1, 0)
    """
    whole_number("units_to_divide", units_to_divide)
    empty = CoreRangeSet([])
    if units_to_divide == 0:
        return 0, empty, empty, empty, 0, 0
    available = grid_size if isinstance(grid_size, CoreRangeSet) else _whole_grid(grid_size)
    num_cores = min(units_to_divide, available.num_cores())
    if num_cores == 0:
        raise ValueError("grid_size has no cores to give work to")
    units, more = divmod(units_to_divide, num_cores)
    all_cores = _take(available, 0, num_cores, row_wise)
    if more == 0:
        return num_cores, all_cores, all_cores, empty, units, 0
    group_1 = _take(available, 0, more, row_wise)
    group_2 = _take(available, more, num_cores, row_wise)
    return num_cores, all_cores, group_1, group_2, units + 1, units


def num_cores_to_corerangeset(target_num_cores: int, grid_size: Grid, row_wise: bool = False) -> CoreRangeSet:
    """The first cores of a grid, column by column unless ``row_wise``."""
    grid = _whole_grid(grid_size)
    whole_number("target_num_cores", target_num_cores)
    _require_enough(target_num_cores, grid.num_cores())
    return _take(grid, 0, target_num_cores, row_wise)


def num_cores_to_corerangeset_in_subcoregrids(
    start_core: CoreCoord | tuple[int, int],
    target_num_cores: int,
    sub_core_grids: CoreRangeSet,
    row_wise: bool = False,
) -> CoreRangeSet:
    """``target_num_cores`` cores of ``sub_core_grids``, counted from ``start_core`` on."""
    cores = ordered_cores(require("sub_core_grids", sub_core_grids, CoreRangeSet, "a CoreRangeSet"), row_wise)
    core = as_core(start_core)
    whole_number("target_num_cores", target_num_cores)
    if core not in cores:
        raise ValueError(f"start_core {core} is not one of the cores in sub_core_grids {sub_core_grids}")
    first = cores.index(core)
    _require_enough(target_num_cores, len(cores) - first)
    return _take(sub_core_grids, first, first + target_num_cores, row_wise)


def corerange_to_cores(
    core_range_set: CoreRangeSet, max_cores: int | None = None, row_wise: bool = False
) -> list[CoreCoord]:
    """The cores of a set as a list, range after range."""
    cores = ordered_cores(require("core_range_set", core_range_set, CoreRangeSet, "a CoreRangeSet"), row_wise)
    return cores if max_cores is None else cores[: whole_number("max_cores", max_cores)]


def grid_to_cores(*arguments: object, **keywords: object) -> list[CoreCoord]:
    """``grid_to_cores(num_cores, grid_size_x, grid_size_y, row_wise)`` or ``grid_to_cores(start, end, row_wise)``."""
    is_between = (arguments and isinstance(arguments[0], (CoreCoord, tuple))) or "start" in keywords
    form = _cores_between if is_between else _first_cores_of_grid
    try:
        bound = inspect.signature(form).bind(*arguments, **keywords)
    except TypeError as error:
        forms = "(num_cores, grid_size_x, grid_size_y, row_wise) or (start, end, row_wise)"
        raise TypeError(f"grid_to_cores takes {forms}: {error}") from None
    return form(*bound.args, **bound.kwargs)


def _cores_between(start: CoreCoord, end: CoreCoord, row_wise: bool = False) -> list[CoreCoord]:
    return ordered_cores(CoreRangeSet([CoreRange(start, end)]), row_wise)


def _first_cores_of_grid(num_cores: int, grid_size_x: int, grid_size_y: int, row_wise: bool = False) -> list[CoreCoord]:
    sides = whole_number("grid_size_x", grid_size_x), whole_number("grid_size_y", grid_size_y)
    _require_enough(whole_number("num_cores", num_cores), sides[0] * sides[1])
    return ordered_cores(_whole_grid((grid_size_x, grid_size_y)), row_wise)[:num_cores]


def _require_enough(wanted: int, available: int) -> None:
    if wanted > available:
        raise ValueError(f"Target number of cores {wanted} is greater than total number of available cores {available}")


def _whole_grid(grid_size: Grid) -> CoreRangeSet:
    given = (grid_size.x, grid_size.y) if isinstance(grid_size, CoreCoord | CoreGrid) else grid_size
    if not isinstance(given, tuple) or len(given) != 2:
        raise TypeError(f"grid_size must be a CoreCoord, a CoreGrid or (x, y), not {shown(grid_size)}")
    x, y = whole_number("grid_size x", given[0]), whole_number("grid_size y", given[1])
    return CoreRangeSet([CoreRange((0, 0), (x - 1, y - 1))] if x and y else [])


def _take(cores: CoreRangeSet, first: int, last: int, row_wise: bool) -> CoreRangeSet:
    """Cores number ``first`` to ``last`` (not included) as rectangles."""
    pieces: list[CoreRange] = []
    for core_range in cores.ranges():
        count = core_range.num_cores()
        if first < count and last > 0:
            for piece in _slice(core_range, max(first, 0), min(last, count), row_wise):
                _append_or_extend(pieces, piece, row_wise)
        first, last = first - count, last - count
    return CoreRangeSet(pieces)


def _append_or_extend(pieces: list[CoreRange], piece: CoreRange, row_wise: bool) -> None:
    """Add a piece, as more lines of the last one when it has the same length and lies next to it."""
    if pieces:
        start, end = pieces[-1].start, pieces[-1].end
        below = (start.x, end.x, end.y + 1) == (piece.start.x, piece.end.x, piece.start.y)
        beside = (start.y, end.y, end.x + 1) == (piece.start.y, piece.end.y, piece.start.x)
        if below if row_wise else beside:
            pieces[-1] = CoreRange(start, piece.end)
            return
    pieces.append(piece)


def _slice(core_range: CoreRange, first: int, last: int, row_wise: bool) -> list[CoreRange]:
    """A run of cores inside one rectangle: the rest of a line, whole lines, the beginning of a line."""
    size = core_range.grid_size()
    length = size.x if row_wise else size.y
    pieces: list[CoreRange] = []
    while first < last:
        line, offset = divmod(first, length)
        if offset == 0 and last - first >= length:
            lines = (last - first) // length
            pieces.append(_lines(core_range, (line, line + lines - 1), (0, length - 1), row_wise))
            first += lines * length
        else:
            end = min(length, offset + last - first)
            pieces.append(_lines(core_range, (line, line), (offset, end - 1), row_wise))
            first += end - offset
    return pieces


def _lines(core_range: CoreRange, lines: tuple[int, int], along: tuple[int, int], row_wise: bool) -> CoreRange:
    columns, rows = (along, lines) if row_wise else (lines, along)
    x, y = core_range.start.x, core_range.start.y
    return CoreRange((x + columns[0], y + rows[0]), (x + columns[1], y + rows[1]))
