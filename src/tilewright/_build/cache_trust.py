# SPDX-License-Identifier: Apache-2.0
"""Ownership and permission checks of cached files.

Compiled kernels run with the user's rights. So a directory of the cache must be the user's (or root's), and closed to
others: the user's own that others could write are closed before use, what belongs to another user is refused. In a
directory that stood open before, others may have put files; those are theirs, which shows, and are not used. Links are
not followed.
"""

from __future__ import annotations

import functools
import os
import stat
from pathlib import Path

_WRITE_FOR_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def is_trusted(status: os.stat_result) -> bool:
    """Whether a file is a plain one that only this user, or root, can have written."""
    return stat.S_ISREG(status.st_mode) and _is_ours(status) and not status.st_mode & _WRITE_FOR_OTHERS


def _is_ours(status: os.stat_result) -> bool:
    return status.st_uid in (os.geteuid(), 0)


def close_to_others(path: Path) -> None:
    """Remove other users' permission to write to a file or directory of the user."""
    mode = path.stat().st_mode
    if mode & _WRITE_FOR_OTHERS:
        path.chmod(stat.S_IMODE(mode) & ~_WRITE_FOR_OTHERS)


def private_directory(directory: Path, cache: Path) -> None:
    """Makes a directory of the cache, and the cache, where they are missing, readable by the user alone.

    Raises:
        PermissionError: one of them belongs to another user.
    """
    for each in reversed(_within(directory, cache)):
        each.mkdir(mode=0o700, parents=True, exist_ok=True)
    reason = not_trusted(directory, cache)
    if reason:
        raise PermissionError(1, reason, str(directory))


def not_trusted(directory: Path, cache: Path) -> str:
    """Why a directory of the cache cannot be used; empty if it can, or is not there."""
    return _reason(directory, cache, os.geteuid())


@functools.lru_cache(maxsize=256)
def _closed(directory: Path, inode: int, mode: int, owner: int, user: int) -> str:
    """Closes a directory to others; why it cannot be used, if that is so. Looked at once for each state it is in."""
    if owner not in (user, 0):
        return f"the cache directory {directory} belongs to user {owner}, who could put programs into it"
    if mode & _WRITE_FOR_OTHERS:
        try:
            directory.chmod(stat.S_IMODE(mode) & ~_WRITE_FOR_OTHERS)
        except OSError:
            return f"others can write to the cache directory {directory}, and so put programs into it"
    return ""


def _reason(directory: Path, cache: Path, user: int) -> str:
    for each in _within(directory, cache):
        try:
            status = each.stat()
        except OSError:
            continue
        reason = _closed(each, status.st_ino, status.st_mode, status.st_uid, user)
        if reason:
            return reason
    return ""


def _within(directory: Path, cache: Path) -> list[Path]:
    """The directory and those above it up to the cache."""
    above = [each for each in directory.parents if each == cache or cache in each.parents]
    return [directory, *above]
