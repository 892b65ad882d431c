# SPDX-License-Identifier: Apache-2.0
"""Kernels as shared libraries: compiled where the cache, which is keyed by content, has none."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tilewright._build.cache import (
    building,
    cache_directory,
    digest,
    note_use,
    read_entry,
    store_library,
    store_record,
    stored_library,
    write_atomically,
)
from tilewright._build.cache_pruning import prune_when_large
from tilewright._build.compile_errors import run_compiler
from tilewright._build.compiler import (
    Compiler,
    available_compilers,
    find_compiler,
    instrumentation_flags,
    kernel_flags,
    kernel_link_flags,
    kernel_link_libraries,
)
from tilewright._build.file_states import FileStates, State, build_environment, file_state
from tilewright._build.generated_headers import generated_directory, write_generated_headers
from tilewright._build.kernel_places import include_directories, kernel_content, places_of, tree_of
from tilewright._build.native_build import NATIVE, tree_digest
from tilewright._build.precompiled_headers import with_precompiled_headers
from tilewright._build.progress import progress
from tilewright._build.thread_guards import THREADS, chosen_by_thread
from tilewright._build.translation_unit import Instrumentation, KernelSource, translation_unit
from tilewright._errors import CompilerCrashError, KernelCompileError

# The compiler calls the engine in every basic block; no library of the sanitizer is needed for it. A record wants it of
# kernels that move data: what a compute kernel does between its calls runs beside the tile engines. After a hang in a
# checked run, kernels are followed for so many blocks instead of for a time.
_COUNTING_FLAGS = ("-fsanitize-coverage=trace-pc",)


def source_file(name: str, text: str) -> Path:
    """A file holding the text of a kernel given as source code; the same text has the same file."""
    label = re.sub(r"[^A-Za-z0-9_.-]", "_", name) or "kernel"
    path = cache_directory() / "sources" / digest(text) / f"{label}.cpp"
    if read_entry(path) != text.encode():
        write_atomically(path, text.encode())
    note_use(path.parent)
    return path


# One library, or one for each thread of a compute kernel whose text differs from thread to thread.
Libraries = tuple[Path, ...]


def compile_kernels(sources: Sequence[KernelSource]) -> list[Libraries]:
    """Compiles what the cache does not have, side by side, and returns the libraries of each source.

    Raises:
        KernelCompileError: a kernel is wrong; the message is the compiler's.
        CompilerCrashError: the compiler crashed and there is no other to try.
    """
    environment = build_environment()
    built = {source: found for source in sources if (found := _unchanged(source, environment)) is not None}
    built.update(_stored(dict.fromkeys(source for source in sources if source not in built)))
    missing = [source for source in dict.fromkeys(sources) if source not in built]
    if len(missing) > 1:
        import concurrent.futures  # where there is anything to compile

        threads = len(os.sched_getaffinity(0))
        with _shown(missing), concurrent.futures.ThreadPoolExecutor(threads) as pool:
            built.update(zip(missing, pool.map(compile_kernel, missing), strict=True))
    elif missing:
        with _shown(missing):
            built[missing[0]] = compile_kernel(missing[0])
    return [built[source] for source in sources]


def _shown(missing: Sequence[KernelSource]) -> contextlib.AbstractContextManager[object]:
    return progress(f"compiling {len(missing)} kernel{'s' if len(missing) > 1 else ''}")


# Libraries this process has used, with the state of the files they were made from.
_used: dict[tuple[KernelSource, tuple[str | None, ...]], tuple[Libraries, dict[Path, State]]] = {}


def known_files(sources: Sequence[KernelSource], libraries: Sequence[Libraries]) -> FileStates | None:
    """The files that these libraries of kernels were made from; None where a library was built just now.

    The next ``compile_kernels`` reads such files once more: one may have changed while the compiler read it.
    """
    environment = build_environment()
    states: dict[Path, State] = {}
    for source, own in zip(sources, libraries, strict=True):
        used = _used.get((source, environment))
        if used is None or used[0] != own:
            return None
        states |= used[1]
    return FileStates(environment, states)


def _unchanged(source: KernelSource, environment: tuple[str | None, ...]) -> Libraries | None:
    """The library this process used last for a kernel, if no file it was made from has changed since."""
    used = _used.get((source, environment))
    if used is None:
        return None
    libraries, states = used
    return libraries if FileStates(environment, states).are_current() else None


def compile_kernel(source: KernelSource) -> Libraries:
    """Libraries of one kernel, compiled if the cache does not have them.

    Where the preferred compiler crashes, or refuses a kernel of a tt-metal tree, the others are tried in turn. A kernel
    of one's own that is refused is more likely wrong than misunderstood, and the first answer is the one to show.
    """
    preferred = find_compiler()
    refusal = _refusal(source, preferred)
    try:
        if refusal.exists():
            raise CompilerCrashError(refusal.read_text(encoding="utf-8"))
        return _cached(source, preferred)
    except (CompilerCrashError, KernelCompileError) as failure:
        if isinstance(failure, KernelCompileError) and not tree_of(source.path):
            raise
        others = available_compilers()[1:]
        for other in others:
            with contextlib.suppress(CompilerCrashError, KernelCompileError):
                libraries = _cached(source, other)
                write_atomically(refusal, str(failure).encode())
                return libraries
        if others and isinstance(failure, CompilerCrashError):
            tried = ", ".join(str(other) for other in others)
            raise CompilerCrashError(f"{failure}\n(tried as well, and no better: {tried})") from failure
        raise


def _require_includable(source: KernelSource) -> None:
    """A kernel is compiled by including its file, and no #include can name every file."""
    for path in (source.path, *source.include_paths):
        if any(character in path for character in '"\n\r'):
            message = f"{path!r} has a quote or a line break in its path, which no #include can name: rename it"
            raise KernelCompileError(source.name, message, "")


