# SPDX-License-Identifier: Apache-2.0
"""Tables for a terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence

_GAP = 2


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]], width: int = 80) -> list[str]:
    """Lines of a table; columns of words are cut where it would be wider than ``width``.

    >>> print("\\n".join(text_table(["CB", "pages"], [["c_0 in", "2"], ["c_16 out", "12"]])))
    CB        pages
    c_0 in        2
    c_16 out     12
    """
    numeric = [all(_is_number(row[column]) for row in rows) for column in range(len(head))]
    widths = [max(len(line[column]) for line in (head, *rows)) for column in range(len(head))]
    while sum(widths) + _GAP * (len(widths) - 1) > width:
        longest = max((c for c in range(len(head)) if not numeric[c]), key=lambda c: widths[c], default=None)
        if longest is None or widths[longest] <= 6:
            break
        widths[longest] -= 1
    lines = []
    for line in (head, *rows):
        cells = [_cut(cell, size) for cell, size in zip(line, widths, strict=True)]
        padded = [
            f"{cell:>{size}}" if is_number else f"{cell:<{size}}"
            for cell, size, is_number in zip(cells, widths, numeric, strict=True)
        ]
        lines.append((" " * _GAP).join(padded).rstrip())
    return lines


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The same table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


def _cut(cell: str, size: int) -> str:
    return cell if len(cell) <= size else cell[: size - 1] + "~"


def _is_number(cell: str) -> bool:
    return cell.replace(",", "").isdigit() or cell in ("", "-")
