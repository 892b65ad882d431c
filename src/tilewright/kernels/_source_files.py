# SPDX-License-Identifier: Apache-2.0
"""Parsed Python files of kernels."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from typing import Any


class SourceFile:
    """A file's lines, and its statements by the line each begins in. A decorated function begins with a decorator."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self._statements: dict[int, ast.stmt] = {}
        for statement in _statements(ast.parse("".join(lines)).body):
            self._statements.setdefault(_first_line(statement), statement)

    def statement(self, line: int) -> ast.stmt | None:
        """The statement that begins in a line."""
        return self._statements.get(line)


_files: dict[str, SourceFile] = {}


def source_file(path: str, module_globals: dict[str, Any]) -> SourceFile:
    """The file as it is now; parsed again only if it has changed.

    Raises:
        OSError: there is no such file.
        SyntaxError: it is not Python.
    """
    linecache.checkcache(path)
    lines = linecache.getlines(path, module_globals)
    if not lines:
        raise OSError(f"{path} cannot be read")
    known = _files.get(path)
    if known is None or known.lines is not lines:  # linecache makes a new list when it reads a file again
        known = _files[path] = SourceFile(lines)
    return known


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        for name in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(statement, name, []))
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from _statements(part.body)


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])