def _refusal(source: KernelSource, compiler: Compiler) -> Path:
    """The note that a compiler cannot take a kernel which another can, so that it is not tried again."""
    return _entry(source, compiler).with_suffix(".refused")


def _counts_blocks(source: KernelSource) -> bool:
    return source.checked or (source.instrumentation is Instrumentation.CALLS and not source.is_compute)


def _arguments(source: KernelSource, compiler: Compiler) -> list[str]:
    _require_includable(source)
    return [
        *kernel_flags(compiler),
        *(instrumentation_flags(compiler) if source.checked else ()),
        *(_COUNTING_FLAGS if _counts_blocks(source) else ()),
        *(f"-I{directory}" for directory in include_directories(source)),
    ]


def _entry(source: KernelSource, compiler: Compiler) -> Path:
    """Where the cache has, or will have, the record of a kernel's library: named by content, wherever files lie."""
    content = kernel_content(source)
    places = places_of(source)
    text = translation_unit(dataclasses.replace(source, path=places.hide(source.path)))
    flags = [f"-I{places.hide(each[2:])}" if each.startswith("-I") else each for each in _arguments(source, compiler)]
    flags += [*kernel_link_flags(compiler, source.checked), *kernel_link_libraries(compiler)]
    headers = (tree_digest("include"), tree_digest("abi"), generated_directory().name)
    key = digest(text, places.hidden_lines(content), *flags, compiler.identity, *headers)
    return cache_directory() / "kernels" / f"{key}.json"


def _stored(sources: Iterable[KernelSource]) -> Iterator[tuple[KernelSource, Libraries]]:
    """Kernels the cache has libraries of, with them."""
    for source in sources:
        compiler = find_compiler()
        entry = _entry(source, compiler)
        libraries = _valid_libraries(entry, source, compiler)
        if libraries is not None:
            yield source, libraries


def _cached(source: KernelSource, compiler: Compiler) -> Libraries:
    entry = _entry(source, compiler)
    libraries = _valid_libraries(entry, source, compiler)
    if libraries is not None:
        return libraries
    with building(f"kernel-{entry.stem}") as work:
        libraries = _valid_libraries(entry, source, compiler)
        if libraries is not None:
            return libraries
        return _compile(source, compiler, entry, work)


def _differs_by_thread(source: KernelSource, files: Iterable[Path]) -> bool:
    """Whether a compute kernel made from these files has to be compiled for each of its threads."""
    if not source.is_compute or source.thread:
        return False
    texts = (path.read_text(errors="replace") for path in files if path.is_file())
    return any(chosen_by_thread(text) is not None for text in texts)


