# SPDX-License-Identifier: Apache-2.0
"""A cure cures: where a rule's advice can be carried out mechanically, the program is right afterwards.

Twins are those of ``corpus/`` and ``named_at_line/``; rules without one there have a small one in ``curable.py``.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.bugs.corpus.entries import BUGS
from tests.bugs.corpus.examine import Finding, find_check
from tests.bugs.corpus.model import Bug
from tests.bugs.corpus.running import difference, fresh_host
from tests.bugs.curable import TWINS as SMALL_TWINS
from tests.bugs.cures import CURES, NOT_MECHANICAL, OTHERWISE
from tests.bugs.named_at_line import between_cores, buffers, host, receivers, threads, values
from tests.bugs.named_at_line.model import TWINS, Twin
from tilewright._rules import RULES

CHECK = find_check()
MODULES = (between_cores, receivers, threads, buffers, values, host)  # which fill TWINS


def curable() -> Iterator[tuple[Bug | Twin, str]]:
    for bug in BUGS:
        yield from ((bug, arch) for arch in bug.archs)
    yield from ((twin, "wormhole_b0") for twin in [*TWINS, *SMALL_TWINS])


CURABLE = [(bug, arch) for bug, arch in curable() if bug.rules[0] in CURES and bug.build.__name__ not in OTHERWISE]


def test_every_rule_has_a_cure_to_try_or_a_reason_why_not() -> None:
    assert set(CURES) | set(NOT_MECHANICAL) == set(RULES)
    assert not set(CURES) & set(NOT_MECHANICAL)


def test_every_cure_is_tried() -> None:
    assert {bug.rules[0] for bug, _ in CURABLE} == set(CURES)
    assert set(OTHERWISE) <= {bug.build.__name__ for bug, _ in curable()}


def said(bug: Bug | Twin, arch: str) -> Finding:
    with fresh_host(arch, fixed=False) as host:
        result = CHECK(next(bug.build(host)))
        return next(each for each in [*result.findings, *result.notes] if each.rule in bug.rules)


@pytest.mark.parametrize(("bug", "arch"), [pytest.param(*each, id=f"{each[0]}-{each[1]}") for each in CURABLE])
def test_the_cure_of_a_finding_cures(bug: Bug | Twin, arch: str) -> None:
    finding = said(bug, arch)
    with fresh_host(arch, fixed=False) as host:
        launch = next(bug.build(host))
        CURES[finding.rule](launch, finding)
        result = CHECK(launch)
        assert result.findings == []
        assert [note for note in result.notes if note.rule == finding.rule] == []
        assert difference(launch) == ""
