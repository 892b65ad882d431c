# SPDX-License-Identifier: Apache-2.0
"""C++ compilers: finding one and calling it."""

from __future__ import annotations

import dataclasses
import errno
import functools
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tilewright._build.cache import cache_directory
from tilewright._build.limited_process import compiler_limits, run_limited
from tilewright._errors import CompilerNotFoundError

# The oldest versions that know enough of C++20.
_MINIMUM = {"gcc": 11, "clang": 14, "zig": 14}
_NAMES = {"gcc": "g++", "clang": "clang++", "zig": "zig's clang"}
_NEWEST_TRIED = {"g++": 20, "clang++": 30}

_INSTALL_HINT = """install one of
  apt install g++                      (or your system's package of g++ 11 or newer)
  apt install clang                    (clang++ 14 or newer)
  pip install "tilewright[compiler]"   (clang from PyPI; needs no root)
or set TILEWRIGHT_CXX to the command of a compiler"""


@dataclasses.dataclass(frozen=True)
class Compiler:
    """A C++ compiler found on this machine.

    Attributes:
        command: how it is started, e.g. ``("/usr/bin/g++",)``.
        family: ``"gcc"``, ``"clang"`` or ``"zig"``.
        version: what it calls itself.
        search: what else decides what it makes of a source: where it looks for headers and parts of itself, and a
            command the user gave, which may have flags.
    """

    command: tuple[str, ...]
    family: str
    version: str
    search: str = ""

    @property
    def identity(self) -> str:
        """Distinguishes compilers whose output must not be mixed."""
        return " ".join(filter(None, (self.family, self.version, platform.machine(), self.search)))

    def __str__(self) -> str:
        return f"{' '.join(self.command)} ({self.version})"

    def run(self, arguments: Sequence[str], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Calls the compiler and collects what it prints."""
        return _call([*self.command, *arguments], cwd)


def _zig_caches() -> dict[str, str]:
    """zig keeps its own cache of objects and of the C++ library it has to build first: inside ours."""
    directory = str(cache_directory() / "zig")
    return {"ZIG_GLOBAL_CACHE_DIR": directory, "ZIG_LOCAL_CACHE_DIR": directory}


def compiler_environment() -> dict[str, str]:
    """The environment a compiler is called in."""
    return _zig_caches() | os.environ | {"LC_ALL": "C"}


def _call(command: Sequence[str], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    if not (shutil.which(command[0])):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), command[0])
    return run_limited(command, cwd, compiler_environment(), compiler_limits())


def kernel_flags(compiler: Compiler) -> list[str]:
    """Flags every kernel is compiled with.

    Calls are not inlined and frames keep their pointers, so that a stuck kernel's stack can be walked; the
    work of a kernel is in the engine, where this costs nothing.
    """
    flags = [
        "-std=c++20",
        "-O1",
        "-g1",
        "-fPIC",
        "-fno-inline",
        "-fno-omit-frame-pointer",
        "-fno-optimize-sibling-calls",
        "-fno-exceptions",
        "-fno-threadsafe-statics",
        "-fvisibility=hidden",
        "-fno-strict-aliasing",
        "-fno-delete-null-pointer-checks",  # address 0 is memory on a card; here using it must fault, not vanish
        "-fstack-protector-strong",  # an array that is overrun is found at the end of its function
        "-fstack-clash-protection",  # locals larger than a stack's guard must not reach other memory
        "-w",
    ]
    if compiler.family == "gcc":
        return [*flags, "-fpermissive", "-fno-gnu-unique", "-fmax-errors=20"]
    flags += ["-ferror-limit=20", "-Wno-everything"]
    return [*flags, "-fno-sanitize=all"] if compiler.family == "zig" else flags


def instrumentation_flags(compiler: Compiler) -> list[str]:
    """Flags that make a kernel show the engine every load and store; the engine defines the functions they call."""
    if compiler.family == "gcc":
        flags = ["-fsanitize=thread", "--param", "tsan-instrument-func-entry-exit=0"]
        # What it would write out for a large copy or fill shows nothing: a call of the engine does.
        in_place = [f"-m{function}-strategy=libcall:-1:noalign" for function in ("memcpy", "memset")]
        return [*flags, *in_place] if platform.machine() == "x86_64" else flags
    # The driver would link the sanitizer's own library, so the pass is asked for behind its back.
    return ["-Xclang", "-fsanitize=thread", "-mllvm", "-tsan-instrument-func-entry-exit=0"]


def kernel_link_flags(compiler: Compiler, checked: bool = False) -> list[str]:
    """Flags that make a kernel's object a library. A kernel has no C++ runtime, here as on a card.

    A checked kernel copies and fills memory through the engine: the C library's functions show it nothing. zig's
    instrumentation does that by itself.
    """
    if compiler.family == "zig":
        return ["-shared", "-nostdlib", "-Wl,-Bsymbolic"]  # it puts start files in whatever -nostartfiles says
    flags = [
        "-shared",
        "-Wl,-Bsymbolic",
        *(["-nostdlib"] if compiler.family == "gcc" else ["-nostartfiles", "-nostdlib++"]),
    ]
    if checked:
        flags += [f"-Wl,--wrap={function}" for function in ("memcpy", "memmove", "memset")]
    return flags


def kernel_link_libraries(compiler: Compiler) -> list[str]:
    """Libraries behind a kernel's object: functions that g++ calls by itself, such as a population count.

    The C library's functions are those of the runner, which loads the kernel. Searching g++'s usual libraries would
    take a tenth of a kernel's compilation.
    """
    return ["-lgcc"] if compiler.family == "gcc" else []


def _examine(command: tuple[str, ...]) -> Compiler | str:
    """The compiler a command starts, or why it cannot be used."""
    shown = " ".join(command)
    try:
        result = _call([*command, "--version"])
    except OSError as error:
        return f"{shown} cannot be started ({error.strerror})"
    if result.returncode != 0 or not result.stdout.strip():
        return f"{shown} --version ended with status {result.returncode} instead of a version"
    version = result.stdout.splitlines()[0]
    if "clang" in result.stdout:
        family = "zig" if Path(command[0]).name == "zig" or "ziglang" in command else "clang"
    elif re.search(r"g\+\+|gcc|Free Software Foundation", result.stdout):
        family = "gcc"
    else:
        return f"{shown} is neither g++ nor clang++ (it says {version!r})"
    if major_version(version) < _MINIMUM[family]:
        return f"{shown} is too old: {version}; {_NAMES[family]} must be {_MINIMUM[family]} or newer"
    return Compiler(command, family, version, _search_path(command))


# Variables that make a compiler look elsewhere for headers, libraries and its own parts.
_SEARCH_VARIABLES = (
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
)


def _search_path(command: tuple[str, ...]) -> str:
    given = [f"{name}={os.environ[name]}" for name in _SEARCH_VARIABLES if os.environ.get(name)]
    return " ".join([*(command if os.environ.get("TILEWRIGHT_CXX") else ()), *given])


def major_version(version: str) -> int:
    """First number of a compiler's version line, 0 where it does not tell.

    >>> major_version("g++ (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0")
    11
    """
    match = re.search(r"(?<![\w.-])(\d+)\.\d+(\.\d+)?", re.sub(r"\([^)]*\)", "", version))
    return int(match.group(1)) if match else 0


def _system_commands(name: str) -> Iterator[tuple[str, ...]]:
    """``g++``, and where that is old, ``g++-14`` and the like that may stand beside it."""
    versioned = (f"{name}-{number}" for number in range(_NEWEST_TRIED[name], 10, -1))
    for each in (name, *versioned):
        path = shutil.which(each)
        if path:
            yield (path,)


def _zig_command() -> tuple[str, ...] | None:
    package = importlib.util.find_spec("ziglang")
    if package is None or not package.submodule_search_locations:
        return None
    binary = Path(package.submodule_search_locations[0]) / "zig"
    # Starting it through Python costs more than the compilation of a small kernel.
    return (str(binary), "c++") if binary.is_file() else (sys.executable, "-m", "ziglang", "c++")


def _command(text: str) -> tuple[str, ...]:
    import shlex  # needed only where TILEWRIGHT_CXX is set

    return tuple(shlex.split(text))


def _search(refused: list[str]) -> Iterator[Compiler]:
    """Usable compilers, one of each kind, the preferred one first; says in ``refused`` why others are not."""
    chosen = os.environ.get("TILEWRIGHT_CXX")
    zig = _zig_command()
    kinds: list[list[tuple[str, ...]]] = (
        [[_command(chosen)]]
        if chosen
        else [list(_system_commands("g++")), list(_system_commands("clang++")), [zig] if zig else []]
    )
    for commands in kinds:
        for command in commands:
            found = _examine(command)
            if isinstance(found, Compiler):
                yield found
                break
            refused.append(found)


def _surroundings() -> tuple[str | None, str | None]:
    return os.environ.get("TILEWRIGHT_CXX"), os.environ.get("PATH")


@functools.cache
def _available(_surroundings: object) -> tuple[Compiler, ...]:
    return tuple(_search([]))


@functools.cache
def _preferred(_surroundings: object) -> Compiler:
    refused: list[str] = []
    compiler = next(_search(refused), None)
    if compiler is not None:
        return compiler
    chosen = os.environ.get("TILEWRIGHT_CXX")
    if chosen:
        raise CompilerNotFoundError(
            f"TILEWRIGHT_CXX is {chosen!r}, which is not a usable C++ compiler: {refused[0]}; "
            f"correct or unset it, or {_INSTALL_HINT}"
        )
    reasons = "".join(f"\n  ({reason})" for reason in refused)
    raise CompilerNotFoundError(
        f"no C++ compiler found, and tilewright needs one to compile kernels; {_INSTALL_HINT}{reasons}"
    )


def available_compilers() -> tuple[Compiler, ...]:
    """Every usable compiler on this machine, the preferred one first."""
    return _available(_surroundings())


def find_compiler() -> Compiler:
    """The compiler to use; the others are not even looked for.

    Raises:
        CompilerNotFoundError: there is none; the message says what to install.
    """
    return _preferred(_surroundings())