def _of_threads(source: KernelSource) -> list[KernelSource]:
    return [dataclasses.replace(source, thread=thread) for thread in THREADS]


def _compile_threads(source: KernelSource, compiler: Compiler, entry: Path) -> Libraries:
    """Compiles a kernel for each thread; what the entry says of it is only that."""
    libraries = tuple(library for each in _of_threads(source) for library in _cached(each, compiler))
    store_record(entry, libraries[0], of_threads=True, kernel=source.name)
    return libraries


def _valid_threads(source: KernelSource, compiler: Compiler) -> Libraries | None:
    """Libraries of a kernel that was compiled for each thread."""
    libraries: Libraries = ()
    states: dict[Path, State] = {}
    for each in _of_threads(source):
        entry = _entry(each, compiler)
        found = _valid_libraries(entry, each, compiler)
        if found is None:
            return None
        libraries += found
        states |= _used[each, build_environment()][1]
    _used[source, build_environment()] = libraries, states
    return libraries


def _valid_libraries(entry: Path, source: KernelSource, compiler: Compiler) -> Libraries | None:
    """The libraries an entry names, unless a file they were made from has changed."""
    stored = stored_library(entry)
    if stored is None:
        return None
    library, record = stored
    if record.get("of_threads"):
        return _valid_threads(source, compiler)
    return (library,) if _is_valid(library, record, source) else None


def _is_valid(library: Path, record: dict[str, Any], source: KernelSource) -> bool:
    """Whether no file that a library was made from has changed."""
    places = places_of(source)
    own = Path(source.path)
    try:
        states = {library: file_state(library), own: file_state(own)}
        if digest(places.hidden_lines(kernel_content(source))) != record["own"]:
            return False
        for name, content in record["dependencies"].items():
            path = Path(places.show(name))
            states[path] = file_state(path)  # before it is read: a later edit must show
            if digest(path.read_bytes()) != content:
                return False
        for name in record["absent"]:
            path = Path(places.show(name))
            states |= _nearest_directory(path)
            if path.exists():
                return False  # the compiler would find this one now
    except (OSError, KeyError, TypeError, AttributeError):
        return False
    _used[source, build_environment()] = (library,), states
    return True


def _nearest_directory(path: Path) -> dict[Path, State]:
    """The state of the directory that changes when a file appears at ``path``."""
    directory = next(parent for parent in path.parents if parent.is_dir())
    return {directory: file_state(directory)}


def _compile(source: KernelSource, compiler: Compiler, entry: Path, work: Path) -> Libraries:
    if _differs_by_thread(source, [Path(source.path)]):
        return _compile_threads(source, compiler, entry)
    try:
        library = _compile_once(source, compiler, entry, work)
    except KernelCompileError:
        # In a header, say, a function of one name for each thread.
        files = _files_read(compiler, translation_unit(source), _arguments(source, compiler), work)
        if not _differs_by_thread(source, files):
            raise
        library = None
    return (library,) if library is not None else _compile_threads(source, compiler, entry)


def _compile_once(source: KernelSource, compiler: Compiler, entry: Path, work: Path) -> Path | None:
    """The library; None: it has to be compiled for each thread."""
    places, content = places_of(source), kernel_content(source)
    text, arguments = _prepared(source, compiler)
    unit, library, depends = work / "kernel_unit.cpp", work / "kernel.so", work / "kernel.d"
    unit.write_text(text, encoding="utf-8")
    began = time.time_ns()
    command = [*arguments, *places.flags(), "-MMD", "-MF", str(depends), "-MT", "kernel"]
    linking = [*kernel_link_flags(compiler, source.checked), "-o", str(library)]
    libraries = kernel_link_libraries(compiler)
    if compiler.family == "zig" or source.checked:
        # zig, told in one step not to link its C++ library, does not find its headers either; a checked kernel must
        # not be linked with the sanitizer's library.
        run_compiler(source, compiler, [*command, "-c", "-o", str(work / "kernel.o"), str(unit)], unit)
        run_compiler(source, compiler, [*linking, str(work / "kernel.o"), *libraries], unit)
    else:
        run_compiler(source, compiler, [*command, *linking, str(unit), *libraries], unit)
    files = _dependencies(depends.read_text(encoding="utf-8"), unit)
    if _differs_by_thread(source, files):
        return None
    own = Path(source.path)  # its content is in the entry's name
    dependencies = {places.hide(str(path)): digest(path.read_bytes()) for path in files if path != own}
    ended = time.time_ns()
    if any(began < path.stat().st_ctime_ns <= ended for path in files) or kernel_content(source) != content:
        # Saved while the compiler read it: which of the two texts this library has is anyone's guess. Its own date says
        # nothing, it may lie in the future; the system's is when it really changed.
        dependencies["changed while it was compiled"] = ""
    absent = [places.hide(name) for name in _shadowing(files, arguments, own.parent)]
    facts = {"own": digest(places.hidden_lines(content)), "dependencies": dependencies, "absent": absent}
    stored = store_library(entry, library, **facts, kernel=source.name)
    prune_when_large()
    return stored


