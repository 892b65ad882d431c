# SPDX-License-Identifier: Apache-2.0
"""Steps of an operation with their references.

References follow from the formula: the value that a circular buffer is for, computed in float64 from what the phase
read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilewright._errors import TilewrightError
from tilewright._planner.error_bound import step_bound
from tilewright._planner.matmul import Multiplication
from tilewright._planner.model import Combine, Compute, Deliver, Reduce, Role, Schedule, Store, Tilize
from tilewright._workshop.trace.call_sites import CallSite
from tilewright.formula._direction import Direction
from tilewright.formula._evaluate import apply
from tilewright.formula._graph import Extent, Value, expression_text
from tilewright.kernels.phases import Region

Float64: TypeAlias = NDArray[np.float64]


class NoSuchPhaseError(TilewrightError):
    """A number or name that no phase has; the message says which there are."""

    exit_status = 2


@dataclasses.dataclass(frozen=True, eq=False)
class Step:
    """Something that is to be in a circular buffer.

    Attributes:
        number: of the phase, from 1; 0 for what the reader fills.
        name: of the phase; of the buffer for what the reader fills.
        buffer: name of the circular buffer.
        node: what it is to hold; None for the scaler.
        operands: names of buffers by the id of the value they hold: where the reference stops to look further.
        region: where its pages hold data.
        product: the matmul that makes it, if one does.
        inner: whether it belongs to the rows that are multiplied by a matrix.
    """

    number: int
    name: str
    buffer: str
    node: Value | None
    operands: Mapping[int, str]
    region: Region
    product: Multiplication | None = None
    inner: bool = False

    @property
    def extent(self) -> Extent:
        """Along lines; one number without a value."""
        return Extent.SCALAR if self.node is None else self.node.extent

    @property
    def expression(self) -> str:
        """The reference, in terms of what lies in buffers."""
        if self.product is not None:
            left = self.operands.get(id(self.product.left), self.product.left.name)
            right = self.product.right.name
            return f"matmul({left}, {f'transpose({right})' if self.product.is_transposed else right})"
        return "1" if self.node is None else expression_text(self.node, dict(self.operands))

    def value(self, names: Mapping[str, Float64]) -> Float64:
        """The reference, of two dimensions or more."""
        if self.node is None:
            return np.ones((1, 1))
        if self.product is not None:
            right = np.asarray(names[self.product.right.name])
            right = np.swapaxes(right, -1, -2) if self.product.is_transposed else right
            return np.asarray(np.matmul(self._of(self.product.left, names), right))
        return np.atleast_2d(np.asarray(self._of(self.node, names), dtype=np.float64))

    def bound(self, schedule: Schedule, names: Mapping[str, Float64], format_: str) -> Float64:
        """How far off the buffer's numbers may be, by the error analysis, given what the phase read."""
        is_moved = self.node is not None and self.node.is_leaf and id(self.node) not in self.operands
        if self.node is None or self.number == 0 or (is_moved and self.product is None):
            return np.full((1, 1), _TINY)
        known = {key: names[name] for key, name in self.operands.items() if name in names}
        return np.atleast_2d(step_bound(schedule, self.node, known, names, format_))

    def _of(self, node: Value, names: Mapping[str, Float64]) -> Float64:
        known = self.operands.get(id(node), node.name)
        if known in names and (id(node) in self.operands or node.is_leaf):
            return names[known]
        if node.is_constant:
            return np.asarray(node.numbers[0])
        return apply(node, [self._of(each, names) for each in node.operands])


# What is only moved must come out as it is; zero is no share of anything.
_TINY = 2.0**-126
_REGIONS = {
    Extent.FULL: Region.TILE,
    Extent.ROW: Region.ROW_0,
    Extent.COLUMN: Region.COLUMN_0,
    Extent.SCALAR: Region.ELEMENT,
}


def steps_of(schedule: Schedule) -> list[Step]:
    """All steps, the reader's first, then the phases in the order a line of tiles meets them."""
    steps = [_read(each, schedule) for each in schedule.stores.values() if _is_read(each, schedule)]
    numbered = _Numbered(schedule)
    made = schedule.multiplication
    if schedule.left is not None:
        numbered.take(schedule.left)
    elif made is not None:
        numbered.multiplied_as_it_is(made)
    if made is not None:
        numbered.multiplied(made)
    numbered.take(schedule)
    return steps + numbered.steps


