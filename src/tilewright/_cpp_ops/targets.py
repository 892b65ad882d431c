# SPDX-License-Identifier: Apache-2.0
"""Folders of C++ operations as targets of commands: each becomes a script that calls the operation.

Commands that run scripts (exec, check, time, report, debug) take a folder so without knowing of C++.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tilewright._build.cache import cache_directory, digest, note_use, read_entry, write_atomically
from tilewright._cpp_ops.driver import DEFAULT_SHAPE
from tilewright._cpp_ops.errors import CppOperationError
from tilewright._cpp_ops.operation_folder import BINDING_NAMES


class TargetError(CppOperationError):
    """An option about the call of a folder's operation that says nothing."""

    exit_status = 2


_COMMANDS = ("exec", "check", "time", "report", "debug")


def is_operation_folder(path: Path) -> bool:
    """Whether a directory holds a C++ operation: a binding beside its sources."""
    return path.is_dir() and any(each.name.endswith(BINDING_NAMES) for each in path.glob("*.cpp"))


def _is_without_binding(path: Path) -> bool:
    """Whether a directory looks like a C++ operation whose binding is missing; a build of it names that."""
    return path.is_dir() and any(next(path.glob(name), None) is not None for name in ("*.cpp", "device/*.cpp"))


def with_script(command: str, arguments: Sequence[str], real_ttnn: bool) -> list[str]:
    """A command's arguments with a script in the place of a folder.

    Args:
        real_ttnn: whether scripts get the installed ttnn by default; then the card has the chip.
    """
    given = list(arguments)
    place = _target(given)
    if command not in _COMMANDS or place is None:
        return given
    real = _value(given, "--ttnn") == "real" or (_value(given, "--ttnn") is None and real_ttnn)
    folder = Path(given[place]).absolute()
    taken = {"--shape", "--dtype", "--layout", *(() if real else ("--arch", "--grid"))}
    values = {name: _value(given, name) for name in taken}
    given[place] = str(_script(folder, values, real, "--link" in given))
    return [word for word in _without(given, taken) if word != "--link"]


def _target(arguments: Sequence[str]) -> int | None:
    """The place of the first argument that names the folder of an operation, unless a script stands before it."""
    unbound = None
    for place, word in enumerate(arguments):
        if word == "--" or word.endswith(".py"):
            break
        if is_operation_folder(Path(word)):
            return place
        if unbound is None and _is_without_binding(Path(word)):
            unbound = place
    return unbound


def _value(arguments: Sequence[str], name: str) -> str | None:
    for position, word in enumerate(arguments):
        if word == name and position + 1 < len(arguments):
            return arguments[position + 1]
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return None


def _without(arguments: Sequence[str], names: set[str]) -> list[str]:
    kept: list[str] = []
    position = 0
    while position < len(arguments):
        word = arguments[position]
        if word in names:
            position += 2
            continue
        if word.partition("=")[0] not in names:
            kept.append(word)
        position += 1
    return kept


def _sizes(option: str, given: str, form: str, allowed: str) -> tuple[int, ...]:
    """The sizes of an option, all above 0."""
    if not re.fullmatch(form, given.lower()) or 0 in map(int, given.lower().split("x")):
        raise TargetError(f"{option} {given!r} must be {allowed}")
    return tuple(map(int, given.lower().split("x")))


def _script(folder: Path, values: dict[str, str | None], real: bool, link: bool) -> Path:
    """A script that calls the operation; under a name for its text, so that it can be shown and run again."""
    shape, grid = values.get("--shape"), values.get("--grid")
    sides = DEFAULT_SHAPE if shape is None else _sizes("--shape", shape, r"\d+(x\d+)*", "sizes, such as 2x3x64x128")
    cores = None if grid is None else _sizes("--grid", grid, r"\d+x\d+", "columns and rows, such as 8x8")
    first = "import ttnn  # noqa: F401" if real else "import tilewright.ttnn"
    text = (
        f"{first}\nfrom pathlib import Path\nfrom tilewright._cpp_ops.driver import call_operation\n\n"
        f"call_operation(Path({str(folder)!r}), {sides!r}, {values.get('--dtype') or 'bfloat16'!r}, "
        f"{values.get('--arch')!r}, {cores!r}, {link!r}, {values.get('--layout')!r})\n"
    ).encode()
    path = cache_directory() / "cpp" / f"{folder.name}-{digest(text)[:16]}.py"
    if read_entry(path) != text:
        write_atomically(path, text)
    note_use(path)
    return path
