# SPDX-License-Identifier: Apache-2.0
"""The record of a run: pages each kernel moved, and where each kernel stood at the end."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tilewright._build.source_lines import SourceLine
from tilewright._build.translation_unit import NUM_CIRCULAR_BUFFERS
from tilewright._display.notebook import card, table
from tilewright._record.call_record import CallRecord
from tilewright._wire.run_report import ComputeThread as ComputeThread
from tilewright._wire.run_report import KernelState as KernelState
from tilewright._wire.run_report import RunStatus as RunStatus
from tilewright._wire.run_report import WaitKind as WaitKind


@dataclasses.dataclass(frozen=True)
class KernelInfo:
    """A kernel of the program that ran."""

    name: str
    path: str
    is_compute: bool


@dataclasses.dataclass(frozen=True)
class CbTraffic:
    """Pages one kernel moved through one circular buffer on one core."""

    kernel: int
    core: tuple[int, int]
    cb: int
    push_calls: int
    pop_calls: int
    wait_calls: int
    reserve_calls: int
    pages_pushed: int
    pages_popped: int
    blocked_waits: int
    blocked_reserves: int
    largest_wait: int
    largest_reserve: int


@dataclasses.dataclass(frozen=True)
class CbUse:
    """One circular buffer on one core: its size and how full it got."""

    core: tuple[int, int]
    index: int
    num_pages: int
    page_bytes: int
    peak: int
    pushed: int
    popped: int

    @property
    def left_over(self) -> int:
        """Pages pushed and never popped."""
        return self.pushed - self.popped


@dataclasses.dataclass(frozen=True)
class KernelPosition:
    """Where a kernel on one core, or one of its threads, stood when the run ended."""

    kernel: int
    core: tuple[int, int]
    thread: ComputeThread
    state: KernelState
    wait_kind: WaitKind
    wait_cb: int
    wait_amount: int
    wait_have: int
    wait_semaphore: int | None  # id, where what it polls is one
    semaphore_exists: bool  # the program has it on this core
    wait_word: int  # of L1, which it polls; 0: none
    is_error: bool
    would_push: frozenset[int]  # CBs it would push later if its waits were met; of a deadlock
    would_pop: frozenset[int]
    stack: tuple[SourceLine, ...]

    @property
    def is_followed(self) -> bool:
        """Whether what it would still do is known: one that was not followed to its end may push every buffer."""
        return len(self.would_push) < NUM_CIRCULAR_BUFFERS


@dataclasses.dataclass(frozen=True)
class SemaphoreRaise:
    """How often a kernel on one core has set or raised another core's semaphore, or with packets any of its words."""

    kernel: int
    core: tuple[int, int]
    on: tuple[int, int]  # the semaphore's core
    word: int  # its place in L1
    link: tuple[int, int] | None  # chip and ethernet channel that its packets left over
    count: int
    later: int  # how often it would still do so, were its waits met; of a deadlock


@dataclasses.dataclass(frozen=True)
class LinkTraffic:
    """Packets that crossed a link between two chips, in one direction.

    Attributes:
        begin, end: chip and ethernet channel at each end.
        bytes: of headers and payloads.
    """

    begin: tuple[int, int]
    end: tuple[int, int]
    packets: int
    bytes: int


@dataclasses.dataclass(frozen=True)
class LineCount:
    """How often a kernel on one core executed a line of its source."""

    kernel: int
    core: tuple[int, int]
    count: int


@dataclasses.dataclass(frozen=True)
class WatchedLine:
    """A line of a source that a kernel of the run is made from.

    Attributes:
        path: the whole path of the source.
        has_code: whether a kernel has code of it; comments, declarations and what ``#if`` leaves out have none.
        counts: executions; a kernel that did not execute it is not there.
    """

    path: str
    has_code: bool
    counts: tuple[LineCount, ...]


@dataclasses.dataclass(frozen=True)
class RelatedCall:
    """The other call a note is about: where a transfer was issued, where another kernel stored."""

    kernel: int
    core: tuple[int, int]
    stack: tuple[SourceLine, ...]


