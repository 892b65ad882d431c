# SPDX-License-Identifier: Apache-2.0
"""A room imports only from rooms above it: the order of the table in docs/architecture.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tilewright"
# The package itself: its version, and names that are loaded when asked for.
TOP = {"__init__.py", "__main__.py"}


def rooms() -> list[str]:
    """Rooms as the table has them, in its order: folders by name, single modules by file."""
    table = (ROOT / "docs" / "architecture.md").read_text().partition("## Rooms")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return [name.rstrip("/") for row in rows for name in re.findall(r"`([\w./]+)`", row)]


def imports(path: Path) -> Iterator[str]:
    """Rooms a file imports from, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "tilewright":
            yield from (_room(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tilewright."):
            yield _room((node.module or "").split(".")[1])
        elif isinstance(node, ast.Import):
            yield from (_room(alias.name.split(".")[1]) for alias in node.names if alias.name.startswith("tilewright."))


def _room(name: str) -> str:
    return name if (PACKAGE / name).is_dir() else f"{name}.py"


def test_every_room_is_in_the_table() -> None:
    there = {
        path.name
        for path in PACKAGE.iterdir()
        if (path.is_dir() and path.name != "__pycache__") or (path.suffix == ".py" and path.name not in TOP)
    }
    assert set(rooms()) == there


def test_a_room_imports_only_from_rooms_above_it() -> None:
    order = {room: place for place, room in enumerate(rooms())}
    upwards = [
        f"{path.relative_to(PACKAGE)} imports {imported}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for room in [path.relative_to(PACKAGE).parts[0]]
        if room not in TOP
        for imported in imports(path)
        if imported in order and order[imported] > order[room]
    ]
    assert upwards == []


def test_test_files_have_names_of_their_own() -> None:
    """pytest imports them by name, wherever they lie."""
    names = [path.name for path in (ROOT / "tests").glob("*/*.py") if path.name != "conftest.py"]
    assert sorted(names) == sorted(set(names))
