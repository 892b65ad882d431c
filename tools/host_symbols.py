# SPDX-License-Identifier: Apache-2.0
"""Compare the functions of our host headers with the symbols that ttnn's libraries export.

    python -m tools.host_symbols LIBRARIES      # the folder with _ttnncpp.so, libtt_metal.so and libtt_stl.so

A source that includes every host header is compiled with every inline function kept, together with the host library.
Its symbols are the mangled names of our functions. Same name in the libraries: what calls it here links there. Same
function with other types: a difference. In no library: inline in tt-metal, or a template; nothing to compare with.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tilewright._build.compiler import Compiler, find_compiler
from tilewright._cpp_ops.headers import HOST, INCLUDE, headers_directory

LIBRARIES = ("_ttnncpp.so", "libtt_metal.so", "libtt_stl.so")
# Ours alone: what records a program, and what Python gives.
_INTERNAL = re.compile(
    r"Record\b|TensorState|DeviceFacts|TensorPlace|CoreArgs|tw::|\(anonymous namespace\)|\{lambda|host_detail"
    r"|device_operation::detail|::(?:state|checked|record|record_of|program_of|current_facts|as_core_range_set|facts"
    r"|python|described|of_cores|place|with_place|formats|word_of|words|add_common|position|attribute_values|to_value|cut)"
    r"(?:\[abi:cxx11\])?\("
    r"|::KernelDescriptor::add\(|::RTArgList::bind(?:ings)?\("
    r"|^tt::tt_metal::BufferShardingArgs::BufferShardingArgs\(|^tt::tt_metal::distributed::MeshBuffer::MeshBuffer\("
)
_OURS = ("tt::", "ttnn::", "ttsl::")
# Inline in tt-metal, beside a constructor of the libraries.
_INLINE = {"tt::tt_metal::TileDescriptor::TileDescriptor(unsigned int, unsigned int, bool)"}


@dataclass(frozen=True)
class HostSymbols:
    """Our functions, demangled, by what the libraries have of them."""

    same: list[str]
    different: dict[str, list[str]]  # with the library's functions of that name
    elsewhere: list[str]  # inline in tt-metal, or not there
    templates: list[str]


def host_symbols(libraries: Path) -> HostSymbols:
    """Compares our functions with those of the libraries in a folder."""
    exported = _demangled({name for each in LIBRARIES for name in _exported(libraries / each)})
    by_name: dict[str, list[str]] = {}
    for text in exported.values():
        by_name.setdefault(_name(text), []).append(text)
    found = HostSymbols([], {}, [], [])
    for symbol, text in sorted(_demangled(_compiled(find_compiler())).items(), key=lambda each: each[1]):
        if not text.startswith(_OURS) or _INTERNAL.search(text) or _is_generated(text):
            continue
        if symbol in exported:
            found.same.append(text)
        elif "<" in _name(text).replace("operator<", "operator"):
            found.templates.append(text)
        elif _name(text) in by_name and text not in _INLINE:
            found.different[text] = sorted(set(by_name[_name(text)]))
        else:
            found.elsewhere.append(text)
    return found


def _exported(library: Path) -> list[str]:
    lines = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True)
    return [line.split()[-1] for line in lines.stdout.splitlines()]


def _compiled(compiler: Compiler) -> set[str]:
    """Symbols of every function that our headers and sources define."""
    files = [*sorted((INCLUDE / "tw_host").glob("*.hpp")), *sorted((HOST / "source").glob("*.cpp"))]
    with tempfile.TemporaryDirectory() as work:
        source, built = Path(work) / "all.cpp", Path(work) / "all.o"
        source.write_text("".join(f'#include "{file}"\n' for file in files))
        flags = ["-std=c++20", "-O0", "-w", "-fkeep-inline-functions", f"-I{headers_directory()}", f"-I{INCLUDE}"]
        result = compiler.run([*flags, "-c", str(source), "-o", str(built)])
        if result.returncode != 0:
            raise RuntimeError(result.stderr[-2000:])
        lines = subprocess.run(["nm", "--defined-only", str(built)], capture_output=True, text=True, check=True)
    return {line.split()[-1] for line in lines.stdout.splitlines() if line.split()[-2] in "TtWV"}


def _demangled(symbols: Iterable[str]) -> dict[str, str]:
    """The text of each symbol of C++."""
    names = sorted(each for each in symbols if each.startswith("_Z"))
    result = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    return dict(zip(names, result.stdout.splitlines(), strict=True))


def _name(text: str) -> str:
    """A function's qualified name, without its parameters.

    >>> _name("tt::tt_metal::f(std::map<int, int>)")
    'tt::tt_metal::f'
    """
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "<") - (letter == ">")
        if letter == "(" and depth == 0 and place > 0:
            return text[:place]
    return text


def _is_generated(text: str) -> bool:
    """Whether a compiler writes such functions by itself: destructors, default constructors, copies, comparisons."""
    name = _name(text)
    last = re.split(r"::(?![^<]*>)", name)[-1]
    if text == f"{name}()" and last == re.split(r"::(?![^<]*>)", name)[-2]:
        return True  # a default constructor
    copies = re.fullmatch(rf"{re.escape(name)}\((?:[\w:]+::)?{re.escape(last)}(?: const&|&&)\)", text)
    is_comparison = re.search(r"operator(?:==|<=>|=)\(", text) is not None
    return last.startswith("~") or copies is not None or is_comparison


PAGE = Path(__file__).resolve().parents[1] / "docs" / "cpp-host-symbols.md"
_HEAD = """# Symbols of the host API

Written by `python -m tools.host_symbols LIBRARIES --write`; a test compares the page with headers and libraries.

The mangled names of the functions in tilewright's host headers are compared with the symbols that the published
ttnn exports: the same name means that a call which compiles here links there. More than 300 functions have the
same symbol, and none differs from a function of that name in the libraries. Copies, comparisons and the like, which
compilers write, are left out.

## Functions that are not compared

Templates have no symbols of their own. The functions below are inline in tt-metal, or not in its libraries.

| class or namespace | functions |
|---|---|
"""


def page(found: HostSymbols) -> str:
    """The page of the docs: what cannot be compared."""
    groups: dict[str, set[str]] = {}
    for text in found.elsewhere:
        place, _, name = _name(text).replace("[abi:cxx11]", "").rpartition("::")
        groups.setdefault(place, set()).add(name)
    rows = [f"| `{place}` | {', '.join(f'`{name}`' for name in sorted(groups[place]))} |" for place in sorted(groups)]
    return _HEAD + "\n".join(rows) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("libraries", type=Path, help="folder with the libraries of an installed ttnn")
    parser.add_argument("--write", action="store_true", help=f"write docs/{PAGE.name}")
    options = parser.parse_args()
    found = host_symbols(options.libraries)
    if options.write:
        PAGE.write_text(page(found), encoding="utf-8")
    print(f"same symbol: {len(found.same)}, different: {len(found.different)}")
    for text, others in found.different.items():
        print(f"  {text}\n" + "".join(f"    ttnn has {other}\n" for other in others), end="")
    print(f"in no library (inline in tt-metal, or not there): {len(found.elsewhere)}")
    print("".join(f"  {text}\n" for text in found.elsewhere), end="")
    print(f"templates: {len(found.templates)}")
    return 1 if found.different else 0


if __name__ == "__main__":
    sys.exit(main())
