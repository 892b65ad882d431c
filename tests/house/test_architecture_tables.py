# SPDX-License-Identifier: Apache-2.0
"""docs/architecture.md names files that are there, and its table of the engine names all of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tilewright"
ENGINE = PACKAGE / "native" / "engine"
TEXT = (ROOT / "docs" / "architecture.md").read_text()


def _table(heading: str) -> list[list[str]]:
    """The rows of the first table below a heading, cell by cell."""
    section = TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if line.startswith("| ")]


def _engine_files(cell: str) -> set[str]:
    """Files a cell of the engine's table names; ``a.*`` is a header and its source."""
    named = re.findall(r"`([\w./*]+)`", cell)
    return {
        str(path.resolve().relative_to(ENGINE.parent)) for name in named for path in ENGINE.glob(name) if "." in name
    }


def test_every_file_of_the_engine_is_in_its_table() -> None:
    listed = set().union(*(_engine_files(row[0]) for row in _table("Engine files")))
    there = {str(path.relative_to(ENGINE.parent)) for kind in ("*.h", "*.cpp") for path in ENGINE.rglob(kind)}
    assert there - listed == set()


@pytest.mark.parametrize(
    "name", [name for row in _table("Engine files")[1:] for name in re.findall(r"`([^`]+)`", row[0])]
)
def test_files_of_the_engines_table_are_there(name: str) -> None:
    assert list(ENGINE.glob(name.removeprefix("../"))) or list(ENGINE.parent.glob(name.removeprefix("../")))


# Words in code that look like a path: with a slash, and a suffix or a slash at the end.
PATHS = sorted(set(re.findall(r"`((?:[\w.*<>-]+/)+(?:[\w*<>-]+\.(?:py|h|cpp|md|toml)|(?=`)))`", TEXT)))


@pytest.mark.parametrize("name", PATHS)
def test_paths_it_names_are_there(name: str) -> None:
    pattern = re.sub(r"<\w+>", "*", name).rstrip("/")
    places = (ROOT, PACKAGE, ENGINE, ENGINE.parent, PACKAGE / "native" / "include")
    assert any(list(place.glob(pattern)) for place in places), f"{name} is not there"


def test_files_that_contributing_names_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    named = {name for name in re.findall(r"`([\w./]+/[\w.]*|[\w/]+\.(?:py|md))`", text) if "NAME" not in name}
    missing = [
        name
        for name in sorted(named)
        if not any((place / name.replace("/...", "")).exists() for place in (ROOT, PACKAGE, ENGINE, ENGINE.parent))
    ]
    assert missing == []
