# SPDX-License-Identifier: Apache-2.0
"""Terminal output: wrapping and colours."""

from __future__ import annotations

import os
import shutil
import textwrap
from typing import TextIO

COLUMNS = 80


def wrapped(line: str, columns: int = COLUMNS) -> list[str]:
    """A line as lines of at most so many columns, the others further in; what has no spaces, as a path, stays whole."""
    if len(line) <= columns:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(
        line, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False, drop_whitespace=True
    )


def fitted(text: str, stream: TextIO) -> str:
    """A text as a terminal shows it best; as it is where it goes to a file or a program."""
    if not stream.isatty():
        return text
    columns = max(shutil.get_terminal_size().columns, 40)
    return "\n".join(row for line in text.splitlines() for row in wrapped(line, columns))


def has_colour(stream: TextIO) -> bool:
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
