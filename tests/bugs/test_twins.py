# SPDX-License-Identifier: Apache-2.0
"""Without checks every twin of the corpus ends as stated: the fixed one is right, the buggy one may show or not."""

from __future__ import annotations

import pytest

from tests.bugs.corpus.entries import BUGS, CONTROLS
from tests.bugs.corpus.model import Bug, Control, Plain, named_lines, twin_source
from tests.bugs.corpus.running import fresh_host, run_plain

ON_ARCHS = [pytest.param(entry, arch, id=f"{entry}-{arch}") for entry in BUGS for arch in entry.archs]


def test_the_corpus_has_every_bug_once() -> None:
    assert len(BUGS) == 52
    assert len({bug.id for bug in BUGS}) == 52
    assert [control.id for control in CONTROLS] == ["FP-1", "FP-3", "FP-4", "FP-5"]


def test_every_rule_the_corpus_names_exists() -> None:
    check = pytest.importorskip("tilewright.check")
    assert {rule for bug in BUGS for rule in bug.rules} <= set(check.RULES)
    assert all(bug.rules for bug in BUGS)


@pytest.mark.parametrize(("bug", "arch"), ON_ARCHS)
def test_the_fixed_twin_is_right(bug: Bug, arch: str) -> None:
    outcome = run_plain(bug.build, arch, fixed=True)
    assert outcome.plain is Plain.RIGHT, outcome.text


@pytest.mark.parametrize(("bug", "arch"), ON_ARCHS)
def test_the_buggy_twin_ends_as_stated(bug: Bug, arch: str) -> None:
    outcome = run_plain(bug.build, arch, fixed=False)
    assert outcome.plain is bug.plain, outcome.text
    assert bug.plain_text in outcome.text


@pytest.mark.parametrize("bug", [bug for bug in BUGS if bug.in_kernel], ids=str)
def test_buggy_twin_marks_the_line_of_its_finding(bug: Bug) -> None:
    with fresh_host(bug.archs[0], fixed=False) as host:
        launch = next(bug.build(host))
        assert any(named_lines(kernel.kernel_source) for kernel in launch.program.kernels)


@pytest.mark.parametrize(
    ("control", "arch"),
    [pytest.param(control, arch, id=f"{control}-{arch}") for control in CONTROLS for arch in control.archs],
)
def test_a_control_is_right(control: Control, arch: str) -> None:
    outcome = run_plain(control.build, arch, fixed=True)
    assert outcome.plain is Plain.RIGHT, outcome.text


def test_a_twin_has_its_own_lines_and_the_other_ones_line_numbers() -> None:
    source = "both;\nold;  // - BUG\nnew;  // +\nlast;  // BUG"
    assert twin_source(source, fixed=False) == "both;\nold;  // - BUG\n\nlast;  // BUG"
    assert twin_source(source, fixed=True) == "both;\n\nnew;  // +\nlast;  // BUG"
    assert named_lines(twin_source(source, fixed=False)) == {2, 4}
