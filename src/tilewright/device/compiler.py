# SPDX-License-Identifier: Apache-2.0
"""The C++ compiler: which one, and how it is called."""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tilewright.device.errors import CompilerNotFoundError

_MINIMUM_GCC = 11

_INSTALL_HINT = (
    "install one of:\n"
    "  apt install g++            (or your system's package of g++ 11 or newer)\n"
    "  apt install clang\n"
    '  pip install "tilewright[compiler]"   (clang from PyPI, no root needed)\n'
    "or set TILEWRIGHT_CXX to the compiler's command"
)


@dataclasses.dataclass(frozen=True)
class Compiler:
    """A C++ compiler found on this machine.

    Attributes:
        command: how it is started, e.g. ``("/usr/bin/g++",)``.
        family: ``"gcc"``, ``"clang"`` or ``"zig"``.
        version: what it calls itself.
    """

    command: tuple[str, ...]
    family: str
    version: str

    @property
    def identity(self) -> str:
        """Distinguishes compilers whose output must not be mixed."""
        return f"{self.family} {self.version} {platform.machine()}"

    def __str__(self) -> str:
        return f"{' '.join(self.command)} ({self.version})"

    def run(self, arguments: Sequence[str], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Calls the compiler and collects what it prints."""
        environment = dict(os.environ, LC_ALL="C")
        return subprocess.run(
            [*self.command, *arguments], cwd=cwd, capture_output=True, text=True, env=environment, check=False
        )


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
        "-w",
    ]
    if compiler.family == "gcc":
        return [*flags, "-fpermissive", "-fno-gnu-unique", "-fmax-errors=20"]
    flags += ["-ferror-limit=20", "-Wno-everything"]
    return [*flags, "-fno-sanitize=all"] if compiler.family == "zig" else flags


def engine_flags(compiler: Compiler) -> list[str]:
    """Flags the engine is compiled with: all the speed this machine has."""
    flags = ["-std=c++20", "-O3", "-march=native", "-fPIC", "-fno-omit-frame-pointer", "-fno-math-errno"]
    flags += ["-fno-trapping-math", "-ffp-contract=off", "-fvisibility=default", "-w"]
    return [*flags, "-fno-sanitize=all"] if compiler.family == "zig" else flags


def _describe(command: tuple[str, ...]) -> Compiler | None:
    try:
        result = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return None
    if result.returncode != 0 or not result.stdout:
        return None
    first_line = result.stdout.splitlines()[0]
    if "clang" in result.stdout:
        family = "zig" if "ziglang" in command or Path(command[0]).name == "zig" else "clang"
    elif re.search(r"g\+\+|gcc|Free Software Foundation", result.stdout):
        family = "gcc"
    else:
        return None
    return Compiler(command, family, first_line)


def gcc_major(compiler: Compiler) -> int:
    """Major version of a gcc, 0 where the version line does not tell."""
    match = re.search(r"(\d+)\.\d+\.\d+", compiler.version)
    return int(match.group(1)) if match else 0


def _candidates() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name in ("g++", "clang++"):
        path = shutil.which(name)
        if path:
            found.append((path,))
    if importlib.util.find_spec("ziglang") is not None:
        found.append((sys.executable, "-m", "ziglang", "c++"))
    return found


@functools.lru_cache(maxsize=None)
def available_compilers() -> tuple[Compiler, ...]:
    """Every usable compiler on this machine, the preferred one first."""
    chosen = os.environ.get("TILEWRIGHT_CXX")
    candidates = [tuple(shlex.split(chosen))] if chosen else _candidates()
    usable = []
    for command in candidates:
        compiler = _describe(command)
        if compiler is None:
            continue
        if compiler.family == "gcc" and gcc_major(compiler) < _MINIMUM_GCC:
            continue
        usable.append(compiler)
    return tuple(usable)


def find_compiler() -> Compiler:
    """The compiler to use.

    Raises:
        CompilerNotFoundError: there is none; the message says what to install.
    """
    compilers = available_compilers()
    if compilers:
        return compilers[0]
    chosen = os.environ.get("TILEWRIGHT_CXX")
    if chosen:
        raise CompilerNotFoundError(
            f"TILEWRIGHT_CXX is {chosen!r}, which is not a usable C++ compiler "
            f"(g++ {_MINIMUM_GCC} or newer, or clang++); {_INSTALL_HINT}"
        )
    raise CompilerNotFoundError(f"no C++ compiler found: tilewright compiles kernels; {_INSTALL_HINT}")
