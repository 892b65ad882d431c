# SPDX-License-Identifier: Apache-2.0
"""tracy, as ttnn's package has it, but for ``python -m tracy``: its tools are not in the package.

A process with a simulated card finds this package first. It reads the original when a name of it is asked for, and
finds the original's modules beside its own.
"""

from __future__ import annotations

import importlib.machinery
import sys
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent


def _original() -> importlib.machinery.ModuleSpec | None:
    places = [each for each in sys.path if Path(each or ".").resolve() != _HERE.parent]
    return importlib.machinery.PathFinder.find_spec("tracy", places)


_spec = _original()
if _spec is not None:
    __path__ = [str(_HERE), *(_spec.submodule_search_locations or ())]


def __getattr__(name: str) -> Any:
    """A name of the original, which is executed in this module the first time."""
    loader = None if _spec is None or "_executed" in globals() else _spec.loader
    if not name.startswith("__") and isinstance(loader, importlib.machinery.SourceFileLoader):
        globals()["_executed"] = True  # the original's modules import it meanwhile
        code = loader.get_code("tracy")
        assert code is not None
        try:
            exec(code, globals())
        except BaseException:
            del globals()["_executed"]  # the next import raises the same error, not one of a missing name
            raise
        if name in globals():
            return globals()[name]
    raise AttributeError(f"module 'tracy' has no attribute {name!r}")
