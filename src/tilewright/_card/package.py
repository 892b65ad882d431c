# SPDX-License-Identifier: Apache-2.0
"""Find the installed ttnn package without importing it."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import importlib.util
import re
from pathlib import Path

from tilewright._errors import TilewrightError

_OLDEST = (0, 75)  # of 0.68.0 layer_norm is wrong here, and nothing would say so


class CardError(TilewrightError):
    """The simulated card cannot be set up."""


@dataclasses.dataclass(frozen=True)
class TtMetal:
    """An installed tt-metal: where its files lie, and what it calls itself.

    Attributes:
        root: the directory with ``tt_metal/`` in it; of a wheel that is the package ``ttnn`` itself.
    """

    root: Path
    version: str

    def __str__(self) -> str:
        return f"ttnn {self.version} ({self.root})"

    def refuse_if_too_old(self) -> None:
        """Releases whose operations were found wrong here are not run.

        Raises:
            CardError: it is one of those. A build of one's own without a number passes.
        """
        numbers = re.match(r"(\d+)\.(\d+)", self.version)
        if numbers and (int(numbers[1]), int(numbers[2])) < _OLDEST:
            oldest = ".".join(map(str, _OLDEST))
            raise CardError(f"{self} is too old for the simulated card: the oldest release that works is {oldest}")


def installed_ttnn() -> TtMetal | None:
    """The ttnn that ``import ttnn`` would give, or None where none is installed."""
    spec = importlib.util.find_spec("ttnn")
    if spec is None or spec.origin is None:
        return None
    root = Path(spec.origin).parent
    if not (root / "tt_metal" / "hw" / "inc").is_dir():
        return None
    try:
        version = importlib.metadata.version("ttnn")
    except importlib.metadata.PackageNotFoundError:
        version = "unknown"
    return TtMetal(root, version)


def require_ttnn() -> TtMetal:
    """The installed ttnn.

    Raises:
        CardError: there is none; the message says how to get one.
    """
    found = installed_ttnn()
    if found is None:
        raise CardError(
            'ttnn is not installed beside tilewright: pip install "tilewright[ttnn]" with CPython 3.10 or 3.12, '
            "which ttnn has wheels for; or choose the built-in module with --ttnn built-in"
        )
    return found
