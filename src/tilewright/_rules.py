# SPDX-License-Identifier: Apache-2.0
"""Rules of the checker, read from their pages in ``docs/checks/``.

A rule stands once: its section there. The heading is its id; the first sentence its title and severity; the paragraphs
``On a card:``, ``Why:`` and ``Cure:`` are the words of its findings. The engine names it by its enumerator in ``Rule``,
which ``_wire/cpp_headers.py`` writes.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Iterator
from pathlib import Path

_PAGES = ("hangs", "circular-buffers", "memory", "noc", "fabric", "compute", "host")
_TITLE = re.compile(r"(.+) \((error|warning|note)\)\.")


class Severity(enum.IntEnum):
    """How bad a broken rule is; the worst first.

    ``ERROR`` hangs, corrupts or gives undefined results; ``WARNING`` breaks the contract and may work by luck;
    ``NOTE`` asks a person to look and fails nothing.
    """

    ERROR = 0
    WARNING = 1
    NOTE = 2

    def __str__(self) -> str:
        return self.name.lower()


@dataclasses.dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        title: what was done wrong, in a few words.
        on_a_card: what happens on a card.
        cause: why a finding of it is one, in one sentence.
        cure: what to change, in one sentence.
    """

    id: str
    severity: Severity
    title: str
    on_a_card: str
    cause: str
    cure: str


def docs_directory() -> Path:
    """Where the docs lie: in the package, or beside the sources of a checkout."""
    package = Path(__file__).resolve().parent
    return next(path for path in (package / "docs", package.parents[1] / "docs") if path.is_dir())


def rule_pages() -> list[Path]:
    """The pages with the rules, in the order of their families."""
    return [docs_directory() / "checks" / f"{page}.md" for page in _PAGES]


def _rules() -> Iterator[Rule]:
    for page in rule_pages():
        for section in page.read_text(encoding="utf-8").split("\n## ")[1:]:
            yield _rule(*section.split("\n", 1))


def _rule(rule_id: str, section: str) -> Rule:
    first, *others = (" ".join(each.split()) for each in section.strip().split("\n\n"))
    words = dict(each.split(": ", 1) for each in others if ": " in each)
    title = _TITLE.fullmatch(first)
    if title is None or not {"On a card", "Why", "Cure"} <= set(words):
        raise ValueError(f"the section of {rule_id} in docs/checks lacks its title, On a card:, Why: or Cure:")
    severity = Severity[title[2].upper()]
    return Rule(rule_id, severity, _lower_first(title[1]), words["On a card"], words["Why"], words["Cure"])


def _lower_first(title: str) -> str:
    """A title as it continues a sentence.

    >>> _lower_first("A pop of pages"), _lower_first("DST used")
    ('a pop of pages', 'DST used')
    """
    is_name = any(letter.isupper() or letter.isdigit() for letter in title.split()[0][1:])
    return title if is_name else title[0].lower() + title[1:]


RULES: dict[str, Rule] = {rule.id: rule for rule in _rules()}
