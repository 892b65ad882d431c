# SPDX-License-Identifier: Apache-2.0
"""How generated Python is laid out: calls and headers broken where a line would be too long."""

from __future__ import annotations

from collections.abc import Sequence

WIDTH = 120


def call_lines(indent: int, head: str, arguments: Sequence[str], tail: str = "") -> list[str]:
    """``head(arguments)tail`` on one line, or its arguments on the next one, or each on a line of its own."""
    space = " " * indent
    joined = ", ".join(arguments)
    if len(space + head + joined + tail) + 2 <= WIDTH:
        return [f"{space}{head}({joined}){tail}"]
    if len(space) + 4 + len(joined) <= WIDTH:
        return [f"{space}{head}(", f"{space}    {joined}", f"{space}){tail}"]
    return [f"{space}{head}(", *(f"{space}    {each}," for each in arguments), f"{space}){tail}"]


def parameter_lines(head: str, parameters: Sequence[str]) -> list[str]:
    """A function's first lines, one parameter on each, as kernels are written here."""
    return [f"{head}(", *(f"    {each}," for each in parameters), ") -> None:"]


def import_lines(module: str, names: Sequence[str]) -> list[str]:
    joined = ", ".join(sorted(names))
    line = f"from {module} import {joined}"
    if len(line) <= WIDTH:
        return [line]
    return [f"from {module} import (", *(f"    {each}," for each in sorted(names)), ")"]


def comment_lines(text: str) -> list[str]:
    """A comment of as many lines as it takes."""
    lines, line = [], "#"
    for word in text.split():
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = "#"
        line += f" {word}"
    return [*lines, line]
