# SPDX-License-Identifier: Apache-2.0
"""A Python that has the published ttnn: named by ``TILEWRIGHT_REAL_TTNN``, or made once in the user's cache.

ttnn 0.81.1 is published for Python 3.10 and 3.12. Everything on the host works without a card.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tilewright.device.cache import cache_directory, locked
from tilewright.wheel import DEFAULT_VERSION

_PYTHONS = ("python3.12", "python3.10")
# What `import ttnn` and tilewright need; torch is imported only where it is used.
_PACKAGES = (f"ttnn=={DEFAULT_VERSION}", "numpy<2", "ml_dtypes", "loguru", "graphviz", "pyelftools")


class RealTtnnUnavailableError(Exception):
    """There is no Python ttnn could be installed for, or pip cannot get it."""


def python_with_ttnn() -> str:
    """Command of a Python that can ``import ttnn``."""
    named = os.environ.get("TILEWRIGHT_REAL_TTNN")
    if named:
        return named
    environment = cache_directory() / "ttnn-python" / f"{DEFAULT_VERSION}-with-tilewright"
    with locked("ttnn-python"):
        if not environment.is_dir():
            _install(_interpreter(), environment)
    return str(environment / "bin" / "python")


def _interpreter() -> str:
    """A Python of a version ttnn is published for; pyenv keeps those it has not put on the path in its own folder."""
    on_path = [found for name in _PYTHONS if (found := shutil.which(name))]
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    kept = [str(path) for name in _PYTHONS for path in sorted(versions.glob(f"*/bin/{name}"))]
    for candidate in [*on_path, *kept]:
        if _run([candidate, "-c", "import venv"]) == "":
            return candidate
    raise RealTtnnUnavailableError(f"none of {', '.join(_PYTHONS)} is installed")


def _install(python: str, environment: Path) -> None:
    environment.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=environment.parent) as work:
        made = Path(work) / "venv"
        # Moving it later only breaks the scripts in bin, which nothing here uses.
        for command in (
            [python, "-m", "venv", str(made)],
            [str(made / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-deps", *_PACKAGES],
        ):
            problem = _run([*command])
            if problem:
                raise RealTtnnUnavailableError(problem)
        made.rename(environment)


def _run(command: list[str]) -> str:
    """What a command says when it fails; nothing when it works."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return "" if result.returncode == 0 else (result.stderr.strip() or f"{command[0]} failed")[-500:]
