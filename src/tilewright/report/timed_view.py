# SPDX-License-Identifier: Apache-2.0
"""A launch on the model's clock as the page shows it: a row of spans for every processor, and how full buffers get."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable

from tilewright.report.launch_view import View
from tilewright.report.timeline import wait_words
from tilewright.timing.device_time import Core, DeviceTime, Processor
from tilewright.timing.events import Event, EventKind, events_of
from tilewright.timing.every_launch import TimedLaunch

_MOST_SPANS = 200_000  # some ten megabytes of page
_MEASURES = (("busy", "busy (modelled)", " ns"), ("waiting", "waiting (modelled)", " ns"))


def with_time(view: View, launch: TimedLaunch) -> View:
    """The view of a launch with its timeline; cores are also measured by how long they work and wait.

    Args:
        launch: timed with ``keep_events=True``.
    """
    nanoseconds = 1e9 / launch.time.clock_hz
    events = [event for event in events_of(launch.time) if event.kind not in (EventKind.READ, EventKind.WRITE)]
    labels = {buffer.index: buffer.label for buffer in launch.record.buffers}
    tracks: dict[tuple[int, int, int, str], list[list[object]]] = defaultdict(list)  # row, column, processor, kernel
    for event in itertools.islice(events, _MOST_SPANS):
        each = event.processor
        tracks[each.core[1], each.core[0], each.processor, each.kernel].append(_span(event, labels, nanoseconds))
    timeline = {
        "unit": "ns",
        "end": launch.time.cycles * nanoseconds,
        "left_out": max(len(events) - _MOST_SPANS, 0),
        "tracks": [
            {"core": [x, y], "name": f"{Processor(processor).name} {kernel}", "spans": spans}
            for (y, x, processor, kernel), spans in sorted(tracks.items())
        ],
        "fills": _fills(events, nanoseconds),
    }
    words = f"{view['summary']}; {launch.time.microseconds:.1f} us on a card by the model"
    return {**view, "summary": words, "timeline": timeline, **_measured(view, launch.time, nanoseconds)}


def _span(event: Event, labels: dict[int, str], nanoseconds: float) -> list[object]:
    is_wait = event.kind is EventKind.WAIT
    words = wait_words(event, labels) if is_wait else event.call
    begin, end = (round(cycles * nanoseconds, 1) for cycles in (event.begin, event.end))
    return [begin, end, "wait" if is_wait else "work", words]


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


def _measured(view: View, time: DeviceTime, nanoseconds: float) -> View:
    """The view's cores with what their processors did, and the words for it."""
    values: dict[Core, Counter[str]] = defaultdict(Counter)
    for each in time.processors:
        values[each.core]["busy"] += round(each.busy * nanoseconds)
        values[each.core]["waiting"] += round(sum(wait.cycles for wait in each.waits) * nanoseconds)
    cores = [{**core, "values": {**core["values"], **values[tuple(core["at"])]}} for core in view["cores"]]
    measures = [{"key": key, "name": words, "unit": unit} for key, words, unit in _MEASURES]
    return {"cores": cores, "measures": [*measures, *view["measures"]]}
