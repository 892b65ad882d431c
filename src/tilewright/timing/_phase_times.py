# SPDX-License-Identifier: Apache-2.0
"""Time of a compute kernel by the circular buffer that each part fills.

A record does not say which function of a kernel a call stands in, but what is packed where: all calls up to a pack
into a buffer are for that buffer, with the release, the push and the pops behind it. What is packed elsewhere from the
same DST section counts for the first.
"""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
from numpy.typing import NDArray

from tilewright._record.call_record import CallRecord
from tilewright._wire.replay import EventKind
from tilewright.timing._device_time import DeviceTime, Processor
from tilewright.timing._record_entries import KernelEntries, call_number, entries_of

START_UP = -1  # instead of a buffer: what a kernel sets up first
_COMPUTE = (Processor.UNPACK, Processor.MATH, Processor.PACK)
_NAMES_A = ("PackTile", "PackRows", "PackUntilizeDest")  # their field a is the buffer they pack into
_NAMES_B = ("TilizeBlock", "UntilizeBlock", "PackUntilizeBlock")
_BEHIND = (
    *("DstRelease", "DstReleaseBoth", "CbPushBack", "CbPopFront", "PackLoop", "PackMask", "PackConfig"),
    *("None", "Blocks"),
)


@dataclasses.dataclass(frozen=True)
class PhaseTime:
    """Time to fill one buffer: cycles of each processor, the mean of the cores that run the kernel.

    Attributes:
        kernel: its name.
        cb: the buffer's index, or ``START_UP``.
    """

    kernel: str
    cb: int
    busy: dict[Processor, float]
    waiting: dict[Processor, float]


def phase_times(record: CallRecord, time: DeviceTime) -> list[PhaseTime]:
    """The parts of every compute kernel, in the order they come first.

    Args:
        time: of that record, with its events.
    """
    if time.events is None:
        raise ValueError("this time has no events: replay with keep_events=True")
    events = time.events[time.events["kind"] <= EventKind.WAIT]
    events = events[np.argsort(events["lane"], kind="stable")]
    lengths = events["end"] - events["begin"]
    first_of = np.searchsorted(events["lane"], np.arange(len(time.processors) + 1))
    cycles: dict[tuple[int, int], NDArray[np.float64]] = {}  # busy and waiting of three processors
    cores: dict[int, int] = {}
    lane = 0
    for entries in entries_of(record):
        if record.kernels[entries.kernel].processor < Processor.UNPACK:
            lane += 1
            continue
        targets = _targets(entries)
        cores[entries.kernel] = cores.get(entries.kernel, 0) + 1
        for part in range(len(_COMPUTE)):
            own = slice(first_of[lane + part], first_of[lane + part + 1])
            filled = targets[np.minimum(events["entry"][own], len(targets) - 1)]
            is_wait = events["kind"][own] == EventKind.WAIT
            for target in dict.fromkeys(filled.tolist()):
                found = cycles.setdefault((entries.kernel, target), np.zeros((2, len(_COMPUTE))))
                for row, chosen in enumerate((~is_wait, is_wait)):
                    found[row, part] += lengths[own][chosen & (filled == target)].sum()
        lane += len(_COMPUTE)
    return [
        PhaseTime(record.kernels[kernel].name, target, *(_by_processor(row / cores[kernel]) for row in found))
        for (kernel, target), found in cycles.items()
    ]


def _by_processor(cycles: NDArray[np.float64]) -> dict[Processor, float]:
    return dict(zip(_COMPUTE, cycles.tolist(), strict=True))


def _targets(entries: KernelEntries) -> NDArray[np.int64]:
    """For each word the buffer it is for."""
    into = _packed_into(entries)
    is_start = entries.calls == call_number("Startup")
    if not len(into) or not (into >= 0).any():
        return np.full(max(len(into), 1), START_UP)
    is_pack = into >= 0
    # The first call after a pack that does not belong behind it begins the next part.
    (ordinary,) = np.nonzero(~is_pack & ~np.isin(entries.calls, _behind()))
    packs = np.cumsum(is_pack)[ordinary]
    begins = np.zeros(len(into), np.int64)
    begins[ordinary[1:][np.diff(packs) > 0]] = 1
    if len(packs) and packs[0] > 0:
        begins[ordinary[0]] = 1
    part = np.cumsum(begins)
    filled = np.full(part[-1] + 1, -2)
    (at,) = np.nonzero(is_pack)
    filled[part[at][::-1]] = into[at][::-1]  # the first pack of each part
    if filled[-1] == -2:
        filled[-1] = filled[-2]  # nothing is packed after it
    return np.where(is_start, START_UP, filled[part])


def _packed_into(entries: KernelEntries) -> NDArray[np.int64]:
    """The buffer each word packs into; -1 of other words."""
    into = np.full(len(entries.calls), -1)
    for names, field in ((_NAMES_A, entries.a), (_NAMES_B, entries.b)):
        packs = np.isin(entries.calls, [call_number(name) for name in names])
        into[packs] = field[packs]
    return into


@functools.cache
def _behind() -> tuple[int, ...]:
    return tuple(call_number(name) for name in _BEHIND)
