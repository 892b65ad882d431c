# SPDX-License-Identifier: Apache-2.0
"""Wait for a change of an operation's files."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

_SUFFIXES = (".py", ".cpp", ".hpp", ".h")
_POLL_SECONDS = 0.2

Snapshot = Mapping[Path, tuple[int, int]]


def snapshot(directory: Path) -> Snapshot:
    """Date and size of every file that matters."""
    found = {}
    for path in directory.rglob("*"):
        if path.suffix in _SUFFIXES and not any(part.startswith(".") for part in path.relative_to(directory).parts):
            try:
                facts = path.stat()
            except FileNotFoundError:  # an editor puts a new file in the old one's place
                continue
            found[path] = (facts.st_mtime_ns, facts.st_size)
    return found


def changed_files(before: Snapshot, after: Snapshot) -> list[Path]:
    """Files that are new, gone or different."""
    return sorted(path for path in {*before, *after} if before.get(path) != after.get(path))


def wait_for_change(directory: Path, before: Snapshot, pause: Callable[[float], None] = time.sleep) -> list[Path]:
    """The files that changed, once something did and the writing has come to rest."""
    while not changed_files(before, now := snapshot(directory)):
        pause(_POLL_SECONDS)
    while True:
        pause(_POLL_SECONDS)
        later = snapshot(directory)
        if later == now:
            return changed_files(before, later)
        now = later
