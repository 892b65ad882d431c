# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels into shared libraries, and remembers them by content."""

from __future__ import annotations

import concurrent.futures
import json
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tilewright.device.cache import cache_directory, digest, locked, write_atomically
from tilewright.device.compiler import Compiler, available_compilers, find_compiler, kernel_flags
from tilewright.device.engine_build import NATIVE, tree_digest
from tilewright.device.errors import CompilerCrashError, KernelCompileError
from tilewright.device.translation_unit import KernelSource, prelude_macros, prelude_name, translation_unit

_MAX_ERRORS_SHOWN = 3


def source_file(name: str, text: str) -> Path:
    """A file holding the text of a kernel given as source code; the same text has the same file."""
    label = re.sub(r"[^A-Za-z0-9_.-]", "_", name) or "kernel"
    path = cache_directory() / "sources" / digest(text) / f"{label}.cpp"
    if not path.exists():
        write_atomically(path, text.encode())
    return path


def include_roots(path: str) -> list[str]:
    """Directories a kernel's includes are looked up in, besides its own.

    A kernel of a tt-metal tree or of a ttnn installation finds that tree's kernel libraries.
    """
    directory = Path(path).parent
    for parent in directory.parents:
        if (parent / "ttnn" / "cpp" / "ttnn").is_dir():
            return [str(parent), str(parent / "ttnn"), str(parent / "ttnn" / "cpp"), str(parent / "tt_metal")]
    return []


def compile_kernels(sources: Sequence[KernelSource]) -> list[Path]:
    """Compiles what the cache does not have, side by side, and returns one library per source.

    Raises:
        KernelCompileError: a kernel is wrong; the message is the compiler's.
        CompilerCrashError: the compiler crashed and there is no other to try.
    """
    unique = list(dict.fromkeys(sources))
    if len(unique) == 1:
        built = {unique[0]: compile_kernel(unique[0])}
    else:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            built = dict(zip(unique, pool.map(compile_kernel, unique), strict=True))
    return [built[source] for source in sources]


def compile_kernel(source: KernelSource) -> Path:
    """Library of one kernel, compiled if the cache does not have it."""
    try:
        return _cached(source, find_compiler())
    except CompilerCrashError as crash:
        others = available_compilers()[1:]
        if not others:
            raise
        print(f"tilewright: {crash}; compiling {source.name} with {others[0]} instead", file=sys.stderr)
        return _cached(source, others[0])


def _arguments(source: KernelSource, compiler: Compiler) -> list[str]:
    roots = [str(NATIVE / "include"), str(NATIVE), *source.include_paths, *include_roots(source.path)]
    return [
        *kernel_flags(compiler),
        *(f"-D{macro}" for macro in prelude_macros(source)),
        *(f"-I{root}" for root in roots),
    ]


def _cached(source: KernelSource, compiler: Compiler) -> Path:
    text = translation_unit(source)
    arguments = _arguments(source, compiler)
    headers = tree_digest("include") + tree_digest("abi")
    key = digest(text, *arguments, compiler.identity, headers)
    entry = cache_directory() / "kernels" / f"{key}.json"
    library = _valid_library(entry)
    if library is not None:
        return library
    with locked(f"kernel-{key}"):
        library = _valid_library(entry)
        return library if library is not None else _compile(source, compiler, text, arguments, entry)


def _valid_library(entry: Path) -> Path | None:
    """The library an entry names, unless a file it was made from has changed."""
    try:
        record = json.loads(entry.read_bytes())
    except (OSError, ValueError):
        return None
    library = entry.parent / record["library"]
    for path, content in record["dependencies"].items():
        try:
            if digest(Path(path).read_bytes()) != content:
                return None
        except OSError:
            return None
    return library if library.exists() else None


