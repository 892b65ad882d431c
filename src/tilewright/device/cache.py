# SPDX-License-Identifier: Apache-2.0
"""The per-user cache of compiled engines and kernels.

Entries are written to a temporary name and renamed, so a reader never sees half a file; a lock per entry
keeps two processes from building the same thing twice.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


def cache_directory() -> Path:
    """The cache: ``$TILEWRIGHT_CACHE``, else ``$XDG_CACHE_HOME/tilewright``, else ``~/.cache/tilewright``."""
    chosen = os.environ.get("TILEWRIGHT_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "tilewright"


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """Holds the cache's lock called ``name``; other processes wait. A process that dies lets go of it."""
    directory = cache_directory() / "locks"
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def write_atomically(path: Path, data: bytes) -> None:
    """Writes ``path`` in one step: it is either the old content or all of the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def digest(*parts: str | bytes) -> str:
    """A short name for content: equal parts, equal name."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()[:32]
