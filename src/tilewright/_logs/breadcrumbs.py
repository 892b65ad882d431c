# SPDX-License-Identifier: Apache-2.0
"""The breadcrumbs of a run: one JSON object per line, appended when an event happens.

A line is written whole or not at all, and is on the disk before :meth:`Breadcrumbs.append` returns, so the file has
every event up to the end of the process, however it ends. Several processes may append at once.

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
import fcntl
import json
import os
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tilewright._logs.events import EVENTS, BreadcrumbError, Entry, Said, check_event


@dataclass(frozen=True)
class Trail:
    """The events of a breadcrumbs file, and the lines that could not be read."""

    entries: tuple[Entry, ...]
    problems: tuple[Said, ...] = ()


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")


class Breadcrumbs:
    """The breadcrumbs file of one operation. The first event creates it."""

    def __init__(self, path: str | os.PathLike[str], clock: Callable[[], str] = _now) -> None:
        self.path = Path(path)
        self._clock = clock

    def append(self, event: str, **fields: object) -> Entry:
        """Write one event and wait until it is on the disk.

        A hypothesis gets the next number (``H1``, ``H2`` ...) as its ``id``; evidence and recovery name one that
        exists. Fields that are None are left out.
        """
        given = {name: value for name, value in fields.items() if value is not None}
        with _locked(self.path) as descriptor:
            given = self._with_number(event, given)
            check_event(event, given)
            crumb = Entry(event, given, self._clock())
            _write_line(descriptor, json.dumps({"ts": crumb.time, "event": event, **given}, ensure_ascii=False))
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
        """Record an error raised inside as a crash, and raise it again."""
        try:
            yield
        except BaseException as error:
            self.append("crash", error=f"{type(error).__name__}: {error}", traceback=traceback.format_exc())
            raise

    def lines(self) -> tuple[str, ...]:
        """The lines of the file, incomplete ones included; ``Entry.line`` counts them."""
        text = self.path.read_bytes().decode("utf-8", errors="replace") if self.path.is_file() else ""
        return tuple(text.split("\n"))

    def read(self) -> Trail:
        """Every event so far. A line that is torn or not of the schema is reported, not raised."""
        read = [_read_crumb(line, number) for number, line in enumerate(self.lines(), 1) if line.strip()]
        return Trail(
            tuple(each for each in read if isinstance(each, Entry)),
            tuple(each for each in read if isinstance(each, Said)),
        )


def _read_crumb(line: str, number: int) -> Entry | Said:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):  # no JSON, or nested deeper than any event
        return Said(f"torn line: {line[:60]}", number)
    record = dict(value) if isinstance(value, dict) else {}
    if not isinstance(record.get("event"), str) or record["event"] not in EVENTS:
        return Said(f"no known event: {line[:60]}", number)
    event, time = str(record.pop("event")), str(record.pop("ts", ""))
    try:
        check_event(event, record)
    except BreadcrumbError as error:
        return Said(str(error), number)
    return Entry(event, record, time, number)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[int]:
    """The file, opened for appending and locked. It and its directory are made if missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # closing the descriptor unlocks it, also when the process dies
        yield descriptor
    finally:
        os.close(descriptor)


def _write_line(descriptor: int, text: str) -> None:
    """Append one line, whole or not at all, and wait for the disk."""
    size = os.fstat(descriptor).st_size
    # A process that died while writing leaves a line without an end: begin a new one behind it.
    torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
    line = (b"\n" if torn else b"") + text.encode() + b"\n"
    try:
        written = os.write(descriptor, line)
        if written != len(line):
            raise OSError(f"only {written} of {len(line)} bytes of a line could be written")
        os.fsync(descriptor)
    except OSError:
        os.ftruncate(descriptor, size)
        raise
