# SPDX-License-Identifier: Apache-2.0
"""Headers of the kernel API whose functions each call one operation of the vector unit.

Their functions are the rows of ``native/abi/sfpu_functions.inl``; the text of the headers is written here.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from tilewright._cpp_declarations import CppDeclaration, CppParameter
from tilewright._sfpu_functions import SfpuFunction, SfpuHeader, sfpu_headers

# DST indices that come before an operation's parameters.
_TILES = {"unary": 1, "binary": 3, "ternary": 4}
_FACES = ("vector_mode", "vec_mode")


@functools.cache
def generated_sfpu_headers() -> dict[str, str]:
    """The text of every such header by its path, and of the one that brings them by macro."""
    headers = {header.path: _text(header) for header in sfpu_headers() if "by_hand" not in header.options}
    return {**headers, "api/compute/eltwise_unary/sfpu_split_includes.h": _split_includes()}


def _split_includes() -> str:
    lines = [
        "// The host names the operations an element-wise kernel uses with SFPU_OP_..._INCLUDE.",
        "#pragma once",
        "",
    ]
    for header in sfpu_headers():
        if header.include:
            lines += [f"#ifdef SFPU_OP_{header.include}_INCLUDE", f'#include "{header.path}"', "#endif"]
    return "\n".join(lines) + "\n"


def _text(header: SfpuHeader) -> str:
    includes = ["tw/sfpu_calls.h", *header.also]
    lines = [f"// {header.summary}", "#pragma once", "", *(f'#include "{each}"' for each in includes), ""]
    body = ["namespace ckernel {", ""]
    for function in header.functions:
        body += _functions(function)
    body += ["", "}  // namespace ckernel"]
    if "blackhole_only" in header.options:
        body = ["#ifdef ARCH_BLACKHOLE", *body, "#endif"]
    return "\n".join([*lines, *body]) + "\n"


def _functions(function: SfpuFunction) -> Iterator[str]:
    kind = f"tw::Sfpu{function.arity.capitalize()}"
    for init in function.inits:
        constants = f"{kind}::{function.operation}" if function.arity != "ternary" else ""
        yield from _definition(init, function, f"sfpu_call::init({constants})")
    for call in function.calls:
        yield from _definition(call, function, _operation_call(function, call, kind))
    for spelling, target in function.older:
        arguments = ", ".join(each.name for each in spelling.parameters)
        yield from _written(spelling, spelling.name, f"{target}({arguments});")


def _definition(signature: CppDeclaration, function: SfpuFunction, statement: str) -> Iterator[str]:
    """The function, and with ``pack`` its form for the pack thread."""
    yield from _written(signature, signature.name, *_format_check(signature, function), f"{statement};")
    if "pack" in function.options:
        yield from _written(signature, f"{signature.name}_pack", f"PACK(({statement}));")


def _written(signature: CppDeclaration, name: str, *body: str) -> Iterator[str]:
    if signature.template:
        yield f"template <{_declared(signature.template)}>"
    yield f"ALWI void {name}({_declared(signature.parameters)}) {{"
    yield from (f"    {line}" for line in body)
    yield "}"


def _declared(parameters: Sequence[CppParameter]) -> str:
    return ", ".join(map(str, parameters))


def _format_parameter(signature: CppDeclaration) -> str | None:
    return next((each.name for each in signature.template if each.type == "DataFormat"), None)


def _format_check(signature: CppDeclaration, function: SfpuFunction) -> list[str]:
    name = _format_parameter(signature)
    if name is None or not function.formats:
        return []
    allowed = " || ".join(f"{name} == DataFormat::{each}" for each in function.formats)
    listed = " or ".join([", ".join(function.formats[:-1]), function.formats[-1]])
    return [f'static_assert({allowed}, "{signature.name}: format must be {listed}");']


def _operation_call(function: SfpuFunction, call: CppDeclaration, kind: str) -> str:
    operation = f"{kind}::{function.operation}"
    if function.otherwise is not None:
        condition, other = function.otherwise
        operation = f"{condition} ? {kind}::{other} : {operation}"
    faces = [each.name for each in (*call.template, *call.parameters) if each.name in _FACES]
    given = [each for each in call.parameters if each.name not in _FACES]
    tiles, rest = given[: _TILES[function.arity]], given[_TILES[function.arity] :]
    arguments = [each.name for each in tiles] + faces
    arguments += [each.name if each.type == "uint32_t" else _as_word(each.name) for each in rest]
    arguments += [_as_word(name) for name in function.passes]
    if "masked" in function.options:
        arguments.append(f"sfpu_call::format_mask({_format_parameter(call)})")
    return f"sfpu_call::{function.arity}{'_on' if faces else ''}({', '.join([operation, *arguments])})"


def _as_word(name: str) -> str:
    return f"static_cast<uint32_t>({name})"
