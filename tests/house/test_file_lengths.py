# SPDX-License-Identifier: Apache-2.0
"""No source file or page is longer than 500 lines."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "docs", "tests", "tools", "bench", "examples")
SUFFIXES = {".md", ".py", ".h", ".hpp", ".cpp", ".inl", ".js"}
MOST_LINES = 500


def test_no_file_is_longer_than_500_lines() -> None:
    sources = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    lengths = {path.relative_to(ROOT).as_posix(): len(path.read_bytes().splitlines()) for path in sources}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}
