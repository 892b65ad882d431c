# SPDX-License-Identifier: Apache-2.0
"""Results of a replay: time of a launch and of each processor."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tilewright._wire.replay import Processor as Processor
from tilewright._wire.replay import WaitFor as WaitFor

Core = tuple[int, int]


_WORDS = {
    WaitFor.PAGES_FRONT: "pages of {}",
    WaitFor.PAGES_BACK: "room in {}",
    WaitFor.READS: "reads",
    WaitFor.WRITES: "writes",
    WaitFor.SEMAPHORE: "a semaphore",
    WaitFor.SRC_BANK: "maths (Src banks full)",
    WaitFor.SRC_DATA: "unpack",
    WaitFor.DST_FREE: "pack (DST full)",
    WaitFor.DST_DATA: "maths",
}


@dataclasses.dataclass(frozen=True)
class Wait:
    """How long, and how often, a processor waited for one thing."""

    kind: WaitFor
    buffer: str  # label of the circular buffer where pages or room are missing
    cycles: float
    times: int

    @property
    def what(self) -> str:
        """In words.

        >>> Wait(WaitFor.PAGES_FRONT, "c_0 in", 10.0, 1).what
        'pages of c_0 in'
        """
        return _WORDS[self.kind].format(self.buffer)


@dataclasses.dataclass(frozen=True)
class ProcessorTime:
    """One processor of one core, from the launch on; cycles."""

    kernel: str
    core: Core
    processor: Processor
    begin: float
    end: float
    busy: float
    waits: tuple[Wait, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class DeviceTime:
    """A launch on the model's clock.

    Attributes:
        make_processors: makes ``processors``.
        cycles: from the launch until the last processor is done; without what the host and dispatch need.
        bank_busy: cycles that DRAM banks are busy, all banks together.
        matmul_phases: passes of the matrix unit over a pair of tiles.
        unmeasured: cycles, over all cores, that rest on an unpublished cost.
        forced: waits whose reason was not in the record; the time is then not to be trusted.
        polls: times a kernel looked at memory in a loop of its own: what it does may depend on timing.
        events: what each processor did when, if asked for (``timing/_events.py``).

    Example::

        time = tilewright.timing._replay(run.calls)
        print(f"{time.microseconds:.1f} us")
    """

    arch: str
    clock_hz: int
    num_cores: int
    cycles: float
    make_processors: Callable[[], Sequence[ProcessorTime]] = dataclasses.field(repr=False)
    dram_read_bytes: float
    dram_write_bytes: float
    noc_bytes: float
    bank_busy: float
    num_banks: int
    matmul_tiles: float
    matmul_phases: float
    unmeasured: float
    steps: int
    forced: int
    polls: int
    unknown_nodes: int
    events: NDArray[np.void] | None = None

    @property
    def microseconds(self) -> float:
        return self.cycles / self.clock_hz * 1e6

    @functools.cached_property
    def processors(self) -> Sequence[ProcessorTime]:
        """Every processor of every core. Most replays are only asked how long: the objects are made when looked at."""
        return self.make_processors()

    @functools.cached_property
    def by_processor(self) -> dict[Processor, list[ProcessorTime]]:
        found: dict[Processor, list[ProcessorTime]] = {}
        for each in self.processors:
            found.setdefault(each.processor, []).append(each)
        return dict(sorted(found.items()))
