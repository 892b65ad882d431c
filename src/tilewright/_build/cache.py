# SPDX-License-Identifier: Apache-2.0
"""The per-user cache of compiled engines and kernels.

Entries are made in a place of their own and renamed into the cache, so a reader never sees half a file; a lock
per entry keeps two processes from building the same thing twice. What a crash or a full disk may have damaged is
noticed when it is read, and counts as missing.

What is in the cache is run, so it must come from the user alone: directories are readable by the user alone, one that
belongs to another user is refused, and a file that another user owns or can write counts as missing (``cache_trust``).
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tilewright._build.cache_trust import close_to_others, is_trusted, not_trusted, private_directory
from tilewright._errors import CacheError


def cache_directory() -> Path:
    """The cache: ``$TILEWRIGHT_CACHE``, else ``$XDG_CACHE_HOME/tilewright``, else ``~/.cache/tilewright``."""
    chosen = os.environ.get("TILEWRIGHT_CACHE")
    if chosen:
        return Path(chosen).absolute()  # kernels are compiled from other working directories too
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "tilewright"
    except RuntimeError as error:
        raise CacheError(f"no home directory to keep compiled kernels in ({error}); set TILEWRIGHT_CACHE") from error


SEED_VARIABLE = "TILEWRIGHT_CACHE_SEED"


def seeds() -> list[Path]:
    """Directories with entries of another cache, such as a CI image's, that are used and never changed."""
    return [Path(each).absolute() for each in os.environ.get(SEED_VARIABLE, "").split(os.pathsep) if each]


def cache_environment() -> tuple[str | None, ...]:
    """Settings that decide where the cache is."""
    return tuple(map(os.environ.get, ("TILEWRIGHT_CACHE", SEED_VARIABLE, "XDG_CACHE_HOME", "HOME")))


def full_cache() -> CacheError:
    """The error for a disk without room."""
    return CacheError(
        f"no space left for the cache directory {cache_directory()}; make room, or set TILEWRIGHT_CACHE to a "
        "directory on another disk"
    )


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """Turns what the system says about the cache's files into an error that names the cache."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise full_cache() from error
        raise CacheError(
            f"cannot write to the cache directory {cache_directory()} ({error.strerror}: {error.filename}); "
            "set TILEWRIGHT_CACHE to a directory you may write to"
        ) from error


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """Holds the cache's lock called ``name``; other processes wait. A process that dies lets go of it."""
    directory = cache_directory() / "locks"
    with contextlib.ExitStack() as stack:
        with _explained():
            _make_directory(directory)
            lock = stack.enter_context((directory / f"{name}.lock").open("w"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        # Not by closing the file: a process forked meanwhile by another thread has it open, too.
        stack.callback(fcntl.flock, lock, fcntl.LOCK_UN)
        yield


@contextlib.contextmanager
def building(name: str) -> Iterator[Path]:
    """Holds the lock of the entry called ``name`` and gives an empty directory to build it in.

    What an earlier process left there when it was killed goes first; its compiler may still be running, so the
    directory has a name of its own.
    """
    place = cache_directory() / "work" / name
    with locked(name):
        shutil.rmtree(place, ignore_errors=True)
        with _explained():
            _make_directory(place)
            work = Path(tempfile.mkdtemp(dir=place))
        try:
            yield work
        finally:
            shutil.rmtree(place, ignore_errors=True)


def _make_directory(directory: Path) -> None:
    """Makes a directory of the cache, for this user only."""
    private_directory(directory, cache_directory())


def write_atomically(path: Path, data: bytes) -> None:
    """Writes an entry of the cache in one step: it is either the old content or all of the new."""
    with _explained():
        _make_directory(path.parent)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(temporary).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise


def move_into_cache(built: Path, target: Path) -> None:
    """Gives a file made in a ``building`` directory its place."""
    with _explained():
        _make_directory(target.parent)
        close_to_others(built)  # a compiler makes its files by the user's umask
        built.replace(target)


def store_library(entry: Path, built: Path, **facts: Any) -> Path:
    """Puts a library into the cache under its content's name, and a record about it at ``entry``."""
    library = entry.parent / f"{digest(built.read_bytes())}.so"
    move_into_cache(built, library)
    store_record(entry, library, **facts)
    return library


def store_record(entry: Path, library: Path, **facts: Any) -> None:
    """Puts a record about a library of the cache at ``entry``."""
    write_atomically(entry, json.dumps({"library": library.name, **facts}).encode())


def stored_library(entry: Path) -> tuple[Path, dict[str, Any]] | None:
    """The library and the facts stored at ``entry``, or in a seed; None when they are missing or damaged."""
    found = _stored_at(entry)
    if found is not None:
        note_use(entry)
        return found
    name = entry.relative_to(cache_directory())
    return next((found for seed in seeds() if (found := _stored_at(seed / name)) is not None), None)


def _stored_at(entry: Path) -> tuple[Path, dict[str, Any]] | None:
    data = read_entry(entry)
    try:
        record = json.loads(data or b"")
        library = entry.parent / Path(record["library"]).name
        state = library.lstat()
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    if not is_trusted(state) or not _is_intact(library, state.st_size, state.st_mtime_ns):
        return None
    return library, record


def read_entry(path: Path) -> bytes | None:
    """Content of a file of the cache; None if there is none, or another user may have written it.

    Raises:
        CacheError: the cache itself belongs to another user.
    """
    reason = not_trusted(path.parent, cache_directory())
    if reason:
        raise CacheError(f"{reason}; set TILEWRIGHT_CACHE to a directory of your own")
    try:
        return path.read_bytes() if is_trusted(path.lstat()) else None
    except OSError:
        return None


_USE_NOTED_EVERY = 600.0  # seconds: what is used again soon need not be noted


def note_use(entry: Path) -> None:
    """Dates an entry as used now, for what is pruned first; a cache that may only be read stays as it is."""
    with contextlib.suppress(OSError):
        if time.time() - entry.stat().st_mtime > _USE_NOTED_EVERY:
            os.utime(entry)


@functools.lru_cache(maxsize=4096)
def _is_intact(library: Path, size: int, modified: int) -> bool:
    return file_digest(library) == library.stem


def file_digest(path: Path) -> str:
    """The :func:`digest` of a file's content."""
    return digest(path.read_bytes())


def digest(*parts: str | bytes) -> str:
    """A short name for content: equal parts, equal name."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()[:32]
