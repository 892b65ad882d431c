# SPDX-License-Identifier: Apache-2.0
"""Builds the engine's shared library, once per compiler, processor and version of its sources.

Objects are kept too, each under a name for all that goes into it: its flags, its text, and the text of every header of
ours that it reads. A changed source costs its own compilation and a link, wherever the checkout lies.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import platform
import re
import sys
from pathlib import Path

from tilewright._build.cache import (
    building,
    cache_directory,
    digest,
    file_digest,
    full_cache,
    move_into_cache,
    note_use,
    read_entry,
    store_library,
    stored_library,
    write_atomically,
)
from tilewright._build.compiler import Compiler, engine_flags, find_compiler
from tilewright._errors import TilewrightError

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
_EXPORTS = "{ global: tw_*; __tsan_*; __wrap_mem*; __sanitizer_cov_trace_pc; local: *; };\n"


# Tile maths rounds where the hardware does, so products and sums stay apart there; functions of the vector unit are
# only as exact as their polynomials, which gain from fused steps.
_FOLDER_FLAGS = {"sfpu": ["-ffp-contract=fast"]}


# The header every source begins with, compiled once for each set of flags: it is half of what most of them cost.
_PRELUDE = '#include "run/scheduler.h"\n'


def _flags(compiler: Compiler, folder: str) -> list[str]:
    return [*engine_flags(compiler), *_FOLDER_FLAGS.get(folder, [])]


def _include_flags() -> list[str]:
    return [f"-I{root}" for root in _include_roots()]


def _include_roots() -> tuple[Path, Path]:
    return NATIVE, NATIVE / "engine"


def _read_headers(file: Path, text: str, found: dict[Path, str]) -> None:
    """Adds the text of every header of ours that ``text`` includes, directly or not, to ``found``."""
    for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.MULTILINE):
        candidates = (root / name for root in (file.parent, *_include_roots()))
        header = next((each.resolve() for each in candidates if each.is_file()), None)
        if header is not None and header not in found:
            found[header] = header.read_text()
            _read_headers(header, found[header], found)


def _object_name(compiler: Compiler, source: Path) -> str:
    """Name for an object: the same for the same text, headers, flags, compiler and processor."""
    text = source.read_text()
    headers: dict[Path, str] = {}
    _read_headers(NATIVE / "engine" / "prelude.h", _PRELUDE, headers)
    _read_headers(source, text, headers)
    contents = (headers[header] for header in sorted(headers))
    flags = _flags(compiler, source.parent.name)
    return digest(compiler.identity, _processor(), *flags, str(source.relative_to(NATIVE)), _PRELUDE, text, *contents)


def _compile(compiler: Compiler, work: Path, source: Path, target: Path) -> None:
    folder, built = source.parent.name, work / target.name
    prelude = ["-include", str(_prelude(work, folder))] if compiler.family == "gcc" else []
    flags = [*_flags(compiler, folder), *_include_flags()]
    _run(compiler, [*flags, *prelude, "-c", str(source), "-o", str(built)], "compile")
    content = file_digest(built)
    move_into_cache(built, target)
    write_atomically(_record(target), content.encode())


def _record(target: Path) -> Path:
    """Where the digest of an object is kept."""
    return target.with_suffix(".digest")


def _is_kept(target: Path) -> bool:
    """Whether the cache has this object as it was once put there."""
    content = read_entry(_record(target))
    data = read_entry(target)
    if content is None or data is None or digest(data) != content.decode(errors="replace"):
        return False
    note_use(_record(target))
    return True


def _compile_prelude(compiler: Compiler, work: Path, folder: str) -> None:
    """It brings the flags it was compiled with: with another's, sums and products of ``sfpu`` would not be fused."""
    if compiler.family == "gcc":
        header = _prelude(work, folder)
        header.write_text(_PRELUDE)
        compiled = ["-x", "c++-header", str(header), "-o", f"{header}.gch"]
        _run(compiler, [*_flags(compiler, folder), *_include_flags(), *compiled], "compile")


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


@dataclasses.dataclass(frozen=True)
class Engine:
    """Files the engine was built into."""

    library: Path
    runner: Path


def _build(compiler: Compiler, work: Path) -> Engine:
    kept = cache_directory() / "engine" / "objects"
    sources = [source for tree in ("engine", "runner") for source in sorted((NATIVE / tree).rglob("*.cpp"))]
    objects = [kept / f"{_object_name(compiler, source)}.o" for source in sources]
    missing = [pair for pair in zip(sources, objects, strict=True) if not _is_kept(pair[1])]
    folders = {source.parent.name if source.parent.name in _FOLDER_FLAGS else "engine" for source, _ in missing}
    import concurrent.futures  # the engine is there already in almost every process

    pool = concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    try:
        list(pool.map(functools.partial(_compile_prelude, compiler, work), sorted(folders)))
        list(pool.map(lambda pair: _compile(compiler, work, *pair), missing))
    finally:
        # After an error, or Ctrl-C, what has not begun is not worth waiting for.
        pool.shutdown(cancel_futures=True)
    in_library = [str(each) for each, source in zip(objects, sources, strict=True) if source.parent.name != "runner"]
    exports = work / "exports.map"
    exports.write_text(_EXPORTS)
    built = Engine(work / "engine.so", work / "runner")
    link = ["-shared", "-o", str(built.library), *in_library, "-Wl,-Bsymbolic", f"-Wl,--version-script={exports}"]
    _run(compiler, [*link, *_LIBRARIES], "link")
    # Kernels find the engine's functions in the program that loads them.
    _run(compiler, ["-rdynamic", "-o", str(built.runner), *map(str, objects), *_LIBRARIES], "link")
    return built


_LIBRARIES = ("-lpthread", "-ldl", "-lrt")


def _stored(name: str) -> Engine | None:
    library, runner = (stored_library(_entry(name, part)) for part in ("library", "runner"))
    return Engine(library[0], runner[0]) if library is not None and runner is not None else None


def _entry(name: str, part: str) -> Path:
    return cache_directory() / "engine" / f"{name}-{part}.json"


def find_engine() -> Engine:
    """The engine; built first if this machine has none yet."""
    compiler = find_compiler()
    trees = (tree_digest(tree) for tree in ("engine", "abi", "runner"))
    parts = (*trees, compiler.identity, _processor(), *engine_flags(compiler))
    name = digest(*parts, Path(__file__).read_bytes())  # and how it is built
    stored = _stored(name)
    if stored is not None:
        return stored
    with building(f"engine-{name}") as work:
        stored = _stored(name)  # another process may have built it while this one waited
        if stored is not None:
            return stored
        print(
            f"tilewright: building the engine with {compiler}, once; this takes a while ...",
            file=sys.stderr,
            flush=True,
        )
        built = _build(compiler, work)
        return Engine(
            store_library(_entry(name, "library"), built.library, compiler=str(compiler)),
            store_library(_entry(name, "runner"), built.runner, compiler=str(compiler)),
        )
