# SPDX-License-Identifier: Apache-2.0
"""Random programs under the checker."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from corpus.examine import Check, Examined, said_about
from corpus.host import Host
from corpus.model import WORMHOLE
from corpus.running import fresh_host, run_launch
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from random_programs import FAULTS, Chain, Seeded, build, chains, faulty_chains, places, same_every_time

Value = TypeVar("Value")


def legal_programs(count: int, check: Check) -> list[Examined]:
    """What is said about random programs that are right."""
    examined: list[Examined] = []
    with fresh_host(WORMHOLE, fixed=True) as host:
        _each_of(chains(), count, lambda chain: examined.append(_examine(host, chain, None, check)))
    return examined


def faulty_programs(count: int, check: Check) -> list[tuple[Seeded, Examined]]:
    """What is said about random programs with a fault, ``count`` for each fault."""
    examined: list[tuple[Seeded, Examined]] = []

    def look(host: Host, chain: Chain, seeded: Seeded) -> None:
        examined.append((seeded, _examine(host, chain, seeded, check)))

    with fresh_host(WORMHOLE, fixed=True) as host:
        for fault in FAULTS:
            _each_of(faulty_chains(fault), count, lambda case: look(host, *case))
    return examined


def _examine(host: Host, chain: Chain, seeded: Seeded | None, check: Check) -> Examined:
    said = said_about(build(host, chain, seeded), check, places(seeded.fault) if seeded else ())
    return Examined(tuple(said), run_launch(build(host, chain, seeded)).plain)


def _each_of(strategy: st.SearchStrategy[Value], count: int, look: Callable[[Value], None]) -> None:
    @settings(same_every_time, max_examples=count, phases=[Phase.generate])
    @given(strategy)
    def run(value: Value) -> None:
        look(value)

    run()
