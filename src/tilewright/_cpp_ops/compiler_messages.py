# SPDX-License-Identifier: Apache-2.0
"""Errors of the C++ compiler about host code, with a word on what is missing and where tt-metal has it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

_ERROR = re.compile(r"^(?P<file>[^\n:]+):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<text>.*)$", re.MULTILINE)
_MISSING_HEADER = re.compile(r"^'?([\w./+-]+\.(?:hpp|h|inl))'?(?:: No such file or directory| file not found)$")
_MISSING_NAME = re.compile(r"'([\w:~<>]+)' (?:is not a member of|has not been declared in) '([\w:<>]+)'")
_MISSING_MEMBER = re.compile(r"'(?:class|struct)? ?([\w:<>]+)' has no member named '(\w+)'")
_CLANG_MEMBER = re.compile(r"no member named '(\w+)' in (?:namespace )?'([\w:<>]+)'")
_MISSING_TYPE = re.compile(
    r"'(?P<gcc>\w+)' in (?:namespace|class|struct) '(?P<place>[\w:<>]+)' does not name a (?:template )?type"
    r"|no (?:type|template) named '(?P<clang>\w+)' in (?:namespace )?'(?P<scope>[\w:<>]+)'"
)
_COPIED_CONFIG = re.compile(r"deleted (?:function|constructor).*CircularBufferConfig")
# The form of operations without program factories, which the tree had until the beginning of 2026.
_WITH_CALLBACKS = re.compile(
    r"ProgramWithCallbacks|OverrideRuntimeArgumentsCallback|'(?:run|operation::run)' is not a member"
)
_OURS = ("tt::", "ttnn::", "ttsl::", "nanobind::", "nb::", "fmt::")


def explained(source: Path, text: str, include: Sequence[Path]) -> str:
    """The compiler's text for one source, errors first, each with what we know about it."""
    errors = list(_ERROR.finditer(text))
    if not errors:
        return f"{source} does not compile:\n{text.strip()}"
    lines = [f"{source} does not compile:"]
    for number, error in enumerate(errors):
        end = errors[number + 1].start() if number + 1 < len(errors) else len(text)
        lines.append(_shown(text[error.start() : end]))
        hint = _hint(error["text"])
        if hint:
            lines.append(f"  note: {hint}")
    return "\n".join(lines)


def _shown(block: str) -> str:
    """An error with the lines the compiler quotes, without what follows about instantiations."""
    kept: list[str] = []
    for line in block.strip().splitlines()[:6]:
        if kept and _ERROR.match(line):
            break
        kept.append(line)
    return "\n".join(f"  {line}" for line in kept)


def _hint(text: str) -> str | None:
    if _COPIED_CONFIG.search(text):
        return (
            "linked against ttnn, a CircularBufferConfig has no copies: declare it, then call its set_page_size and "
            "the like in a statement of their own; or use create_cb; or build without --link"
        )
    header = _MISSING_HEADER.match(text.strip())
    if header:
        return _header_hint(header[1])
    if _WITH_CALLBACKS.search(text):
        return (
            "operations with ProgramWithCallbacks and operation::run are not supported: tt-metal has none since the "
            "beginning of 2026. A device operation has a program_factory_t and is launched by "
            "ttnn::device_operation::launch (docs: cpp-operations)"
        )
    missing_type = _MISSING_TYPE.search(text)
    if missing_type:
        place, missing = (
            missing_type["place"] or missing_type["scope"],
            missing_type["gcc"] or missing_type["clang"],
        )
        if f"{place}::".startswith(_OURS):
            return f"tilewright's host headers have no {place}::{missing} (docs: cpp-operations)"
    name = _MISSING_NAME.search(text)
    if name and name[2].startswith(_OURS[:-1]):
        missing = name[1].removeprefix(f"{name[2]}::")
        return f"tilewright's host headers have no {name[2]}::{missing} (docs: cpp-operations)"
    member = _MISSING_MEMBER.search(text)
    if member and member[1].startswith(_OURS):
        return f"tilewright's {member[1]} has no {member[2]} (docs: cpp-operations)"
    clang = _CLANG_MEMBER.search(text)
    if clang and clang[2].startswith(("tt", "ttnn", "ttsl")):
        return f"tilewright's host headers have no {clang[2]}::{clang[1]} (docs: cpp-operations)"
    return None


def _header_hint(header: str) -> str:
    places = {
        "tt-metalium/": "tt_metal/api/",
        "tt_stl/": "tt_stl/",
        "ttnn/operations/": "ttnn/cpp/",
        "ttnn-nanobind/": "ttnn/cpp/",
        "ttnn/": "ttnn/api/",
    }
    for start, place in places.items():
        if header.startswith(start):
            return (
                f"tt-metal has it at {place}{header}; tilewright's host headers do not have it. In a checkout, build "
                "the folder where it lies in the tree; else put the header beside the operation"
            )
    return "no such header in the folder, in tilewright's host headers or in the system's"
