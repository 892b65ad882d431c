# SPDX-License-Identifier: Apache-2.0
"""What a compiler's "did you mean" should say: names of the kernel API, and the header that has them."""

from __future__ import annotations

import difflib
import functools
import re
from pathlib import Path

from tilewright.device.engine_build import NATIVE

_UNDECLARED = re.compile(r"error: (?:use of undeclared identifier )?['\u2018](\w+)['\u2019]")
_SUGGESTED = re.compile(r"did you mean ['\u2018](\w+)['\u2019]\?")
_FUNCTION = re.compile(r"^(?:ALWI|FORCE_INLINE|inline|template|constexpr|static)\b.*?\b([a-z_]\w*)\s*\(")
_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def with_api_hint(line: str) -> str:
    """A compiler's complaint about a name it does not know, with what of the kernel API was meant.

    >>> with_api_hint("k.cpp:3:5: error: 'mm_inti' was not declared in this scope; did you mean 'tw_mm'?")
    "k.cpp:3:5: error: 'mm_inti' was not declared in this scope; did you mean mm_init (api/compute/matmul.h)?"
    """
    if "was not declared" not in line and "undeclared identifier" not in line:
        return line
    found = _UNDECLARED.search(line)
    if found is None:
        return line
    said, name, headers = line.partition("; did you mean")[0], found.group(1), _headers()
    if name in headers:
        return f"{said}; it is in {headers[name]}: include that"
    suggested = _SUGGESTED.search(line)
    if suggested is not None and suggested.group(1) in headers:
        return line  # included already, or the compiler would not know it
    near = difflib.get_close_matches(name, headers, n=1, cutoff=0.75)
    return f"{said}; did you mean {near[0]} ({headers[near[0]]})?" if near else said


@functools.cache
def _headers() -> dict[str, str]:
    """Functions of the kernel API, each with a header a kernel includes for it."""
    include = NATIVE / "include"
    public = sorted((include / "api").rglob("*.h"))
    found: dict[str, str] = {}
    for header in public:
        text = header.read_text(encoding="utf-8")
        ours = [include / name for name in _INCLUDE.findall(text) if name.startswith("tw/")]
        for each in [header, *(path for path in ours if path.is_file())]:
            for name in _functions(each):
                found.setdefault(name, str(header.relative_to(include)))
    return found


def _functions(header: Path) -> list[str]:
    lines = header.read_text(encoding="utf-8").splitlines()
    names = [found.group(1) for line in lines if (found := _FUNCTION.match(line))]
    return [name for name in names if not name.startswith("tw_")]
