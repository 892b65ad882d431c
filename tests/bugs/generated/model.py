# SPDX-License-Identifier: Apache-2.0
"""Families of random programs: legal programs, how one is built, and the faults that can be put into it.

What varies in a family (counts, depths, cores, steps, protocols) is in runtime arguments and on the host's side, so
that all of its programs share a few compiled kernels. A fault is a number that the kernels get as their first argument.
A comment ``// AT NAME`` marks a line at which a finding may name the fault, ``// NEXT AT NAME`` the line below it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st

from tests.bugs.corpus.host import Host
from tests.bugs.corpus.model import WORMHOLE, Launch

# The same programs every time: what is found is found again.
same_every_time = settings(
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)

Program = Any  # each family describes its programs by a dataclass of its own
RulesFor = Callable[[Program], tuple[str, ...]]


@dataclasses.dataclass(frozen=True)
class Fault:
    """A fault.

    ``rules_for`` says which rules may name it in a program, none where it would do nothing there. Faults of the host's
    side have no line in a kernel.
    """

    name: str
    rules_for: RulesFor
    in_kernel: bool = True
    archs: tuple[str, ...] = (WORMHOLE,)

    @property
    def title(self) -> str:
        return self.name.lower().replace("_", " ")


@dataclasses.dataclass(frozen=True)
class Family:
    """Programs of one kind.

    ``build(host, program, fault)`` makes the launch, with the fault of that name in it, or none for "". ``sources`` are
    the kernels by name, with their marks.
    """

    name: str
    programs: st.SearchStrategy[Program]
    build: Callable[[Host, Program, str], Launch]
    sources: Mapping[str, str]
    faults: tuple[Fault, ...]

    def places(self, fault: Fault) -> set[tuple[str, int]]:
        """Kernels and lines at which a finding may name the fault."""
        mark = re.compile(rf"// (NEXT )?AT .*\b{fault.name}\b")
        return {
            (kernel, number + bool(found.group(1)))
            for kernel, source in self.sources.items()
            for number, line in enumerate(source.split("\n"), 1)
            if (found := mark.search(line))
        }

    def faulty(self, fault: Fault) -> st.SearchStrategy[Program]:
        """Legal programs in which the fault matters."""

        @st.composite
        def programs(draw: st.DrawFn) -> Program:
            program = draw(self.programs)
            assume(fault.rules_for(program))
            return program

        return programs()


def always(*rules: str) -> RulesFor:
    return lambda program: rules


def numbered(source: str, names: tuple[str, ...]) -> str:
    """A kernel that knows the faults by name; its line numbers stay."""
    numbers = ", ".join(f"{name} = {number}" for number, name in enumerate(names, 1))
    return f"enum : uint32_t {{ NO_FAULT = 0, {numbers} }};{source}"


def number_of(fault: str, names: tuple[str, ...]) -> int:
    return names.index(fault) + 1 if fault else 0


def divisors(number: int, most: int = 6) -> list[int]:
    return [step for step in range(1, min(number, most) + 1) if number % step == 0]
