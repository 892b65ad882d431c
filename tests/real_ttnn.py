# SPDX-License-Identifier: Apache-2.0
"""A Python that has the published ttnn: named by ``TILEWRIGHT_REAL_TTNN``, or made once in the user's cache.

ttnn is published for Python 3.10 and 3.12. Everything on the host works without a card. torch, which golden
functions and exported tests need, lies in a folder of its own and is added when it is first asked for: its published
build brings 4 GB of libraries, which takes minutes, and what needs no torch goes on meanwhile.

As a command it makes both and prints the Python: ``make test`` does so beside the tests, ``make catalogue`` and
``make bench`` before.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tilewright._build.cache import cache_directory, locked
from tilewright._tensor.ttnn_names import TTNN_VERSION

_PYTHONS = ("python3.12", "python3.10")
# What `import ttnn` and tilewright need, without what ttnn's reports would like to have.
_WITHOUT_DEPENDENCIES = (f"ttnn=={TTNN_VERSION}", "loguru", "graphviz")
_PACKAGES = ("numpy<2", "ml_dtypes", "pyelftools", "ziglang>=0.13", "pytest>=8")
_TORCH = "torch==2.13.0"


class RealTtnnUnavailableError(Exception):
    """There is no Python ttnn could be installed for, or pip cannot get it."""


def python_with_ttnn() -> str:
    """Command of a Python that can ``import ttnn``."""
    named = os.environ.get("TILEWRIGHT_REAL_TTNN")
    if named:
        return named
    environment = cache_directory() / "ttnn-python" / f"{TTNN_VERSION}-2"  # the number counts changes of packages
    with locked("ttnn-python"):
        if not environment.is_dir():
            _make(_interpreter(), environment)
    return str(environment / "bin" / "python")


def python_with_torch() -> str:
    """The same, with torch beside it."""
    python = python_with_ttnn()
    with locked("ttnn-python-torch"):
        if _problem([python, "-c", "import torch"]):
            if os.environ.get("TILEWRIGHT_REAL_TTNN"):
                raise RealTtnnUnavailableError(f"{python}, which TILEWRIGHT_REAL_TTNN names, has no torch")
            _add_torch(python)
    return python


def _add_torch(python: str) -> None:
    """Puts torch beside the environment, and then, all at once, on its path."""
    _say(f"getting {_TORCH} for {python}, once")
    folder = Path(python).parent.parent / "torch"
    shutil.rmtree(folder, ignore_errors=True)  # of an interrupted installation
    _install(python, "--target", str(folder), _TORCH)
    libraries = next(Path(python).parent.parent.glob("lib/python3*/site-packages"))
    (libraries / "torch.pth").write_text(f"{folder}\n")


def _interpreter() -> str:
    """A Python of a version ttnn is published for; pyenv keeps those it has not put on the path in its own folder."""
    on_path = [found for name in _PYTHONS if (found := shutil.which(name))]
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    kept = [str(path) for name in _PYTHONS for path in sorted(versions.glob(f"*/bin/{name}"))]
    for candidate in [*on_path, *kept]:
        if not _problem([candidate, "-c", "import venv"]):
            return candidate
    raise RealTtnnUnavailableError(
        f"there is neither {' nor '.join(_PYTHONS)}, on the path or in pyenv, and ttnn has no wheel for others"
    )


def _make(python: str, environment: Path) -> None:
    _say(f"making a Python with ttnn {TTNN_VERSION} out of {python}, once")
    environment.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=environment.parent) as work:
        made = Path(work) / "venv"
        _run([python, "-m", "venv", str(made)])
        inside = str(made / "bin" / "python")
        _install(inside, "--no-deps", *_WITHOUT_DEPENDENCIES)
        _install(inside, *_PACKAGES)
        made.rename(environment)  # only breaks the scripts in bin, which nothing here uses


def _install(python: str, *packages: str) -> None:
    _run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages])


def _run(command: list[str]) -> None:
    problem = _problem(command)
    if problem:
        raise RealTtnnUnavailableError(problem)


def _problem(command: list[str]) -> str:
    """What a command says when it fails; nothing when it works."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    try:
        result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    except OSError as error:
        return str(error)
    return "" if result.returncode == 0 else (result.stderr.strip() or f"{command[0]} failed")[-500:]


def _say(text: str) -> None:
    print(f"{text} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        print(python_with_torch())
    except RealTtnnUnavailableError as error:
        sys.exit(f"tests with the real ttnn will be skipped: {error}")
