# SPDX-License-Identifier: Apache-2.0
"""Running the compiler on a kernel, and the point of what it says where it refuses."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from tilewright._build.api_hints import with_api_hint
from tilewright._build.cache import full_cache
from tilewright._build.compiler import Compiler
from tilewright._build.limited_process import limit_in
from tilewright._build.translation_unit import KernelSource
from tilewright._errors import CompilerCrashError, KernelCompileError

_MAX_ERRORS_SHOWN = 3
# Lines that begin something else than an error.
_STORY = re.compile(
    r"(note|warning): |^In file included|^\s+from |In (instantiation|function|member|static)"
    r"|^\d+ (error|warning)s? .*generated|^compilation terminated"
)

# What leads from a kernel's line to an error in a header: g++, then clang++.
_REASON = re.compile(r"required from|'constexpr' expansion of|requested here|in call to")


def run_compiler(source: KernelSource, compiler: Compiler, arguments: Sequence[str], unit: Path) -> None:
    """Compile a kernel's unit.

    Raises:
        KernelCompileError, CompilerCrashError: the compiler did not.
    """
    result = compiler.run(arguments)
    if result.returncode != 0:
        _explain_failure(source, compiler, result.stderr, unit)


def _explain_failure(source: KernelSource, compiler: Compiler, output: str, unit: Path) -> NoReturn:
    limit = limit_in(output)
    if limit is not None:
        raise KernelCompileError(source.name, limit, output)
    if "No space left on device" in output:
        raise full_cache()
    if "'#pragma GCC unroll' requires" in output and compiler.family == "gcc":
        raise CompilerCrashError(
            f"{compiler.version} does not take a '#pragma GCC unroll' of kernel {source.name}, whose count depends on "
            'a template; another compiler does: pip install "tilewright[compiler]"'
        )
    if "internal compiler error" in output or "PLEASE submit a bug report" in output:
        raise CompilerCrashError(
            f"{compiler.version} crashed on kernel {source.name} (a fault of the compiler, not of the kernel); "
            'another compiler helps: pip install "tilewright[compiler]"'
        )
    if re.search(r"'kernel_main' was not declared|undeclared identifier 'kernel_main'", output):
        raise KernelCompileError(source.name, f"{source.path} has no `void kernel_main()`", output)
    raise KernelCompileError(source.name, to_the_point(output, unit, source), output)


def to_the_point(output: str, unit: Path, source: KernelSource) -> str:
    """The first errors of a compiler's output with the code they point at, without the rest of its story.

    An error inside a header is followed by the kernel's own lines that led there; those of a Python kernel are in the
    Python files.
    """
    shown: list[str] = []
    errors = 0
    keep = False
    for line in output.splitlines():
        if re.search(r"(fatal )?error: ", line):
            errors += 1
            keep = errors <= _MAX_ERRORS_SHOWN
        elif _STORY.search(line):
            keep = False
        if keep:
            shown.append(with_api_hint(line, source.is_compute))
    more = errors - _MAX_ERRORS_SHOWN
    if more > 0:
        shown.append(f"... and {more} more error{'s' if more > 1 else ''}")
    text = "\n".join(shown) if shown else output.strip()
    own = _own_prefixes(source.path)
    if not any(line.startswith(own) for line in shown):
        reasons = (line for line in output.splitlines() if line.startswith(own) and _REASON.search(line))
        text = "\n".join([text, *itertools.islice(reasons, 2)])
    return text.replace(str(unit), "<generated>")


def _own_prefixes(kernel_path: str) -> tuple[str, ...]:
    """How messages about a kernel's own text begin: with its file, or one that its ``#line`` directives name."""
    try:
        text = Path(kernel_path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    named = re.findall(r'^#line \d+ "(.*)"$', text, re.MULTILINE)
    paths = {kernel_path, *(re.sub(r"\\(.)", r"\1", each) for each in named)}
    return tuple(f"{path}:" for path in paths)
