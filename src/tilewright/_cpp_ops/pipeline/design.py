# SPDX-License-Identifier: Apache-2.0
"""The circular buffers of a design document, ``op_design.md``: rows of its tables, and the numbers it defines.

Designs differ in their columns. A table counts as one of circular buffers if it has a column of pages (``Pages``,
``Num Pages``, ``Capacity``) and names an index for its rows (``Index``, ``CB ID``, ``CB``).
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from tilewright._cpp_ops.operation_folder import OperationFolder
from tilewright._display.markdown import Table, TableRow, read_sections

_PAGES = ("num pages", "num_pages", "pages", "capacity", "page count")
_INDEX = ("index", "cb id", "cb index", "cb", "id")
_FORMAT = ("format", "data format", "data type", "dtype")
_BASES = {"in": 0, "out": 16, "intermed": 24}
_CONDITIONAL = re.compile(r"\bonly\b|\boptional\b|\bwhen\b|\bif\b|\bpresent\b", re.IGNORECASE)


@dataclass(frozen=True)
class DesignedBuffer:
    """One row: what the design says of a circular buffer, in its own words."""

    index: int
    name: str
    pages: str
    page_size: str
    format: str
    is_conditional: bool  # a program may be without it
    line: int


@dataclass(frozen=True)
class Design:
    """A document and the circular buffers in it."""

    path: Path
    buffers: tuple[DesignedBuffer, ...]
    values: Mapping[str, int] = field(default_factory=dict)  # of parameters with a number as their default


def find_design(folder: OperationFolder) -> Path | None:
    """The design document of an operation, if it has one."""
    names = ("op_design.md", "device/op_design.md", f"{folder.name}_spec.md")
    return next((folder.root / name for name in names if (folder.root / name).is_file()), None)


def read_design(path: Path) -> Design:
    """The circular buffers and numbers of a document."""
    buffers: list[DesignedBuffer] = []
    values: dict[str, int] = {}
    for section in read_sections(path.read_text(encoding="utf-8", errors="replace")):
        for table in section.tables():
            buffers += _buffers(table)
            values |= _values(table)
    return Design(path, tuple(buffers), values)


def _buffers(table: Table) -> list[DesignedBuffer]:
    if not any(table.has(name) for name in _PAGES) or not any(name in table.columns for name in _INDEX):
        return []
    found = []
    for row in table.rows:
        index = _index(row)
        if index is not None:
            whole = " ".join(row.cells.values())
            found.append(
                DesignedBuffer(
                    index,
                    row.get("semantic name", "name") or f"c_{index}",
                    row.get(*_PAGES),
                    row.cells.get("page size", row.cells.get("page_size", "")),
                    next((row.cells[name] for name in _FORMAT if name in row.cells), ""),
                    bool(_CONDITIONAL.search(whole)),
                    row.line,
                )
            )
    return found


def _index(row: TableRow) -> int | None:
    """The index that a row names: ``c_3``, ``3``, ``CB_3``, ``c_in0``, ``tt::CBIndex::c_3``, ``3 (cb_mean)``."""
    for column in _INDEX:
        text = row.cells.get(column, "").strip()
        based = re.search(r"\bc_(in|out|intermed)(\d+)\b", text)
        if based:
            return _BASES[based[1]] + int(based[2])
        plain = re.search(r"(?:\bc_|\bcb[_ ]?|^)(\d+)\b", text, re.IGNORECASE)
        if plain:
            return int(plain[1])
    return None


def _values(table: Table) -> dict[str, int]:
    """Parameters whose default is a number: the design's block factors."""
    if not table.has("default") or not any(name in table.columns for name in ("name", "parameter")):
        return {}
    found = {}
    for row in table.rows:
        name, default = row.get("name", "parameter"), row.get("default")
        if name.isidentifier() and default.isdigit():
            found[name] = int(default)
    return found


_FUNCTIONS: dict[str, Callable[..., Fraction | int]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "min": min,
    "max": max,
    "div_up": lambda value, by: -(-value // by),
}


def amount(text: str, values: Mapping[str, int]) -> int | None:
    """The number that a cell says, or None if it is no formula of known names.

    >>> amount("2·Wt (double buffered)", {"Wt": 4}), amount("ceil(W/32) tiles", {"W": 100}), amount("c_q", {})
    (8, 4, None)
    """
    plain = re.sub("[\u00b7\u00d7\u2219]", "*", text).replace("\u2212", "-").strip()
    for candidate in (plain, re.split(r"\s*[(,;]", plain)[0], re.sub(r"\s*\([^()]*\)\s*$", "", plain)):
        words = re.sub(r"\s+(?:pages?|tiles?|sticks?)$", "", candidate.strip())
        words = re.sub(r"(?<![\w.])(\d+)\s*(?=[A-Za-z_])", r"\1*", words)
        try:
            value = _evaluated(ast.parse(words, mode="eval").body, values)
        except (SyntaxError, ValueError, KeyError, TypeError, ZeroDivisionError):
            continue
        if value == int(value):
            return int(value)
    return None


def _evaluated(node: ast.expr, values: Mapping[str, int]) -> Fraction:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return Fraction(node.value)
    if isinstance(node, ast.Name):
        return Fraction(values[node.id])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return Fraction(_FUNCTIONS[node.func.id](*(_evaluated(each, values) for each in node.args)))
    if isinstance(node, ast.BinOp):
        left, right = _evaluated(node.left, values), _evaluated(node.right, values)
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - right
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, ast.Div):
            return left / right
        if isinstance(node.op, ast.FloorDiv):
            return Fraction(left // right)
    raise ValueError(ast.dump(node))
