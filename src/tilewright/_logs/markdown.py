# SPDX-License-Identifier: Apache-2.0
"""Markdown as execution logs use it: headings, labels in bold, lists, tables, code, each with its line.

Reading is tolerant and never fails; :func:`escape` and :func:`plain` are each other's inverse for any text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tilewright._tensor.argument import require


@dataclass(frozen=True)
class TableRow:
    """One row of a table: its cells by column name (lower case), as plain text."""

    cells: dict[str, str]
    line: int

    def get(self, *names: str) -> str:
        """The first column whose name is, or failing that begins with, one of ``names``."""
        for name in names:
            if name in self.cells:
                return self.cells[name]
        for name in names:
            for column, cell in self.cells.items():
                if column.startswith(name):
                    return cell
        return ""


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
    """A line of text under a label of its section."""

    text: str
    line: int
    label: str = ""


class Item(TextLine):
    """A list item."""


class Paragraph(TextLine):
    """One line of running text."""


class Code(TextLine):
    """One line inside a fenced block."""


Block = Table | Field | Item | Paragraph | Code


@dataclass
class Section:
    """A heading and what stands under it, up to the next heading. ``parents`` are the headings it lies in."""

    title: str
    level: int
    line: int
    parents: tuple[str, ...] = ()
    blocks: list[Block] = field(default_factory=list)

    @property
    def path(self) -> tuple[str, ...]:
        """Headings from the outermost to this one."""
        return (*self.parents, self.title)

    def tables(self) -> list[Table]:
        return [block for block in self.blocks if isinstance(block, Table)]

    def texts(self) -> list[TextLine]:
        return [block for block in self.blocks if isinstance(block, TextLine)]


_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*$")
_FENCE = re.compile(r"\s*(```|~~~)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(.*)$")
_FIELD = re.compile(r"\*\*(?P<name>(?:(?!\*\*).)+?)(?::\*\*|\*\*(?P<aside>[^:*]{0,80}?):)(?=\s|$)\s*(?P<value>.*)$")
_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$")


def read_sections(text: str) -> list[Section]:
    """The sections of a document, in order; the first holds what stands before any heading."""
    return _Reader(require("text", text, str, "Markdown, as a str")).sections


class _Reader:
    def __init__(self, text: str) -> None:
        self.lines = text.replace("\r\n", "\n").split("\n")
        self.sections = [Section("", 0, 1)]
        self.label = ""
        self.position = 0
        while self.position < len(self.lines):
            self._read_block()

    def _read_block(self) -> None:
        line = self.lines[self.position]
        heading = _HEADING.match(line)
        if _FENCE.match(line):
            self._read_code()
        elif heading:
            self._open_section(len(heading.group(1)), plain(heading.group(2)))
        elif self._at_table():
            self._read_table()
        else:
            self._read_line(line)
            self.position += 1

    def _add(self, block: Block) -> None:
        self.sections[-1].blocks.append(block)

    def _open_section(self, level: int, title: str) -> None:
        above = [section for section in self.sections if section.level > 0]
        parents: list[str] = []
        below = level
        for section in reversed(above):
            if section.level < below:
                parents.insert(0, section.title)
                below = section.level
        self.position += 1
        self.sections.append(Section(title, level, self.position, tuple(parents)))
        self.label = ""

    def _read_code(self) -> None:
        self.position += 1
        while self.position < len(self.lines) and not _FENCE.match(self.lines[self.position]):
            self._add(Code(self.lines[self.position].strip(), self.position + 1, self.label))
            self.position += 1
        self.position += 1

    def _at_table(self) -> bool:
        following = self.lines[self.position + 1] if self.position + 1 < len(self.lines) else ""
        return "|" in self.lines[self.position] and "|" in following and bool(_RULE.match(following))

    def _read_table(self) -> None:
        columns = tuple(plain(cell).lower() for cell in split_row(self.lines[self.position]))
        self.position += 2
        rows: list[TableRow] = []
        while self.position < len(self.lines) and "|" in self.lines[self.position]:
            cells = [plain(cell) for cell in split_row(self.lines[self.position])]
            cells += [""] * (len(columns) - len(cells))
            self.position += 1
            rows.append(TableRow(dict(zip(columns, cells, strict=False)), self.position))
        self._add(Table(columns, tuple(rows)))

    def _read_line(self, line: str) -> None:
        number = self.position + 1
        if not line.strip() or re.fullmatch(r"\s*(-{3,}|\*{3,})\s*", line):
            return
        item = _ITEM.match(line)
        text = item.group(1) if item else line.strip()
        named = _FIELD.match(text)
        if named:
            name = plain(named.group("name") + (named.group("aside") or ""))
            self._add(Field(name, plain(named.group("value")), number))
            if not item:
                self.label = name
        elif item:
            self._add(Item(plain(text), number, self.label))
        else:
            self._add(Paragraph(plain(text), number, self.label))


def split_row(line: str) -> list[str]:
    """The cells of a table's line; an escaped ``|`` does not end one."""
    cells = re.split(r"(?<!\\)((?:\\\\)*)\|", line.strip())
    joined = [text + slashes for text, slashes in zip(cells[::2], [*cells[1::2], ""], strict=True)]
    if joined and not joined[0].strip():
        joined = joined[1:]
    if joined and not joined[-1].strip():
        joined = joined[:-1]
    return [cell.strip() for cell in joined]


_PLAIN = re.compile(
    r"\\(?P<escaped>[\\`*|<#\-+.)\[\]!_{}(>~])"
    r"|(?P<code>(?P<ticks>`+)(?P<inner>.+?)(?P=ticks))"
    r"|(?P<bold>\*\*)"
    r"|(?P<newline><br\s*/?>)"
    r"|&(?P<entity>amp|lt|gt|#\d+);"
)
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">"}


def plain(text: str) -> str:
    """Text without Markdown's marks: bold and code marks go, escapes become what they stand for.

    >>> plain("`c_0` has **2\\\\*Wt** pages")
    'c_0 has 2*Wt pages'
    """

    def meaning(found: re.Match[str]) -> str:
        if found["escaped"]:
            return found["escaped"]
        if found["code"]:
            return found["inner"]
        if found["newline"]:
            return "\n"
        if found["entity"]:
            name = found["entity"]
            return _ENTITIES[name] if name in _ENTITIES else chr(int(name[1:]))
        return ""

    return _PLAIN.sub(meaning, text.strip())


def escape(text: str) -> str:
    """Text written so that :func:`plain` gives it back, in a table's cell or a line of its own.

    >>> escape("a|b")
    'a\\\\|b'
    """
    marked = re.sub(r"[\\`|<]|\*\*|(?<=\*)\*|^\*|\*$", lambda found: _backslashed(found.group(0)), text)
    marked = re.sub(r"&(?=amp;|lt;|gt;|#\d+;)", "&amp;", marked)
    marked = marked.replace("\n", "<br>")
    marked = re.sub(r"[\x00-\x1f\x7f\x85\u2028\u2029]", _entity, marked)
    marked = re.sub(r"#$", "&#35;", marked)  # a heading may end in marks that are not part of it
    marked = re.sub(r"^\s+|\s+$", lambda found: "".join(f"&#{ord(character)};" for character in found.group(0)), marked)
    # What would begin a heading, a list, a rule or a fence at the start of a line.
    return re.sub(r"^(?=[#+\-~])", r"\\", re.sub(r"^(\d+)(?=[.)])", r"\1\\", marked))


def _backslashed(mark: str) -> str:
    return "".join("\\" + character for character in mark)


def _entity(found: re.Match[str]) -> str:
    return f"&#{ord(found.group(0))};"
