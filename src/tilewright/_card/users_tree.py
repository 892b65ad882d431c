# SPDX-License-Identifier: Apache-2.0
"""The user's tt-metal checkout, whose models look for their files under tt-metal's root."""

from __future__ import annotations

import filecmp
import json
from collections.abc import Mapping
from pathlib import Path

RUNTIME_ROOT = "TT_METAL_RUNTIME_ROOT"
_NAMED_BY = (RUNTIME_ROOT, "TT_METAL_HOME")
_PARTS = ("models", "tt_metal")  # what a checkout has, and hardly another folder
_OPERATIONS = Path("ttnn/cpp/ttnn/operations")


def users_tree(environment: Mapping[str, str], working_directory: Path, description: str) -> Path | None:
    """The checkout that ``TT_METAL_RUNTIME_ROOT`` or ``TT_METAL_HOME`` names, or that the working directory lies in.

    Args:
        description: name of the file beside a root of ours, which notes the checkout of the environment before.
    """
    for variable in _NAMED_BY:
        named = Path(environment.get(variable) or "/")
        noted = named.parent / description
        if noted.is_file():
            tree = json.loads(noted.read_bytes()).get("users_tree")
            return None if tree is None else Path(tree)
        if (named / "models").is_dir():
            return named.resolve()
    here = working_directory.resolve()
    return next((each for each in (here, *here.parents) if all((each / part).is_dir() for part in _PARTS)), None)


def further_entries(tree: Path | None, original: Path) -> list[Path]:
    """Folders that the checkout has and the installed package lacks, such as ``models``."""
    if tree is None:
        return []
    return sorted(each for each in tree.iterdir() if not (original / each.name).exists() and each.name != "runtime")


def hidden_kernels(working_directory: Path, original: Path) -> list[Path]:
    """Kernels of the package in whose place tt-metal takes other ones: it looks in the working directory first.

    Returns:
        Their paths in the package; those that are the same in both are left out.
    """
    if not (working_directory / _OPERATIONS).is_dir() or working_directory.resolve() == original.resolve():
        return []
    files = (path.relative_to(original) for path in (original / _OPERATIONS).rglob("*.cpp") if "kernels" in path.parts)
    return [
        each
        for each in sorted(files)
        if (working_directory / each).is_file()
        and not filecmp.cmp(working_directory / each, original / each, shallow=False)
    ]
