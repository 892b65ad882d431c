# SPDX-License-Identifier: Apache-2.0
"""Size of the cache and least-recently-used pruning.

Everything in the cache is an item: files that only make sense together, when they were used last, and how many bytes
they take. Pruning takes items away, least recently used first, until the rest fits; what was used within the last hour
stays, for a process may be about to load it. Libraries belong to the records that name them: they go once no record
does. Kernels given as text are written again when a program names them. The records of one's operations
(``workshop``) and whatever else lies there is shown and never taken.

By itself the cache is pruned when something new was built, looked at once an hour, down to four fifths of the limit.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tilewright._build.cache import cache_directory, locked
from tilewright._errors import CacheError

LIMIT_VARIABLE = "TILEWRIGHT_CACHE_LIMIT"
DEFAULT_LIMIT = 4 * 2**30
PRELUDES_LIMIT = 300 * 10**6  # bytes of precompiled headers
_IN_USE = 3600.0  # seconds
_PRELUDE_IN_USE = 900.0  # seconds: a compiler reads one at once, and its use is noted every ten minutes
_LOOKED_AT_EVERY = 3600.0
_KEPT_SHARE = 0.8
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


@dataclasses.dataclass(frozen=True)
class CacheItem:
    """Files that are kept or removed together: a record with its library, a compiled prelude, ..."""

    kind: str
    paths: tuple[Path, ...]
    dated: Path | None  # the path whose date is that of the last use
    last_used: float
    size: int

    def in_use(self) -> bool:
        """Whether a process may be about to load it; looked up anew, for removing others took a while."""
        last_used = self.last_used if self.dated is None else _modified(self.dated)
        return time.time() - last_used <= _IN_USE


def parse_size(text: str) -> int:
    """Bytes, from what a person writes.

    >>> parse_size("2G"), parse_size("512 MiB"), parse_size("1000")
    (2147483648, 536870912, 1000)

    Raises:
        CacheError: it is no size.
    """
    match = re.fullmatch(r"\s*(\d{1,15}(?:\.\d{1,6})?)\s*([KMGT]?)(?:i?B)?\s*", text, re.IGNORECASE)
    if match is None:
        raise CacheError(f"{text!r} is no size: write bytes, or a number with K, M, G or T, such as 2G")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def cache_limit() -> int:
    """The size the cache may grow to: ``$TILEWRIGHT_CACHE_LIMIT``, else 4 GiB."""
    text = os.environ.get(LIMIT_VARIABLE)
    return parse_size(text) if text else DEFAULT_LIMIT


def cache_items() -> list[CacheItem]:
    """Everything in the cache, least recently used first."""
    cache = cache_directory()
    items = [
        *_libraries(cache / "kernels", "kernels"),
        *_libraries(cache / "engine", "engine"),
        *_folders(cache / "builds", "builds"),
        *_folders(cache / "preludes", "preludes", used="digest"),
        *_folders(cache / "headers", "headers"),
        *_folders(cache / "wheels", "wheels"),
        *([_item("zig", (cache / "zig",))] if (cache / "zig").is_dir() else ()),
        *_folders(cache / "sources", "sources"),
        *_folders(cache / "cpp" / "kernels", "cpp"),
        *_host_builds(cache / "cpp"),
    ]
    known = {path for item in items for path in item.paths}
    others = [each for each in _entries(cache) if each.name not in {path.relative_to(cache).parts[0] for path in known}]
    items += [_item("other", (each,)) for each in others]
    return sorted(items, key=lambda item: item.last_used)


def _entries(directory: Path) -> list[Path]:
    try:
        return sorted(directory.iterdir())
    except OSError:
        return []


def _item(kind: str, paths: Sequence[Path], dated: Path | None = None) -> CacheItem:
    states = [state for path in paths for state in _states(path)]
    newest = max((state.st_mtime for state in states), default=0.0)
    # Blocks, not lengths: thousands of small files take more room than they say.
    size = sum(state.st_blocks * 512 for state in states)
    return CacheItem(kind, tuple(paths), dated, newest if dated is None else _modified(dated), size)


def _states(path: Path) -> Iterator[os.stat_result]:
    with contextlib.suppress(OSError):
        yield path.lstat()
        if path.is_dir() and not path.is_symlink():
            for each in path.iterdir():
                yield from _states(each)


def _modified(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0


def _libraries(directory: Path, kind: str) -> Iterator[CacheItem]:
    """Records, each with its library; libraries that no record names any more are items too."""
    named: dict[str, list[Path]] = {}
    for record in directory.glob("*.json"):
        named.setdefault(str(_record(record).get("library")), []).append(record)
    for library, records in named.items():
        yield _item(kind, (*records, directory / Path(library).name), max(records, key=_modified))
    for orphan in directory.glob("*.so"):
        if orphan.name not in named:
            yield _item(kind, (orphan,))


def _record(path: Path) -> dict[str, object]:
    try:
        record = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _folders(directory: Path, kind: str, used: str = ".") -> Iterator[CacheItem]:
    for folder in _entries(directory):
        yield _item(kind, (folder,), folder / used)


def _host_builds(directory: Path) -> Iterator[CacheItem]:
    """Compiled host sides of C++ operations: a record with its objects, a library with what it loads."""
    named: dict[str, list[Path]] = {}
    for path in _entries(directory):
        if not path.is_dir():
            named.setdefault(
                path.stem if path.suffix in {".cpp", ".py"} else re.split("[-.]", path.name)[0], []
            ).append(path)
    for paths in named.values():
        paths.sort(key=lambda path: path.suffix != ".json")  # a record goes before the objects it names
        yield _item("cpp", paths, max(paths, key=_modified))


def prune_cache(limit: int, kept: int | None = None) -> list[CacheItem]:
    """Takes items away until no more than ``kept`` bytes are left, if there are more than ``limit``; returns them.

    What is never taken does not count: however large it is, the rest may take ``limit`` bytes.
    """
    with locked("prune"):
        items = [item for item in cache_items() if item.kind != "other"]
        size = sum(item.size for item in items)
        removed: list[CacheItem] = []
        if size <= limit:
            return removed
        for item in items:
            if size <= (limit if kept is None else kept):
                break
            if not item.in_use():
                _remove(item)
                removed.append(item)
                size -= item.size
        return removed


def _remove(item: CacheItem) -> None:
    for path in item.paths:  # records first: a record must not name a file that is gone
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                path.unlink()


def bound_preludes() -> None:
    """Keep precompiled headers below their limit: remove the least recently used, unless one may be in use."""
    with contextlib.suppress(OSError, CacheError), locked("prune"):
        items = sorted(
            _folders(cache_directory() / "preludes", "preludes", used="digest"), key=lambda item: item.last_used
        )
        size = sum(item.size for item in items)
        for item in items:
            if size <= PRELUDES_LIMIT or time.time() - item.last_used <= _PRELUDE_IN_USE:
                break
            _remove(item)
            size -= item.size


def prune_when_large() -> None:
    """Prunes the cache if it is over its limit, at most once an hour. A failure to prune is no error."""
    with contextlib.suppress(OSError, CacheError):
        stamp = cache_directory() / "locks" / "prune.lock"  # its date is the time of the last look
        if time.time() - _modified(stamp) > _LOOKED_AT_EVERY:
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.touch()
            limit = cache_limit()
            prune_cache(limit, int(limit * _KEPT_SHARE))
