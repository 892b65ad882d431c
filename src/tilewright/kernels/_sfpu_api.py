# SPDX-License-Identifier: Apache-2.0
"""The vector unit's functions as Python kernels call them, from the rows of ``native/abi/sfpu_functions.inl``."""

from __future__ import annotations

import keyword
from collections.abc import Collection, Iterator

from tilewright._sfpu_functions import SfpuHeader, SfpuParameter, SfpuSignature, sfpu_headers
from tilewright.kernels._signatures import ApiFunction, Argument, Signature

_KINDS = {
    "uint32_t": "uint32",
    "int32_t": "int32",
    "float": "float32",
    "bool": "bool",
    "sfpu_call::Faces": "VectorMode",
    "auto": "VectorMode",
}
# The engine knows how wide DST is; Python kernels do not say it.
_LEFT_OUT = "is_fp32_dest_acc_en"


def sfpu_api(enumerations: Collection[str]) -> dict[str, ApiFunction]:
    """Every function that both chips have.

    Args:
        enumerations: names of C++ enumerations that Python kernels have. A template argument of another one cannot be
            given in Python, nor those after it.
    """
    both = [header for header in sfpu_headers() if "blackhole_only" not in header.options]
    return {each.name: each for header in both for each in _functions(header, enumerations)}


def _functions(header: SfpuHeader, enumerations: Collection[str]) -> Iterator[ApiFunction]:
    for function in header.functions:
        for signature in (*function.inits, *function.calls):
            form = _python_signature(signature, enumerations)
            yield ApiFunction(signature.name, (form,), None, header.path, header.summary)


def _python_signature(signature: SfpuSignature, enumerations: Collection[str]) -> Signature:
    template: list[Argument] = []
    for each in (each for each in signature.template if each.name != _LEFT_OUT):
        if each.type not in _KINDS and each.type not in enumerations:
            break
        template.append(_argument(each))
    arguments = [_argument(each) for each in signature.parameters]
    brackets = f"[{_names(template)}]" if template else ""
    text = f"{signature.name}{brackets}({_names(arguments)})"
    return Signature(tuple(template), tuple(arguments), "None", text)


def _names(arguments: list[Argument]) -> str:
    return ", ".join(each.name for each in arguments)


def _argument(parameter: SfpuParameter) -> Argument:
    name = parameter.name.lower()
    safe = f"{name}_" if keyword.iskeyword(name) else name
    return Argument(
        safe, _KINDS.get(parameter.type, parameter.type), bool(parameter.default), parameter.default or None
    )
