# SPDX-License-Identifier: Apache-2.0
"""Functions of the kernel API as Python kernels call them, derived from their C++ declarations.

An argument's kind is a type's name, ``cb``, ``tensor``, ``pointer``, ``format`` (a DataFormat as a number) or an
enumeration's name. It follows from the C++ type and, for circular buffers, from tt-metal's names of parameters.
"""

from __future__ import annotations

import dataclasses
import enum
import keyword
import re
from collections.abc import Collection, Iterable
from typing import Any

from tilewright._cpp_declarations import CppDeclaration, CppParameter


class KernelEnum(enum.Enum):
    """An enumeration of the kernel API; the value of a member is its name in C++."""


@dataclasses.dataclass(frozen=True)
class Argument:
    """One argument.

    Attributes:
        default: what C++ takes if it is left out; None if it must be given.
    """

    name: str
    kind: str
    default: str | None = None

    @property
    def is_optional(self) -> bool:
        return self.default is not None


@dataclasses.dataclass(frozen=True)
class Signature:
    """One form of a function.

    Attributes:
        text: as messages show it.
        cpp: the C++ declaration it is derived from.
        is_signed: C++ gives an int where kernels have a uint32.
        is_constexpr: the C++ compiler knows the result if it knows the arguments.
    """

    template: tuple[Argument, ...]
    arguments: tuple[Argument, ...]
    returns: str
    text: str
    cpp: str
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
        summary: what the functions of its header do.
    """

    name: str
    signatures: tuple[Signature, ...]
    dataflow_header: str | None
    compute_header: str | None
    summary: str

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


# Kinds of C++ types. Enumerations have their own name.
_KINDS = {
    "uint32_t": "uint32",
    "uint16_t": "uint32",
    "uint8_t": "uint32",
    "uintptr_t": "uint32",
    "uint64_t": "uint64",
    "int32_t": "int32",
    "int": "int32",
    "float": "float32",
    "bool": "bool",
    "void": "None",
    "sfpu_call::Faces": "VectorMode",
    "auto": "VectorMode",
    "AddrGen&": "tensor",
    "volatile uint32_t*": "pointer",
}
_CIRCULAR_BUFFER = re.compile(r"(?:.*_)?(?:[io]?cb\d?(?:id|_.*)?|operand(?:_id)?)")
# Parameters that Python kernels do not give: the engine knows how wide DST is, C++ knows the line of a call, and
# Wormhole has no commands that skip a check.
_LEFT_OUT = ("is_fp32_dest_acc_en", "call_line", "skip_cmdbuf_chk")


def python_signature(function: CppDeclaration, enumerations: Collection[str]) -> Signature | None:
    """How Python kernels call a C++ function; None if an argument that it needs has no kind.

    Args:
        enumerations: names of C++ enumerations that Python kernels have.
    """
    template = _arguments(function.template, enumerations)
    arguments = _arguments(function.parameters, enumerations)
    if template is None or arguments is None:
        return None
    brackets = f"[{_names(template)}]" if template else ""
    text = f"{function.name}{brackets}({_names(arguments)})"
    # A C++ int is a size or an index here, never negative.
    is_signed = function.returns == "int32_t"
    returns = "uint32" if is_signed else _KINDS.get(function.returns, function.returns)
    parameters = tuple(
        each for each in function.parameters if each.name != "call_line"
    )  # messages name the line with it
    cpp = str(dataclasses.replace(function, parameters=parameters))
    return Signature(template, arguments, returns, text, cpp, is_signed, function.is_constexpr)


def _arguments(parameters: Iterable[CppParameter], enumerations: Collection[str]) -> tuple[Argument, ...] | None:
    """The arguments up to the first that Python kernels do not give; None if it cannot be left out."""
    arguments: list[Argument] = []
    for each in parameters:
        kind = _kind(each, enumerations)
        if each.type.startswith("typename"):
            break  # C++ deduces it
        if kind is None or not each.name or each.name in _LEFT_OUT:
            return tuple(arguments) if each.default else None
        name = each.name.lower() if each.name.isupper() else each.name
        name += "_" if keyword.iskeyword(name) else ""
        arguments.append(Argument(name, kind, each.default or None))
    return tuple(arguments)


def _kind(parameter: CppParameter, enumerations: Collection[str]) -> str | None:
    if parameter.name.endswith("_DTYPE"):
        return "format"
    if parameter.type in ("uint32_t", "int32_t") and _CIRCULAR_BUFFER.fullmatch(parameter.name):
        return "cb"
    if parameter.type == "int32_t" and parameter.name.startswith("num_"):
        return "uint32"
    return parameter.type if parameter.type in enumerations else _KINDS.get(parameter.type)


def _names(arguments: Iterable[Argument]) -> str:
    return ", ".join(each.name for each in arguments)
