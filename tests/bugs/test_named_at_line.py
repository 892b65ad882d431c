# SPDX-License-Identifier: Apache-2.0
"""Every bug of ``named_at_line/`` has one finding, at its line; its fixed twin has none and is right."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.bugs.corpus.examine import FOUND, Examined, find_check, said_about, verdict_on
from tests.bugs.corpus.model import Plain, named_lines
from tests.bugs.corpus.running import difference, fresh_host
from tests.bugs.named_at_line import between_cores, buffers, host, receivers, threads, values
from tests.bugs.named_at_line.model import TWINS, Twin

KINDS = ("races", "multicasts", "threads", "registers", "absent", "stores", "latent", "values", "host")
MODULES = (between_cores, receivers, threads, buffers, values, host)
CHECK = find_check()


def test_there_are_three_of_each_kind() -> None:
    counts = Counter(twin.kind for twin in TWINS)
    assert set(counts) == set(KINDS)
    assert min(counts.values()) >= 3
    assert {twin.build.__module__ for twin in TWINS} == {module.__name__ for module in MODULES}


@pytest.mark.parametrize("twin", TWINS, ids=str)
def test_the_bug_is_named_at_its_line_and_nothing_else_is(twin: Twin) -> None:
    with fresh_host("wormhole_b0", fixed=False) as host:
        (launch,) = twin.build(host)
        kernels = launch.program.kernels
        marked = {(kernel.name, line) for kernel in kernels for line in named_lines(kernel.kernel_source)}
        result = CHECK(launch)
        said = said_about(launch, lambda launch: result, marked)
    examined = Examined(tuple(each for each in said if each.rule != "arg-unread"), Plain.RIGHT)
    assert verdict_on(twin.rules, examined, in_kernel=twin.in_kernel) == FOUND, said
    assert {each.rule for each in examined.said} <= set(twin.rules), said
    assert len(examined.said) == 1, said


@pytest.mark.parametrize("twin", TWINS, ids=str)
def test_the_fixed_twin_is_silent_and_right(twin: Twin) -> None:
    with fresh_host("wormhole_b0", fixed=True) as host:
        (launch,) = twin.build(host)
        result = CHECK(launch)
        assert result.findings == []
        assert [note for note in result.notes if note.rule != "arg-unread"] == []
        assert difference(launch) == ""
