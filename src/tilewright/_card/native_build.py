# SPDX-License-Identifier: Apache-2.0
"""Builds what tt-metal loads and calls: the library it takes for a simulator, and the stand-in for its compiler."""

from __future__ import annotations

import sys
from pathlib import Path

from tilewright._build.cache import building, cache_directory, digest, move_into_cache
from tilewright._build.compiler import Compiler, available_compilers
from tilewright._build.engine_build import NATIVE, tree_digest
from tilewright._card.package import CardError

SIMULATOR_NAME = "libttsim.so"
_FLAGS = ["-std=c++20", "-O2", "-w"]
# tt-metal finds these by name; nothing else of the library may get in the way of the process it is loaded into.
_EXPORTS = "{ global: libttsim_*; local: *; };\n"


def _compiler() -> Compiler:
    """Errors leave the library as C++ exceptions, so it needs the C++ library that tt-metal itself uses."""
    for compiler in available_compilers():
        if compiler.family != "zig":
            return compiler
    raise CardError(
        "the simulated card's library needs g++ or clang++ with libstdc++ (zig's C++ library cannot hand errors to "
        "tt-metal): apt install g++"
    )


def simulator_library() -> Path:
    """The library for TT_METAL_SIMULATOR; built first if this machine has none yet."""
    return _built("simulator", SIMULATOR_NAME, ["-shared", "-fPIC", "-pthread"])


def stand_in_compiler() -> Path:
    """The program in the place of riscv-tt-elf-g++."""
    return _built("compiler", "riscv-tt-elf-g++", ["-static-libstdc++", "-static-libgcc"])


def _built(folder: str, name: str, flags: list[str]) -> Path:
    compiler = _compiler()
    sources = sorted((NATIVE / "card" / folder).glob("*.cpp"))
    key = digest(tree_digest(f"card/{folder}"), compiler.identity, Path(__file__).read_bytes())
    target = cache_directory() / "card" / "native" / key / name
    if target.exists():
        return target
    with building(f"card-{folder}-{key}") as work:
        if target.exists():  # another process may have built it while this one waited
            return target
        print(f"tilewright: building the card's {folder} with {compiler}, once ...", file=sys.stderr, flush=True)
        output, exports = work / name, work / "exports.map"
        exports.write_text(_EXPORTS)
        script = [f"-Wl,--version-script={exports}"] if "-shared" in flags else []
        result = compiler.run([*_FLAGS, *flags, *script, *map(str, sources), "-o", str(output)])
        if result.returncode != 0:
            raise CardError(f"the card's {folder} does not compile with {compiler}:\n{result.stderr.strip()}")
        move_into_cache(output, target)
    return target
