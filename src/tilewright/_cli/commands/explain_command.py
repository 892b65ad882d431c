# SPDX-License-Identifier: Apache-2.0
"""``tilewright explain``: what the docs say about a rule, an error, a phase or a function of the kernel API."""

from __future__ import annotations

import argparse
import difflib
import re
import shutil
import textwrap
from collections.abc import Iterator

from tilewright._cli.command_parser import CommandParser
from tilewright._cli.explanations import Explanation, every_explanation, find
from tilewright._cli.json_output import json_text
from tilewright._cli.screen import wrapped

_DESCRIPTION = """
Print the section of the docs about a rule of the checker (effect on a card, a bad and a good example, the cure), an
error, a phase or a function of the kernel API. Words of a message find the section about that message. Other words
find the sections that contain them.
"""
_EXAMPLES = """
tilewright explain noc-push-in-flight
tilewright explain DeadlockError
tilewright explain cb_reserve_back
tilewright explain pages free
tilewright explain fidelity
"""
_MOST_LISTED = 30


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser("explain", _DESCRIPTION, _EXAMPLES)
    parser.add_argument(
        "word", nargs="+", help="a rule, an error, a phase, a function, or words of a message", metavar="WORD"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    words = " ".join(options.word)
    found = find(words)
    if not found:
        near = difflib.get_close_matches(words, [each.name for each in every_explanation()], n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else "; `tilewright check --rules` lists the rules"
        parser.error(f"nothing is known about {words!r}{hint}")
    if options.json:
        print(json_text("explain", {"word": words, "found": [vars(each) for each in found]}))
        return 0
    columns = min(shutil.get_terminal_size().columns, 120)
    lines = _list(found, columns) if len({each.name for each in found}) > 1 else _whole(found, columns)
    print("\n".join(lines))
    return 0


def _list(found: list[Explanation], columns: int) -> Iterator[str]:
    """A line or two for each, where there are several to choose from."""
    for each in found[:_MOST_LISTED]:
        yield from wrapped(f"{each.kind:<9} {each.name}: {each.summary}", columns)
    if len(found) > _MOST_LISTED:
        yield f"... and {len(found) - _MOST_LISTED} more; give more of the name"


def _whole(found: list[Explanation], columns: int) -> Iterator[str]:
    for each in found:
        yield f"{each.name} ({each.kind})"
        yield ""
        yield from _fitted(each.text, columns)


def _fitted(text: str, columns: int) -> Iterator[str]:
    """Paragraphs filled to the terminal's width; tables and code stay as they are."""
    for block in re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL):
        if block.startswith("```"):
            yield textwrap.indent("\n".join(block.splitlines()[1:-1]), "    ")
            yield ""
            continue
        for paragraph in filter(None, block.strip().split("\n\n")):
            yield paragraph if paragraph.startswith("|") else textwrap.fill(paragraph, columns)
            yield ""
