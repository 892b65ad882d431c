# SPDX-License-Identifier: Apache-2.0
"""Mutation of kernels: which synchronising calls of a program would be missed if they were not there.

Each call is removed alone, and the launch runs again on the same memory under every rule; findings that the program has
with the call do not count. A call that no core reaches is not removed. A call whose removal changes nothing is replaced
by a fault: if the launch still ends well, the line is reached and the call is not. Then it is removed with each other
call of its kind: where that shows, the other call does its work.
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
from tilewright.check._finding import Finding, Place
from tilewright.check._unneeded_calls import one_format, why_unneeded

_FAULT = "(void)(*(volatile int*)8 = 0)"  # wherever a kernel gets there
_SPIN_LIMIT = 1.0  # seconds that a kernel without one of its calls may poll


class MutantFate(enum.Enum):
    """Verdict of a check on a program without one of its calls."""

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
    """Result of the mutation of a launch's kernels.

    Attributes:
        unclean: findings of the program as it is; they count for no call.
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
        lines = {f"{site.path}:{site.line}" for text in texts for site in text.sites(configuring=True)}
        result = check_watched(launch, lines, before)
        if result.error is not None:
            raise result.error
        assert result.run is not None
        after = launch.save()
        try:
            self.take(MutatedLaunch(list(self._mutants(launch, texts, result, before, after)), result.findings))
        finally:
            launch.restore(after)
        return result.run

    def _mutants(
        self, launch: Launch, texts: list[KernelText], result: CheckResult, before: Memory, after: Memory
    ) -> Iterator[Mutant]:
        run = result.run
        assert run is not None
        known = frozenset(_identity(each) for each in result.findings)
        for text in texts:
            kernel = launch.program.kernels[text.number]
            judge = _MutationJudge(launch, before, after, text, run, known)
            for site in text.sites(configuring=True):
                if (text.text, site.begin) in self._seen:
                    continue
                watched = run.lines.get(f"{site.path}:{site.line}")
                if watched is not None and not watched.counts:
                    fate, evidence = MutantFate.NOT_REACHED, ""
                else:
                    self.progress(f"without {kernel.name}:{site.line} {site.call}")
                    fate, evidence = judge.judge(site)
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


_Identity = tuple[str, str, str, int, str | None, Place | None]


def _identity(finding: Finding) -> _Identity:
    """What two runs of a program call the same finding."""
    return finding.rule, finding.kernel, finding.path, finding.line, finding.cb, finding.related


@dataclasses.dataclass(frozen=True)
class _MutationJudge:
    """One kernel of a launch, and how to judge changes of it."""

    launch: Launch
    before: Memory
    after: Memory
    text: KernelText
    run: Run  # of the program as it is
    known: frozenset[_Identity]  # findings of the program as it is

    def judge(self, site: SyncCall) -> tuple[MutantFate, str]:
        """Verdict on a removed call, and its evidence."""
        fate, evidence, run = self._fate(self.text.without(site))
        return (fate, evidence) if fate is not MutantFate.NOT_NOTICED else self._reason(site, run)

    def _fate(self, program: ProgramDescriptor) -> tuple[MutantFate, str, Run | None]:
        try:
            result = check_mutant(self.launch, self.before, program)
        except KernelCompileError:
            return MutantFate.NAMED, "the kernel does not compile without it", None
        return *self._fate_of(result), result.run

    def _fate_of(self, result: CheckResult) -> tuple[MutantFate, str]:
        new = [each for each in result.findings if _identity(each) not in self.known]
        if new:
            first = new[0]
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
        program = self.launch.program
        only = one_format(program, program.kernels[self.text.number]) if "reconfig_data_format" in site.name else ""
        if only:
            return MutantFate.EQUIVALENT, f"all circular buffers of these cores have the format {only}"
        others = [each for each in self.text.sites(configuring=True) if each.begin != site.begin]
        alike = [each for each in others if each.call == site.call]
        if alike and self._shown(site, *alike) - self._shown(*alike):
            lines = ", ".join(str(each.line) for each in alike)
            return MutantFate.EQUIVALENT, f"the same call in line {lines} does its work"
        for other in sorted(others, key=lambda each: abs(each.begin - site.begin)):
            if other.kind == site.kind and other not in alike and self._shown(site, other) - self._shown(other):
                return MutantFate.EQUIVALENT, f"{other.name} in line {other.line} does its work"
        if "reconfig_data_format" in site.name:  # the rule `format-mismatch` looks at every operand and result
            return MutantFate.EQUIVALENT, "all calls behind it find the formats that they need without it"
        if "_uninit" in site.name:  # `uninit-missing` looks at every call that another one's settings change
            return MutantFate.EQUIVALENT, "no call behind it in this run needs what it resets; a run with more work may"
        return MutantFate.NOT_NOTICED, ""

    def _shown(self, *sites: SyncCall) -> set[object]:
        """Everything by which the program without these calls differs from the one with them."""
        try:
            result = check_mutant(self.launch, self.before, self.text.without(*sites))
        except KernelCompileError:
            return set()
        shown: set[object] = {_identity(each) for each in result.findings if _identity(each) not in self.known}
        if result.error is not None:
            return shown | {type(result.error)}
        return shown if self.launch.same_results(self.launch.save(), self.after) else shown | {"values"}
