# SPDX-License-Identifier: Apache-2.0
"""The record a run leaves: who moved which pages, and where everybody stood at the end."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Sequence

from tilewright.device.source_lines import SourceLine


class RunStatus(enum.IntEnum):
    """How a run ended."""

    OK = 0
    DEADLOCK = 1
    KERNEL_ERROR = 2
    FAULT = 3
    SPINNING = 4
    TIME_LIMIT = 5
    INTERRUPTED = 6


class KernelState(enum.IntEnum):
    """What a kernel on one core was doing when the run ended."""

    READY = 0
    BLOCKED = 1
    POLLING = 2
    YIELDED = 3
    FINISHED = 4
    FAILED = 5


class WaitKind(enum.IntEnum):
    """What a kernel waited for."""

    NONE = 0
    CB_WAIT_FRONT = 1
    CB_RESERVE_BACK = 2
    SEMAPHORE_EQUAL = 3
    SEMAPHORE_AT_LEAST = 4
    SPIN = 5


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
    """Where a kernel on one core stood when the run ended."""

    kernel: int
    core: tuple[int, int]
    state: KernelState
    wait_kind: WaitKind
    wait_cb: int
    wait_amount: int
    wait_have: int
    wait_address: int
    is_error: bool
    stack: tuple[SourceLine, ...]


@dataclasses.dataclass
class Run:
    """What a launch did.

    Example::

        run = device.launch(program, [x, y])
        for use in run.circular_buffers:
            print(use.core, use.index, use.peak, "of", use.num_pages)
    """

    status: RunStatus
    kernels: Sequence[KernelInfo]
    cb_labels: dict[int, str]
    seconds: float
    switches: int
    traffic: list[CbTraffic]
    circular_buffers: list[CbUse]
    positions: list[KernelPosition]

    def kernel_label(self, kernel: int) -> str:
        return self.kernels[kernel].name

    def cb_label(self, index: int) -> str:
        """Index and name of a circular buffer, e.g. ``c_1 in_tiled``."""
        return self.cb_labels.get(index, f"c_{index}")
