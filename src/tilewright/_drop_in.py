# SPDX-License-Identifier: Apache-2.0
"""Puts ``tilewright.ttnn`` in the place of ttnn, so that code which says ``import ttnn`` runs unchanged."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType

from tilewright._tensor.ttnn_names import TTNN_NAMES, missing_attribute


class _Submodules(importlib.abc.MetaPathFinder):
    """Answers by name what is asked of ttnn and does not exist here: it has no submodules at all."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.startswith("tilewright.ttnn."):  # from ttnn import something
            raise ImportError(str(missing_attribute("ttnn", fullname.rpartition(".")[2], TTNN_NAMES)), name=fullname)
        if fullname.startswith("ttnn."):
            raise ModuleNotFoundError(
                f"{fullname} is not part of tilewright's ttnn (which has devices, tensors, program descriptors "
                "and generic_op)",
                name=fullname,
            )
        return None


def install_as_ttnn() -> ModuleType:
    """From now on ``import ttnn`` gives ``tilewright.ttnn`` in this process.

    Raises:
        RuntimeError: the real ttnn is already imported.
    """
    import tilewright.ttnn as simulated

    present = sys.modules.get("ttnn")
    if present is not None and present is not simulated:
        raise RuntimeError("the real ttnn is already imported in this process; tilewright cannot take its place")
    # Only a package is asked for its submodules; an empty path lets the finder above answer.
    simulated.__path__ = []
    sys.modules["ttnn"] = simulated
    if not any(isinstance(finder, _Submodules) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Submodules())
    return simulated
