# SPDX-License-Identifier: Apache-2.0
"""The kernel API as a table: every function with its header, its arguments and the kernels that may call it.

Nothing is listed here: functions are read from the headers of ``native/include``, which declare them with ALWI or
FORCE_INLINE, and from the rows of ``native/abi/sfpu_functions.inl``; enumerations from the same headers, from
``llk_defs.h``, which all kernels include, and data formats from the schema. A function whose arguments Python does not
have is for C++ kernels alone.
"""

from __future__ import annotations

import dataclasses
import functools
import keyword
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tilewright._cpp_declarations import CppDeclaration, cpp_declarations, cpp_enumerations
from tilewright._sfpu_functions import sfpu_headers
from tilewright._wire.data_formats import DataFormat
from tilewright.kernels._signatures import ApiConstant, ApiFunction, KernelEnum, Signature, python_signature

DATAFLOW_BASE = "api/dataflow/dataflow_api.h"
COMPUTE_BASE = "api/compute/common.h"

_INCLUDE = Path(__file__).parents[1] / "native" / "include"
# Headers whose functions a kernel gets with the base header of its kind.
_BOTH = ("tw/cb_calls.h", "tw/core.h")
_DATAFLOW = (
    "internal/dataflow/dataflow_api_addrgen.h",
    "tw/noc_transfers.h",
    "tw/noc_semaphores.h",
    "tw/generated_dependent.h",
)
_COMPUTE = tuple(
    f"api/compute/{name}.h"
    for name in ("cb_api", "compute_kernel_hw_startup", "pack", "reconfig_data_format", "reg_api")
)
_SUMMARY = re.compile(r"// SPDX.*\n((?://.*\n)+)")


@functools.cache
def _text(header: str) -> str:
    return (_INCLUDE / header).read_text(encoding="utf-8")


def _own_headers() -> list[str]:
    """Headers that compute kernels include by their own path."""
    folders = [_INCLUDE / "api" / "compute", _INCLUDE / "api" / "compute" / "eltwise_unary"]
    found = {path.relative_to(_INCLUDE).as_posix() for folder in folders for path in folder.glob("*.h")}
    return sorted(found - set(_COMPUTE))


# Enumerators by enumeration, as the headers declare them.
_DECLARED_ENUMERATIONS = {
    "DataFormat": tuple(each.name for each in DataFormat if each.is_of_python_kernels),
    **dict(each for header in ("llk_defs.h", *_own_headers()) for each in cpp_enumerations(_text(header))),
}


def _declared(headers: Iterable[str], dataflow_header: str | None, compute_header: str | None) -> Iterator[ApiFunction]:
    """The functions of headers that are files. Without a header to include, each is included by its own path."""
    for header in headers:
        text = _text(header)
        found = _SUMMARY.match(text)
        summary = " ".join(line.strip("/ ") for line in found[1].splitlines()) if found else ""
        compute = compute_header if compute_header or dataflow_header else header
        yield from _functions(cpp_declarations(text), dataflow_header, compute, summary)


def _rows() -> Iterator[ApiFunction]:
    """The functions of the vector unit that both chips have."""
    for header in sfpu_headers():
        if "blackhole_only" not in header.options:
            declared = (each for row in header.functions for each in (*row.inits, *row.calls))
            yield from _functions(declared, None, header.path, header.summary)


def _functions(
    declared: Iterable[CppDeclaration], dataflow_header: str | None, compute_header: str | None, summary: str
) -> Iterator[ApiFunction]:
    for each in declared:
        form = python_signature(each, _DECLARED_ENUMERATIONS)
        if form is not None:
            yield ApiFunction(each.name, (form,), dataflow_header, compute_header, summary)


def _table() -> dict[str, ApiFunction]:
    """Every function; one with several declarations has several signatures."""
    table: dict[str, ApiFunction] = {}
    for each in (
        *_declared(_BOTH, DATAFLOW_BASE, COMPUTE_BASE),
        *_declared((DATAFLOW_BASE, *_DATAFLOW), DATAFLOW_BASE, None),
        *_declared(_COMPUTE, None, COMPUTE_BASE),
        *_declared(_own_headers(), None, None),
        *_rows(),
    ):
        known = table.get(each.name)
        forms = (*(known.signatures if known else ()), *each.signatures)
        table[each.name] = dataclasses.replace(each, signatures=forms)
    return table


def _enumerations(functions: Iterable[ApiFunction]) -> dict[str, type[KernelEnum]]:
    """The enumerations that functions take."""
    forms = [form for each in functions for form in each.signatures]
    kinds = {each.kind for form in forms for each in (*form.template, *form.arguments)} | {"DataFormat"}
    return {name: _python_enumeration(name, each) for name, each in _DECLARED_ENUMERATIONS.items() if name in kinds}


def _python_enumeration(name: str, enumerators: Iterable[str]) -> type[KernelEnum]:
    """An enumeration in Python, where the enumerator ``None`` is ``None_``."""
    members = [(f"{each}_" if keyword.iskeyword(each) else each, each) for each in enumerators]
    made: Any = KernelEnum
    return made(name, members, module="tilewright.kernels.api")  # type: ignore[no-any-return]


FUNCTIONS = _table()
ENUMERATIONS = _enumerations(FUNCTIONS.values())


# Numbers the headers define, as the names they have there.
CONSTANTS: dict[str, ApiConstant] = {
    **{name: ApiConstant(name) for name in ("MEM_ZEROS_BASE", "MEM_ZEROS_SIZE")},
    # Of compute kernels: whether DST holds 32-bit values (fp32_dest_acc_en), and so half as many tiles.
    "DST_ACCUM_MODE": ApiConstant("DST_ACCUM_MODE", is_bool=True),
}

# Methods of a TensorAccessor.
TENSOR_METHODS: dict[str, Signature] = {
    each.name: form
    for each in cpp_declarations(_text("api/tensor/tensor_accessor.h"))
    if (form := python_signature(each, _DECLARED_ENUMERATIONS)) is not None
}

# How a kernel reads its arguments.
COMPILE_TIME_ARG = "get_compile_time_arg_val({index})"
RUNTIME_ARG = "get_arg_val<{type}>({index})"
COMMON_RUNTIME_ARG = "get_common_arg_val<{type}>({index})"
ACCESSOR_ARGS = "TensorAccessorArgs<{offset}>()"
NEXT_ACCESSOR_OFFSET = "{args}.next_compile_time_args_offset()"
ACCESSOR = "TensorAccessor({args}, {address})"
BIT_CAST = "__builtin_bit_cast({type}, {value})"
PRINT, PRINT_HEADER = "DPRINT", "api/debug/dprint.h"
ASSERT, ASSERT_HEADER = "ASSERT", "api/debug/assert.h"


def dprint(text: str, *values: Any) -> None:
    """Prints from a kernel: ``dprint("tile {} of {}", i, n)``, or ``dprint("tile", i)``."""
    raise TypeError("dprint can be called inside a kernel only")


def nearest_name(name: str) -> str | None:
    """A function of the API whose name looks like ``name``."""
    import difflib  # a slow import, for a mistake

    matches = difflib.get_close_matches(name, FUNCTIONS, 1, 0.7)
    return matches[0] if matches else None
