# SPDX-License-Identifier: Apache-2.0
"""Native parts of tilewright: those a wheel brings, or a build of the sources with CMake and ninja.

A wheel has them in ``native/prebuilt``. A source tree has none, so they are built when they are first needed. Each
source tree has a build tree in the user's cache, in which ninja compiles what changed. Finished files are cached by the
content of their sources, the compiler and the processor: clones with equal sources share them.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tilewright._build.cache import (
    building,
    cache_directory,
    digest,
    full_cache,
    locked,
    store_library,
    stored_library,
)
from tilewright._build.compiler import Compiler, compiler_environment, find_compiler
from tilewright._build.processor import processor_identity
from tilewright._build.progress import Progress, progress
from tilewright._errors import TilewrightError
from tilewright._rules import RULES

NATIVE = Path(__file__).resolve().parent.parent / "native"
PREBUILT = NATIVE / "prebuilt"
SCHEMA = NATIVE.parent / "_wire"  # the headers of wire/ are generated from it and from the ids of the rules
NATIVE_VARIANT = "native"  # for the processor of this machine
COMMON = "common"  # folder of parts that are the same for every processor
_ATTEMPTS = 3


@dataclasses.dataclass(frozen=True)
class NativePart:
    """Files that are built together.

    Attributes:
        title: what it is called in messages.
        target: the CMake target.
        folder: where its files are below a build tree's ``out`` and below ``native/prebuilt``.
        files: their names.
        sources: folders of ``native`` they are made from.
    """

    title: str
    target: str
    folder: str
    files: tuple[str, ...]
    sources: tuple[str, ...]

    @property
    def variant(self) -> str:
        """The processor variant of the engine that its build tree has; parts for every processor share one tree."""
        return self.folder if self.folder != COMMON else NATIVE_VARIANT


@functools.cache
def tree_digest(directory: str) -> str:
    """Name for the content of all sources below ``native/<directory>``."""
    return _content(directory)


def _content(directory: str) -> str:
    return digest(*(part for name, path in _sources(directory) for part in (name, path.read_bytes())))


def _sources(directory: str) -> list[tuple[str, Path]]:
    """Every source below ``native/<directory>`` by its name there, in the order of the names' parts."""
    root = NATIVE / directory
    above = len(str(root)) + 1
    parts = [
        [*folder[above:].split("/"), file] if folder[above:] else [file]
        for folder, _, files in os.walk(root)
        for file in files
        if file.endswith((".h", ".hpp", ".cpp", ".inl", ".map"))
    ]
    names = ["/".join(each) for each in sorted(parts)]
    return [(name, root / name) for name in names]


def prebuilt_files(part: NativePart) -> tuple[Path, ...] | None:
    """The files of a part as the wheel brings them; None where it does not."""
    files = tuple(PREBUILT / part.folder / name for name in part.files)
    return files if all(file.is_file() for file in files) else None


def built_files(part: NativePart, compiler: Compiler | None = None) -> tuple[Path, ...]:
    """The files of a part, built from the sources if the cache does not have them.

    Raises:
        TilewrightError: the sources do not compile, or CMake or ninja is missing.
    """
    compiler = compiler or find_compiler()
    stored = _stored(part, _name(part, compiler))
    if stored is not None:
        return stored
    tree = _build_tree(part, compiler)
    with locked(f"native-{tree.name}"):
        for _ in range(_ATTEMPTS):
            name = _name(part, compiler, again=True)
            stored = _stored(part, name)  # another process may have built it while this one waited
            if stored is not None:
                return stored
            _build(part, compiler, tree)
            if _name(part, compiler, again=True) == name:  # else a source was saved while it was compiled
                return _store(part, name, compiler, tree)
    raise TilewrightError(f"sources of {part.title} change while it is built; start again")


def native_files(part: NativePart) -> tuple[Path, ...]:
    """The files of a part that is the same on every processor: the wheel's, else built."""
    return prebuilt_files(part) or built_files(part)


def _name(part: NativePart, compiler: Compiler, again: bool = False) -> str:
    """Name for all that decides what is built; ``again`` reads the sources again."""
    trees = ((_content if again else tree_digest)(tree) for tree in part.sources)
    recipe = (NATIVE / "CMakeLists.txt").read_bytes()
    schema = (path.read_bytes() for path in sorted(SCHEMA.glob("*.py")))
    processor = processor_identity() if part.folder == NATIVE_VARIANT else ""
    return digest(part.target, *trees, *schema, *RULES, recipe, compiler.identity, processor)


