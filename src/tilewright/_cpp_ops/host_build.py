# SPDX-License-Identifier: Apache-2.0
"""Compilation of host sources: in parallel, each once for its content, its headers, its flags and the compiler."""

from __future__ import annotations

import concurrent.futures
import itertools
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
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
from tilewright._build.compiler import Compiler, find_compiler
from tilewright._build.progress import progress
from tilewright._cpp_ops.compiler_messages import explained
from tilewright._cpp_ops.errors import CppOperationError
from tilewright._cpp_ops.headers import HOST, INCLUDE, headers_directory

_FLAGS = ["-std=c++20", "-O0", "-g0", "-fPIC", "-fvisibility=hidden", "-fvisibility-inlines-hidden", "-w"]


@dataclass(frozen=True)
class HostObject:
    """A compiled source."""

    source: Path
    object: Path
    compiled: bool  # now, rather than taken from the cache
    files: tuple[Path, ...] = ()  # headers it read, apart from the compiler's


def _flags(compiler: Compiler) -> list[str]:
    limit = "-fmax-errors=8" if compiler.family == "gcc" else "-ferror-limit=8"
    return [*_FLAGS, limit, *(["-fno-sanitize=all"] if compiler.family == "zig" else [])]


def _entries() -> Path:
    return cache_directory() / "cpp"


@dataclass(frozen=True)
class Headers:
    """tt-metal as host code sees it: directories of headers behind a folder's own, and flags of the compiler."""

    places: tuple[Path, ...]
    flags: tuple[str, ...] = ()

    def before(self, checkout: Sequence[Path]) -> Headers:
        """These headers, and behind them what only a checkout has."""
        return Headers((*self.places, *checkout), self.flags)


def recording_headers() -> Headers:
    """tilewright's host headers, whose definitions record a program."""
    return Headers((headers_directory(), INCLUDE))


def compile_sources(
    sources: Sequence[Path], include: Sequence[Path], headers: Headers | None = None
) -> list[HostObject]:
    """Objects of all sources, in their order.

    Raises:
        CppOperationError: with the compiler's errors of every source that has some.
    """
    results = compile_each(sources, include, headers)
    failures = [result for result in results if isinstance(result, str)]
    if failures:
        raise CppOperationError("\n\n".join(failures))
    return [result for result in results if isinstance(result, HostObject)]


def compile_each(
    sources: Sequence[Path], include: Sequence[Path], headers: Headers | None = None
) -> list[HostObject | str]:
    """The object of each source, or the compiler's errors."""
    if not sources:
        return []
    compiler = find_compiler()
    seen = recording_headers() if headers is None else headers
    places = [*include, *seen.places]
    done = itertools.count(1)
    title = f"compiling {sources[0].name}" if len(sources) == 1 else f"compiling {len(sources)} host sources"
    with progress(title) as shown, concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:

        def compiled(source: Path) -> HostObject | str:
            result = _compiled(compiler, source, places, seen.flags)
            if len(sources) > 1:
                shown.show(f"{next(done)}/{len(sources)}")
            return result

        return list(pool.map(compiled, sources))


def compile_together(sources: Sequence[Path], include: Sequence[Path], headers: Headers) -> HostObject | str:
    """One object of all sources as one translation unit, or the compiler's errors: headers are read once."""
    text = "".join(f'#include "{source}"\n' for source in sources).encode()
    (result,) = compile_each([kept_source("together", text)], include, headers)
    return result


def kept_source(name: str, text: bytes) -> Path:
    """A generated source, under a name for its content."""
    path = _entries() / f"{name}-{digest(text)}.cpp"
    if read_entry(path) != text:
        write_atomically(path, text)
    note_use(path)
    return path


