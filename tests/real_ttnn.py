# SPDX-License-Identifier: Apache-2.0
"""A Python that has the published ttnn: named by ``TILEWRIGHT_REAL_TTNN``, or made once in the user's cache.

ttnn is published for Python 3.10 and 3.12. Everything on the host works without a card. torch, which golden
functions and exported tests need, is in a second environment over the first, made when it is first asked for: its
published build brings 4 GB of libraries, which takes minutes, and tests without torch run meanwhile. They never see it,
because ``import ttnn`` imports torch where it can, which takes ten times as long as ttnn itself.

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
    environment = cache_directory() / "ttnn-python" / f"{TTNN_VERSION}-3"  # the number counts changes of packages
    with locked("ttnn-python"):
        if not environment.is_dir():
            _make(_interpreter(), environment)
    return str(environment / "bin" / "python")


def python_with_torch() -> str:
    """Command of a Python that can ``import torch`` as well."""
    python = python_with_ttnn()
    if os.environ.get("TILEWRIGHT_REAL_TTNN"):
        if _problem([python, "-c", "import torch"]):
            raise RealTtnnUnavailableError(f"{python}, which TILEWRIGHT_REAL_TTNN names, has no torch")
        return python
    environment = Path(python).parent.parent / "with-torch"
    with locked("ttnn-python-torch"):
        if not environment.is_dir():
            _add_torch(python, environment)
    return str(environment / "bin" / "python")


def _add_torch(python: str, environment: Path) -> None:
    """Makes an environment over the one with ttnn: both packages' folders are on its path."""
    _say(f"getting {_TORCH} for {python}, once")
    folder = environment.with_name("torch")
    shutil.rmtree(folder, ignore_errors=True)  # of a process that was interrupted
    _install(python, "--target", str(folder), _TORCH)
    with tempfile.TemporaryDirectory(dir=environment.parent) as work:
        made = Path(work) / "venv"
        _run([python, "-m", "venv", "--without-pip", str(made)])
        below = _libraries(environment.parent)
        (_libraries(made) / "torch.pth").write_text(f"{below}\n{folder}\n")
        made.rename(environment)


def _libraries(environment: Path) -> Path:
    return next(environment.glob("lib/python3*/site-packages"))


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
    # Modules are compiled when they are imported: most of torch's never are.
    _run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", *packages])


def _run(command: list[str]) -> None:
    problem = _problem(command)
    if problem:
        raise RealTtnnUnavailableError(problem)


def _problem(command: list[str]) -> str:
    """Error output of a command; empty if it works."""
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
