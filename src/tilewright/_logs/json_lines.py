# SPDX-License-Identifier: Apache-2.0
"""Files of one JSON value per line that survive whatever ends the process writing them."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class JsonLine:
    """One line: its number, how it begins, and its value (None if it is torn)."""

    number: int
    text: str
    value: object


@contextlib.contextmanager
def locked(path: Path) -> Iterator[int]:
    """The file, opened for appending and held against other writers. It and its directory are made if missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # goes when the descriptor is closed, however that comes about
        yield descriptor
    finally:
        os.close(descriptor)


def write_line(descriptor: int, text: str) -> None:
    """Appends one line to a file that is :func:`locked`, whole or not at all, and waits for the disk."""
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


def read_lines(path: Path) -> list[JsonLine]:
    """The lines of a file; none if there is no file."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    return [_read_line(line, number) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]


def _read_line(line: bytes, number: int) -> JsonLine:
    begin = line[:60].decode(errors="replace")
    try:
        return JsonLine(number, begin, json.loads(line))
    except (ValueError, RecursionError):  # not JSON, or nested deeper than anything we write
        return JsonLine(number, begin, None)