def _entry(name: str, file: str) -> Path:
    return cache_directory() / "engine" / f"{name}-{Path(file).stem}.json"


def _stored(part: NativePart, name: str) -> tuple[Path, ...] | None:
    found = [stored_library(_entry(name, file)) for file in part.files]
    return tuple(each[0] for each in found if each) if all(found) else None


def _store(part: NativePart, name: str, compiler: Compiler, tree: Path) -> tuple[Path, ...]:
    with building(f"native-{name}") as work:
        for file in part.files:
            shutil.copy(tree / "out" / part.folder / file, work / file)
        return tuple(
            store_library(_entry(name, file), work / file, part=part.target, compiler=str(compiler))
            for file in part.files
        )


def _build_tree(part: NativePart, compiler: Compiler) -> Path:
    """Build tree of this source tree for a compiler; its files name the tools by path, so those are in its name."""
    tools = (*compiler.command, build_tool("cmake"), build_tool("ninja"), sys.executable)
    return cache_directory() / "builds" / digest(str(NATIVE), part.variant, compiler.identity, *tools)


def build_tool(name: str) -> str:
    """A build tool: that of a Python package, else of the system."""
    package = importlib.util.find_spec(name)
    places = package.submodule_search_locations if package else None
    beside = [Path(sys.executable).parent / name] if package else []
    # A package's program first: the script beside Python, which starts it, takes longer.
    candidates = [*(Path(each) / "data" / "bin" / name for each in places or ()), *beside]
    found = next((str(each) for each in candidates if each.is_file()), None) or shutil.which(name)
    if found is None:
        raise TilewrightError(
            f"no {name} found, and the engine is built from its sources here; install cmake and ninja: "
            'pip install "tilewright[native]", or apt install cmake ninja-build'
        )
    return found


def _build(part: NativePart, compiler: Compiler, tree: Path) -> None:
    tree.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.utime(tree)  # what is pruned first
    with progress(f"building {part.title} with {compiler.version}") as bar:
        if not (tree / "build.ninja").is_file():
            bar.show("configuring")
            configure = [
                build_tool("cmake"),
                "-S",
                str(NATIVE),
                "-B",
                str(tree),
                "-G",
                "Ninja",
                "-DCMAKE_BUILD_TYPE=Release",
            ]
            configure += [f"-DCMAKE_CXX_COMPILER={';'.join(compiler.command)}", f"-DTILEWRIGHT_VARIANTS={part.variant}"]
            configure += [f"-DCMAKE_MAKE_PROGRAM={build_tool('ninja')}", "-DCMAKE_CXX_COMPILER_WORKS=1"]
            configure += [f"-DPython3_EXECUTABLE={sys.executable}", f"-DTILEWRIGHT_PACKAGES={SCHEMA.parents[1]}"]
            _run(configure, part, compiler, bar)
        _run([build_tool("ninja"), "-C", str(tree), part.target], part, compiler, bar)


_STEP = re.compile(r"^\[(\d+/\d+)\] ")


def _run(command: list[str], part: NativePart, compiler: Compiler, bar: Progress) -> None:
    """Runs a build tool and shows how far it is.

    Raises:
        TilewrightError: it failed; the message has what the compiler wrote.
    """
    written: list[str] = []
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        env=compiler_environment() | {"NINJA_STATUS": "[%f/%t] "},
    ) as process:
        for line in process.stdout or ():
            step = _STEP.match(line)
            if step:
                bar.show(step[1])
            elif not line.startswith("-- "):
                written.append(line)
    if process.returncode:
        raise _failure("".join(written), part, compiler)


def _failure(output: str, part: NativePart, compiler: Compiler) -> TilewrightError:
    if "No space left on device" in output:
        return full_cache()
    no_library = re.search(r"'c?\w+' file not found|c?\w+: No such file or directory", output)
    hint = "\n(it finds no C++ standard library: install libstdc++-dev or g++)" if no_library else ""
    return TilewrightError(f"{part.title} does not build with {compiler}:\n{output.strip()}{hint}")
