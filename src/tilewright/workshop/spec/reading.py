# SPDX-License-Identifier: Apache-2.0
"""From the file to the model: every table and key is known, present and of its type, or refused with its line."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from tilewright.workshop.spec.findings import SpecError, did_you_mean
from tilewright.workshop.spec.model import (
    BufferSpec,
    Output,
    Parameter,
    PhaseSpec,
    Place,
    Requirement,
    Spec,
    TestCase,
    Vector,
    Work,
)
from tilewright.workshop.spec.toml import Table, parse_toml

SECTIONS = ("operation", "parameters", "requirement", "output", "vector", "buffer", "phase", "work", "test")
PROPERTIES = ("rank", "layout", "interleaved", "on_device", "dtype", "width")
OUTPUT_SHAPES = ("same", "last dimension 1")
FORMATS = ("input", "bfloat16", "float32")
KERNELS = ("reader", "compute", "writer")
DATA = ("normal", "offset", "constant", "alternating", "spike", "arange", "tiny")
_KINDS = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    Table: "a table",
}


def read_spec(path: Path | str) -> Spec:
    """The spec of a file, or the ``spec.toml`` of a directory.

    Raises:
        SpecError: it is not there, or not a spec; file, line and cure are in the message.
    """
    file = Path(path)
    if file.is_dir():
        file = file / "spec.toml"
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise SpecError(str(file), 1, f"cannot be read: {error.strerror}", "name a spec.toml") from None
    except UnicodeDecodeError as error:
        line = file.read_bytes()[: error.start].count(b"\n") + 1
        raise SpecError(str(file), line, "is not UTF-8", "save it as UTF-8") from None
    return parse_spec(text, file)


def parse_spec(text: str, path: Path | str = "spec.toml") -> Spec:
    """The spec that a text says; ``path`` is what errors call it."""
    return _Reader(parse_toml(text, str(path)), str(path), text).spec()


class _Reader:
    def __init__(self, document: Table, path: str, text: str) -> None:
        self._document = document
        self._path = path
        self._text = text

    def spec(self) -> Spec:
        document = self._document
        self._only(document, SECTIONS, "a spec")
        for name in ("operation", "output", "work"):
            if name not in document:
                self._fail(1, f"[{name}] is missing", f"add a table [{name}]; docs/workshop.md shows one")
        operation = self._table(document, "operation")
        self._only(operation, ("name", "formula", "summary", "torch", "like"), "[operation]")
        return Spec(
            name=self._name(operation, "[operation]"),
            formula=self._text_of(operation, "formula", "[operation]"),
            summary=self._text_of(operation, "summary", "[operation]"),
            torch=self._text_of(operation, "torch", "[operation]"),
            like=self._text_of(operation, "like", "[operation]", ""),
            parameters=self._parameters(),
            requirements=tuple(self._requirement(each) for each in self._tables("requirement")),
            output=self._output(self._table(document, "output")),
            vectors=tuple(self._vector(each) for each in self._tables("vector")),
            buffers=tuple(self._buffer(each) for each in self._tables("buffer", required=True)),
            phases=tuple(self._phase(each) for each in self._tables("phase", required=True)),
            work=self._work(self._table(document, "work")),
            tests=tuple(self._test(each) for each in self._tables("test", required=True)),
            place=_place(operation),
            path=Path(self._path),
            text=self._text,
        )

    # The tables -------------------------------------------------------------------------------------------------------

    def _parameters(self) -> tuple[Parameter, ...]:
        if "parameters" not in self._document:
            return ()
        tables = self._table(self._document, "parameters")
        parameters = []
        for name in tables:
            table, where = self._table(tables, name), f"[parameters.{name}]"
            self._only(table, ("default", "range", "error"), where)
            parameters.append(
                Parameter(
                    name=name,
                    default=float(self._get(table, "default", float, where)),
                    range=self._text_of(table, "range", where),
                    error=self._text_of(table, "error", where),
                    place=_place(table),
                )
            )
        return tuple(parameters)

    def _requirement(self, table: Table) -> Requirement:
        self._only(table, ("property", "rule", "error"), "[[requirement]]")
        return Requirement(
            property=self._choice(table, "property", PROPERTIES, "[[requirement]]"),
            rule=self._text_of(table, "rule", "[[requirement]]"),
            error=self._text_of(table, "error", "[[requirement]]", ""),
            place=_place(table),
        )

    def _output(self, table: Table) -> Output:
        self._only(table, ("shape", "dtype"), "[output]")
        return Output(
            shape=self._choice(table, "shape", OUTPUT_SHAPES, "[output]"),
            dtype=self._choice(table, "dtype", ("input",), "[output]"),
            place=_place(table),
        )

    def _vector(self, table: Table) -> Vector:
        self._only(table, ("name", "rule"), "[[vector]]")
        name = self._name(table, "[[vector]]")
        return Vector(name=name, rule=self._text_of(table, "rule", "[[vector]]"), place=_place(table))

    def _buffer(self, table: Table) -> BufferSpec:
        keys = ("index", "name", "pages", "page", "format", "producer", "consumer", "lifetime", "holds", "purpose")
        where = "[[buffer]]"
        self._only(table, keys, where)
        pages = self._get(table, "pages", (str, int), where)
        return BufferSpec(
            index=self._get(table, "index", int, where),
            name=self._name(table, where),
            pages=str(pages),
            page=self._choice(table, "page", ("tile", "stick"), where, "tile"),
            format=self._choice(table, "format", FORMATS, where, "input"),
            producer=self._choice(table, "producer", KERNELS, where),
            consumer=self._choice(table, "consumer", KERNELS, where),
            lifetime=self._text_of(table, "lifetime", where),
            purpose=self._text_of(table, "purpose", where),
            holds=self._text_of(table, "holds", where, ""),
            place=_place(table),
        )

    def _phase(self, table: Table) -> PhaseSpec:
        contract = ("waits", "pops", "pushes", "needs", "gives")
        where = "[[phase]]"
        self._only(table, ("name", "call", "reference", "summary", "once", "each", *contract), where)
        return PhaseSpec(
            name=self._name(table, where),
            call=self._text_of(table, "call", where),
            reference=self._text_of(table, "reference", where),
            summary=self._text_of(table, "summary", where, ""),
            once=bool(self._get(table, "once", bool, where, False)),
            each=self._choice(table, "each", ("row", "block"), where, "row"),
            place=_place(table),
            **{key: self._texts(table, key) for key in contract if key in table},
        )

    def _work(self, table: Table) -> Work:
        self._only(table, ("unit", "count", "passes"), "[work]")
        return Work(
            unit=self._choice(table, "unit", ("tile-row",), "[work]"),
            count=self._text_of(table, "count", "[work]"),
            passes=self._get(table, "passes", int, "[work]", 0),
            place=_place(table),
        )

    def _test(self, table: Table) -> TestCase:
        where = "[[test]]"
        self._only(table, ("name", "shape", "dtype", "data", "bound", "rtol", "atol", "why"), where)
        numbers = {key: self._get(table, key, float, where, None) for key in ("bound", "rtol", "atol")}
        return TestCase(
            name=self._text_of(table, "name", where),
            shape=self._shape(table),
            dtype=self._choice(table, "dtype", FORMATS[1:], where, "bfloat16"),
            data=self._choice(table, "data", DATA, where, "normal"),
            why=self._text_of(table, "why", where, ""),
            place=_place(table),
            **{key: None if value is None else float(value) for key, value in numbers.items()},
        )

    def _shape(self, table: Table) -> tuple[int, ...]:
        sides = self._get(table, "shape", list, "[[test]]")
        if len(sides) < 2 or not all(isinstance(side, int) and side > 0 for side in sides):
            self._fail(
                table.line_of("shape"), f"shape = {sides} is no shape", "write two or more sides: [2, 3, 64, 96]"
            )
        return tuple(sides)

    # Single entries ---------------------------------------------------------------------------------------------------

    def _fail(self, line: int, what: str, cure: str) -> NoReturn:
        raise SpecError(self._path, line, what, cure)

    def _only(self, table: Table, known: Sequence[str], where: str) -> None:
        for key in table:
            if key not in known:
                hint = did_you_mean(key, known)
                self._fail(table.line_of(key), f"{key} is nothing {where} has{hint}", f"allowed: {', '.join(known)}")

    def _tables(self, key: str, required: bool = False) -> Iterable[Table]:
        found = self._document.get(key, [])
        if not isinstance(found, list) or not all(isinstance(each, Table) for each in found):
            self._fail(self._document.line_of(key), f"{key} is no list of tables", f"begin each one with [[{key}]]")
        if required and not found:
            self._fail(1, f"there is no [[{key}]]", f"add at least one table [[{key}]]")
        return found

    def _table(self, parent: Table, key: str) -> Table:
        found = parent[key]
        if not isinstance(found, Table):
            self._fail(parent.line_of(key), f"{key} is no table", f"write [{key}] and its entries below")
        return found

    def _get(self, table: Table, key: str, kind: Any, where: str, *default: Any) -> Any:
        if key not in table:
            if default:
                return default[0]
            self._fail(table.line, f"{where} has no {key}", f"add `{key} = ...`")
        value = table[key]
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if float in kinds:
            kinds = (*kinds, int)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            wanted = " or ".join(_KINDS[each] for each in (kind if isinstance(kind, tuple) else (kind,)))
            self._fail(table.line_of(key), f"{key} = {value!r} of {where} is not {wanted}", f"write {wanted}")
        return value

    def _text_of(self, table: Table, key: str, where: str, *default: str) -> str:
        text: str = self._get(table, key, str, where, *default)
        if not text.strip() and not default:
            self._fail(table.line_of(key), f"{key} of {where} is empty", "write what it is, in a few words")
        return text

    def _texts(self, table: Table, key: str) -> dict[str, str]:
        inner = self._get(table, key, Table, "[[phase]]")
        return {name: self._text_of(inner, name, key) for name in inner}

    def _choice(self, table: Table, key: str, allowed: Sequence[str], where: str, *default: str) -> str:
        value: str = self._get(table, key, str, where, *default)
        if value not in allowed:
            hint = did_you_mean(value, allowed)
            cure = f"allowed: {', '.join(allowed)}"
            self._fail(table.line_of(key), f'{key} = "{value}" of {where} means nothing{hint}', cure)
        return value

    def _name(self, table: Table, where: str) -> str:
        name = self._text_of(table, "name", where)
        if not name.isidentifier() or name.startswith("_") or keyword.iskeyword(name):
            cure = "write letters, digits and underscores, beginning with a letter, and no word of Python"
            self._fail(table.line_of("name"), f"{name!r} is no name", cure)
        return name


def _place(table: Table) -> Place:
    return Place(table.line, dict(table.lines))