@dataclasses.dataclass(frozen=True)
class RunNote:
    """A rule that a checked run saw broken: where, how often, and the numbers of the first time."""

    rule: str
    text: str
    kernel: int
    core: tuple[int, int]
    cb: int | None
    address: int
    count: int
    stack: tuple[SourceLine, ...]
    related: RelatedCall | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class RecordedPages:
    """One ``cb_push_back`` into a circular buffer that a run recorded.

    Attributes:
        kernel, core: the producer.
        cb: index of the circular buffer.
        data: the bytes of each page, as they were when they were pushed.
        stack: where the push is made, innermost first.
    """

    kernel: int
    core: tuple[int, int]
    cb: int
    data: NDArray[np.uint8]
    stack: tuple[SourceLine, ...]


class Run:
    """Record of a launch.

    Example::

        run = tilewright.run_program([x, y], program)
        for use in run.circular_buffers:
            print(use.core, use.index, use.peak, "of", use.num_pages)
    """

    def __init__(
        self,
        status: RunStatus,
        kernels: Sequence[KernelInfo],
        cb_labels: dict[int, str],
        seconds: float,
        switches: int,
        traffic: Callable[[], list[CbTraffic]],
        circular_buffers: Callable[[], list[CbUse]],
        positions: list[KernelPosition],
        notes: list[RunNote],
        pages: list[RecordedPages] | None = None,
        calls: CallRecord | None = None,
        raises: list[SemaphoreRaise] | None = None,
        lines: dict[str, WatchedLine] | None = None,
        links: Callable[[], list[LinkTraffic]] = list,
    ) -> None:
        self.status = status
        self.kernels = kernels
        self.cb_labels = cb_labels
        self.seconds = seconds
        self.switches = switches
        self.positions = positions
        self.notes = notes  # of a checked run; a plain one notes what it sees at no cost
        self.pages = pages or []  # of circular buffers that were recorded, in the order they were pushed
        self.calls = calls  # of a run that recorded them
        self.lines = lines or {}  # of a run that watched some: those of sources that its kernels are made from
        self.raises = raises or []  # of a run that did not end well
        # Most callers never read these lists: they are made when they are read.
        self._make_traffic = traffic
        self._make_circular_buffers = circular_buffers
        self._make_links = links

    @functools.cached_property
    def traffic(self) -> list[CbTraffic]:
        """Pages each kernel moved through each circular buffer, core by core."""
        return self._make_traffic()

    @functools.cached_property
    def links(self) -> list[LinkTraffic]:
        """Links between chips that packets crossed, one entry for each direction."""
        return self._make_links()

    @functools.cached_property
    def circular_buffers(self) -> list[CbUse]:
        """Every circular buffer of every core."""
        return self._make_circular_buffers()

    def kernel_label(self, kernel: int) -> str:
        return self.kernels[kernel].name

    def position_label(self, position: KernelPosition) -> str:
        """Name of a kernel, and of its thread: ``compute`` or ``compute (pack)``."""
        name = self.kernel_label(position.kernel)
        return name if position.thread is ComputeThread.ALL else f"{name} ({position.thread.name.lower()})"

    def cb_label(self, index: int) -> str:
        """Index and name of a circular buffer, e.g. ``c_1 in_tiled``."""
        return self.cb_labels.get(index, f"c_{index}")

    def __repr__(self) -> str:
        return f"Run({self.status.name}, {len(self.kernels)} kernels, {self.seconds * 1e3:.1f} ms)"

    def _repr_html_(self) -> str:
        uses: dict[int, list[CbUse]] = {}
        for use in self.circular_buffers:
            uses.setdefault(use.index, []).append(use)
        rows = [
            (
                self.cb_label(index),
                len(each),
                f"{max(use.peak for use in each)} of {max(use.num_pages for use in each)}",
                sum(use.pushed for use in each),
                sum(use.left_over for use in each),
            )
            for index, each in sorted(uses.items())
        ]
        names = ", ".join(dict.fromkeys(kernel.name for kernel in self.kernels))
        title = f"Run {self.status.name}: {names}; {self.seconds * 1e3:.1f} ms on this machine"
        return card(title, table(("buffer", "cores", "most pages at a time", "pushed", "left over"), rows))
