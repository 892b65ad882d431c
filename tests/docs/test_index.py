# SPDX-License-Identifier: Apache-2.0
"""The docs hang together: every page is in the index, every link leads somewhere, generated pages are up to date."""

from __future__ import annotations

import importlib.util
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


def test_the_index_of_error_texts_is_what_its_script_prints() -> None:
    spec = importlib.util.spec_from_file_location("list_errors", DOCUMENTS / "list_errors.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kept = (DOCUMENTS / "error-index.md").read_text()
    assert module.page() == kept, "put the output of `python docs/list_errors.py` into docs/error-index.md"
    assert kept.count("\n| ") > 25
