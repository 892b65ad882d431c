# SPDX-License-Identifier: Apache-2.0
"""Mutation of kernels: which synchronising calls of a program would be missed if they were not there.

Each call is removed alone, and the launch runs again on the same memory under every rule. A call that no core reaches
is not removed. A call whose removal changes nothing is replaced by a fault: if the launch still ends well, the line is
reached and the call is not.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Iterator
from pathlib import Path

from tilewright._errors import KernelCompileError
from tilewright._launch.observer import Launch, Memory, Observer
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run
from tilewright.check._call_sites import KernelText, SyncCall
from tilewright.check._check_program import CheckResult, check_launch
from tilewright.check._finding import Finding
from tilewright.check._unneeded_calls import why_unneeded

_FAULT = "(void)(*(volatile int*)8 = 0)"  # wherever a kernel gets there
_SPIN_LIMIT = 1.0  # seconds that a kernel without one of its calls may poll


class MutantFate(enum.Enum):
    """What a check says of a program without one of its calls."""

    NAMED = "named"  # a finding, or an error of the run
    CHANGED = "changed"  # no finding, but other values: a test that compares them would fail
    EQUIVALENT = "equivalent"  # the evidence says why the call changes nothing in this run
    NOT_REACHED = "not reached"  # no core makes the call in this run
    NOT_NOTICED = "not noticed"  # the call is made, and neither findings nor values depend on it


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A program without one of its synchronising calls.

    Attributes:
        call: the statement that was removed.
        evidence: the first rule and where it shows, or the first line of the error.
    """

    kernel: str
    path: str
    line: int
    call: str
    fate: MutantFate
    evidence: str = ""

    def text(self) -> str:
        """One line for people.

        >>> Mutant("reader", "/x/reader.cpp", 7, "cb_push_back(0, 1)", MutantFate.NOT_REACHED).text()
        'not reached  reader reader.cpp:7  cb_push_back(0, 1)'
        """
        place = f"{self.kernel} {Path(self.path).name}:{self.line}"
        return f"{self.fate.value:<12} {place}  {self.call}  {self.evidence}".rstrip()

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {**dataclasses.asdict(self), "fate": self.fate.value}


@dataclasses.dataclass(frozen=True)
class MutatedLaunch:
    """What the mutation of a launch's kernels showed.

    Attributes:
        unclean: findings of the program as it is; such a program is not mutated.
    """

    mutants: list[Mutant]
    unclean: list[Finding]


class MutateObserver(Observer[MutatedLaunch]):
    """Mutates the kernels of every program it has not seen before.

    Attributes:
        progress: gets a line about what is being done.
    """

    def __init__(self) -> None:
        super().__init__()
        self.progress: Callable[[str], None] = lambda words: None
        self._seen: set[tuple[str, int]] = set()

    def observe(self, launch: Launch) -> Run:
        before = launch.save()
        texts = [KernelText.of(launch.program, number) for number in range(len(launch.program.kernels))]
        lines = {f"{site.path}:{site.line}" for text in texts for site in text.sites()}
        result = check_watched(launch, lines, before)
        if result.error is not None:
            raise result.error
        assert result.run is not None
        if result.findings:
            self.take(MutatedLaunch([], result.findings))
            return result.run
        after = launch.save()
        try:
            self.take(MutatedLaunch(list(self._mutants(launch, texts, result.run, before, after)), []))
        finally:
            launch.restore(after)
        return result.run

    def _mutants(
        self, launch: Launch, texts: list[KernelText], run: Run, before: Memory, after: Memory
    ) -> Iterator[Mutant]:
        for text in texts:
            kernel = launch.program.kernels[text.number]
            for site in text.sites():
                if (text.text, site.begin) in self._seen:
                    continue
                watched = run.lines.get(f"{site.path}:{site.line}")
                if watched is not None and not watched.counts:
                    fate, evidence = MutantFate.NOT_REACHED, ""
                else:
                    self.progress(f"without {kernel.name}:{site.line} {site.call}")
                    fate, evidence = _Judge(launch, before, after, text, run).judge(site)
                if fate is not MutantFate.NOT_REACHED:  # a later launch may reach it
                    self._seen.add((text.text, site.begin))
                yield Mutant(kernel.name, site.path, site.line, site.call, fate, evidence)


def check_watched(launch: Launch, lines: set[str], before: Memory) -> CheckResult:
    """Check a launch, and count executions of lines."""
    options = launch.options
    launch.options = dataclasses.replace(options, threads=None, watch=frozenset(lines))
    try:
        return check_launch(launch, before=before)
    finally:
        launch.options = options


def check_mutant(launch: Launch, before: Memory, program: ProgramDescriptor, seeds: int | None = None) -> CheckResult:
    """Check another program on the memory of a launch.

    Raises:
        KernelCompileError: it does not compile.
    """
    launch.restore(before)
    mutated = launch.with_program(program)
    mutated.options = dataclasses.replace(launch.options, spin_limit=min(_SPIN_LIMIT, launch.options.spin_limit))
    return check_launch(mutated, seeds, before=before)


@dataclasses.dataclass(frozen=True)
class _Judge:
    """One kernel of a launch, and how to judge changes of it."""

    launch: Launch
    before: Memory
    after: Memory
    text: KernelText
    run: Run  # of the program as it is

    def judge(self, site: SyncCall) -> tuple[MutantFate, str]:
        """What becomes of a call, and why."""
        fate, evidence, run = self._fate(self.text.without(site))
        return (fate, evidence) if fate is not MutantFate.NOT_NOTICED else self._reason(site, run)

    def _fate(self, program: ProgramDescriptor) -> tuple[MutantFate, str, Run | None]:
        try:
            result = check_mutant(self.launch, self.before, program)
        except KernelCompileError:
            return MutantFate.NAMED, "the kernel does not compile without it", None
        return *self._fate_of(result), result.run

    def _fate_of(self, result: CheckResult) -> tuple[MutantFate, str]:
        if result.findings:
            first = result.findings[0]
            return MutantFate.NAMED, f"{first.rule} at {first.place}" if first.place else first.rule
        if result.error is not None:
            return MutantFate.NAMED, str(result.error).splitlines()[0]
        if not self.launch.same_results(self.launch.save(), self.after):
            return MutantFate.CHANGED, "values differ"
        return MutantFate.NOT_NOTICED, ""

    def _reason(self, site: SyncCall, without: Run | None) -> tuple[MutantFate, str]:
        """Why the removal of a call is not noticed: no core gets there, or other calls of the kernel do the same."""
        unneeded = why_unneeded(self.run, without, self.text.number) if without is not None else ""
        if unneeded:
            return MutantFate.EQUIVALENT, unneeded
        if self._fate(self.text.with_expression([site], _FAULT))[0] is MutantFate.NOT_NOTICED:
            return MutantFate.NOT_REACHED, ""
        alike = [each for each in self.text.sites() if each.call == site.call and each.begin != site.begin]
        if alike and self._fate(self.text.without(site, *alike))[0] is not MutantFate.NOT_NOTICED:
            lines = ", ".join(str(each.line) for each in alike)
            return MutantFate.EQUIVALENT, f"the same call in line {lines} does its work"
        return MutantFate.NOT_NOTICED, ""
