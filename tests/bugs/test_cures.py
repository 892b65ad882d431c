# SPDX-License-Identifier: Apache-2.0
"""A cure cures: where a rule's advice can be carried out at the finding's line, the program is right afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from corpus.entries import BUGS
from corpus.examine import find_check
from corpus.model import Bug
from corpus.running import difference, fresh_host

CHECK = find_check()
Cure = Callable[[list[str], int], None]


def first(call: str) -> Cure:
    """The call comes before the line."""

    def apply(lines: list[str], at: int) -> None:
        lines[at] = f"{call} {lines[at]}"

    return apply


def instead(old: str, new: str) -> Cure:
    def apply(lines: list[str], at: int) -> None:
        assert re.search(old, lines[at])
        lines[at] = re.sub(old, new, lines[at])

    return apply


def at_the_end(calls: str) -> Cure:
    """The calls are the kernel's last."""

    def apply(lines: list[str], at: int) -> None:
        end = max(number for number, line in enumerate(lines) if line.strip().startswith("}"))
        lines[end] = f"{calls} {lines[end]}"

    return apply


CURES: dict[str, Cure] = {
    "noc-push-in-flight": first("noc_async_read_barrier(); noc_async_writes_flushed();"),
    "noc-pop-in-flight": first("noc_async_writes_flushed(); noc_async_read_barrier();"),
    "noc-reuse-in-flight": first("noc_async_writes_flushed(); noc_async_read_barrier();"),
    "noc-use-in-flight": first("noc_async_read_barrier();"),
    "noc-credit-unordered": first("noc_async_write_barrier();"),
    "noc-exit-in-flight": at_the_end("noc_async_write_barrier(); noc_async_atomic_barrier();"),
    "cb-read-write-pointer": instead("get_write_ptr", "get_read_ptr"),
    "l1-stale-cache": first("invalidate_l1_cache();"),
    "semaphore-overshoot": instead(r"noc_semaphore_wait\(", "noc_semaphore_wait_min("),
}
CURABLE = [pytest.param(bug, arch, id=f"{bug}-{arch}") for bug in BUGS for arch in bug.archs if bug.rules[0] in CURES]


def test_there_is_a_bug_for_nearly_every_cure() -> None:
    rules = {bug.rules[0] for bug in BUGS}
    assert len(rules & set(CURES)) >= 7


@pytest.mark.parametrize(("bug", "arch"), CURABLE)
def test_the_cure_of_a_finding_cures(bug: Bug, arch: str) -> None:
    with fresh_host(arch, fixed=False) as host:
        launch = next(bug.build(host))
        findings = CHECK(launch).findings
        finding = next(each for each in findings if each.rule in bug.rules)
        launch = next(bug.build(host))
        kernel = next(each for each in launch.program.kernels if each.name == finding.kernel)
        lines = kernel.kernel_source.split("\n")
        CURES[finding.rule](lines, finding.line - 1)
        kernel.kernel_source = "\n".join(lines)
        assert CHECK(launch).findings == []
        assert difference(launch) == ""
