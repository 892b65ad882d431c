# SPDX-License-Identifier: Apache-2.0
"""Markdown read into sections: headings, labels in bold, lists, tables, code, each with its line.

Reading never fails; :func:`plain` gives back text that :func:`escape` wrote.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class TableRow:
    """One row of a table: its cells by column name (lower case), as plain text."""

    cells: dict[str, str]
    line: int

    def get(self, *names: str) -> str:
        """The first column whose name is, or failing that begins with, one of ``names``."""
        exact = [self.cells[name] for name in names if name in self.cells]
        begun = [cell for name in names for column, cell in self.cells.items() if column.startswith(name)]
        return next(iter((*exact, *begun)), "")


@dataclass(frozen=True)
class Table:
    """A table."""

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]

    def has(self, *names: str) -> bool:
        """Whether for each name there is a column that begins with it."""
        return all(any(column.startswith(name) for column in self.columns) for name in names)


@dataclass(frozen=True)
class Field:
    """``**Name**: value``, as a line or a list item. Without a value it labels what follows."""

    name: str
    value: str
    line: int


@dataclass(frozen=True)
class TextLine:
    """A list item, a line of running text or of a fenced block, under a label of its section."""

    kind: Literal["item", "paragraph", "code"]
    text: str
    line: int
    label: str = ""


@dataclass
class Section:
    """A heading and its text up to the next heading. ``parents`` are the headings it lies in."""

    title: str
    level: int
    line: int
    parents: tuple[str, ...] = ()
    blocks: list[Table | Field | TextLine] = field(default_factory=list)

    @property
    def path(self) -> tuple[str, ...]:
        """Headings from the outermost to this one."""
        return (*self.parents, self.title)

    def tables(self) -> list[Table]:
        return [block for block in self.blocks if isinstance(block, Table)]

    def texts(self, *kinds: str) -> list[TextLine]:
        """Its lines of text; of these kinds, if any are given."""
        lines = [block for block in self.blocks if isinstance(block, TextLine)]
        return [each for each in lines if each.kind in kinds] if kinds else lines


_HEADING = re.compile(r"(#{1,6})\s+(.*?)(?:\s+#+)?\s*$")
_FENCE = re.compile(r"\s*(```|~~~)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(.*)$")
_FIELD = re.compile(r"\*\*(?P<name>(?:(?!\*\*).)+?)(?::\*\*|\*\*(?P<aside>[^:*]{0,80}?):)(?=\s|$)\s*(?P<value>.*)$")
_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$")
_LINE = re.compile(r"\s*(-{3,}|\*{3,})?\s*")


def read_sections(text: str) -> list[Section]:
    """The sections of a document, in order; the first holds the text before any heading."""
    return _Reader(text).sections


class _Reader:
    def __init__(self, text: str) -> None:
        self.lines = text.replace("\r\n", "\n").split("\n")
        self.sections = [Section("", 0, 1)]
        self.label = ""
        self.position = 0
        while self.position < len(self.lines):
            line, following = (*self.lines[self.position :], "")[:2]
            self.position += 1  # the number of the line
            heading = _HEADING.match(line)
            if _FENCE.match(line):
                self._read_code()
            elif heading:
                self._open_section(len(heading.group(1)), plain(heading.group(2)))
            elif "|" in line and "|" in following and _RULE.match(following):
                self._read_table(line)
            elif not _LINE.fullmatch(line):
                self._read_line(line)

    def _open_section(self, level: int, title: str) -> None:
        parents: list[str] = []
        below = level
        for section in reversed(self.sections[1:]):
            if section.level < below:
                parents.insert(0, section.title)
                below = section.level
        self.sections.append(Section(title, level, self.position, tuple(parents)))
        self.label = ""

    def _read_code(self) -> None:
        while self.position < len(self.lines) and not _FENCE.match(self.lines[self.position]):
            self.position += 1
            self.sections[-1].blocks.append(
                TextLine("code", self.lines[self.position - 1].strip(), self.position, self.label)
            )
        self.position += 1

    def _read_table(self, head: str) -> None:
        columns = tuple(plain(cell).lower() for cell in split_row(head))
        self.position += 1
        rows: list[TableRow] = []
        while self.position < len(self.lines) and "|" in self.lines[self.position]:
            cells = [plain(cell) for cell in split_row(self.lines[self.position])]
            cells += [""] * (len(columns) - len(cells))
            self.position += 1
            rows.append(TableRow(dict(zip(columns, cells, strict=False)), self.position))
        self.sections[-1].blocks.append(Table(columns, tuple(rows)))

    def _read_line(self, line: str) -> None:
        item = _ITEM.match(line)
        text = item.group(1) if item else line.strip()
        named = _FIELD.match(text)
        block: Field | TextLine
        if named:
            name = plain(named.group("name") + (named.group("aside") or ""))
            block = Field(name, plain(named.group("value")), self.position)
            self.label = self.label if item else name
        else:
            block = TextLine("item" if item else "paragraph", plain(text), self.position, self.label)
        self.sections[-1].blocks.append(block)


def split_row(line: str) -> list[str]:
    """The cells of a table's line; an escaped ``|`` does not end one."""
    cells = re.split(r"(?<!\\)((?:\\\\)*)\|", line.strip())
    joined = [text + slashes for text, slashes in zip(cells[::2], [*cells[1::2], ""], strict=True)]
    return [cell.strip() for cell in joined[not joined[0].strip() : len(joined) - (not joined[-1].strip())]]


_PLAIN = re.compile(
    r"\\(?P<escaped>[\\`*|<#\-+.)\[\]!_{}(>~])|(?P<ticks>`+)(?P<code>.+?)(?P=ticks)|\*\*|(?P<newline><br\s*/?>)"
)


def plain(text: str) -> str:
    """Text without Markdown's marks for bold, code, escapes and new lines.

    >>> plain("`c_0` has **2\\\\*Wt** pages")
    'c_0 has 2*Wt pages'
    """

    def meaning(found: re.Match[str]) -> str:
        return "\n" if found["newline"] else found["escaped"] or found["code"] or ""

    return _PLAIN.sub(meaning, text.strip())


def escape(text: str) -> str:
    """Text written so that :func:`plain` gives it back, in a table's cell or on a line.

    >>> escape("a|b")
    'a\\\\|b'
    """
    marked = re.sub(r"[\\`|<*#]", r"\\\g<0>", text.strip()).replace("\n", "<br>")
    # A list, a rule or a fence would begin at the start of a line.
    return re.sub(r"^(?=[-+~])|^(\d+)(?=[.)])", r"\1\\", marked)
