# SPDX-License-Identifier: Apache-2.0
"""``python -m tools.try_release``: what differs between two releases."""

from __future__ import annotations

from pathlib import Path

from tests.card.test_sample import ON_WORMHOLE
from tools.try_release import _names, compared_files, compared_numbers


def test_files_that_differ_or_that_one_release_has_are_counted(tmp_path: Path) -> None:
    texts = {"new": {"a.h": "1", "b.h": "2", "c.h": "3"}, "base": {"a.h": "1", "b.h": "other", "d/e.h": "4"}}
    for release, files in texts.items():
        for name, text in files.items():
            path = tmp_path / release / "api" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    found = compared_files(tmp_path / "new", tmp_path / "base", "api", "*.h")
    assert found == "3, 1 with other contents; only here: api/c.h; missing: api/d/e.h"


def test_numbers_that_moved_are_named() -> None:
    assert compared_numbers({"same": 1, "launch": 8}, {"same": 1, "launch": 16}) == "1 moved (launch)"


def test_the_sample_has_these_operations() -> None:
    assert set(_names()) >= set(ON_WORMHOLE)
