# SPDX-License-Identifier: Apache-2.0
"""Write ``kernels/api.pyi``, from which editors and type checkers know the kernel API.

A function becomes a function, with its C++ header in the text that editors show. One with template arguments becomes a
value that takes them in brackets: called at once where all of them may be left out, after the brackets where not.

The file is not kept in git: CMake runs this when the package is built, and ``make`` for an editable install.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator, Sequence
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "tilewright"
# The tables alone: the whole package needs numpy, which is not there when a wheel is built.
for name, folder in (("tilewright", PACKAGE), ("tilewright.kernels", PACKAGE / "kernels")):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [str(folder)]

from tilewright.kernels._api_table import CONSTANTS, ENUMERATIONS, FUNCTIONS  # noqa: E402
from tilewright.kernels._signatures import ApiFunction, Argument, Signature  # noqa: E402

# What a value of each kind is in Python. Indices of circular buffers are given as plain numbers too.
_PYTHON = {
    "uint32": "int",
    "uint64": "int",
    "int32": "int",
    "cb": "int",
    "float32": "float",
    "bool": "bool",
    "tensor": "TensorArg",
    "pointer": "l1_ptr[uint32]",
    "format": "DataFormat | int",
    "None": "None",
}


def stub_text() -> str:
    """The whole file."""
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Written by tools/write_api_stub.py; do not change it by hand.",
        "from typing import Any, overload",
        "",
        "from tilewright.kernels._parameters import TensorArg",
        "from tilewright.kernels._signatures import KernelEnum",
        "from tilewright.kernels._types import l1_ptr, uint32",
        "",
        "def dprint(text: str, *values: Any) -> None:",
        '    """Prints from a kernel: ``dprint("tile {} of {}", i, n)``, or ``dprint("tile", i)``."""',
        "",
        *(f"{name}: {'bool' if constant.is_bool else 'int'}" for name, constant in CONSTANTS.items()),
        "",
    ]
    for name, members in ENUMERATIONS.items():
        lines += [f"class {name}(KernelEnum):", *(f'    {each.name} = "{each.value}"' for each in members), ""]
    for function in FUNCTIONS.values():
        lines += _function(function)
    return "\n".join(lines) + "\n"


def _function(function: ApiFunction) -> Iterator[str]:
    templates = [each for each in function.signatures if each.template]
    if not templates:
        yield from _calls(function.name, function.signatures, _text(function))
        return
    class_name = f"_{function.name}"
    yield f"class {class_name}:"
    yield f"    {_text(function)}"
    needs_brackets = any(not each.is_optional for each in templates[0].template)
    result = f"_{function.name}_call" if needs_brackets else class_name
    yield f"    def __getitem__(self, template: {_template_type(templates[0].template)}, /) -> {result}: ..."
    if needs_brackets:
        yield ""
        yield f"class {result}:"
    yield from (f"    {line}" for line in _calls("__call__", function.signatures, None))
    yield ""
    yield f"{function.name}: {class_name}"
    yield ""


def _calls(name: str, signatures: Sequence[Signature], text: str | None) -> Iterator[str]:
    for signature in signatures:
        if len(signatures) > 1:
            yield "@overload"
        first = ["self"] if name == "__call__" else []
        parameters = ", ".join([*first, *(_parameter(each) for each in signature.arguments)])
        head = f"def {name}({parameters}) -> {_python_type(signature.returns)}:"
        yield f"{head} ..." if text is None else head
        if text is not None:
            yield f"    {text}"
            yield ""


def _parameter(argument: Argument) -> str:
    kind = _python_type(argument.kind)
    return f"{argument.name}: {kind} = ..." if argument.is_optional else f"{argument.name}: {kind}"


def _python_type(kind: str) -> str:
    return _PYTHON.get(kind, kind)  # else it is the name of an enumeration


def _template_type(template: Sequence[Argument]) -> str:
    """Type of the brackets' content: all arguments, or the first ones."""
    kinds = [_python_type(each.kind) for each in template]
    required = sum(not each.is_optional for each in template)
    forms = [kinds[:count] for count in range(max(required, 1), len(kinds) + 1)]
    return " | ".join(form[0] if len(form) == 1 else f"tuple[{', '.join(form)}]" for form in forms)


def _text(function: ApiFunction) -> str:
    """Docstring for editors: the call, the kernels that may make it, and the header."""
    header = function.compute_header or function.dataflow_header
    who = (
        "any kernel"
        if function.compute_header and function.dataflow_header
        else ("compute kernels" if function.compute_header else "data-movement kernels")
    )
    summary = f" {function.summary}" if function.summary else ""
    return f'"""``{function.signatures[0].text}``, of {who}.{summary} C++: ``{header}``."""'


if __name__ == "__main__":
    (PACKAGE / "kernels" / "api.pyi").write_text(stub_text())
