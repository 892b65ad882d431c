# SPDX-License-Identifier: Apache-2.0
"""Signatures of the kernel API and their notation.

A line of a table is ``name[template arguments](argument kind, ...) -> result``. A kind is a type's name ("u" is
uint32), ``cb``, ``tensor``, ``pointer``, ``format`` or an enumeration's name. "?" marks what may be left out, "=text"
as well; then the text stands in where a later argument is given. ``-> i`` is a C++ int that is never negative. A line
that begins with ``constexpr`` describes a function whose result is a constant if its arguments are.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from typing import Any


class KernelEnum(enum.Enum):
    """An enumeration of the kernel API; members are written in C++ with the same names."""


@dataclasses.dataclass(frozen=True)
class Argument:
    """One argument.

    Attributes:
        default: what C++ would take if it is left out, where that is known.
    """

    name: str
    kind: str
    is_optional: bool
    default: str | None = None


@dataclasses.dataclass(frozen=True)
class Signature:
    """One form of a function.

    Attributes:
        text: as messages show it.
        is_signed: C++ gives an int where kernels have a uint32.
        is_constexpr: the C++ compiler knows the result if it knows the arguments.
    """

    template: tuple[Argument, ...]
    arguments: tuple[Argument, ...]
    returns: str
    text: str
    is_signed: bool = False
    is_constexpr: bool = False

    def takes(self, count: int) -> bool:
        required = sum(not each.is_optional for each in self.arguments)
        return required <= count <= len(self.arguments)


@dataclasses.dataclass(frozen=True)
class ApiFunction:
    """A function of the kernel API. It can be called inside kernels only.

    Attributes:
        dataflow_header, compute_header: what to include; None where such kernels do not have the function.
        summary: what the functions of its header compute; empty where no table says it.
    """

    name: str
    signatures: tuple[Signature, ...]
    dataflow_header: str | None
    compute_header: str | None
    summary: str = ""

    def header(self, is_compute: bool) -> str | None:
        return self.compute_header if is_compute else self.dataflow_header

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        raise TypeError(f"{self.name} can be called inside a kernel only")

    def __getitem__(self, template: Any) -> Any:
        raise TypeError(f"{self.name}[...] can be called inside a kernel only")


@dataclasses.dataclass(frozen=True)
class ApiConstant:
    """A number of the kernel API, known to the C++ compiler: a uint32 in kernels, or a bool."""

    name: str
    is_bool: bool = False


_LINE = re.compile(
    r"(?P<constexpr>constexpr )?(?P<name>\w+)(?:\[(?P<template>[^]]*)\])?\((?P<arguments>[^)]*)\)"
    r"(?: -> (?P<returns>\w+))?$"
)
_KINDS = {"u": "uint32", "i": "uint32"}


def _arguments(text: str | None) -> tuple[Argument, ...]:
    arguments = []
    for part in (text or "").split(", "):
        if part:
            name, kind = part.split()
            plain, _, default = kind.rstrip("?").partition("=")
            is_optional = kind.endswith("?") or bool(default)
            arguments.append(Argument(name, _KINDS.get(plain, plain), is_optional, default or None))
    return tuple(arguments)


def _shown(line: str) -> str:
    """A signature as messages show it: without kinds."""
    plain = line.removeprefix("constexpr ").partition(" -> ")[0]
    return re.sub(r"(\w+) [\w?=:]+(?=[,)\]])", r"\1", plain)


def signature(line: str) -> tuple[str, Signature] | None:
    """The name and the signature a line describes; None if it is no signature."""
    match = _LINE.match(line)
    if match is None:
        return None
    returns = match["returns"] or "None"
    template, arguments = _arguments(match["template"]), _arguments(match["arguments"])
    kind, is_constexpr = _KINDS.get(returns, returns), match["constexpr"] is not None
    return match["name"], Signature(template, arguments, kind, _shown(line), returns == "i", is_constexpr)


def functions(lines: str, dataflow_header: str | None, compute_header: str | None) -> dict[str, ApiFunction]:
    """The functions of a table. A line that is no signature names the header of those that follow."""
    table: dict[str, ApiFunction] = {}
    for line in lines.split("\n"):
        found = signature(line)
        if found is None:
            compute_header = line or compute_header
            continue
        name, form = found
        earlier = table[name].signatures if name in table else ()
        table[name] = ApiFunction(name, (*earlier, form), dataflow_header, compute_header)
    return table
