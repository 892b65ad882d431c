# SPDX-License-Identifier: Apache-2.0
"""Reads the record of a run out of a runner's answer."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tilewright._build.source_lines import SourceLine
from tilewright._launch.runner import Answer
from tilewright._record.run import (
    CbTraffic,
    CbUse,
    ComputeThread,
    KernelPosition,
    KernelState,
    LinkTraffic,
    RecordedPages,
    RelatedCall,
    RunNote,
    RunStatus,
    SemaphoreRaise,
    WaitKind,
)
from tilewright._wire import run_report as wire

Stack = Callable[[int, Sequence[int]], tuple[SourceLine, ...]]
_Structure = TypeVar("_Structure", bound=ctypes.Structure)


@dataclasses.dataclass(slots=True)
class Record:
    """Content of an answer. Lists that most callers never read are made when they are read."""

    report: wire.RanAnswer
    text: str
    rule: str | None
    positions: list[KernelPosition]
    raises: list[SemaphoreRaise]
    links: Callable[[], list[LinkTraffic]]
    traffic: Callable[[], list[CbTraffic]]
    circular_buffers: Callable[[], list[CbUse]]
    notes: list[RunNote]
    pages: list[RecordedPages]
    calls: Callable[[], NDArray[np.uint64]]
    watched: Callable[[], list[wire.WatchReport]]


class Parts:
    """Takes one part after another from an answer; each begins at a multiple of 8 bytes."""

    def __init__(self, answer: Answer) -> None:
        self._answer = memoryview(answer).toreadonly()
        self._at = 0

    def take_bytes(self, size: int) -> memoryview:
        at = self._at
        if at + size > len(self._answer):
            raise ValueError("an answer of the runner is shorter than it says")
        self._at += (size + 7) // 8 * 8
        return self._answer[at : at + size]

    def take(self, structure: type[_Structure]) -> _Structure:
        return structure.from_buffer_copy(self.take_bytes(ctypes.sizeof(structure)))

    def take_text(self, size: int) -> str:
        return bytes(self.take_bytes(size)).decode(errors="replace") if size else ""

    def take_many(self, structure: type[_Structure], count: int) -> Callable[[], list[_Structure]]:
        if not count:
            return list
        data = self.take_bytes(count * ctypes.sizeof(structure))
        return lambda: list((structure * count).from_buffer_copy(data))


class RecordReader:
    """Reads records of one program's runs.

    Args:
        stack: the lines of a kernel's call stack.
        semaphores: id and core of each semaphore the program has.
    """

    def __init__(self, stack: Stack, semaphores: set[tuple[int, int, int]]) -> None:
        self._stack = stack
        self._semaphores = semaphores

    def read(self, answer: Answer) -> Record:
        """Content of an answer; of a run that ended well, with nothing kept, only that at first."""
        header = wire.RanAnswer.from_buffer_copy(answer)
        if header.status or header.num_findings or header.num_pushes:
            return self._read_all(answer)
        return Record(
            header,
            "",
            None,
            [],
            [],
            lambda: self._read_all(answer).links(),
            lambda: self._read_all(answer).traffic(),
            lambda: self._read_all(answer).circular_buffers(),
            [],
            [],
            lambda: self._read_all(answer).calls(),
            lambda: self._read_all(answer).watched(),
        )

    def _read_all(self, answer: Answer) -> Record:
        parts = Parts(answer)
        header = parts.take(wire.RanAnswer)
        text, rule = parts.take_text(header.text_bytes), parts.take_text(header.rule_bytes)
        has_ended_well = header.status == RunStatus.OK
        positions = [] if has_ended_well else self._positions(parts, header.num_instances)
        raises = [] if has_ended_well else _raises(parts, header.num_raises)
        links = parts.take_many(wire.LinkReport, header.num_links)
        traffic = parts.take_many(wire.TrafficReport, header.num_traffic)
        buffers = parts.take_many(wire.CircularBufferReport, header.num_circular_buffers)
        return Record(
            header,
            text,
            rule or None,
            positions,
            raises,
            lambda: [_link(each) for each in links()],
            lambda: [_traffic(each) for each in traffic()],
            lambda: [buffer_use(each) for each in buffers()],
            [self._note(parts) for _ in range(header.num_findings)],
            [self._pages(parts) for _ in range(header.num_pushes)],
            functools.partial(_words, parts.take_bytes(8 * header.num_calls)),
            parts.take_many(wire.WatchReport, header.num_watched),
        )

    def _positions(self, parts: Parts, count: int) -> list[KernelPosition]:
        return [self.position(each) for each in parts.take_many(wire.InstanceReport, count)()]

    def position_of(self, place: wire.KernelPlace, status: RunStatus, stack: tuple[SourceLine, ...]) -> KernelPosition:
        """Where a kernel stood of which nothing else is known than that it was the one that ran."""
        wait = WaitKind.SPIN if status is RunStatus.SPINNING else WaitKind.NONE
        nothing: frozenset[int] = frozenset()
        core = (place.core_x, place.core_y)
        return KernelPosition(
            place.kernel,
            core,
            ComputeThread.ALL,
            KernelState.FAILED,
            wait,
            0,
            0,
            0,
            None,
            False,
            0,
            True,
            nothing,
            nothing,
            stack,
        )

    def position(self, report: wire.InstanceReport) -> KernelPosition:
        semaphore_id = report.wait_semaphore if report.wait_semaphore != wire.NO_SEMAPHORE else None
        return KernelPosition(
            report.kernel,
            (report.core_x, report.core_y),
            ComputeThread(report.thread),
            KernelState(report.state),
            WaitKind(report.wait_kind),
            report.wait_cb,
            report.wait_amount,
            report.wait_have,
            semaphore_id,
            (semaphore_id, report.core_x, report.core_y) in self._semaphores,
            report.wait_word,
            bool(report.is_error),
            _bits(report.would_push),
            _bits(report.would_pop),
            self._stack(report.kernel, report.frames[: report.num_frames]),
        )

    def _note(self, parts: Parts) -> RunNote:
        report = parts.take(wire.FindingReport)
        rule, text = parts.take_text(report.rule_bytes), parts.take_text(report.text_bytes)
        return RunNote(
            rule,
            text,
            report.kernel,
            (report.core_x, report.core_y),
            report.cb if report.cb != wire.NO_CIRCULAR_BUFFER else None,
            int(report.address),
            int(report.count),
            self._stack(report.kernel, report.frames[: report.num_frames]),
            self._related(report),
        )

    def _related(self, report: wire.FindingReport) -> RelatedCall | None:
        if report.related_kernel == wire.NO_KERNEL:
            return None
        frames = report.related_frames[: report.related_num_frames]
        core = (report.related_x, report.related_y)
        return RelatedCall(report.related_kernel, core, self._stack(report.related_kernel, frames))

    def _pages(self, parts: Parts) -> RecordedPages:
        report = parts.take(wire.PushReport)
        data = np.frombuffer(parts.take_bytes(report.pages * report.page_bytes), np.uint8)
        stack = self._stack(report.kernel, report.frames[: report.num_frames])
        core = (report.core_x, report.core_y)
        return RecordedPages(report.kernel, core, report.cb, data.reshape(report.pages, -1), stack)


def _words(data: memoryview) -> NDArray[np.uint64]:
    return np.frombuffer(data, np.uint64) if len(data) else np.empty(0, np.uint64)


def _bits(mask: int) -> frozenset[int]:
    """Positions of the bits that are set.

    >>> sorted(_bits(0b101))
    [0, 2]
    """
    return frozenset(index for index in range(mask.bit_length()) if mask >> index & 1)


def _raise(report: wire.RaiseReport) -> SemaphoreRaise:
    core, on = (report.core_x, report.core_y), (report.on_x, report.on_y)
    link = None if report.link_chip == wire.NO_LINK else (report.link_chip, report.link_channel)
    return SemaphoreRaise(report.kernel, core, on, report.word, link, report.count, report.later)


def _raises(parts: Parts, count: int) -> list[SemaphoreRaise]:
    raises = map(_raise, parts.take_many(wire.RaiseReport, count)())
    return sorted(raises, key=lambda each: (each.kernel, each.core, each.on, each.word))


def _link(report: wire.LinkReport) -> LinkTraffic:
    begin, end = (report.chip, report.channel), (report.to_chip, report.to_channel)
    return LinkTraffic(begin, end, report.packets, report.bytes)


def buffer_use(report: wire.CircularBufferReport) -> CbUse:
    core = (report.core_x, report.core_y)
    return CbUse(core, report.index, report.num_pages, report.page_bytes, report.peak, report.pushed, report.popped)


def _traffic(report: wire.TrafficReport) -> CbTraffic:
    return CbTraffic(
        report.kernel,
        (report.core_x, report.core_y),
        report.cb,
        report.push_calls,
        report.pop_calls,
        report.wait_calls,
        report.reserve_calls,
        report.pages_pushed,
        report.pages_popped,
        report.blocked_waits,
        report.blocked_reserves,
        report.largest_wait,
        report.largest_reserve,
    )
