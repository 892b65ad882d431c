# SPDX-License-Identifier: Apache-2.0
"""Docs and comments name files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tilewright._build.generated_headers import generated_headers

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tilewright"
NATIVE = PACKAGE / "native"
PLACES = (ROOT, PACKAGE, NATIVE, NATIVE / "engine", NATIVE / "include")
TEXTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *(ROOT / "docs").rglob("*.md"),
    *(path for kind in ("*.py", "*.h", "*.hpp", "*.cpp", "*.inl") for path in PACKAGE.rglob(kind)),
]
# A path of ours begins with one of our folders. Placeholders are in capitals.
PATH = re.compile(r"(?<![\w./*-])((?:[\w-]+/)+[\w-]+\.(?:py|h|hpp|cpp|inl|md))\b")
OURS = {path.name for place in PLACES for path in place.iterdir() if path.is_dir()}
UPSTREAM = ("tests/ttnn/", "kernels/", "debug/", "experimental/", "tt-metalium/", "tt_metal/", "api/socket_api.h")


def _prose(path: Path) -> str:
    """The text of a page; comments and docstrings of a source."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return text
    if path.suffix == ".py":
        return "\n".join([*re.findall(r"(?:^|\s)# .*", text), *re.findall(r'"""(.*?)"""', text, re.DOTALL)])
    return "\n".join(re.findall(r"// .*", text))


def test_named_files_exist() -> None:
    generated = set(generated_headers())
    missing = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in TEXTS
        for name in PATH.findall(_prose(path))
        if name.partition("/")[0] in OURS and not name.startswith(UPSTREAM) and "NAME" not in name
        if name not in generated and not any((place / name).exists() for place in (*PLACES, path.parent))
    ]
    assert missing == []


FOLDERS = r"`((?:[\w.*<>-]+/)+)`"


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_named_folders_exist(page: str) -> None:
    named = set(re.findall(FOLDERS, (ROOT / page).read_text()))
    missing = [name for name in sorted(named) if not any(list(place.glob(name.rstrip("/"))) for place in PLACES)]
    assert missing == []
