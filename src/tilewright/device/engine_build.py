# SPDX-License-Identifier: Apache-2.0
"""Builds the engine's shared library, once per compiler, processor and version of its sources."""

from __future__ import annotations

import functools
import os
import platform
import re
import sys
from pathlib import Path

from tilewright.device.cache import building, cache_directory, digest, full_cache, store_library, stored_library
from tilewright.device.compiler import Compiler, engine_flags, find_compiler
from tilewright.device.errors import TilewrightError

NATIVE = Path(__file__).resolve().parent.parent / "native"


@functools.cache
def tree_digest(directory: str) -> str:
    """Name for the content of all sources below ``native/<directory>``."""
    return digest(*(part for name, path in _sources(directory) for part in (name, path.read_bytes())))


def tree_dates(directory: str) -> str:
    """Name for the dates of all sources below ``native/<directory>``."""
    return digest(*(str(path.stat().st_mtime_ns) for _, path in _sources(directory)))


def _sources(directory: str) -> list[tuple[str, Path]]:
    """Every source below ``native/<directory>`` by its name there, in the order of the names' parts."""
    root = NATIVE / directory
    above = len(str(root)) + 1
    parts = [
        [*folder[above:].split("/"), file] if folder[above:] else [file]
        for folder, _, files in os.walk(root)
        for file in files
        if file.endswith((".h", ".hpp", ".cpp", ".inl"))
    ]
    names = ["/".join(each) for each in sorted(parts)]
    return [(name, root / name) for name in names]


def _processor() -> str:
    """-march=native makes code for this processor only, so the cache must know it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return "\n".join(sorted({line for line in lines if line.startswith(("flags", "Features", "model name"))}))


# Kernels find the engine's functions by name; nothing else of it, and of the C++ library some compilers put into
# it, may get in the way of other libraries of the process.
_EXPORTS = "{ global: tw_*; __tsan_*; __wrap_mem*; local: *; };\n"


# Tile maths rounds where the hardware does, so products and sums stay apart there; functions of the vector unit are
# only as exact as their polynomials, which gain from fused steps.
_FOLDER_FLAGS = {"sfpu": ["-ffp-contract=fast"]}


def _flags(compiler: Compiler, folder: str) -> list[str]:
    return [*engine_flags(compiler), *_FOLDER_FLAGS.get(folder, []), f"-I{NATIVE}", f"-I{NATIVE / 'engine'}"]


def _compile(compiler: Compiler, source: Path, target: Path) -> None:
    folder = source.parent.name
    prelude = ["-include", str(_prelude(target.parent, folder))] if compiler.family == "gcc" else []
    _run(compiler, [*_flags(compiler, folder), *prelude, "-c", str(source), "-o", str(target)], "compile")


def _compile_prelude(compiler: Compiler, work: Path, folder: str) -> None:
    """The header every source begins with, compiled once: it is half of what most of them cost.

    It brings the flags it was compiled with: with another's, sums and products of ``sfpu`` would silently not be fused.
    """
    if compiler.family == "gcc":
        header = _prelude(work, folder)
        header.write_text('#include "scheduler.h"\n')
        compiled = ["-x", "c++-header", str(header), "-o", f"{header}.gch"]
        _run(compiler, [*_flags(compiler, folder), *compiled], "compile")


def _prelude(work: Path, folder: str) -> Path:
    return work / (f"prelude-{folder}.h" if folder in _FOLDER_FLAGS else "prelude.h")


def _run(compiler: Compiler, arguments: list[str], verb: str) -> None:
    result = compiler.run(arguments)
    if result.returncode == 0:
        return
    if "No space left on device" in result.stderr:
        raise full_cache()
    no_library = re.search(r"'c?\w+' file not found|c?\w+: No such file or directory", result.stderr)
    hint = "\n(it finds no C++ standard library: install libstdc++-dev or g++)" if no_library else ""
    raise TilewrightError(f"the engine does not {verb} with {compiler}:\n{result.stderr.strip()}{hint}")


def _build(compiler: Compiler, work: Path) -> Path:
    sources = sorted((NATIVE / "engine").rglob("*.cpp"))
    objects = [work / f"{index}-{source.stem}.o" for index, source in enumerate(sources)]
    import concurrent.futures  # the engine is there already in almost every process

    pool = concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    try:
        list(pool.map(functools.partial(_compile_prelude, compiler, work), ["engine", *_FOLDER_FLAGS]))
        list(pool.map(_compile, [compiler] * len(sources), sources, objects))
    finally:
        # After an error, or Ctrl-C, what has not begun is not worth waiting for.
        pool.shutdown(cancel_futures=True)
    exports = work / "exports.map"
    exports.write_text(_EXPORTS)
    library = work / "engine.so"
    link = ["-shared", "-o", str(library), *map(str, objects), "-Wl,-Bsymbolic", f"-Wl,--version-script={exports}"]
    _run(compiler, [*link, "-lpthread", "-ldl", "-lrt"], "link")
    return library


def engine_library() -> Path:
    """Path of the engine's shared library; built first if this machine has none yet."""
    compiler = find_compiler()
    parts = (tree_digest("engine"), tree_digest("abi"), compiler.identity, _processor(), *engine_flags(compiler))
    name = digest(*parts, Path(__file__).read_bytes())  # and how it is built
    entry = cache_directory() / "engine" / f"{name}.json"
    stored = stored_library(entry)
    if stored is not None:
        return stored[0]
    with building(f"engine-{name}") as work:
        stored = stored_library(entry)  # another process may have built it while this one waited
        if stored is not None:
            return stored[0]
        print(
            f"tilewright: building the engine with {compiler}, once; this takes a while ...",
            file=sys.stderr,
            flush=True,
        )
        return store_library(entry, _build(compiler, work), compiler=str(compiler))
