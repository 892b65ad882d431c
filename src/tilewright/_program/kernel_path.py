# SPDX-License-Identifier: Apache-2.0
"""Where a kernel's source file is."""

from __future__ import annotations

import importlib.machinery
import os
from functools import cache, lru_cache
from pathlib import Path


@cache
def _installed_ttnn() -> Path | None:
    """Root of an installed ttnn package's kernel tree, found without importing it.

    Looked up on the path only: where we stand in for ttnn, ``sys.modules`` has ourselves under that name.
    """
    spec = importlib.machinery.PathFinder.find_spec("ttnn")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent


def kernel_search_path() -> list[Path]:
    """Directories a relative kernel path is looked up in, in order.

    The current directory, ``$TT_METAL_KERNEL_PATH``, ``$TT_METAL_HOME``, and an installed ttnn package.
    """
    places = [Path.cwd()]
    for variable in ("TT_METAL_KERNEL_PATH", "TT_METAL_HOME"):
        value = os.environ.get(variable)
        if value:
            places.append(Path(value))
    installed = _installed_ttnn()
    if installed is not None:
        places.append(installed)
    return places


@lru_cache(maxsize=1024)
def _as_path(path: str) -> Path:
    """Kept, as every launch looks for the files of its kernels: taking a path apart takes as long as looking there."""
    return Path(path)


def resolve_kernel_path(path: str) -> Path:
    """Absolute path of a kernel's source.

    Raises:
        FileNotFoundError: names every place that was looked at.
    """
    given = _as_path(path)
    candidates = [given] if given.is_absolute() else [place / given for place in kernel_search_path()]
    for candidate in candidates:
        if candidate.is_file():
            return candidate.absolute()
    looked = ", ".join(str(candidate) for candidate in candidates)
    raise FileNotFoundError(f"kernel source {path!r} does not exist; looked for {looked}")
