# SPDX-License-Identifier: Apache-2.0
"""Random programs under the checker."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from tests.bugs.corpus.examine import Check, Examined, said_about, verdict_on
from tests.bugs.corpus.host import Host
from tests.bugs.corpus.model import Launch, Plain
from tests.bugs.corpus.running import difference, fresh_host
from tests.bugs.generated.model import Family, Fault, Program, same_every_time


@dataclasses.dataclass(frozen=True)
class LegalResult:
    """Findings on a right program, and wrong places of its output."""

    program: Program
    examined: Examined
    difference: str


@dataclasses.dataclass(frozen=True)
class FaultyResult:
    """Findings on a program with a fault, and the verdict on them."""

    program: Program
    rules: tuple[str, ...]
    examined: Examined
    verdict: str


def legal_programs(family: Family, arch: str, count: int, check: Check) -> list[LegalResult]:
    """``count`` different legal programs of a family, each checked, and its output compared element by element."""
    results: list[LegalResult] = []
    with fresh_host(arch, fixed=True) as host:
        _each_of(
            family.programs,
            count,
            lambda program: results.append(_legal(family.build(host, program, ""), program, check)),
        )
    return results


def _legal(launch: Launch, program: Program, check: Check) -> LegalResult:
    said = tuple(said_about(launch, check, ()))
    text = difference(launch)
    return LegalResult(program, Examined(said, Plain.WRONG if text else Plain.RIGHT), text)


def faulty_programs(family: Family, fault: Fault, count: int, check: Check) -> list[FaultyResult]:
    """``count`` different programs of a family with the fault in them, on a chip that knows it."""
    results: list[FaultyResult] = []
    places = family.places(fault)

    def look(host: Host, program: Program) -> None:
        said = tuple(said_about(family.build(host, program, fault.name), check, places))
        rules = fault.rules_for(program)
        examined = Examined(said, Plain.RIGHT)
        results.append(FaultyResult(program, rules, examined, verdict_on(rules, examined, in_kernel=fault.in_kernel)))

    with fresh_host(fault.archs[0], fixed=True) as host:
        _each_of(family.faulty(fault), count, lambda program: look(host, program))
    return results


def rules_of(family: Family, fault: Fault, count: int) -> set[str]:
    """Rules that may name a fault in some of its programs."""
    rules: set[str] = set()
    _each_of(family.faulty(fault), count, lambda program: rules.update(fault.rules_for(program)))
    return rules


def _each_of(strategy: st.SearchStrategy[Program], count: int, look: Callable[[Program], None]) -> None:
    """The first ``count`` different programs of a strategy."""
    seen: set[Program] = set()

    @settings(same_every_time, max_examples=count, phases=[Phase.generate])
    @given(strategy)
    def run(program: Program) -> None:
        assume(program not in seen)
        seen.add(program)
        look(program)

    run()