class _Numbered:
    """The phases, as they are met: one for each buffer."""

    def __init__(self, schedule: Schedule) -> None:
        self._stores = schedule.stores
        self._direction = schedule.direction
        self.steps: list[Step] = []
        self._made: set[str] = set()
        self._stored = {
            id(each.value): each.name
            for each in schedule.stores.values()
            if each.value is not None
            and (each.role in (Role.VALUE, Role.NUMBER, Role.LEFT_PART) or _is_computed_left(each))
        }
        if schedule.multiplication is not None:
            product = schedule.multiplication.product
            store = schedule.store_of(product, Role.INPUT)
            assert store is not None
            self._stored[id(product)] = store.name

    def take(self, schedule: Schedule) -> None:
        """Phases of a schedule."""
        for store in schedule.stores.values():
            if store.role is Role.INPUT and store.value is not None and store.value.name in schedule.columns_in:
                has_rows = any(
                    each.value is store.value and each.role is Role.ROWS_IN for each in schedule.stores.values()
                )
                if has_rows:
                    self._add(f"tilize_{store.value.name}", store, _region(store, self._direction))
        own = dataclasses.replace(schedule, left=None)
        for step in own.steps():
            target = step.tiles if isinstance(step, Tilize) else getattr(step, "target", "")
            # A core's part of a sum has no reference of its own; what all parts make has.
            if target and self._stores[target].role is not Role.OWN_PART:
                store = self._stores[target]
                as_rows = isinstance(step, (Compute, Deliver)) and step.as_rows
                region = Region.ROWS if as_rows else _region(store, self._direction)
                self._add(_name_of(step, store), store, region)

    def multiplied_as_it_is(self, made: Multiplication) -> None:
        """A tensor that becomes tiles and is multiplied."""
        stores = [each for each in self._stores.values() if each.value is made.left]
        if any(each.role is Role.LEFT_ROWS for each in stores):
            tiles = next(each for each in stores if each.role is Role.LEFT)
            self._add(f"tilize_{made.left.name}", tiles, Region.TILE)

    def multiplied(self, made: Multiplication) -> None:
        """The product, block by block."""
        store = self._stores[self._stored[id(made.product)]]
        self._add("multiply_rows", store, Region.TILE, made)

    def _add(self, name: str, store: Store, region: Region, product: Multiplication | None = None) -> None:
        if store.name in self._made:
            return
        self._made.add(store.name)
        operands = dict(self._stored)
        if self._stored.get(id(store.value)) == store.name:
            operands.pop(id(store.value))
        inner = store.inner or store.role in (Role.LEFT, Role.LEFT_PART)
        self.steps.append(Step(len(self._made), name, store.name, store.value, operands, region, product, inner))


def _is_computed_left(store: Store) -> bool:
    return store.role is Role.LEFT and store.value is not None and not store.value.is_leaf


def _region(store: Store, direction: Direction) -> Region:
    return _REGIONS[direction.held(store.extent)]


def _name_of(step: object, store: Store) -> str:
    if isinstance(step, Tilize):
        assert store.value is not None
        return f"tilize_{store.value.name}"
    if isinstance(step, (Reduce, Combine)):
        return store.name
    return "result" if store.role is Role.OUTPUT and store.name in ("out_rm", "out_tiled") else store.name


def _is_read(store: Store, schedule: Schedule) -> bool:
    """Whether the reader fills a buffer for compute; blocks of a matrix are judged by the product."""
    if store.role in (Role.ROWS_IN, Role.LEFT_ROWS, Role.SCALER, Role.NUMBER):
        return True
    made = schedule.multiplication
    if made is not None and store.value is made.product:
        return False
    rows = (Role.ROWS_IN, Role.LEFT_ROWS)
    has_rows = any(each.value is store.value and each.role in rows for each in schedule.stores.values())
    return (store.role is Role.INPUT or (store.role is Role.LEFT and not _is_computed_left(store))) and not has_rows


def _read(store: Store, schedule: Schedule) -> Step:
    rows = {Role.ROWS_IN: Region.ROWS, Role.LEFT_ROWS: Region.ROWS, Role.SCALER: Region.SCALER}
    region = {**rows, Role.NUMBER: Region.TILE}.get(store.role, _region(store, schedule.direction))
    inner = store.inner or store.role in (Role.LEFT_ROWS, Role.LEFT)
    return Step(0, store.name, store.name, store.value, {}, region, None, inner)


def step_of(site: CallSite, steps: Iterable[Step]) -> Step | None:
    """The step a call in a kernel is; None if there is none that goes there."""
    return next((each for each in steps if each.buffer in site.outputs and each.number), None)


def number_upto(steps: Iterable[Step], upto: str) -> int:
    """The number of a phase given by number or name."""
    phases = [each for each in steps if each.number]
    for each in phases:
        if upto in (str(each.number), each.name):
            return each.number
    if upto == "0":
        return 0
    known = ", ".join(f"{each.number} {each.name}" for each in phases)
    raise NoSuchPhaseError(f"--upto is {upto!r}; it must be 0 or a phase by number or name: {known}")
