# SPDX-License-Identifier: Apache-2.0
"""The circular buffers of a schedule: indices, pages, formats.

An index that the declaration gives is used. The others follow the custom of the field: inputs from c_0 on, constants
from c_8, results from c_16, values in between from c_24; where a range is full, the next index that is free.

Rows come and go in two blocks, so that the reader, compute and the writer work at the same time. What stays for a whole
row has room for it; what goes through a block at a time has room for a block; a column is one tile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from tilewright._planner.line_plan import PageCount
from tilewright._planner.model import Choices, Role, Schedule, Store
from tilewright._planner.plan import OperationBuffer, PageKind
from tilewright._tensor.dtype import DataType
from tilewright.formula._direction import CannotPlanError, Direction
from tilewright.formula._graph import Extent, Value, nodes_of
from tilewright.formula._validation import OperationError

_FIRST_INDEX = {
    Role.ROWS_IN: 0,
    Role.STICK: 0,
    Role.INPUT: 0,
    Role.LEFT_ROWS: 0,
    Role.LEFT: 0,
    Role.LEFT_PART: 24,
    Role.RIGHT_ROWS: 0,
    Role.RIGHT: 0,
    Role.SCALER: 8,
    Role.MASK: 8,
    Role.NUMBER: 8,
    Role.OUTPUT: 16,
    Role.VALUE: 24,
    Role.PARTS: 24,
    Role.OWN_PART: 24,
    Role.ALL_PARTS: 24,
}
_NUM_INDICES = 32
# Buffers of a program that certainly has room for constants and partial results.
_ROOMY = 24
_MATMUL = {
    Role.LEFT_ROWS: PageCount(per_left=1),
    Role.LEFT: PageCount(per_left=1),
    Role.LEFT_PART: PageCount(per_left_part=2),
    Role.RIGHT_ROWS: PageCount(per_block=2),
    Role.RIGHT: PageCount(per_inner_block=1),
}
_DTYPES = {
    each.data_format.name: each
    for each in (DataType.BFLOAT16, DataType.FLOAT32, DataType.BFLOAT8_B, DataType.BFLOAT4_B, DataType.INT32)
}


def buffer_indices(schedule: Schedule, choices: Choices) -> dict[str, int]:
    """An index for every buffer.

    Raises:
        CannotPlanError: there are more than 32.
    """
    given = {name: choices.buffers[name] for name in schedule.stores if name in choices.buffers}
    free = [index for index in range(_NUM_INDICES) if index not in given.values()]
    found = {}
    for name, store in schedule.stores.items():
        if name in given:
            found[name] = given[name]
            continue
        if not free:
            raise CannotPlanError(
                f"{len(schedule.stores)} circular buffers are needed, and a core has {_NUM_INDICES}: declare an "
                f"operation for `{_part_with_room(schedule)}`, and give its result"
            )
        index = min(free, key=lambda each: (each < _FIRST_INDEX[store.role], each))
        free.remove(index)
        found[name] = index
    return found


def _part_with_room(schedule: Schedule) -> Value:
    """The sub-expression that takes the most buffers of those that leave room for others in a program of their own."""
    stores = [each for each in schedule.stores.values() if each.value is not None]
    counts = Counter(id(each.value) for each in stores)
    results = [each.value for each in stores if each.role is Role.OUTPUT and each.value is not None]
    inner = [each for each in nodes_of(results) if each.operands and not any(each is other for other in results)]
    needs = [(sum(counts[id(node)] for node in nodes_of([each])), each) for each in inner]
    fitting = [each for each in needs if each[0] <= _ROOMY]
    return max(fitting or needs, key=lambda each: each[0])[1]


def check_names(choices: Choices, known: set[str]) -> None:
    """Refuses indices for buffers that no plan has."""
    for name in choices.buffers:
        if name not in known:
            raise OperationError(f"buffers: no plan has a buffer {name}; there are {', '.join(sorted(known))}")


def buffers_of(schedule: Schedule, indices: Mapping[str, int], choices: Choices) -> tuple[OperationBuffer, ...]:
    """The buffers by index."""
    stores, direction = schedule.stores.items(), schedule.direction
    made = [
        _buffer(store, indices[name], choices.sticks, direction, _pages(store, choices, direction))
        for name, store in stores
    ]
    return tuple(sorted(made, key=lambda each: each.index))


def _buffer(store: Store, index: int, sticks: bool, direction: Direction, pages: PageCount) -> OperationBuffer:
    # A stick of inner rows comes a tile's part at a time.
    is_stick = (store.role is Role.STICK and not store.inner) or (
        sticks and store.role in (Role.ROWS_IN, Role.OUTPUT) and store.extent is Extent.FULL
    )
    return OperationBuffer(
        index,
        store.name,
        pages,
        _purpose(store, direction),
        _DTYPES[store.format],
        PageKind.STICK if is_stick else PageKind.TILE,
        is_only_moved=not store.read_by_matrix_unit and store.role is not Role.OUTPUT,
    )


def _pages(store: Store, choices: Choices, direction: Direction) -> PageCount:
    is_wide, sticks = store.extent in (Extent.FULL, Extent.ROW), choices.sticks
    if store.inner and is_wide and store.role in (Role.ROWS_IN, Role.INPUT, Role.VALUE):
        return PageCount(per_left_part=1) if choices.parts_left else PageCount(per_inner=1)
    if store.role in (Role.ROWS_IN, Role.OUTPUT):
        if not is_wide:
            return PageCount(fixed=2)
        return PageCount(fixed=64) if sticks else PageCount(per_block=2)
    if store.role is Role.SCALER and store.inner:
        return PageCount(fixed=2)
    if store.role is Role.SCALER:
        return PageCount(fixed=1, partial=1 if direction is Direction.ROWS else 0)
    if store.role is Role.RIGHT_ROWS and store.inner:  # a tile-row of a transposed matrix is as wide as what it meets
        return PageCount(per_inner=2)
    if store.role in _MATMUL:
        return _MATMUL[store.role]
    if store.role is Role.MASK:
        return PageCount(fixed=3)
    if store.role is Role.ALL_PARTS:  # while one line's are combined, those of the next may come
        return PageCount(per_part=2)
    if store.role in (Role.STICK, Role.NUMBER, Role.PARTS) or not is_wide:
        return PageCount(fixed=1)
    return PageCount(per_row=1) if store.kept else PageCount(per_block=1)


def _purpose(store: Store, direction: Direction) -> str:
    name = store.value.name if store.value is not None and store.value.is_leaf else store.name
    is_wide = store.extent in (Extent.FULL, Extent.ROW)
    match store.role:
        case Role.ROWS_IN:
            return f"rows of {name} from the reader" + ("" if store.inner else ", double-buffered")
        case Role.STICK:
            return f"a stick of {name}, the reader's own"
        case Role.LEFT_ROWS | Role.RIGHT_ROWS:
            return f"rows of {name} from the reader"
        case Role.LEFT:
            return f"{name if name != store.name else 'what is multiplied'} as tiles, kept for the tile-row"
        case Role.LEFT_PART:
            return f"the core's part of {name if name != store.name else 'what is multiplied'}, for all that need it"
        case Role.RIGHT:
            return f"a block of columns of {name} as tiles"
        case Role.SCALER:
            return f"ones for {direction.line} sums, never popped"
        case Role.MASK:
            return "what belongs to the tensor in tiles at its edges, never popped"
        case Role.NUMBER:
            return f"{name} everywhere, never popped"
        case Role.PARTS:
            return f"what {store.value.function} of a {direction.line} adds up before it is reduced"  # type: ignore[union-attr]
        case Role.OWN_PART:
            return f"{store.value.function} of a core's part of a {direction.line}"  # type: ignore[union-attr]
        case Role.ALL_PARTS:
            return f"{store.value.function} of each part of a {direction.line}, from all cores that have one"  # type: ignore[union-attr]
        case Role.OUTPUT:
            return "the result for the writer, double-buffered"
        case Role.INPUT:
            where = {
                Extent.FULL: "as tiles", Extent.ROW: "in row 0 of tiles",
                Extent.COLUMN: "in column 0", Extent.SCALAR: "in element [0,0]",
            }[direction.held(store.extent)]  # fmt: skip
            stays = ", never popped" if store.persistent else ", kept for the passes that read it" if store.kept else ""
            return f"{name} {where}{stays}"
    held = {Extent.COLUMN: "column 0", Extent.ROW: "row 0"}.get(direction.held(store.extent), "element [0,0]")
    place = "as tiles" if is_wide else f"one number a {direction.line}, in {held}"
    return f"{store.value!r}"[:60] + f", {place}" + (", kept" if store.kept else "")
