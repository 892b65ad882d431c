# SPDX-License-Identifier: Apache-2.0
"""The order of a compute kernel: what runs once, what runs for each tile-row, what in a loop over its blocks."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from tilewright.workshop.spec.calls import Call
from tilewright.workshop.spec.model import Spec


@dataclasses.dataclass(frozen=True)
class Release:
    """``cb_pop_front`` of pages that phases kept: ``pages`` is ``Wt``, ``B`` or a number."""

    buffer: str
    pages: str


@dataclasses.dataclass(frozen=True)
class BlockLoop:
    """Steps that run for each block of the row."""

    body: tuple[Call | Release, ...]


Step: TypeAlias = Call | Release | BlockLoop


@dataclasses.dataclass(frozen=True)
class Schedule:
    """A compute kernel's steps."""

    once: tuple[Step, ...]
    row: tuple[Step, ...]

    def calls(self) -> Iterator[Call]:
        for step in (*self.once, *self.row):
            for each in step.body if isinstance(step, BlockLoop) else (step,):
                if isinstance(each, Call):
                    yield each


def resident_schedule(spec: Spec, calls: Sequence[Call]) -> Schedule:
    """The phases in the spec's order; what is kept until a phase goes right after it, or after its loop."""
    once = tuple(_grouped(each for each in calls if each.phase.once))
    row: list[Step] = []
    for step in _grouped(each for each in calls if not each.phase.once):
        row.append(step)
        row.extend(_releases(spec, step, calls))
    return Schedule(once, tuple(row))


def _grouped(calls: Iterable[Call]) -> Iterator[Call | BlockLoop]:
    loop: list[Call] = []
    for call in calls:
        if call.phase.each == "block":
            loop.append(call)
            continue
        if loop:
            yield BlockLoop(tuple(loop))
            loop = []
        yield call
    if loop:
        yield BlockLoop(tuple(loop))


def _releases(spec: Spec, step: Call | BlockLoop, calls: Sequence[Call]) -> Iterator[Release]:
    """Pops for buffers whose last reader leaves their pages where they are."""
    body = step.body if isinstance(step, BlockLoop) else (step,)
    names = {each.phase.name: each for each in body if isinstance(each, Call)}
    for buffer in spec.buffers:
        last = names.get(buffer.kept_until)
        if buffer.producer != "compute" or last is None or buffer.name not in last.reads or pops(last, buffer.name):
            continue
        left = sum(_net_pages(each, buffer.name) for each in calls if not each.phase.once)
        yield Release(buffer.name, "Wt" if left == SAMPLE["Wt"] else str(left))


# A row of three blocks of five tiles: no two counts are equal by chance.
SAMPLE = {
    "Wt": 15,
    "B": 5,
    "num_blocks": 3,
    "last_block_tiles": 5,
    "partial": 0,
    "last_tile_columns": 32,
    "inverse_width_bits": 0,
    "mean_factor_bits": 0,
}


def pops(call: Call, buffer: str) -> int:
    """Pages of a buffer that a call pops, in the sample row's last block."""
    popped = call.traffic({**SAMPLE, "block": SAMPLE["num_blocks"] - 1}).pops
    return sum(popped[each] for each in call.parameters_of(buffer) if each in popped)


def _net_pages(call: Call, buffer: str) -> int:
    """Pages of a buffer that a call leaves behind over the sample row: pushed and not popped."""
    net = 0
    for block in range(SAMPLE["num_blocks"]) if call.phase.each == "block" else (0,):
        traffic = call.traffic({**SAMPLE, "block": block})
        for parameter in call.parameters_of(buffer):
            net += traffic.pushes.get(parameter, 0) - traffic.pops.get(parameter, 0)
    return net
