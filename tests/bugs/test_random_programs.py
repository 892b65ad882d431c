# SPDX-License-Identifier: Apache-2.0
"""Five hundred random legal programs end right and get no finding; in faulty ones the fault is named at its line.

The programs are the same every time. TILEWRIGHT_RANDOM_PROGRAMS=2 makes a thousand, and twice as many of each fault.
"""

from __future__ import annotations

import os

import pytest

from tests.bugs.corpus.examine import FOUND, find_check
from tests.bugs.generated.examination import faulty_programs, legal_programs, rules_of
from tests.bugs.generated.families import FAMILIES, LEGAL_SHARES, family_called
from tests.bugs.generated.model import Family, Fault
from tilewright.check import RULES

TIMES = int(os.environ.get("TILEWRIGHT_RANDOM_PROGRAMS", "1"))
PROGRAMS_PER_FAULT = 3 * TIMES
CHECK = find_check()
FAULTS = [
    pytest.param(family, fault, id=f"{family.name}-{fault.name.lower()}")
    for family in FAMILIES
    for fault in family.faults
]
# Rules no random program breaks, and why. Known bugs and tests of their own stand for them (tests/bugs, tests/check).
NOT_SEEDED = {
    "time-limit": "the checker's own limit, not something a program does wrong",
    "cache-stale": "calls of ttnn's own operations: tests/card/test_program_cache.py has twins",
    "dst-width": "the generator's programs compute with floats only: tests/check/test_operands.py has twins",
    "scaler-size": "the generator's programs reduce whole tiles only: tests/check/test_values.py has twins",
    **{
        f"fabric-{name}": "the generator's programs run on one chip: tests/card/test_packet_twins.py has twins"
        for name in (
            "deadlock",
            "memory-in-use",
            "multicast-misses",
            "no-free-slot",
            "not-closed",
            "packet-size",
            "route",
            "signal-early",
        )
    },
    "cb-counter-wrap": "shows after 65,536 pages only: B28 is such a program",
}


def test_there_are_five_hundred() -> None:
    assert sum(LEGAL_SHARES.values()) == 500


@pytest.mark.parametrize(("name", "arch"), LEGAL_SHARES)
def test_a_legal_program_gets_no_finding_and_ends_right(name: str, arch: str) -> None:
    count = TIMES * LEGAL_SHARES[name, arch]
    results = legal_programs(family_called(name), arch, count, CHECK)
    for result in results:
        assert result.difference == "", result.program
        assert result.examined.said == (), result.program
    assert len({result.program for result in results}) == len(results) == count


@pytest.mark.parametrize(("family", "fault"), FAULTS)
def test_a_fault_is_named(family: Family, fault: Fault) -> None:
    results = faulty_programs(family, fault, PROGRAMS_PER_FAULT, CHECK)
    assert len(results) >= PROGRAMS_PER_FAULT
    for result in results:
        assert result.verdict == FOUND, (result.verdict, result.rules, result.examined.said, result.program)


@pytest.mark.parametrize(("family", "fault"), FAULTS)
def test_a_fault_in_a_kernel_has_a_line_to_be_named(family: Family, fault: Fault) -> None:
    assert bool(family.places(fault)) == fault.in_kernel


def test_every_rule_is_seeded_or_there_is_a_reason() -> None:
    seeded = {rule for family in FAMILIES for fault in family.faults for rule in rules_of(family, fault, 5)}
    assert seeded | set(NOT_SEEDED) == set(RULES)
    assert not seeded & set(NOT_SEEDED)
