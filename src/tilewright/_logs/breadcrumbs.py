# SPDX-License-Identifier: Apache-2.0
"""The breadcrumbs of a run: one JSON object per line, appended as things happen.

A line is written whole or not at all, and is on the disk before :meth:`Breadcrumbs.append` returns, so whatever
ends the process, the file tells what happened until then. Several processes may append at once.

>>> import tempfile, pathlib
>>> trail = Breadcrumbs(pathlib.Path(tempfile.mkdtemp()) / "scale.jsonl")
>>> _ = trail.append("start", operation="scale", agent="me", stages=[4, 5])
>>> trail.append("hypothesis", stage=4, description="the scaler is never pushed").fields["id"]
'H1'
>>> [entry.event for entry in trail.read().entries]
['start', 'hypothesis']
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tilewright._logs.events import EVENTS, BreadcrumbError, Entry, Said, check_event
from tilewright._logs.json_lines import JsonLine, locked, read_lines, write_line


@dataclass(frozen=True)
class Trail:
    """What a breadcrumbs file holds, and the lines of it that could not be read."""

    entries: tuple[Entry, ...]
    problems: tuple[Said, ...] = ()


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")


class Breadcrumbs:
    """The breadcrumbs file of one operation. It is created by the first event."""

    def __init__(self, path: str | os.PathLike[str], clock: Callable[[], str] = _now) -> None:
        self.path = Path(path)
        self._clock = clock

    def append(self, event: str, **fields: object) -> Entry:
        """Write one event and wait until it is on the disk.

        A hypothesis gets the next number (``H1``, ``H2`` ...) as its ``id``; evidence and recovery name one that
        exists. Fields that are None are left out.
        """
        given = {name: value for name, value in fields.items() if value is not None}
        with locked(self.path) as descriptor:
            given = self._with_number(event, given)
            check_event(event, given)
            crumb = Entry(event, given, self._clock())
            write_line(descriptor, json.dumps({"ts": crumb.time, "event": event, **given}, ensure_ascii=False))
        return crumb

    def _with_number(self, event: str, fields: dict[str, object]) -> dict[str, object]:
        if event not in ("hypothesis", "evidence", "recovery"):
            return fields
        known = [crumb.text("id") for crumb in self.read().entries if crumb.event == "hypothesis"]
        if event == "hypothesis":
            if "id" in fields:
                raise BreadcrumbError(f"breadcrumb 'hypothesis': id is given by the store, not {fields['id']!r}")
            return {"id": f"H{len(known) + 1}", **fields}
        if fields.get("hypothesis_id", "") not in ("", *known):
            raise BreadcrumbError(
                f"breadcrumb {event!r}: hypothesis_id is {fields['hypothesis_id']!r}; "
                f"there is {', '.join(known) or 'no hypothesis yet'}"
            )
        return fields

    @contextlib.contextmanager
    def recording_crashes(self) -> Iterator[None]:
        """Whatever is raised inside is written down as a crash, and raised on."""
        try:
            yield
        except BaseException as error:
            self.append("crash", error=f"{type(error).__name__}: {error}", traceback=traceback.format_exc())
            raise

    def lines(self) -> tuple[str, ...]:
        """The file's lines, torn ones too: what a crumb's ``line`` counts."""
        text = self.path.read_bytes().decode("utf-8", errors="replace") if self.path.is_file() else ""
        return tuple(text.split("\n"))

    def read(self) -> Trail:
        """Every event so far. A line that is torn or not of the schema is reported, not raised."""
        crumbs: list[Entry] = []
        problems: list[Said] = []
        for line in read_lines(self.path):
            read = _read_crumb(line)
            if isinstance(read, Entry):
                crumbs.append(read)
            else:
                problems.append(read)
        return Trail(tuple(crumbs), tuple(problems))


def _read_crumb(line: JsonLine) -> Entry | Said:
    if line.value is None:
        return Said(f"torn line: {line.text}", line.number)
    record = dict(line.value) if isinstance(line.value, dict) else {}
    if not isinstance(record.get("event"), str) or record["event"] not in EVENTS:
        return Said(f"no known event: {line.text}", line.number)
    event, time = str(record.pop("event")), str(record.pop("ts", ""))
    try:
        check_event(event, record)
    except BreadcrumbError as error:
        return Said(str(error), line.number)
    return Entry(event, record, time, line.number)
