# SPDX-License-Identifier: Apache-2.0
"""Modelled times of a launch for the page: spans per processor and fill levels of buffers."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from tilewright._report.launch_view import View
from tilewright._report.noc_view import core_bytes, noc_view
from tilewright._report.timeline import wait_words
from tilewright._wire.replay import EventKind
from tilewright.timing._device_time import Core, DeviceTime, Processor
from tilewright.timing._events import Event, events_of
from tilewright.timing._phase_times import START_UP, phase_times
from tilewright.timing._timed_launch import TimedLaunch

MOST_SPANS = 200_000  # some five megabytes of page
_MEASURES = (
    ("busy", "busy (modelled)", " ns"),
    ("waiting", "waiting (modelled)", " ns"),
    ("noc", "bytes over the NoC", " bytes"),
)
_COMPUTE = (Processor.UNPACK, Processor.MATH, Processor.PACK)


def with_time(
    view: View, launch: TimedLaunch, phases: Mapping[int, str] | None = None, most_spans: int = MOST_SPANS
) -> View:
    """The view of a launch with its timeline; cores are also measured by how long they work and wait.

    Args:
        launch: timed with ``keep_events=True``.
        phases: what the phases of a declaration are called, by the index of the circular buffer each fills.
        most_spans: of the timeline; with 0 there is none.
    """
    nanoseconds = 1e9 / launch.time.clock_hz
    labels = {buffer.index: buffer.label for buffer in launch.record.buffers}
    words = f"{view['summary']}; {launch.time.microseconds:.1f} us on a card by the model"
    noc = noc_view(launch)
    return {
        **view,
        "summary": words,
        "timeline": _timeline(launch, labels, nanoseconds, most_spans) if most_spans else None,
        "noc": noc,
        "phases": _phases(launch, {**labels, **(phases or {})}, nanoseconds),
        **_measured(view, launch.time, core_bytes(noc), nanoseconds),
    }


def _timeline(launch: TimedLaunch, buffers: dict[int, str], nanoseconds: float, most_spans: int) -> View:
    """Spans are begin, end and the number of a label; a label says whether it is work and what it is."""
    events = [event for event in events_of(launch.time) if event.kind not in (EventKind.READ, EventKind.WRITE)]
    numbers: dict[tuple[str, str], int] = {}
    tracks: dict[tuple[int, int, int, str], list[list[float]]] = defaultdict(list)  # row, column, processor, kernel
    for event in itertools.islice(events, most_spans):
        each = event.processor
        is_wait = event.kind is EventKind.WAIT
        label = ("wait", wait_words(event, buffers)) if is_wait else ("work", event.call)
        begin, end = (round(cycles * nanoseconds, 1) for cycles in (event.begin, event.end))
        span = [begin, end, numbers.setdefault(label, len(numbers))]
        tracks[each.core[1], each.core[0], each.processor, each.kernel].append(span)
    return {
        "unit": "ns",
        "end": launch.time.cycles * nanoseconds,
        "left_out": max(len(events) - most_spans, 0),
        "labels": [list(label) for label in numbers],
        "tracks": [
            {"core": [x, y], "name": f"{Processor(processor).name} {kernel}", "spans": spans}
            for (y, x, processor, kernel), spans in sorted(tracks.items())
        ],
        "fills": _fills(events, nanoseconds),
    }


def _fills(events: Iterable[Event], nanoseconds: float) -> list[View]:
    """Pages in each circular buffer, as steps in time."""
    changes = sorted(
        (event.end, event.processor.core, event.cb, event.amount if event.kind is EventKind.PUSH else -event.amount)
        for event in events
        if event.kind in (EventKind.PUSH, EventKind.POP)
    )
    full: Counter[tuple[Core, int]] = Counter()
    points: dict[tuple[Core, int], list[list[float]]] = defaultdict(list)
    for time, core, cb, pages in changes:
        full[core, cb] += pages
        points[core, cb].append([round(time * nanoseconds, 1), full[core, cb]])
    return [{"core": list(core), "cb": cb, "points": steps} for (core, cb), steps in sorted(points.items())]


def _phases(launch: TimedLaunch, names: Mapping[int, str], nanoseconds: float) -> list[View]:
    """Compute kernels by what they fill; the share of each is that of its kernel's busiest processor."""
    times = phase_times(launch.record, launch.time)
    busiest = {
        kernel: max(_COMPUTE, key=lambda each: sum(part.busy[each] for part in parts))
        for kernel, parts in ((name, [t for t in times if t.kernel == name]) for name in {t.kernel for t in times})
    }
    whole = Counter[str]()
    for each in times:
        whole[each.kernel] += round(each.busy[busiest[each.kernel]])
    return [
        {
            "kernel": each.kernel,
            "name": "start-up" if each.cb == START_UP else names.get(each.cb, f"c_{each.cb}"),
            "busy": [round(each.busy[processor] * nanoseconds, 1) for processor in _COMPUTE],
            "waiting": [round(each.waiting[processor] * nanoseconds, 1) for processor in _COMPUTE],
            "busiest": _COMPUTE.index(busiest[each.kernel]),
            "share": round(each.busy[busiest[each.kernel]] / max(whole[each.kernel], 1), 4),
        }
        for each in times
    ]


def num_spans(view: View) -> int:
    """Of a launch's timeline."""
    return sum(len(track["spans"]) for track in view["timeline"]["tracks"]) if view["timeline"] else 0


def _measured(view: View, time: DeviceTime, over_noc: Mapping[Core, int], nanoseconds: float) -> View:
    """The view's cores with what their processors did, and the words for it."""
    values: dict[Core, Counter[str]] = defaultdict(Counter)
    for each in time.processors:
        known = values[each.core]  # the five processors of a core work at the same time: no sums
        known["busy"] = max(known["busy"], round(each.busy * nanoseconds))
        known["waiting"] = max(known["waiting"], round(sum(wait.cycles for wait in each.waits) * nanoseconds))
        known["noc"] = over_noc.get(each.core, 0)
    cores = [{**core, "values": {**core["values"], **values[tuple(core["at"])]}} for core in view["cores"]]
    measures = [{"key": key, "name": words, "unit": unit} for key, words, unit in _MEASURES]
    return {"cores": cores, "measures": [*measures, *view["measures"]]}
