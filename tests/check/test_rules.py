# SPDX-License-Identifier: Apache-2.0
"""The catalogue of rules and its page say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tilewright.check._rules import RULES, Severity

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("hangs", "circular-buffers", "memory", "noc", "compute", "host")
SECTIONS = {
    rule_id: section
    for page in PAGES
    for rule_id, section in re.findall(
        r"^## (\S+)\n(.*?)(?=^##|\Z)", (ROOT / "docs" / "checks" / f"{page}.md").read_text(), re.MULTILINE | re.DOTALL
    )
}
ENGINE = ROOT / "src" / "tilewright" / "native" / "engine"


def words(text: str) -> str:
    return " ".join(text.split())


def test_every_rule_has_a_section_and_every_section_a_rule() -> None:
    assert list(SECTIONS) == list(RULES)


@pytest.mark.parametrize("rule_id", RULES)
def test_docs_section_matches_the_rule(rule_id: str) -> None:
    rule, section = RULES[rule_id], SECTIONS[rule_id]
    title = rule.title[0].upper() + rule.title[1:]
    for expected in (f"{title} ({rule.severity}).", f"On a card: {rule.on_a_card}", f"Cure: {rule.cure}"):
        assert expected in words(section)
    assert re.search(r"^Bad:\n\n```(cpp|py)\n.+?^```$", section, re.MULTILINE | re.DOTALL)
    assert re.search(r"^Good:\n\n```(cpp|py)\n.+?^```$", section, re.MULTILINE | re.DOTALL)
    assert f"tilewright: allow {rule_id}: reason" in section or "it has no line in a kernel" in section


def test_sentences_are_sentences() -> None:
    for rule in RULES.values():
        assert not rule.title.endswith(".")
        for sentence in (rule.on_a_card, rule.cause, rule.cure):
            assert sentence.endswith("."), rule.id
            assert sentence[0].isupper() or sentence.startswith(("noc_", "cb_")), rule.id
    assert {rule.severity for rule in RULES.values()} == set(Severity)


def test_every_rule_the_engine_names_is_in_the_catalogue() -> None:
    named = set()
    for path in ENGINE.rglob("*.cpp"):
        named |= set(re.findall(r'"((?:hang|cb|l1|noc|semaphore|dst|value|arg)-[a-z-]+)"', path.read_text()))
    assert "cb-over-capacity" in named
    assert named <= set(RULES)
