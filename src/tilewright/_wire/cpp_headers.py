# SPDX-License-Identifier: Apache-2.0
"""Writes the C++ headers of the schema: ``python -m tilewright._wire.cpp_headers DIRECTORY``.

There is one for each module, ``wire/runner.h`` for ``runner.py``, and ``wire/rules.h`` for the checker's rules, all in
namespace ``tw::wire``; ``wire/data_formats.h`` has a macro. Each structure is followed by static assertions of its size
and of every field's offset as ctypes has them.
"""

from __future__ import annotations

import ctypes
import enum
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from tilewright._rules import RULES
from tilewright._wire import card, engine, record, replay, run_report, runner
from tilewright._wire.data_formats import data_formats_header
from tilewright._wire.layout import Function, PointerTo, ctype_of

# Each module, and the headers that it needs.
_MODULES = (
    (run_report, ()),
    (runner, ("wire/run_report.h",)),
    (engine, ("wire/runner.h",)),
    (record, ()),
    (replay, ()),
    (card, ()),
)
_SCALARS = {
    ctypes.c_uint8: "uint8_t",
    ctypes.c_uint16: "uint16_t",
    ctypes.c_uint32: "uint32_t",
    ctypes.c_uint64: "uint64_t",
    ctypes.c_int32: "int32_t",
    ctypes.c_double: "double",
    ctypes.c_char: "char",
    ctypes.c_char_p: "const char*",
}


def cpp_headers() -> dict[str, str]:
    """Text of each header by its path below the include directory."""
    headers = {f"wire/{_name(module)}.h": _header(module, includes) for module, includes in _MODULES}
    return headers | {"wire/rules.h": _rules_header(), "wire/data_formats.h": data_formats_header()}


def _rules_header() -> str:
    """The enumeration of the checker's rules, and the id of each."""
    names = ["None", *(_camel(each.replace("-", "_")) for each in RULES)]
    ids = ["", *RULES]
    return "\n".join(
        [
            "// Generated from the headings of docs/checks/*.md.",
            "#pragma once\n",
            "#include <cstddef>\n#include <cstdint>\n",
            "namespace tw::wire {\n",
            "enum class Rule : uint16_t {",
            *(f"    {name}," for name in names),
            "};\n",
            "constexpr const char* rule_id(Rule rule) {",
            "    constexpr const char* kIds[] = {",
            *(f'        "{each}",' for each in ids),
            "    };",
            "    return kIds[static_cast<size_t>(rule)];",
            "}\n",
            "}  // namespace tw::wire\n",
        ]
    )


def write_headers(directory: Path) -> None:
    """Writes the headers below ``directory``; those that are there already with the same text keep their date."""
    for name, text in cpp_headers().items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def _name(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def _header(module: ModuleType, includes: tuple[str, ...]) -> str:
    parts = [
        f"// Generated from src/tilewright/_wire/{_name(module)}.py, where the comments are.",
        "#pragma once\n",
        "#include <cstddef>\n#include <cstdint>\n",
        *(f'#include "{each}"\n' for each in includes),
        "namespace tw::wire {\n",
        *_constants(module),
        *(_enumeration(each) for each in _own_classes(module, enum.IntEnum)),
        *(_structure(each) for each in _own_classes(module, ctypes.Structure)),
        *_functions(getattr(module, "FUNCTIONS", ())),
        "}  // namespace tw::wire\n",
    ]
    return "\n".join(parts)


def _own_classes(module: ModuleType, base: type) -> Iterator[type]:
    for each in vars(module).values():
        if inspect.isclass(each) and issubclass(each, base) and each.__module__ == module.__name__:
            yield each


def _constants(module: ModuleType) -> Iterator[str]:
    for name, value in vars(module).items():
        if isinstance(value, int) and name.isupper():
            yield f"inline constexpr uint32_t k{_camel(name)} = {value:#x};\n"


def _enumeration(members: type[enum.IntEnum]) -> str:
    values = [f"    {_camel(each.name)} = {each.value},\n" for each in members]
    return f"enum class {members.__name__} : uint32_t {{\n{''.join(values)}}};\n"


def _structure(each: type[ctypes.Structure]) -> str:
    name, fields = each.__name__, list(each.__annotations__.items())
    members = [f"    {_declaration(field, kind)};\n" for field, kind in fields]
    offsets = [f"static_assert(offsetof({name}, {field}) == {getattr(each, field).offset});\n" for field, _ in fields]
    size = f"static_assert(sizeof({name}) == {ctypes.sizeof(each)});\n"
    return f"struct {name} {{\n{''.join(members)}}};\n{size}{''.join(offsets)}"


def _declaration(name: str, annotation: object) -> str:
    kind = ctype_of(annotation)
    if issubclass(kind, ctypes.Array):
        return f"{_cpp_type(kind._type_)} {name}[{kind._length_}]"
    return f"{_cpp_type(annotation)} {name}"


def _cpp_type(annotation: object) -> str:
    for each in getattr(annotation, "__metadata__", ()):
        if isinstance(each, PointerTo):
            return f"{each.target}*"
        if inspect.isclass(each) and issubclass(each, enum.IntEnum):
            return each.__name__
    kind = ctype_of(annotation)
    return _SCALARS[kind] if kind in _SCALARS else str(kind.__name__)


def _functions(functions: tuple[Function, ...]) -> Iterator[str]:
    if not functions:
        return
    yield 'extern "C" {'
    for each in functions:
        parameters = ", ".join(_declaration(name, kind) for name, kind in each.parameters.items())
        yield f"{'void' if each.result is None else _cpp_type(each.result)} {each.name}({parameters});"
    yield '}  // extern "C"\n'


def _camel(name: str) -> str:
    """An enumerator or constant as C++ spells it.

    >>> _camel("CB_WAIT_FRONT")
    'CbWaitFront'
    """
    return "".join(word.capitalize() for word in name.split("_"))


if __name__ == "__main__":
    write_headers(Path(sys.argv[1]))
