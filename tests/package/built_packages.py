# SPDX-License-Identifier: Apache-2.0
"""The wheel and the source distribution of this tree, and environments to install them into."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tilewright._build.cache import cache_directory, digest, locked

ROOT = Path(__file__).resolve().parents[2]
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
# What the packages are made from.
_PARTS = ("pyproject.toml", "README.md", "LICENSE", "tools/build_wheel.py", "docs", "src")


@functools.cache
def _content() -> str:
    files = [
        path for part in _PARTS for path in ([ROOT / part] if (ROOT / part).is_file() else (ROOT / part).rglob("*"))
    ]
    plain = sorted(path for path in files if path.is_file() and "__pycache__" not in path.parts)
    return digest(*(part for path in plain for part in (str(path.relative_to(ROOT)), path.read_bytes())))


def built(kind: str, command: list[str], **environment: str) -> Path:
    """The file that a command builds into the directory named as its last argument; kept for equal sources."""
    directory = cache_directory() / "wheels" / f"{kind}-{_content()}"
    with locked(f"{kind}-{_content()}"):
        if not directory.is_dir():
            work = directory.with_suffix(".work")
            shutil.rmtree(work, ignore_errors=True)
            programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
            result = run([*command, str(work)], cwd=ROOT, PATH=programs, **environment)
            assert result.returncode == 0, result.stdout + result.stderr
            work.rename(directory)
    (file,) = directory.iterdir()
    return file


def wheel() -> Path:
    """The wheel of ``make wheel``."""
    return built("release", [sys.executable, "tools/build_wheel.py", "--out"])


def source_distribution() -> Path:
    return built("sdist", [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir"])


def wheel_of_source_distribution() -> Path:
    """The wheel that pip builds from the source distribution: one engine, with this machine's compiler.

    It is not optimised, which takes a third of the time: that its sources compile, install and run is what it shows.
    """
    options = ["--no-deps", "--no-build-isolation", "--quiet", "--disable-pip-version-check", "--wheel-dir"]
    command = [sys.executable, "-m", "pip", "wheel", str(source_distribution()), *options]
    return built("installed", command, CMAKE_ARGS="-DTILEWRIGHT_LAST_FLAGS=-O0")


def run(
    command: list[str], cwd: Path | None = None, timeout: float = 3000, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs a command that must not see this source tree."""
    variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "TILEWRIGHT_ENGINE")}
    return subprocess.run(
        command, cwd=cwd, env=variables | environment, capture_output=True, text=True, timeout=timeout, check=False
    )


def find_python(version: str) -> str | None:
    """A CPython of this version, from PATH or from pyenv."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [shutil.which(f"python{version}"), *sorted(versions.glob(f"{version}.*/bin/python"), reverse=True)]
    for each in filter(None, candidates):
        said = run([str(each), "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"])
        if said.stdout.strip() == version:
            return str(each)
    return None
