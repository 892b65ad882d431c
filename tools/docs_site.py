# SPDX-License-Identifier: Apache-2.0
"""Hooks of MkDocs for the site (mkdocs.yml): the sidebar, pages that lie outside of docs/, and the page that lists the
functions of the kernel API.

The sidebar has the sections of ``docs/README.md``, one for each kind of reader, so the index stands in one place.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

from tilewright._cli.explanations import function_text
from tilewright.kernels._api_table import FUNCTIONS

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ROOT / "docs"
CONTRIBUTING = "CONTRIBUTING.md"
FUNCTION_PAGE = "kernel-api-functions.md"


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
    config.nav = [*navigation((DOCUMENTS / "README.md").read_text()), {"Functions of the kernel API": FUNCTION_PAGE}]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Adds the page for contributors, which stands at the root of the repository, and that of the kernel API."""
    text = (ROOT / CONTRIBUTING).read_text().replace("](docs/", "](")
    files.append(File.generated(config, CONTRIBUTING, content=text))
    files.append(File.generated(config, FUNCTION_PAGE, content=function_page()))
    return files


def function_page() -> str:
    """A section for each function of the kernel API: what ``tilewright explain`` prints."""
    sections = [f"## {name}\n\n{function_text(each)}" for name, each in sorted(FUNCTIONS.items())]
    return "\n\n".join(["# Functions of the kernel API", *sections]) + "\n"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links to files outside of docs/ lead into the site, or become plain text."""
    inside = markdown.replace(f"](../{CONTRIBUTING}", f"]({CONTRIBUTING}")
    return re.sub(r"(?<!!)\[([^\]]*)\]\((?:\.\./)+[^)]*\)", r"\1", inside)
