# SPDX-License-Identifier: Apache-2.0
"""Advice: what bounds a launch and which change helps, by changing one thing at a time in the model.

Two questions, two lists. *What bounds it*: each part of the machine is made twice as fast, or its latency taken away;
the one that saves most is what the launch waits for. *What would help*: the same with things a kernel's author can
change. A saving below what the model has been shown to tell apart is not told.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from tilewright._record.call_record import CallRecord
from tilewright.timing._constants import constants_of
from tilewright.timing._device_time import DeviceTime
from tilewright.timing._record_entries import call_number, entries_of
from tilewright.timing._replay import Change, replay

# Of two variants the model names the faster one right if they differ by more (docs/timing.md).
TELLS_APART = 0.20
_FIDELITIES = {1: "LoFi", 2: "HiFi2", 3: "HiFi3", 4: "HiFi4"}


@dataclasses.dataclass(frozen=True)
class Effect:
    """A change, in words, and which part of the time it saves by the model (0.25: a quarter)."""

    words: str
    saving: float


@dataclasses.dataclass(frozen=True)
class Advice:
    """Effects of all changes tried, the largest saving first."""

    bounds: tuple[Effect, ...]
    helps: tuple[Effect, ...]

    @property
    def bound(self) -> Effect | None:
        """The part of the machine that the launch waits for; None: no one part."""
        return _bound(self.bounds)

    @property
    def sentence(self) -> str:
        """The launch's bound and the most helpful change.

        >>> Advice((Effect("DRAM bandwidth", 0.4),), (Effect("c_0 twice as deep", 0.25),)).sentence
        'By the model it is bound by DRAM bandwidth; c_0 twice as deep would help most and save about 25 %.'
        """
        bound = self.bound
        start = f"By the model it is bound by {bound.words}" if bound else "By the model no one thing bounds it"
        best = next((each for each in self.helps if each.saving >= TELLS_APART), None)
        if best is None:
            return f"{start}; nothing that was tried saves more than the model can tell ({TELLS_APART:.0%}).".replace(
                "%", " %"
            )
        return f"{start}; {best.words} would help most and save about {100 * best.saving:.0f} %."


def advise(record: CallRecord, time: DeviceTime, others: Iterable[Effect] = ()) -> Advice:
    """The bound of the launch of ``record``, whose time is ``time``, and helpful changes.

    Args:
        others: effects of choices that a record cannot be replayed with, such as cores.
    """
    bounds = _effects(record, time, _parts_of_the_machine(record))
    return Advice(bounds, _effects(record, time, _choices(record), others))


def bound_of(record: CallRecord, time: DeviceTime) -> Effect | None:
    """The part of the machine that the launch of ``record`` waits for; None: no one part."""
    return _bound(_effects(record, time, _parts_of_the_machine(record)))


def _bound(effects: tuple[Effect, ...]) -> Effect | None:
    return next((each for each in effects if each.saving >= TELLS_APART / 2), None)


def _effects(
    record: CallRecord, time: DeviceTime, changes: Iterator[tuple[str, Change]], others: Iterable[Effect] = ()
) -> tuple[Effect, ...]:
    """Savings of each change, the largest first."""
    found = [Effect(words, 1 - replay(record, change).cycles / time.cycles) for words, change in changes]
    return tuple(sorted((*found, *others), key=lambda effect: -effect.saving))


# The parts of the machine in a column of a table.
SHORT_WORDS = {
    "DRAM bandwidth": "DRAM",
    "the bandwidth of the NoC": "NoC",
    "the latency of transfers": "latency",
    "the data-movement processors": "data movement",
    "maths": "maths",
    "unpack and pack": "unpack, pack",
    "hand-over between the compute processors": "hand-over",
}


def _parts_of_the_machine(record: CallRecord) -> Iterator[tuple[str, Change]]:
    constants = constants_of(record.arch)
    travel = dict.fromkeys(("dram_read_latency", "dram_write_latency", "l1_latency", "hop_latency"), 0.0)
    bandwidth = {name: 2 * constants[name] for name in ("link_rate", "port_rate", "multicast_rate")}
    movers = {
        name: constants[name] / 2
        for name in constants
        if name.startswith(("issue_", "mover_", "page_")) and name != "mover_free_blocks"
    }
    compute = {
        name: constants[name] / 2
        for name in constants
        if "unpack" in name or name.startswith(("pack_", "tilize", "untilize"))
    }
    hand_over = {name: constants[name] / 2 for name in constants if name.startswith(("compute_", "dst_"))}
    yield "DRAM bandwidth", Change(dram_factor=0.5)
    yield "the bandwidth of the NoC", Change(constants=bandwidth)
    yield "the latency of transfers", Change(constants=travel)
    yield "the data-movement processors", Change(constants=movers)
    yield "maths", Change(math_factor=0.5)
    yield "unpack and pack", Change(constants=compute)
    yield "hand-over between the compute processors", Change(constants=hand_over)


def _choices(record: CallRecord) -> Iterator[tuple[str, Change]]:
    for index, label in {buffer.index: buffer.label for buffer in record.buffers}.items():
        yield f"{label} twice as deep", Change(deeper_buffer=index)
    # Blocks in flight need room: where there is none, a deeper buffer comes first.
    if _has_room(record, "NocRead", "CbReserveBack"):
        yield "twice as many reads in flight (a barrier for the block before)", Change(reads_ahead=True)
    if _has_room(record, "NocWrite", "CbWaitFront"):
        yield "twice as many writes in flight (a barrier for the block before)", Change(writes_ahead=True)
    phases = max((kernel.fidelity for kernel in record.kernels if kernel.processor >= 2), default=1)
    for fewer in range(1, phases):
        yield f"{_FIDELITIES[fewer]} instead of {_FIDELITIES[phases]}", Change(most_phases=fewer)


def _has_room(record: CallRecord, transfer: str, credit: str) -> bool:
    """Whether circular buffers of the kernels that make such transfers can hold two blocks of them."""
    pages = {buffer.index: buffer.pages for buffer in record.buffers}
    seen = set()
    for each in entries_of(record):
        if each.kernel in seen or not (each.calls == call_number(transfer)).any():
            continue
        seen.add(each.kernel)
        blocks = each.calls == call_number(credit)
        if any(2 * block > pages[index] for index, block in zip(each.a[blocks], each.c[blocks], strict=True)):
            return False
    return True
