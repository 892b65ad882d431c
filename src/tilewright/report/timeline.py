# SPDX-License-Identifier: Apache-2.0
"""A launch on the model's clock as a timeline that Perfetto and Chrome show (the Trace Event Format).

A process for each core, a thread for each of its processors; what a processor waits for is in its own colour and says
what; transfers on their way have rows of their own; how full each circular buffer is, is a counter.
"""

from __future__ import annotations

import collections
import json
from collections.abc import Iterator
from typing import Any

from tilewright.device.call_record import CallRecord
from tilewright.timing.device_time import Core, DeviceTime, Wait, WaitFor
from tilewright.timing.events import Event, EventKind, events_of

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


def _names(time: DeviceTime) -> Iterator[dict[str, Any]]:
    named = set()
    for each in time.processors:
        process = _process(each.core)
        if process not in named:
            named.add(process)
            yield _meta("process_name", process, 0, f"core ({each.core[0]},{each.core[1]})")
        yield _meta("thread_name", process, each.processor, f"{each.processor.name} {each.kernel}")


def _meta(what: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": process, "tid": int(thread), "args": {"name": name}}


def _events(record: CallRecord, time: DeviceTime) -> Iterator[dict[str, Any]]:
    to_us = 1e6 / time.clock_hz
    labels = {buffer.index: buffer.label for buffer in record.buffers}
    changes: list[tuple[float, Core, int, int]] = []
    for number, event in enumerate(events_of(time)):
        where = {"pid": _process(event.processor.core), "tid": int(event.processor.processor)}
        times = {"ts": event.begin * to_us, "dur": (event.end - event.begin) * to_us}
        if event.kind in _TRANSFERS:
            name = f"{event.processor.processor.name} {_TRANSFERS[event.kind]} on their way"
            shown = {"name": name, "cat": "transfer", "id": number, **where}
            yield {"ph": "b", **shown, "ts": event.begin * to_us, "args": {"bytes": event.amount}}
            yield {"ph": "e", **shown, "ts": event.end * to_us}
        elif event.kind is EventKind.WAIT:
            yield {"ph": "X", "name": wait_words(event, labels), "cat": "wait", "cname": "terrible", **where, **times}
        else:
            yield {"ph": "X", "name": event.call, "cat": "call", **where, **times, "args": _arguments(event, labels)}
        if event.kind in (EventKind.PUSH, EventKind.POP):
            pages = event.amount if event.kind is EventKind.PUSH else -event.amount
            changes.append((event.end, event.processor.core, event.cb, pages))
    yield from _counters(changes, labels, to_us)


def wait_words(event: Event, labels: dict[int, str]) -> str:
    """What a processor waits for, e.g. ``waits for pages of c_0 in``."""
    assert event.wait is not None
    label = labels.get(event.cb, f"c_{event.cb}") if event.wait <= WaitFor.PAGES_BACK else ""
    return f"waits for {Wait(event.wait, label, 0.0, 0).what}"


def _arguments(event: Event, labels: dict[int, str]) -> dict[str, Any]:
    if event.call.startswith("Cb"):
        return {"buffer": labels.get(event.cb, f"c_{event.cb}"), "pages": event.amount}
    return {"amount": event.amount} if event.amount else {}


def _counters(
    changes: list[tuple[float, Core, int, int]], labels: dict[int, str], to_us: float
) -> Iterator[dict[str, Any]]:
    """How full each buffer is, from what was pushed and popped, in the order of time."""
    full: collections.Counter[tuple[Core, int]] = collections.Counter()
    for time, core, cb, pages in sorted(changes):
        full[core, cb] += pages
        name = labels.get(cb, f"c_{cb}")
        yield {"ph": "C", "name": name, "pid": _process(core), "ts": time * to_us, "args": {"pages": full[core, cb]}}
