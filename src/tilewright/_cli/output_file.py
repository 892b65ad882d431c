# SPDX-License-Identifier: Apache-2.0
"""Write output files atomically: the whole file or nothing."""

from __future__ import annotations

import argparse
import contextlib
import os
from pathlib import Path

from tilewright._errors import TilewrightError


class OutputFileError(TilewrightError):
    """An output file that cannot be written; the message names the option and the file."""


def require_writable(parser: argparse.ArgumentParser, option: str, path: Path) -> None:
    """Ends a command before anything is computed: a result that cannot be kept is no result."""
    try:
        if not path.parent.is_dir():
            parser.error(f"{option} {path}: there is no directory {path.parent}")
        target = path.resolve()
        if target.is_dir():
            parser.error(f"{option} {path}: this is a directory; name a file")
        if not target.exists() or target.is_file():
            _part(target).touch()
            _part(target).unlink()
            target.exists()  # where the name itself is too long
    except (OSError, ValueError, RuntimeError) as error:
        parser.error(f"{option} {path}: nothing can be written to {path.parent}: {_why(error)}")


def _part(target: Path) -> Path:
    """Where a file is written before it is whole."""
    return target.with_name(f".tilewright-{os.getpid()}.part")


def _why(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def write_output(option: str, path: Path, data: bytes) -> None:
    """Writes a file in one step: it is either the old content or all of the new.

    A link stays a link, and a device or a pipe is written to as it is.

    Raises:
        OutputFileError: it cannot be written; a file that was there before is unchanged.
    """
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            if target.is_dir():
                raise IsADirectoryError(0, "it is a directory")
            target.write_bytes(data)
            return
        part = _part(target)
        try:
            part.write_bytes(data)
            part.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                part.unlink()
            raise
    except (OSError, ValueError, RuntimeError) as error:  # besides what the system says: a zero byte, a loop of links
        raise OutputFileError(f"{option} {path}: cannot be written ({_why(error)}); nothing was") from error
