# SPDX-License-Identifier: Apache-2.0
"""``tilewright explain``: the docs' section on a rule or an error."""

from __future__ import annotations

import argparse
import difflib
import re
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path

from tilewright.cli.command_parser import CommandParser

_DESCRIPTION = """
Print what the docs say about a rule of the checker, with a bad and a good example and the cure, or about an error.
"""
_EXAMPLES = """
tilewright explain noc-push-in-flight
tilewright explain DeadlockError
"""


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser("explain", _DESCRIPTION, _EXAMPLES)
    parser.add_argument("name", help="id of a rule, as `tilewright check --rules` lists them, or class of an error")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    name = parser.parse_args(arguments).name
    sections = _sections()
    found = sections.get(name) or sections.get(name.rpartition(".")[2])
    if found is None:
        near = difflib.get_close_matches(name, sections, n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else "; `tilewright check --rules` lists the rules"
        parser.error(f"there is no rule or error called {name!r}{hint}")
    print("\n".join(_fitted(found, min(shutil.get_terminal_size().columns, 120))))
    return 0


def _fitted(text: str, columns: int) -> Iterator[str]:
    """Paragraphs filled to the terminal's width; tables and code stay as they are."""
    for block in re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL):
        if block.startswith("```"):
            yield textwrap.indent("\n".join(block.splitlines()[1:-1]), "    ")
            continue
        for paragraph in block.strip().split("\n\n"):
            yield paragraph if paragraph.startswith("|") else textwrap.fill(paragraph, columns)
            yield ""


def _sections() -> dict[str, str]:
    """Rules of the checks' pages and errors of the errors' page, each with its text."""
    pages = [*sorted((_docs() / "checks").glob("*.md")), _docs() / "errors.md"]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    found = re.findall(r"^## ([a-z0-9-]+|\w+Error)\n(.*?)(?=^##? |\Z)", text, re.MULTILINE | re.DOTALL)
    return {name: f"{name}\n\n{section.strip()}" for name, section in found}


def _docs() -> Path:
    """Where the docs lie: in the package, or beside the sources of a checkout."""
    package = Path(__file__).resolve().parents[1]
    return next(path for path in (package / "docs", package.parents[1] / "docs") if path.is_dir())
