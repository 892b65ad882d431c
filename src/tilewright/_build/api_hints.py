# SPDX-License-Identifier: Apache-2.0
"""Hints for compile errors: the nearest kernel API names and their headers."""

from __future__ import annotations

import difflib
import functools
import re

from tilewright._build.native_build import NATIVE
from tilewright._build.sfpu_headers import generated_sfpu_headers
from tilewright._cpp_declarations import with_macros_expanded

_INCLUDES = NATIVE / "include"
_UNDECLARED = re.compile(r"error: (?:use of undeclared identifier )?['\u2018](\w+)['\u2019]")
_SUGGESTED = re.compile(r"did you mean ['\u2018](\w+)['\u2019]\?")
_FUNCTION = re.compile(r"^(?:ALWI|FORCE_INLINE|inline|template|constexpr|static)\b.*?\b([a-z_]\w*)\s*\(")
_DECLARED = re.compile(
    r"(?:(?:ALWI|FORCE_INLINE|inline|constexpr|static)\s+)*(.*?\))\s*(?:const\s*)?(?:noexcept\s*)?[{;]", re.DOTALL
)
_OF_OURS = re.compile(r",?\s*(?:std::)?uint32_t call_line(?: = __builtin_LINE\(\))?")  # messages name the line with it
# Headers that compute kernels cannot include, and data movement kernels.
_OF_OTHERS = {True: "api/dataflow/dataflow_api.h", False: "api/compute/"}
_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def with_api_hint(line: str, is_compute: bool) -> str:
    """A compiler's complaint about a name it does not know, with what of the kernel API was meant.

    >>> with_api_hint("k.cpp:3:5: error: 'mm_inti' was not declared in this scope; did you mean 'tw_mm'?", True)
    "k.cpp:3:5: error: 'mm_inti' was not declared in this scope; did you mean mm_init (api/compute/matmul.h)?"
    """
    if "was not declared" not in line and "undeclared identifier" not in line:
        return line
    found = _UNDECLARED.search(line)
    if found is None:
        return line
    message, name, headers = line.partition("; did you mean")[0], found.group(1), api_headers()
    if name in headers and headers[name].startswith(_OF_OTHERS[is_compute]):
        other, this = ("data movement", "compute") if is_compute else ("compute", "data movement")
        return f"{message}; only {other} kernels have it ({headers[name]}), and this is a {this} kernel"
    if name in headers:
        return f"{message}; it is in {headers[name]}: include that"
    suggested = _SUGGESTED.search(line)
    if suggested is not None and suggested.group(1) in headers:
        return line  # included already, or the compiler would not know it
    near = difflib.get_close_matches(name, headers, n=1, cutoff=0.75)
    return f"{message}; did you mean {near[0]} ({headers[near[0]]})?" if near else message


@functools.cache
def api_headers() -> dict[str, str]:
    """Functions of the kernel API, each with a header a kernel includes for it.

    >>> api_headers()["mm_init"], api_headers()["gcd_tile"]
    ('api/compute/matmul.h', 'api/compute/gcd.h')
    """
    files = [path.relative_to(_INCLUDES).as_posix() for path in (_INCLUDES / "api").rglob("*.h")]
    found: dict[str, str] = {}
    for header in sorted([*files, *generated_sfpu_headers()]):
        for text in _with_ours(header):
            for name in _functions(text):
                found.setdefault(name, header)
    return found


def declarations(name: str) -> list[str]:
    """How a function of the kernel API may be called in C++: each of its forms.

    >>> declarations("copy_tile_init")
    ['void copy_tile_init(std::uint32_t cbid)']
    """
    begins = re.compile(rf"^(?=(?:ALWI|FORCE_INLINE|inline|constexpr|static)\b.*?\b{name}\s*\()", re.MULTILINE)
    texts = _with_ours(api_headers()[name])
    found = [_DECLARED.match(text, begin.start()) for text in texts for begin in begins.finditer(text)]
    shown = [" ".join(_OF_OURS.sub("", each.group(1)).split()) for each in found if each is not None]
    return list(dict.fromkeys(each.replace("( ", "(") for each in shown))


def _with_ours(header: str) -> list[str]:
    """The text of a header, and of those of ours that it passes on."""
    generated = generated_sfpu_headers()
    text = generated[header] if header in generated else (_INCLUDES / header).read_text(encoding="utf-8")
    ours = [_INCLUDES / name for name in _INCLUDE.findall(text) if name.startswith("tw/")]
    texts = [text, *(path.read_text(encoding="utf-8") for path in ours if path.is_file())]
    return [with_macros_expanded(each) for each in texts]


def _functions(text: str) -> list[str]:
    names = [found.group(1) for line in text.splitlines() if (found := _FUNCTION.match(line))]
    return [name for name in names if not name.startswith("tw_")]
