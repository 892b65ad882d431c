# SPDX-License-Identifier: Apache-2.0
"""Hooks of MkDocs for the site (mkdocs.yml): the sidebar, and pages that lie outside of docs/.

The sidebar has the sections of ``docs/README.md``, one for each kind of reader, so the index stands in one place.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ROOT / "docs"
CONTRIBUTING = "CONTRIBUTING.md"


def navigation(index: str) -> list[dict[str, Any]]:
    """Sections of the index with the pages they link to."""
    nav: list[dict[str, Any]] = [{"Documents": "README.md"}]
    for section in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        pages = dict.fromkeys(re.findall(r"\]\(([\w./-]+\.md)\)", section))
        nav.append({section.splitlines()[0]: [{_title(page): page.removeprefix("../")} for page in pages]})
    return nav


def _title(page: str) -> str:
    text = (DOCUMENTS / page).resolve().read_text()
    return text.partition("# ")[2].partition("\n")[0].strip()


def on_config(config: Any) -> Any:
    """Sets the sidebar."""
    config.nav = navigation((DOCUMENTS / "README.md").read_text())
    return config


def on_files(files: Any, config: Any) -> Any:
    """Adds the page for contributors, which stands at the root of the repository."""
    text = (ROOT / CONTRIBUTING).read_text().replace("](docs/", "](")
    files.append(File.generated(config, CONTRIBUTING, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links to files outside of docs/ lead into the site, or become plain text."""
    inside = markdown.replace(f"](../{CONTRIBUTING}", f"]({CONTRIBUTING}")
    return re.sub(r"(?<!!)\[([^\]]*)\]\((?:\.\./)+[^)]*\)", r"\1", inside)
