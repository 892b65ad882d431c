# SPDX-License-Identifier: Apache-2.0
"""Reads the functions and enumerations that C++ headers declare."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator

_FUNCTION = re.compile(
    r"(?:^ *template <(?P<template>[^<>]*)>\n)?"
    r"^ *(?:ALWI|FORCE_INLINE) (?P<constexpr>constexpr )?(?P<returns>[\w:]+) (?P<name>\w+)"
    r"\((?P<parameters>[^()]*(?:\(\)[^()]*)*)\)",
    re.MULTILINE,
)
_MACRO = re.compile(r"^#define (TW_\w+)\(([^)]*)\)((?:.*\\\n)*.*)$", re.MULTILINE)
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