def _compiled(
    compiler: Compiler, source: Path, include: Sequence[Path], further: Sequence[str] = ()
) -> HostObject | str:
    """The object of one source, or the compiler's errors, explained."""
    flags = [*_flags(compiler), *further, *(f"-I{place}" for place in include)]
    # Headers count by what was read of them. Those by tt-metal's paths hide none, unless a checkout is behind them.
    hides = include[-1:] != [INCLUDE]
    places = (str(place) for place in include if hides or place != headers_directory())
    name = digest(compiler.identity, *_flags(compiler), *further, *places, str(source), source.read_bytes())
    record = _entries() / f"{name}.json"
    kept = _kept(record)
    if kept is not None:
        return HostObject(source, kept[0], False, kept[1])
    with building(f"cpp-{name}") as work:
        kept = _kept(record)  # another process may have compiled it while this one waited
        if kept is not None:
            return HostObject(source, kept[0], False, kept[1])
        built, depends = work / "source.o", work / "source.d"
        result = compiler.run([*flags, "-MMD", "-MF", str(depends), "-c", str(source), "-o", str(built)])
        if result.returncode != 0:
            return explained(source, result.stderr, include)
        files = _dependencies(depends.read_text())
        target = _entries() / f"{name}-{file_digest(built)[:16]}.o"
        move_into_cache(built, target)
    facts = {"object": target.name, "files": {str(file): file_digest(file) for file in files}}
    write_atomically(record, json.dumps(facts).encode())
    return HostObject(source, target, True, tuple(files))


def _kept(record: Path) -> tuple[Path, tuple[Path, ...]] | None:
    """The object of a record whose headers are all as they were, and those headers."""
    data = read_entry(record)
    if data is None:
        return None
    facts = json.loads(data)
    target = record.parent / str(facts["object"])
    for file, content in facts["files"].items():
        if not Path(file).is_file() or file_digest(Path(file)) != content:
            return None
    if read_entry(target) is None:
        return None
    note_use(record)
    return target, tuple(map(Path, facts["files"]))


def _dependencies(text: str) -> list[Path]:
    """Files a source read, apart from the compiler's own."""
    words = re.findall(r"(?:[^\s\\]|\\.)+", text.partition(":")[2])
    files = [Path(word.replace("\\ ", " ").replace("\\#", "#")) for word in words if word != "\\"]
    return [file for file in files[1:] if not str(file).startswith(("/usr/", "/lib/"))]


def _library_source() -> Path:
    """One file that includes every source of the host library: their headers are read once."""
    sources = sorted((HOST / "source").glob("*.cpp"))
    return kept_source("host-library", "".join(f'#include "{source}"\n' for source in sources).encode())


def host_library() -> HostObject:
    """The definitions behind the headers, compiled once for each compiler."""
    with progress("compiling the host library, once for this compiler"):
        result = _compiled(find_compiler(), _library_source(), list(recording_headers().places))
    if isinstance(result, str):
        raise CppOperationError(f"tilewright's host library does not compile:\n{result}")
    return result


def link(objects: Sequence[Path], against: Sequence[str] = ()) -> Path:
    """A shared library of the objects, under a name for its content.

    Args:
        against: options of the linker for a library of Python's, in the place of those for one that stands alone.
    """
    compiler = find_compiler()
    # A process with ttnn has a libstdc++ too: its variables must not become those of the one linked here, whose streams
    # would find facets of the other and stop at the first number.
    own = ["-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL"] if compiler.family == "gcc" else []
    options = [*against, "-Wl,--warn-unresolved-symbols"] if against else own
    name = digest(compiler.identity, *options, *(file_digest(each) for each in objects))
    target = _entries() / f"{name}.so"
    if read_entry(target) is not None:
        note_use(target)
        return target
    with building(f"cpp-link-{name}") as work:
        built = work / "operation.so"
        result = compiler.run(
            ["-shared", *map(str, objects), "-Wl,-Bsymbolic", "-Wl,-z,defs", *options, "-o", str(built)]
        )
        missing = [each for each in _undefined_names(result.stderr) if not against or not _OF_PYTHON.match(each)]
        if result.returncode != 0 or missing:
            raise CppOperationError(
                f"the operation does not link:\n{_undefined(missing, result.stderr, bool(against))}"
            )
        move_into_cache(built, target)
    return target


_OF_PYTHON = re.compile("_?Py")  # defined by the process that loads a library


def _undefined_names(text: str) -> list[str]:
    """Functions that the linker misses, each once."""
    return list(dict.fromkeys(re.findall(r"undefined (?:reference to|symbol:?) [`']?(.+?)'?$", text, re.MULTILINE)))


def _undefined(names: Sequence[str], text: str, against_ttnn: bool) -> str:
    """The linker's complaint: each missing function once, and what to do about it."""
    if not names:
        return text.strip()
    listed = "\n".join(f"  {name}" for name in names[:12])
    missed = "the libraries of the installed ttnn do" if against_ttnn else "tilewright's host library does"
    return (
        f"{listed}\nThe folder declares these and no source of it defines them, or they are functions of tt-metal that "
        f"{missed} not have."
    )
