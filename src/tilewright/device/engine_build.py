# SPDX-License-Identifier: Apache-2.0
"""Builds the engine's shared library, once per compiler, processor and version of its sources."""

from __future__ import annotations

import concurrent.futures
import functools
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path

from tilewright.device.cache import cache_directory, digest, locked
from tilewright.device.compiler import Compiler, engine_flags, find_compiler
from tilewright.device.errors import TilewrightError

NATIVE = Path(__file__).resolve().parent.parent / "native"


@functools.lru_cache(maxsize=None)
def tree_digest(directory: str) -> str:
    """Name for the content of all sources below ``native/<directory>``."""
    root = NATIVE / directory
    files = sorted(path for path in root.rglob("*") if path.suffix in (".h", ".hpp", ".cpp", ".inl"))
    return digest(*(part for path in files for part in (str(path.relative_to(root)), path.read_bytes())))


def _processor() -> str:
    """-march=native makes code for this processor only, so the cache must know it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return "\n".join(sorted({line for line in lines if line.startswith(("flags", "Features", "model name"))}))


def _compile(compiler: Compiler, source: Path, target: Path) -> str | None:
    arguments = [*engine_flags(compiler), f"-I{NATIVE}", f"-I{NATIVE / 'engine'}", "-c", str(source), "-o", str(target)]
    result = compiler.run(arguments)
    return None if result.returncode == 0 else result.stderr


def _build(compiler: Compiler, target: Path) -> None:
    sources = sorted((NATIVE / "engine").rglob("*.cpp"))
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as work:
        objects = [Path(work) / f"{digest(str(source))}.o" for source in sources]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for error in pool.map(_compile, [compiler] * len(sources), sources, objects):
                if error is not None:
                    raise TilewrightError(f"the engine does not compile with {compiler}:\n{error}")
        library = Path(work) / "engine.so"
        result = compiler.run(
            ["-shared", "-o", str(library), *map(str, objects), "-Wl,-Bsymbolic", "-lpthread", "-ldl", "-lrt"]
        )
        if result.returncode != 0:
            raise TilewrightError(f"the engine does not link with {compiler}:\n{result.stderr}")
        shutil.move(str(library), target)


def engine_library() -> Path:
    """Path of the engine's shared library; built first if this machine has none yet."""
    compiler = find_compiler()
    name = digest(tree_digest("engine"), tree_digest("abi"), compiler.identity, _processor(), *engine_flags(compiler))
    target = cache_directory() / "engine" / f"{name}.so"
    if target.exists():
        return target
    with locked(f"engine-{name}"):
        if not target.exists():
            print(f"tilewright: building the engine with {compiler} (once) ...", file=sys.stderr, flush=True)
            _build(compiler, target)
    return target
