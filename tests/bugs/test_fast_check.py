# SPDX-License-Identifier: Apache-2.0
"""A fast check names the bugs of the corpus that its rules cover, and no other rule; fixed twins are silent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tilewright
from tests.bugs.corpus.entries import BUGS
from tests.bugs.corpus.model import Bug
from tests.bugs.corpus.running import SPIN_LIMIT, fresh_host
from tilewright import RunOptions
from tilewright._rules import RULES

_PAGE = (Path(__file__).resolve().parents[2] / "docs" / "checks.md").read_text()
_PARAGRAPH = re.search(r"\*\*Rules left out:\*\*(.*?)\n\n", _PAGE, re.DOTALL)
LEFT_OUT = set(re.findall(r"`([a-z0-9-]+)`", _PARAGRAPH[1] if _PARAGRAPH else ""))
# Broken by loads and stores of a processor, which a fast check does not see.
BY_PROCESSORS = {"B27", "B34", "B68"}


def said(bug: Bug, *, fixed: bool) -> set[str]:
    found: set[str] = set()
    with fresh_host(bug.archs[0], fixed=fixed) as host:
        for launch in bug.build(host):
            options = RunOptions(fast=True, spin_limit=SPIN_LIMIT)
            result = tilewright.check_program(
                launch.io_tensors, launch.program, options, fresh_program=launch.fresh_program
            )
            found |= {each.rule for each in (*result.findings, *result.notes)}
            if result.error is not None:
                break
    return found


def test_the_page_lists_rules_that_exist() -> None:
    assert len(LEFT_OUT) > 10
    assert set(RULES) >= LEFT_OUT


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_fast_check_names_the_bugs_of_its_rules(bug: Bug) -> None:
    found = said(bug, fixed=False)
    assert not found & LEFT_OUT
    if not set(bug.rules) <= LEFT_OUT and str(bug).partition("-")[0] not in BY_PROCESSORS:
        assert found & set(bug.rules)


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_a_fast_check_has_nothing_against_the_fixed_twin(bug: Bug) -> None:
    assert said(bug, fixed=True) == set()
