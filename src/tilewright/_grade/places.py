# SPDX-License-Identifier: Apache-2.0
"""Files that processes of candidates may read: the system's, Python's, tilewright's, and the shared cache's."""

from __future__ import annotations

import functools
import site
import sys
import sysconfig
from pathlib import Path

from tilewright._build.cache import cache_directory
from tilewright._errors import TilewrightError

_PACKAGE = Path(__file__).resolve().parents[1]
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives", "/dev/null", "/dev/urandom")
_FOR_COMPILERS = ("/proc/cpuinfo", "/sys/devices/system/cpu")
# Not `sources`, which has the text of kernels.
_CACHED = ("engine", "kernels", "preludes", "generated", "headers", "cpp_headers")


class PlaceError(TilewrightError):
    """A task or a candidate in a place where candidates can read it."""

    exit_status = 2


@functools.cache
def system_places() -> tuple[Path, ...]:
    """Files that every process of a candidate may read."""
    python = [sys.prefix, sys.base_prefix, *site.getsitepackages(), sysconfig.get_path("stdlib")]
    docs = _PACKAGE.parents[1] / "docs" / "checks"  # the rules of the checker, in a source tree
    found = [Path(each).resolve() for each in (*_SYSTEM, *python, *_imported_roots())]
    return tuple(dict.fromkeys([*found, _PACKAGE, docs]))


def _imported_roots() -> list[str]:
    """Directories of packages that are installed elsewhere, such as in an editable way: of numpy, not of scripts."""
    return [str(Path(sys.modules[name].__file__ or "").parent) for name in ("numpy",) if name in sys.modules]


@functools.cache
def compiler_places() -> tuple[Path, ...]:
    """Further files that a process which compiles and runs kernels may read."""
    cache = cache_directory()
    return (*map(Path, _FOR_COMPILERS), *(cache / each for each in _CACHED))


def require_hidden(path: Path, what: str) -> None:
    """Raises PlaceError for a file that every candidate could read."""
    resolved = path.resolve()
    for place in (*system_places(), *compiler_places()):
        if resolved == place or place in resolved.parents:
            raise PlaceError(
                f"{what} {path} lies in {place}, which candidates can read; move it to a directory of its own"
            )
