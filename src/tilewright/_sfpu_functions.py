# SPDX-License-Identifier: Apache-2.0
"""Reads the table of the vector unit's functions, ``native/abi/sfpu_functions.inl``.

The notation is described at the head of that file.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import re
from pathlib import Path
from typing import Any

from tilewright._cpp_declarations import CppDeclaration, CppParameter, cpp_parameters, macro_calls

TABLE = Path(__file__).parent / "native" / "abi" / "sfpu_functions.inl"

_ARGUMENTS = {"unary": "idst", "binary": "idst0, idst1, odst", "ternary": "idst0, idst1, idst2, odst"}
_SHORT_PARAMETERS = {
    "dest": "bool is_fp32_dest_acc_en = false",
    "faces": "sfpu_call::Faces vector_mode = VectorMode::RC",
}
_SIGNATURE = re.compile(r"(\w+)(?:<(.*?)>)?(?:\((.*)\))?$")


@dataclasses.dataclass(frozen=True)
class SfpuFunction:
    """One row.

    Attributes:
        arity: ``unary``, ``binary`` or ``ternary``: how many tiles the operation takes.
        operation: its name in the engine.
        calls: today's functions, each of which calls the operation. Empty where a function of another row chooses it.
        inits: their init calls.
        older: earlier spellings and the function each of them calls.
        options: names without arguments (``pack``, ``masked``).
        formats: DataFormats its template argument allows.
        otherwise: a condition, and the operation where it holds.
        passes: template arguments that the operation gets as parameters.
        costs: cycles by column of the table: ``bh``, ``wh`` (16-bit DST, 32-bit DST), ``tile``.
    """

    arity: str
    operation: str
    calls: tuple[CppDeclaration, ...]
    inits: tuple[CppDeclaration, ...]
    older: tuple[tuple[CppDeclaration, str], ...]
    options: frozenset[str]
    formats: tuple[str, ...]
    otherwise: tuple[str, str] | None
    passes: tuple[str, ...]
    costs: dict[str, tuple[float, ...]]


@dataclasses.dataclass(frozen=True)
class SfpuHeader:
    """A header of ``api/compute`` and its rows.

    Attributes:
        summary: what its functions compute, in a sentence.
        include: NAME of ``SFPU_OP_NAME_INCLUDE``, with which stock kernels ask for it; empty where they cannot.
        also: files it includes besides.
        options: ``by_hand`` (the header is a file), ``blackhole_only``.
    """

    path: str
    summary: str
    include: str
    also: tuple[str, ...]
    options: frozenset[str]
    functions: tuple[SfpuFunction, ...]


@functools.cache
def sfpu_headers() -> tuple[SfpuHeader, ...]:
    """Every header of the table with its rows, in the order of the table.

    >>> next(header.functions[0].calls for header in sfpu_headers() if header.path.endswith("/gcd.h"))[0].name
    'gcd_tile'
    """
    headers: list[tuple[dict[str, Any], list[SfpuFunction]]] = []
    for call in macro_calls(TABLE):
        kind, values, named = _row(call)
        if kind == "header":
            headers.append(({"path": f"api/compute/{values[0]}", "summary": values[1], **_header(named)}, []))
        else:
            headers[-1][1].append(_function(kind, values, named))
    return tuple(SfpuHeader(functions=tuple(functions), **fields) for fields, functions in headers)


def sfpu_functions() -> list[SfpuFunction]:
    """Every row of the table."""
    return [function for header in sfpu_headers() for function in header.functions]


def _row(call: ast.Call) -> tuple[str, list[str], dict[str, list[Any]]]:
    """The kind of a row, its plain values, and its options by name with their arguments."""
    values: list[str] = []
    named: dict[str, list[Any]] = {}
    for node in call.args:
        if isinstance(node, ast.Call):
            named[_name(node.func)] = [_value(each) for each in node.args]
        elif isinstance(node, ast.Name) and node.id.islower():
            named[node.id] = []
        else:
            values.append(_value(node))
    return _name(call.func).removeprefix("TW_SFPU_").lower(), values, named


def _name(node: ast.expr) -> str:
    if not isinstance(node, ast.Name):
        raise ValueError(f"{TABLE}:{node.lineno}: a name is expected")
    return node.id


def _value(node: ast.expr) -> Any:
    """A text, a number, or a name as a text; ``None`` is the name of no constants."""
    if isinstance(node, ast.Constant):
        return "None" if node.value is None else node.value
    return _name(node)


def _header(named: dict[str, list[Any]]) -> dict[str, Any]:
    return {
        "include": named.pop("include", [""])[0],
        "also": tuple(named.pop("also", [])),
        "options": frozenset(named),
    }


def _function(kind: str, values: list[str], named: dict[str, list[Any]]) -> SfpuFunction:
    arity, operation = (values[0].lower(), values[1]) if kind == "also" else (kind, values[0])
    calls = tuple(_signature(each, _ARGUMENTS[arity]) for each in values[2:])
    default_init = [f"{calls[0].name}_init"] if calls else []
    inits = tuple(_signature(each, "") for each in named.pop("init", default_init))
    older = tuple(_older(each, calls, inits) for each in named.pop("older", []))
    otherwise = named.pop("or_if", None)
    return SfpuFunction(
        arity=arity,
        operation=operation,
        calls=calls,
        inits=inits,
        older=older,
        formats=tuple(named.pop("formats", [])),
        otherwise=None if otherwise is None else (otherwise[0], otherwise[1]),
        passes=tuple(named.pop("passes", [])),
        costs={name: tuple(named.pop(name)) for name in ("bh", "wh", "tile") if name in named},
        options=frozenset(named),
    )


def _signature(text: str, arguments: str) -> CppDeclaration:
    match = _SIGNATURE.match(text)
    if match is None:
        raise ValueError(f"{TABLE}: {text!r} is no signature")
    name, template, parameters = match.groups()
    return CppDeclaration(
        name, _parameters(template or ""), _parameters(arguments if parameters is None else parameters)
    )


def _parameters(text: str) -> tuple[CppParameter, ...]:
    """Parameters in the notation of the table."""
    spelled = [_SHORT_PARAMETERS.get(part, part) for part in filter(None, text.split(", "))]
    return cpp_parameters(
        ", ".join(part if " " in part.partition(" = ")[0] else f"uint32_t {part}" for part in spelled)
    )


def _older(
    text: str, calls: tuple[CppDeclaration, ...], inits: tuple[CppDeclaration, ...]
) -> tuple[CppDeclaration, str]:
    """An earlier spelling, with the parameters of the function it calls, and that function."""
    spelling, _, target = text.rpartition(" = ")
    called = next((each for each in (*calls, *inits) if each.name == target.partition("<")[0]), None)
    signature = _signature(spelling, "")
    if called is None:  # the name of a DataFormat
        called, target = calls[0], f"{calls[0].name}<DataFormat::{target}>"
    return dataclasses.replace(signature, parameters=called.parameters), target
