# SPDX-License-Identifier: Apache-2.0
"""The docs hang together: every page is in the index, every link leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ROOT / "docs"
PAGES = [*sorted(DOCUMENTS.rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


def links(page: Path) -> list[str]:
    outside_code = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"\]\(([^)\s]+)\)", outside_code)


def anchors(page: Path) -> set[str]:
    """The names GitHub gives to the headings of a page."""
    outside_code = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", outside_code, re.MULTILINE)
    return {re.sub(r"[^a-z0-9 _-]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_is_in_the_index() -> None:
    index = {(DOCUMENTS / link.partition("#")[0]).resolve() for link in links(DOCUMENTS / "README.md")}
    assert set(DOCUMENTS.rglob("*.md")) - index == {DOCUMENTS / "README.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        if link.startswith("http"):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
