# SPDX-License-Identifier: Apache-2.0
"""Reads what C++ files declare: functions and enumerations of headers, rows of tables."""

from __future__ import annotations

import ast
import dataclasses
import functools
import re
from collections.abc import Iterator
from pathlib import Path

_FUNCTION = re.compile(
    r"(?:^ *template <(?P<template>[^<>]*)>\n)?"
    r"^ *(?:ALWI|FORCE_INLINE) (?P<constexpr>constexpr )?(?P<returns>[\w:]+) (?P<name>\w+)"
    r"\((?P<parameters>[^()]*(?:\(\)[^()]*)*)\)",
    re.MULTILINE,
)
_ENUMERATION = re.compile(r"^enum class (\w+)(?: : [\w:]+)? \{([^{}]*)\};", re.MULTILINE)
_MACRO = re.compile(r"^#define (TW_\w+)\(([^)]*)\)((?:.*\\\n)*.*)$", re.MULTILINE)
_INLINE = re.compile(r"\b(?:ALWI|FORCE_INLINE|inline)\b[^;{}()#]*?\b([A-Za-z_]\w*)\s*\(")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_BRACKETS = {pair[0]: re.compile(f"[{re.escape(pair)}]") for pair in ("<>", "()", "[]", "{}")}
_COMMA = re.compile(r", (?![^<]*>)")
_UNIMPORTANT = re.compile(r"\[\[\w+\]\] |\bstd::|\bconst ")


@dataclasses.dataclass(frozen=True)
class CppParameter:
    """A parameter of a function or template; ``default`` is empty where it must be given."""

    type: str
    name: str
    default: str

    def __str__(self) -> str:
        return f"{self.type} {self.name}" + (f" = {self.default}" if self.default else "")


@dataclasses.dataclass(frozen=True)
class CppDeclaration:
    """A C++ function."""

    name: str
    template: tuple[CppParameter, ...]
    parameters: tuple[CppParameter, ...]
    returns: str = "void"
    is_constexpr: bool = False

    def __str__(self) -> str:
        template = f"template <{', '.join(map(str, self.template))}> " if self.template else ""
        return f"{template}{self.returns} {self.name}({', '.join(map(str, self.parameters))})"


def cpp_declarations(text: str) -> Iterator[CppDeclaration]:
    """The functions of the kernel API in a header's text: those marked with tt-metal's ALWI or FORCE_INLINE.

    Helpers and earlier spellings are plain ``inline``.

    >>> [each.name for each in cpp_declarations("ALWI void mask_tile_init() { }")]
    ['mask_tile_init']
    """
    for found in _FUNCTION.finditer(with_macros_expanded(text)):
        yield CppDeclaration(
            found["name"],
            cpp_parameters(found["template"] or ""),
            cpp_parameters(found["parameters"]),
            found["returns"].removeprefix("std::"),
            found["constexpr"] is not None,
        )


@dataclasses.dataclass(frozen=True)
class CppBody:
    """A function that a header defines: the header's text, where the function begins in it, and its parts."""

    name: str
    text: str
    begin: int
    parameters: str
    body: str


def cpp_bodies(text: str) -> Iterator[CppBody]:
    """The inline functions that a header's text defines, helpers and earlier spellings too.

    >>> [(each.name, each.body) for each in cpp_bodies("inline void init() { tw_sfpu_init(0); }")]
    [('init', '{ tw_sfpu_init(0); ')]
    """
    text = with_macros_expanded(_COMMENT.sub("", text))
    for head in _INLINE.finditer(text):
        end = closing_bracket(text, head.end() - 1)
        begin = text.find("{", end)
        if begin >= 0 and ";" not in text[end:begin]:  # else it is a declaration
            body = text[begin : closing_bracket(text, begin)]
            yield CppBody(head[1], text, head.start(), text[head.end() : end], body)


def closing_bracket(text: str, start: int) -> int:
    """Where the bracket at ``start`` closes."""
    opening, depth = text[start], 0
    for bracket in _BRACKETS[opening].finditer(text, start):
        depth += 1 if bracket[0] == opening else -1
        if depth == 0:
            return bracket.start()
    return len(text)


def cpp_enumerations(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The scoped enumerations of a header's text, each with its enumerators.

    >>> list(cpp_enumerations("enum class SrcOrder : uint8_t { Regular = 0, Reverse = 1 };"))
    [('SrcOrder', ('Regular', 'Reverse'))]
    """
    for name, body in _ENUMERATION.findall(text):
        yield name, tuple(re.findall(r"(?:^|,)\s*(\w+)", body))


def with_macros_expanded(text: str) -> str:
    """A header's text with the functions that its own macros write, each call of a macro on a line of its own."""
    macros = _MACRO.findall(text)
    text = _MACRO.sub("", text) if macros else text
    for name, names, body in macros:
        for call in list(re.finditer(rf"^{name}\(([^)]*)\)$", text, re.MULTILINE)):
            written = re.sub(r"\s*##\s*", "\0", body.replace(" \\\n    ", "\n"))
            for parameter, argument in zip(names.split(","), call[1].split(","), strict=True):
                written = re.sub(rf"\b{parameter.strip()}\b", argument.strip(), written)
            text = text.replace(call[0], written.replace("\0", "") + "\n")
    return text


@functools.cache
def cpp_parameters(text: str) -> tuple[CppParameter, ...]:
    """The parameters of a list, without ``const`` and ``std::``. One without a name has an empty name.

    >>> [str(each) for each in cpp_parameters("const std::uint32_t icb, bool transpose = false")]
    ['uint32_t icb', 'bool transpose = false']
    """
    found = []
    for part in filter(None, _COMMA.split(_UNIMPORTANT.sub("", " ".join(text.split())))):
        declared, _, default = part.partition(" = ")
        kind, _, name = declared.rpartition(" ")
        found.append(CppParameter(kind, name, default) if kind else CppParameter(declared, "", default))
    return tuple(found)


def macro_calls(table: Path) -> Iterator[ast.Call]:
    """The rows of a table that C++ includes: calls of macros in Python's syntax as well as in C++'s."""
    text = re.sub(r"^//.*$", "", table.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for statement in ast.parse(text, str(table)).body:
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
            raise ValueError(f"{table}:{statement.lineno}: a row is TW_...(...)")
        yield statement.value
