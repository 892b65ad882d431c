# SPDX-License-Identifier: Apache-2.0
"""The steps of an operation: what the reader fills and what each phase leaves, with its reference.

References follow from the formula: the value that a circular buffer is for, computed in float64 from what the phase
read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilewright.device.errors import TilewrightError
from tilewright.formula.evaluate import apply
from tilewright.formula.graph import Extent, Value, expression_text
from tilewright.kernels.phases import Region
from tilewright.ops.error_bound import step_bound
from tilewright.ops.planner.model import Compute, Deliver, Reduce, Role, Schedule, Store, Tilize
from tilewright.workshop.trace.call_sites import CallSite

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
    """

    number: int
    name: str
    buffer: str
    node: Value | None
    operands: Mapping[int, str]
    region: Region

    @property
    def expression(self) -> str:
        """The reference, in terms of what lies in buffers."""
        return "1" if self.node is None else expression_text(self.node, dict(self.operands))

    def value(self, names: Mapping[str, Float64]) -> Float64:
        """The reference, of two dimensions."""
        if self.node is None:
            return np.ones((1, 1))
        return np.atleast_2d(np.asarray(self._of(self.node, names), dtype=np.float64))

    def bound(self, schedule: Schedule, names: Mapping[str, Float64], format_: str) -> Float64:
        """How far off the buffer's numbers may be, by the error analysis, given what the phase read."""
        if self.node is None or self.number == 0 or self.node.is_leaf:
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
    """All steps, the reader's first, then the phases in the order a tile-row meets them."""
    steps = [_read(each) for each in schedule.stores.values() if _is_read(each, schedule)]
    stored = {
        id(each.value): each.name
        for each in schedule.stores.values()
        if each.value is not None and each.role in (Role.VALUE, Role.NUMBER)
    }
    made: set[str] = set()
    columns = [
        each for each in schedule.stores.values() if each.value is not None and each.value.name in schedule.columns_in
    ]
    for store in columns:
        if store.role is Role.INPUT:
            made.add(store.name)
            steps.append(Step(len(made), f"tilize_{store.value.name}", store.name, store.value, {}, Region.COLUMN_0))  # type: ignore[union-attr]
    for step in schedule.steps():
        target = step.tiles if isinstance(step, Tilize) else getattr(step, "target", "")
        if not target or target in made:
            continue
        made.add(target)
        store = schedule.stores[target]
        as_rows = isinstance(step, (Compute, Deliver)) and step.as_rows
        region = Region.ROWS if as_rows else _REGIONS[store.extent]
        operands = dict(stored)
        if store.role is Role.VALUE:
            operands.pop(id(store.value), None)
        steps.append(Step(len(made), _name_of(step, store), target, store.value, operands, region))
    return steps


def _name_of(step: object, store: Store) -> str:
    if isinstance(step, Tilize):
        assert store.value is not None
        return f"tilize_{store.value.name}"
    if isinstance(step, Reduce):
        return store.name
    return "result" if store.role is Role.OUTPUT and store.name in ("out_rm", "out_tiled") else store.name


def _is_read(store: Store, schedule: Schedule) -> bool:
    """Whether the reader fills a buffer for compute."""
    if store.role in (Role.ROWS_IN, Role.SCALER, Role.NUMBER):
        return True
    has_rows = any(each.value is store.value and each.role is Role.ROWS_IN for each in schedule.stores.values())
    return store.role is Role.INPUT and not has_rows


def _read(store: Store) -> Step:
    region = {Role.ROWS_IN: Region.ROWS, Role.SCALER: Region.SCALER, Role.NUMBER: Region.TILE}.get(
        store.role, _REGIONS[store.extent]
    )
    return Step(0, store.name, store.name, store.value, {}, region)


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