def _compile(source: KernelSource, compiler: Compiler, text: str, arguments: list[str], entry: Path) -> Path:
    entry.parent.mkdir(parents=True, exist_ok=True)
    precompiled = _precompiled_prelude(source, compiler, arguments) if compiler.family == "gcc" else None
    if precompiled is not None:
        arguments = [f"-I{precompiled}", *arguments]
        text = text.replace(f'#include "{prelude_name(source)}"', '#include "tw_prelude.h"', 1)
    with tempfile.TemporaryDirectory(dir=entry.parent) as work:
        unit = Path(work) / "kernel_unit.cpp"
        unit.write_text(text)
        library = Path(work) / "kernel.so"
        depends = Path(work) / "kernel.d"
        command = [*arguments, "-MMD", "-MF", str(depends), "-shared", "-nostartfiles", "-Wl,-Bsymbolic"]
        result = compiler.run([*command, "-o", str(library), str(unit)])
        if result.returncode != 0:
            _explain_failure(source, compiler, result.stderr, unit)
        dependencies = _dependencies(depends.read_text(), unit)
        final = entry.parent / f"{digest(library.read_bytes())}.so"
        os.replace(library, final)
    record = {"library": final.name, "dependencies": dependencies, "kernel": source.name}
    write_atomically(entry, json.dumps(record).encode())
    return final


def _precompiled_prelude(source: KernelSource, compiler: Compiler, arguments: list[str]) -> Path:
    """Directory with the compiled prelude for this kernel's flags (g++ finds it beside ``tw_prelude.h``)."""
    own = [argument for argument in arguments if not argument.startswith("-I")]
    key = digest(prelude_name(source), *own, compiler.identity, tree_digest("include"), tree_digest("abi"), str(NATIVE))
    directory = cache_directory() / "preludes" / key
    compiled = directory / "tw_prelude.h.gch"
    if compiled.exists():
        return directory
    with locked(f"prelude-{key}"):
        if not compiled.exists():
            header = directory / "tw_prelude.h"
            write_atomically(header, f'#include "{prelude_name(source)}"\n'.encode())
            partial = directory / f"partial-{os.getpid()}"
            result = compiler.run(
                [*own, f"-I{NATIVE / 'include'}", f"-I{NATIVE}", "-x", "c++-header", str(header), "-o", str(partial)]
            )
            if result.returncode != 0:
                raise KernelCompileError("(kernel API headers)", result.stderr, result.stderr)
            os.replace(partial, compiled)
    return directory


def _dependencies(rule: str, unit: Path) -> dict[str, str]:
    """Files outside our own headers that a kernel was made from, with their content's name."""
    paths = rule.replace("\\\n", " ").split(":", 1)[1].split()
    outside = [path for path in paths if not path.startswith((str(NATIVE), str(cache_directory() / "preludes")))]
    return {
        path: digest(Path(path).read_bytes())
        for path in outside
        if path != str(unit) and not path.startswith("/usr/") and Path(path).exists()
    }


def _explain_failure(source: KernelSource, compiler: Compiler, output: str, unit: Path) -> None:
    if "internal compiler error" in output or "PLEASE submit a bug report" in output:
        raise CompilerCrashError(
            f"{compiler.version} crashed on kernel {source.name} (a fault of the compiler, not of the kernel); "
            'another compiler helps: pip install "tilewright[compiler]"'
        )
    raise KernelCompileError(source.name, to_the_point(output, unit), output)


def to_the_point(output: str, unit: Path) -> str:
    """The first errors of a compiler's output with the code they point at, without the rest of its story."""
    shown: list[str] = []
    errors = 0
    keep = False
    for line in output.splitlines():
        if re.search(r"(fatal )?error: ", line):
            errors += 1
            keep = errors <= _MAX_ERRORS_SHOWN
        elif re.search(r"(note|warning): |^In file included|^\s+from |In (instantiation|function|member|static)", line):
            keep = False
        if keep:
            shown.append(line)
    if errors > _MAX_ERRORS_SHOWN:
        shown.append(f"... and {errors - _MAX_ERRORS_SHOWN} more errors")
    text = "\n".join(shown) if shown else output.strip()
    return text.replace(str(unit), "<generated>")
