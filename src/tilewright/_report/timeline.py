# SPDX-License-Identifier: Apache-2.0
"""Perfetto timeline of a launch (Trace Event Format).

A process for each core, a thread for each of its processors; what a processor waits for is in its own colour and says
what; transfers on their way have rows of their own; how full each circular buffer is, is a counter.
"""

from __future__ import annotations

import collections
import json
from collections.abc import Iterator
from typing import Any

from tilewright._record.call_record import CallRecord
from tilewright._wire.replay import EventKind
from tilewright.timing._device_time import Core, DeviceTime, Processor, Wait, WaitFor
from tilewright.timing._events import Event, events_of

_TRANSFERS = {EventKind.READ: "reads", EventKind.WRITE: "writes"}


def timeline_json(record: CallRecord, time: DeviceTime) -> str:
    """The file to open in https://ui.perfetto.dev.

    Example::

        time = replay(run.calls, keep_events=True)
        Path("run.json").write_text(timeline_json(run.calls, time))
    """
    events = [*_names(time), *_events(record, time)]
    return json.dumps({"displayTimeUnit": "ns", "traceEvents": events})


def _process(core: Core) -> int:
    return 1 + core[0] + 100 * core[1]


def _thread(core: Core, processor: Processor) -> int:
    """A number no other thread and no process has: Perfetto takes threads with one number for one."""
    return 10_000 * (1 + processor) + _process(core)


def _names(time: DeviceTime) -> Iterator[dict[str, Any]]:
    named = set()
    for each in time.processors:
        process = _process(each.core)
        if process not in named:
            named.add(process)
            yield _meta("process_name", process, 0, f"core ({each.core[0]},{each.core[1]})")
        thread = _thread(each.core, each.processor)
        yield _meta("thread_name", process, thread, f"{each.processor.name} {each.kernel}")


def _meta(what: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": process, "tid": thread, "args": {"name": name}}


def _events(record: CallRecord, time: DeviceTime) -> Iterator[dict[str, Any]]:
    def in_us(cycles: float) -> float:
        """On whole nanoseconds, which is what viewers keep: so that what follows each other does not overlap."""
        return round(cycles * 1e9 / time.clock_hz) / 1e3

    labels = {buffer.index: buffer.label for buffer in record.buffers}
    changes: list[tuple[float, Core, int, int]] = []
    for number, event in enumerate(events_of(time)):
        core = event.processor.core
        where = {"pid": _process(core), "tid": _thread(core, event.processor.processor)}
        begin, end = in_us(event.begin), in_us(event.end)
        times = {"ts": begin, "dur": round(end - begin, 3)}
        if event.kind in _TRANSFERS:
            name = f"{event.processor.processor.name} {_TRANSFERS[event.kind]} on their way"
            shown = {"name": name, "cat": "transfer", "id2": {"local": f"{number:#x}"}, **where}
            yield {"ph": "b", **shown, "ts": begin, "args": {"bytes": event.amount}}
            yield {"ph": "e", **shown, "ts": end}
        elif event.kind is EventKind.WAIT:
            yield {"ph": "X", "name": wait_words(event, labels), "cat": "wait", "cname": "terrible", **where, **times}
        else:
            yield {"ph": "X", "name": event.call, "cat": "call", **where, **times, "args": _arguments(event, labels)}
        if event.kind in (EventKind.PUSH, EventKind.POP):
            pages = event.amount if event.kind is EventKind.PUSH else -event.amount
            changes.append((end, event.processor.core, event.cb, pages))
    yield from _counters(changes, labels)


def wait_words(event: Event, labels: dict[int, str]) -> str:
    """Cause of a processor's wait, e.g. ``waits for pages of c_0 in``."""
    assert event.wait is not None
    label = labels.get(event.cb, f"c_{event.cb}") if event.wait <= WaitFor.PAGES_BACK else ""
    return f"waits for {Wait(event.wait, label, 0.0, 0).what}"


def _arguments(event: Event, labels: dict[int, str]) -> dict[str, Any]:
    if event.call.startswith("Cb"):
        return {"buffer": labels.get(event.cb, f"c_{event.cb}"), "pages": event.amount}
    return {"amount": event.amount} if event.amount else {}


def _counters(changes: list[tuple[float, Core, int, int]], labels: dict[int, str]) -> Iterator[dict[str, Any]]:
    """How full each buffer is, from what was pushed and popped, in the order of time."""
    full: collections.Counter[tuple[Core, int]] = collections.Counter()
    for time, core, cb, pages in sorted(changes):
        full[core, cb] += pages
        name = labels.get(cb, f"c_{cb}")
        yield {"ph": "C", "name": name, "pid": _process(core), "ts": time, "args": {"pages": full[core, cb]}}
