# SPDX-License-Identifier: Apache-2.0
"""Comments and blank lines of a Python kernel, kept in the C++."""

from __future__ import annotations

import dataclasses
import io
import tokenize
from collections.abc import Sequence

# Words to tools, not to readers.
_FOR_TOOLS = ("noqa", "type:", "fmt:", "pragma", "ruff:", "mypy:")


@dataclasses.dataclass
class Comments:
    """Comments by line of the file.

    Attributes:
        beside: those that stand behind code.
        alone: those that have a line for themselves.
        blank: empty lines.
    """

    beside: dict[int, str]
    alone: dict[int, str]
    blank: set[int]

    def before(self, line: int) -> list[str]:
        """The comment lines directly above a line."""
        first = line
        while first - 1 in self.alone:
            first -= 1
        return [self.alone[each] for each in range(first, line)]

    def is_blank(self, line: int) -> bool:
        return line in self.blank


def read_comments(lines: Sequence[str], first: int) -> Comments:
    """Comments of a function whose source is ``lines``, the first of which is line ``first`` of the file."""
    comments = Comments({}, {}, {first + row for row, text in enumerate(lines) if not text.strip()})
    if not any("#" in text for text in lines):
        return comments
    for token in tokenize.generate_tokens(io.StringIO("".join(lines)).readline):
        # A backslash at the end would make the next line of C++ part of the comment.
        text = token.string.lstrip("#").strip().rstrip("\\ ")
        if token.type != tokenize.COMMENT or text.startswith(_FOR_TOOLS):
            continue
        is_alone = not token.line[: token.start[1]].strip()
        (comments.alone if is_alone else comments.beside)[first + token.start[0] - 1] = text
    return comments