def _prepared(source: KernelSource, compiler: Compiler) -> tuple[str, list[str]]:
    """Text and arguments to compile a kernel with; the headers they need are there."""
    write_generated_headers()
    headers = dataclasses.replace(source, name="(kernel API headers)")
    run = functools.partial(run_compiler, headers, compiler)
    return with_precompiled_headers(translation_unit(source), _arguments(source, compiler), compiler, run)


def _files_read(compiler: Compiler, text: str, arguments: Sequence[str], work: Path) -> list[Path]:
    """Files besides our own headers that a kernel which does not compile is made from, as far as they are there."""
    unit, depends = work / "files_read.cpp", work / "files_read.d"
    unit.write_text(text, encoding="utf-8")
    result = compiler.run([*arguments, "-MM", "-MF", str(depends), "-MT", "kernel", str(unit)])
    is_known = result.returncode == 0 and depends.is_file()
    return _dependencies(depends.read_text(encoding="utf-8"), unit) if is_known else []


def _shadowing(files: Sequence[Path], arguments: Sequence[str], beside: Path) -> list[str]:
    """Files that are not there, and would be read instead of one that was: in a directory that is searched earlier."""
    roots = [Path(argument.removeprefix("-I")) for argument in arguments if argument.startswith("-I")]
    absent: dict[str, None] = {}
    for file in files:
        root = next((each for each in roots if each in file.parents), None)
        if root is not None:
            earlier = (beside, *roots[: roots.index(root)])
            absent.update((str(each / file.relative_to(root)), None) for each in earlier)
    return [name for name in absent if not Path(name).exists()]


def check_kernel(source: KernelSource, compiler: Compiler) -> None:
    """Compiles a kernel as a launch would, but keeps nothing.

    Raises:
        KernelCompileError, CompilerCrashError: as :func:`compile_kernels`.
    """
    text, arguments = translation_unit(source), _arguments(source, compiler)
    with tempfile.TemporaryDirectory() as work:
        if source.is_compute and _differs_by_thread(source, _files_read(compiler, text, arguments, Path(work))):
            for each in _of_threads(source):
                check_kernel(each, compiler)
            return
        text, arguments = _prepared(source, compiler)
        unit = Path(work) / "kernel_unit.cpp"
        unit.write_text(text, encoding="utf-8")
        # zig's driver always wants to write an object.
        mode = ["-c", "-o", str(Path(work) / "kernel.o")] if compiler.family == "zig" else ["-fsyntax-only"]
        run_compiler(source, compiler, [*arguments, *mode, str(unit)], unit)


def _dependencies(rule: str, unit: Path) -> list[Path]:
    """Files besides our own headers that a kernel was made from, out of the rule the compiler writes for make."""
    # Only blanks and # are escaped with a backslash; any other backslash is a file's own.
    names = re.findall(r"(?:\\[ #]|\S)+", rule.replace("\\\n", " ").split(":", 1)[1])
    paths = [Path(re.sub(r"\\([ #])", r"\1", name).replace("$$", "$")) for name in names]
    own = (str(NATIVE), str(cache_directory() / "preludes"), str(generated_directory()), str(unit))
    return [path for path in dict.fromkeys(paths) if not str(path).startswith(own)]
