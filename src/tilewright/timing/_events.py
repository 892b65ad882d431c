# SPDX-License-Identifier: Apache-2.0
"""Events of a replay, for timelines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tilewright._wire.replay import EventKind, ReplayEvent, WaitFor
from tilewright.timing import _replay_library as native
from tilewright.timing._device_time import DeviceTime, ProcessorTime

EVENT = np.dtype(ReplayEvent)


class Event(NamedTuple):
    """One event of one processor; times in cycles."""

    processor: ProcessorTime
    kind: EventKind
    begin: float
    end: float
    call: str  # what it is part of, as native/abi/record.h names it
    wait: WaitFor | None
    cb: int
    amount: int  # pages or bytes


def events_of(time: DeviceTime) -> Iterator[Event]:
    """Events in the order the replay met them.

    Raises:
        ValueError: the replay was not asked to keep them.
    """
    if time.events is None:
        raise ValueError("this time has no events: replay with keep_events=True")
    calls = native.names("call")
    for begin, end, lane, amount, kind, what, cb, _ in time.events.tolist():
        is_wait = kind == EventKind.WAIT
        yield Event(
            time.processors[lane],
            EventKind(kind),
            begin,
            end,
            "" if is_wait else calls[what],
            WaitFor(what) if is_wait else None,
            cb,
            amount,
        )
