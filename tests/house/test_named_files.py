# SPDX-License-Identifier: Apache-2.0
"""docs/architecture.md and CONTRIBUTING.md name files that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tilewright"
ENGINE = PACKAGE / "native" / "engine"
TEXT = (ROOT / "docs" / "architecture.md").read_text()


# Words in code that look like a path: with a slash, and a suffix or a slash at the end.
PATHS = sorted(set(re.findall(r"`((?:[\w.*<>-]+/)+(?:[\w*<>-]+\.(?:py|h|cpp|md|toml)|(?=`)))`", TEXT)))


@pytest.mark.parametrize("name", PATHS)
def test_named_paths_exist(name: str) -> None:
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
