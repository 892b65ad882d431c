# SPDX-License-Identifier: Apache-2.0
"""The pages of rules are the catalogue: sections are complete, and every id in code or in a test is one of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilewright._rules import RULES, Severity, rule_pages
from tilewright._wire.cpp_headers import cpp_headers

ROOT = Path(__file__).resolve().parents[2]
NATIVE = ROOT / "src" / "tilewright" / "native"
SECTIONS = {
    rule_id: section
    for page in rule_pages()
    for rule_id, section in re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", page.read_text(), re.MULTILINE | re.DOTALL)
}
FAMILIES = {rule_id.partition("-")[0] for rule_id in RULES}
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
# Words with a hyphen that are no ids.
OTHERS = {"hang-selv", "broadcast-row", "broadcast-column", "broadcast-scalar", "tile-row", "fabric-headers"}


def python_strings(folders: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Every string constant in Python sources that is made like a rule's id, with its place."""
    for folder in folders:
        # Audits of logs have rules of their own.
        for path in (each for each in sorted((ROOT / folder).rglob("*.py")) if "logs" not in str(each)):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and _ID.fullmatch(node.value):
                    yield node.value, f"{path.relative_to(ROOT)}:{node.lineno}"


def engine_rules() -> set[str]:
    """Enumerators of ``Rule`` that the engine uses, as ids. One that does not exist would not compile."""
    text = cpp_headers()["wire/rules.h"]
    names = re.findall(r"^    (\w+),$", text, re.MULTILINE)
    ids = dict(zip(names, re.findall(r'^        "([^"]*)",$', text, re.MULTILINE), strict=True))
    sources = [path.read_text() for kind in ("*.cpp", "*.h") for path in (NATIVE / "engine").rglob(kind)]
    return {ids[name] for source in sources for name in re.findall(r"\bRule::(\w+)", source)}


@pytest.mark.parametrize("rule_id", RULES)
def test_section_shows_examples(rule_id: str) -> None:
    section = SECTIONS[rule_id]
    assert re.search(r"^Bad:\n\n```(cpp|py)\n.+?^```$", section, re.MULTILINE | re.DOTALL)
    assert re.search(r"^Good:\n\n```(cpp|py)\n.+?^```$", section, re.MULTILINE | re.DOTALL)


def test_words_of_rules_are_sentences() -> None:
    for rule in RULES.values():
        assert not rule.title.endswith(".")
        for sentence in (rule.on_a_card, rule.cause, rule.cure):
            assert sentence.endswith("."), rule.id
            assert sentence[0].isupper() or sentence.startswith(("noc_", "cb_")), rule.id
    assert {rule.severity for rule in RULES.values()} == set(Severity)


def test_ids_in_python_are_rules() -> None:
    unknown = [
        f"{place}: {text}"
        for text, place in python_strings(("src", "tests", "tools"))
        if text.partition("-")[0] in FAMILIES and text not in RULES and text not in OTHERS
    ]
    assert unknown == []


def test_ids_of_the_checkers_own_code_are_rules() -> None:
    """There every such word is an id, so a mistake in its first part is noticed, too."""
    folders = ("src/tilewright/check", "src/tilewright/_diagnose")
    unknown = [f"{place}: {text}" for text, place in python_strings(folders) if text not in {*RULES, *OTHERS}]
    assert unknown == []


def test_engine_has_no_ids_as_text() -> None:
    """It names rules by enumerators."""
    for kind in ("*.cpp", "*.h"):
        for path in NATIVE.rglob(kind):
            assert not [text for text in re.findall(r'"([a-z0-9-]+)"', path.read_text()) if text in RULES], path


def test_every_rule_is_raised_and_tested() -> None:
    raised = engine_rules() | {text for text, _ in python_strings(("src",))}
    assert set(RULES) - raised == set()
    assert set(RULES) - {text for text, _ in python_strings(("tests/check", "tests/bugs"))} == set()
