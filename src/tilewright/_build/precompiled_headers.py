# SPDX-License-Identifier: Apache-2.0
"""The C++ standard headers that kernel API headers use, compiled once for each set of flags.

They are most of what a kernel's compilation costs. The kernel API itself depends on macros (chip, processor, NoC) and
takes a twentieth of a second, so it is not compiled ahead: three or four files of some 30 MB serve every kernel.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path

from tilewright._build.cache import (
    building,
    cache_directory,
    digest,
    file_digest,
    move_into_cache,
    note_use,
    read_entry,
    seeds,
    write_atomically,
)
from tilewright._build.cache_pruning import bound_preludes
from tilewright._build.cache_trust import is_trusted
from tilewright._build.compiler import Compiler
from tilewright._build.native_build import NATIVE
from tilewright._build.translation_unit import STANDARD_HEADER

_HEADER = "tw_standard.h"
Run = Callable[[Sequence[str], Path], None]


def with_precompiled_headers(text: str, arguments: list[str], compiler: Compiler, run: Run) -> tuple[str, list[str]]:
    """A unit's text and the compiler's arguments, changed to use precompiled headers, which are made if need be.

    Args:
        run: calls the compiler with arguments and a file, and raises if it fails.
    """
    directory = _precompiled(arguments, compiler, run)
    if compiler.family != "gcc":
        # Our own key knows the compiler, and the headers are its own.
        pch = ["-include-pch", str(directory / _file_name(compiler)), "-Xclang", "-fno-validate-pch"]
        return text, [*pch, *arguments]
    text = text.replace(f'#include "{STANDARD_HEADER}"', f'#include "{_HEADER}"', 1)
    return text, [f"-I{directory}", *arguments]


def _file_name(compiler: Compiler) -> str:
    return f"{_HEADER}.gch" if compiler.family == "gcc" else f"{_HEADER}.pch"


def _precompiled(arguments: Sequence[str], compiler: Compiler, run: Run) -> Path:
    """Directory with the precompiled headers for these flags; g++ finds them beside ``tw_standard.h``."""
    flags = [each for each in arguments if not each.startswith(("-I", "-fdebug-prefix-map="))]
    text = (NATIVE / "include" / STANDARD_HEADER).read_bytes()
    key = digest(text, *flags, compiler.identity)
    name = _file_name(compiler)
    directory = cache_directory() / "preludes" / key
    found = next(
        (each for each in (directory, *(seed / "preludes" / key for seed in seeds())) if _is_whole(each, name)), None
    )
    if found is not None:
        note_use(found / "digest")
        return found
    with building(f"prelude-{key}") as work:
        if not _is_whole(directory, name):
            write_atomically(directory / _HEADER, text)
            run([*flags, "-x", "c++-header", str(directory / _HEADER), "-o", str(work / name)], directory / _HEADER)
            content = file_digest(work / name)
            move_into_cache(work / name, directory / name)
            write_atomically(directory / "digest", content.encode())
            bound_preludes()
    return directory


def _is_whole(directory: Path, name: str) -> bool:
    """Whether a directory has precompiled headers, and they are what was once put there."""
    content = read_entry(directory / "digest")
    try:
        status = (directory / name).lstat()
    except OSError:
        return False
    if content is None or not is_trusted(status):
        return False
    return content.decode(errors="replace") == _digest(directory / name, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=64)
def _digest(path: Path, modified: int, size: int) -> str:
    """It is large, so it is read once for each state the file is in."""
    return file_digest(path)
