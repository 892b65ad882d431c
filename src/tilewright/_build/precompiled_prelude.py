# SPDX-License-Identifier: Apache-2.0
"""The kernel API's headers, compiled once for all kernels with the same flags."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path

from tilewright._build.cache import (
    building,
    cache_directory,
    digest,
    file_digest,
    move_into_cache,
    note_use,
    read_entry,
    write_atomically,
)
from tilewright._build.cache_trust import is_trusted
from tilewright._build.compile_errors import run_compiler
from tilewright._build.compiler import Compiler
from tilewright._build.file_states import state_of
from tilewright._build.generated_headers import write_generated_headers
from tilewright._build.native_build import NATIVE, tree_dates, tree_digest
from tilewright._build.translation_unit import KernelSource, prelude_name


def with_precompiled_prelude(
    source: KernelSource, compiler: Compiler, text: str, arguments: list[str]
) -> tuple[str, list[str]]:
    """The unit's text and the compiler's arguments, changed to use a compiled prelude where the compiler can."""
    write_generated_headers()
    precompiled = precompiled_prelude(source, compiler, arguments)
    if compiler.family != "gcc":
        # Our own key knows the headers' content and dates.
        pch = ["-include-pch", str(precompiled / "tw_prelude.h.pch"), "-Xclang", "-fno-validate-pch"]
        return text, [*pch, *arguments]
    text = text.replace(f'#include "{prelude_name(source)}"', '#include "tw_prelude.h"', 1)
    return text, [f"-I{precompiled}", *arguments]


def precompiled_prelude(source: KernelSource, compiler: Compiler, arguments: list[str]) -> Path:
    """Directory with the compiled prelude for this kernel's flags (g++ finds it beside ``tw_prelude.h``)."""
    own = [argument for argument in arguments if not argument.startswith("-I")]
    content = [tree_digest("include"), tree_digest("abi")]
    if compiler.family != "gcc":
        # clang knows by its date that a file is in the prelude already; with another date it reads it a second time.
        content += [tree_dates("include"), tree_dates("abi")]
    key = digest(prelude_name(source), *own, compiler.identity, *content, str(NATIVE))
    directory = cache_directory() / "preludes" / key
    header, record = directory / "tw_prelude.h", directory / "digest"
    compiled = directory / ("tw_prelude.h.gch" if compiler.family == "gcc" else "tw_prelude.h.pch")
    if _is_complete(compiled, record):
        note_use(record)
        return directory
    with building(f"prelude-{key}") as work:
        if not _is_complete(compiled, record):
            write_atomically(header, f'#include "{prelude_name(source)}"\n'.encode())
            roots = [f"-I{NATIVE / 'include'}", f"-I{NATIVE}"]
            target = work / compiled.name
            command = [*own, *roots, "-x", "c++-header", str(header), "-o", str(target)]
            run_compiler(dataclasses.replace(source, name="(kernel API headers)"), compiler, command, header)
            content_name = file_digest(target)
            move_into_cache(target, compiled)
            write_atomically(record, content_name.encode())
    return directory


def _is_complete(compiled: Path, record: Path) -> bool:
    """Whether a compiled prelude is what was once put there."""
    content = read_entry(record)
    try:
        status = compiled.lstat()
    except OSError:
        return False
    return (
        content is not None and is_trusted(status) and content.decode() == _prelude_digest(compiled, *state_of(status))
    )


@functools.lru_cache(maxsize=64)
def _prelude_digest(compiled: Path, modified: int, size: int) -> str:
    """It is large, so it is read once for each state the file is in."""
    return file_digest(compiled)
