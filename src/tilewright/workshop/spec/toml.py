# SPDX-License-Identifier: Apache-2.0
"""TOML with line numbers: every key knows where it stands, so that a refusal can say where.

All of TOML 1.0 that specs use: tables, arrays of tables, dotted keys, the four kinds of strings, numbers, booleans,
arrays and inline tables. Dates are refused.
"""

from __future__ import annotations

import re
from typing import Any

from tilewright.workshop.spec.findings import SpecError

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_NUMBER = re.compile(
    r"[+-]?(?:inf|nan|0x[0-9A-Fa-f_]+|0o[0-7_]+|0b[01_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d[\d_]*)?)"
)
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}


class Table(dict[str, Any]):
    """A table: its entries, the line it begins on, and the line of each key."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}

    def line_of(self, key: str) -> int:
        return self.lines.get(key, self.line)


def parse_toml(text: str, path: str) -> Table:
    """The document as nested tables.

    >>> document = parse_toml("[work]\\nunit = 'tile-row'", "spec.toml")
    >>> document["work"].line_of("unit")
    2

    Raises:
        SpecError: the text is not TOML; it names the line.
    """
    return _Parser(text.replace("\r\n", "\n"), path).document()


class _Parser:
    def __init__(self, text: str, path: str) -> None:
        self._text = text
        self._path = path
        self._at = 0

    def document(self) -> Table:
        root = Table(1)
        current = root
        headers: set[int] = set()
        while self._skip_blank():
            if self._text.startswith("[[", self._at):
                current = self._array_of_tables(root)
            elif self._peek() == "[":
                current = self._table(root, headers)
            else:
                self._entry(current)
            self._end_of_line()
        return root

    # Where we are -----------------------------------------------------------------------------------------------------

    @property
    def _line(self) -> int:
        return self._text.count("\n", 0, self._at) + 1

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _error(self, what: str, cure: str, line: int | None = None) -> SpecError:
        return SpecError(self._path, line or self._line, what, cure)

    def _rest_of_line(self) -> str:
        return self._text[self._at :].split("\n", 1)[0].strip()

    def _skip_spaces(self) -> None:
        while self._peek() in (" ", "\t"):
            self._at += 1

    def _skip_blank(self) -> bool:
        """Past spaces, empty lines and comments; whether anything follows."""
        while True:
            while self._peek() and self._peek() in " \t\n":
                self._at += 1
            if self._peek() != "#":
                return self._at < len(self._text)
            self._at += len(self._text[self._at :].split("\n", 1)[0])

    def _end_of_line(self) -> None:
        self._skip_spaces()
        if self._peek() not in ("", "\n", "#"):
            raise self._error(f"`{self._rest_of_line()}` after a value", "write one entry on each line")

    def _expect(self, token: str, where: str) -> None:
        if not self._text.startswith(token, self._at):
            rest = self._rest_of_line()
            cure = f"write it before `{rest}`" if rest else f"write it, and what belongs to it: name {token} value"
            raise self._error(f"`{token}` is missing {where}", cure if token == "=" or rest else "write it there")
        self._at += len(token)

    # Tables -----------------------------------------------------------------------------------------------------------

    def _header(self, opening: str, closing: str) -> list[str]:
        self._expect(opening, "")
        path = self._keys()
        self._expect(closing, f"after [{'.'.join(path)}")
        return path

    def _table(self, root: Table, headers: set[int]) -> Table:
        line = self._line
        path = self._header("[", "]")
        table = self._descend(root, path, line)
        if id(table) in headers:
            raise self._error(f"[{'.'.join(path)}] is there twice", "put both into one table", line)
        headers.add(id(table))
        table.line = line
        return table

    def _array_of_tables(self, root: Table) -> Table:
        line = self._line
        *path, last = self._header("[[", "]]")
        parent = self._descend(root, path, line)
        array = parent.setdefault(last, [])
        if not isinstance(array, list):
            raise self._error(f"{last} is a table and an array of tables", f"write [[{last}]] every time", line)
        parent.lines.setdefault(last, line)
        array.append(Table(line))
        table: Table = array[-1]
        return table

    def _descend(self, table: Table, path: list[str], line: int) -> Table:
        for key in path:
            table.lines.setdefault(key, line)
            inner = table.setdefault(key, Table(line))
            if isinstance(inner, list) and inner and isinstance(inner[-1], Table):
                inner = inner[-1]
            if not isinstance(inner, Table):
                raise self._error(f"{key} has a value already (line {table.line_of(key)})", "rename one of them", line)
            table = inner
        return table

    def _entry(self, table: Table) -> None:
        line = self._line
        *path, key = self._keys()
        table = self._descend(table, path, line)
        self._expect("=", f"after {key}")
        self._skip_spaces()
        if key in table:
            raise self._error(f"{key} is there twice (line {table.line_of(key)} too)", "remove one of them", line)
        table.lines[key] = line
        table[key] = self._value(key)

    def _keys(self) -> list[str]:
        keys = []
        while True:
            self._skip_spaces()
            if self._peek() in ('"', "'"):
                keys.append(self._string())
            else:
                match = _BARE_KEY.match(self._text, self._at)
                if match is None:
                    raise self._error(f"`{self._rest_of_line()}` is no key", 'write entries as `key = "value"`')
                keys.append(match[0])
                self._at = match.end()
            self._skip_spaces()
            if self._peek() != ".":
                return keys
            self._at += 1

    # Values -----------------------------------------------------------------------------------------------------------

    def _value(self, key: str) -> Any:
        first = self._peek()
        if first in ('"', "'"):
            return self._string()
        if first == "[":
            return self._array(key)
        if first == "{":
            return self._inline_table(key)
        for word, value in (("true", True), ("false", False)):
            if self._text.startswith(word, self._at):
                self._at += len(word)
                return value
        return self._number(key)

    def _number(self, key: str) -> int | float:
        match = _NUMBER.match(self._text, self._at)
        following = self._text[match.end() : match.end() + 1] if match else ""
        if match is None or (following and following not in " \t\n,]}#"):
            raise self._error(
                f"{key} = {self._rest_of_line() or 'nothing'} is no value",
                'write texts in quotes ("tile"), numbers, true or false, or [lists]',
            )
        self._at = match.end()
        digits = match[0].replace("_", "")
        if re.fullmatch(r"[+-]?(?:\d+|0[xob][0-9A-Fa-f]+)", digits):
            return int(digits, 0 if digits.lstrip("+-")[:2] in ("0x", "0o", "0b") else 10)
        return float(digits)

    def _array(self, key: str) -> list[Any]:
        self._at += 1
        values: list[Any] = []
        while True:
            self._skip_blank()
            if self._peek() == "]":
                self._at += 1
                return values
            values.append(self._value(key))
            self._skip_blank()
            if self._peek() == ",":
                self._at += 1
            elif self._peek() != "]":
                raise self._error(f"`]` is missing after the list {key}", "end the list with `]`")

    def _inline_table(self, key: str) -> Table:
        table = Table(self._line)
        self._at += 1
        self._skip_spaces()
        if self._peek() == "}":
            self._at += 1
            return table
        while True:
            self._entry(table)
            self._skip_spaces()
            if self._peek() == "}":
                self._at += 1
                return table
            self._expect(",", f"between the entries of {key}")

    def _string(self) -> str:
        quote = self._peek()
        for delimiter in (quote * 3, quote):
            if self._text.startswith(delimiter, self._at):
                break
        begin = self._line
        self._at += len(delimiter)
        is_long = len(delimiter) == 3
        if is_long and self._peek() == "\n":
            self._at += 1
        parts = []
        while not self._text.startswith(delimiter, self._at):
            character = self._peek()
            if not character or (character == "\n" and not is_long):
                raise self._error("a text without an end", f"end it with {delimiter}", begin)
            if character == "\\" and quote == '"':
                parts.append(self._escape())
            else:
                parts.append(character)
                self._at += 1
        self._at += len(delimiter)
        return "".join(parts)

    def _escape(self) -> str:
        self._at += 1
        letter = self._peek()
        if letter in _ESCAPES and letter:
            self._at += 1
            return _ESCAPES[letter]
        if letter in ("u", "U"):
            length = 4 if letter == "u" else 8
            digits = self._text[self._at + 1 : self._at + 1 + length]
            if re.fullmatch(rf"[0-9A-Fa-f]{{{length}}}", digits):
                self._at += 1 + length
                return chr(int(digits, 16))
        if letter in (" ", "\t", "\n"):
            match = re.compile(r"[ \t]*\n\s*").match(self._text, self._at)
            if match:
                self._at = match.end()
                return ""
        raise self._error(f"\\{letter} means nothing in a text", "write a backslash as \\\\")
