# SPDX-License-Identifier: Apache-2.0
"""A folder imports only from folders above it: the order of the table in docs/architecture.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tilewright"
# The package itself: its version, and names that are loaded when asked for.
TOP = {"__init__.py", "__main__.py"}


def folders() -> list[str]:
    """Folders as the table has them, in its order: folders by name, single modules by file."""
    table = (ROOT / "docs" / "architecture.md").read_text().partition("## Folders")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return [name.rstrip("/") for row in rows for name in re.findall(r"`([\w./]+)`", row)]


def imports(path: Path) -> Iterator[str]:
    """Folders a file imports from, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "tilewright":
            yield from (_folder(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tilewright."):
            yield _folder((node.module or "").split(".")[1])
        elif isinstance(node, ast.Import):
            yield from (
                _folder(alias.name.split(".")[1]) for alias in node.names if alias.name.startswith("tilewright.")
            )


def _folder(name: str) -> str:
    return name if (PACKAGE / name).is_dir() else f"{name}.py"


def test_every_folder_is_in_the_table() -> None:
    there = {
        path.name
        for path in PACKAGE.iterdir()
        if (path.is_dir() and path.name != "__pycache__") or (path.suffix == ".py" and path.name not in TOP)
    }
    assert set(folders()) == there


def test_a_folder_imports_only_from_folders_above_it() -> None:
    order = {folder: place for place, folder in enumerate(folders())}
    upwards = [
        f"{path.relative_to(PACKAGE)} imports {imported}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for folder in [path.relative_to(PACKAGE).parts[0]]
        if folder not in TOP
        for imported in imports(path)
        if imported in order and order[imported] > order[folder]
    ]
    assert upwards == []
