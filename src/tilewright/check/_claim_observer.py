# SPDX-License-Identifier: Apache-2.0
"""Evidence for and against claims about lines of kernels, launch by launch.

Each launch is checked with executions of the claimed lines counted. A claim whose rule does not show is tried harder:
where the order of kernels can matter, in schedules in which kernels reach the claimed line late. What still does not
show is explained: a synchronising call without which the rule shows at that line is what orders it.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from tilewright._build.source_lines import is_named
from tilewright._errors import KernelCompileError
from tilewright._launch.observer import Launch, Memory, Observer
from tilewright._record.run import Run
from tilewright.check._call_sites import KernelText, SyncCall
from tilewright.check._check_program import CheckResult, checked_run
from tilewright.check._claims import Claim, read_claims
from tilewright.check._finding import Core, Finding, Place
from tilewright.check._mutate import check_mutant, check_watched
from tilewright.check._orders import order_matters, orders_to_try
from tilewright.check._reuse import structure

_DELAYED_SEEDS = 2  # schedules in which a line is late
# Accesses that nothing orders: which of the rules shows depends on the call that is missing.
_UNORDERED = frozenset((
    "l1-race", "dram-race", "l1-uninitialised", "value-uninitialised", "cb-read-past-wait", "cb-write-unreserved",
    "noc-push-in-flight", "noc-pop-in-flight", "noc-reuse-in-flight", "noc-use-in-flight", "noc-credit-unordered",
))  # fmt: skip


@dataclasses.dataclass(frozen=True)
class OrderedBy:
    """A synchronising call, and what shows at the claimed line without it."""

    place: Place
    call: str
    without: Finding


@dataclasses.dataclass(frozen=True)
class Evidence:
    """Evidence of one launch about a claim.

    Attributes:
        claim: its position in the file of claims.
        path: the source that was meant.
        has_code: whether the line has code in a kernel of the launch.
        counts: executions by core, in the usual schedule.
        schedules: how many schedules were run.
        late: in how many of them kernels reached the line late.
        order_matters: whether another schedule can change anything.
        finding: that confirms the claim.
        near: a finding of another rule at the line.
        ordered_by: what refutes it.
    """

    claim: int
    path: str
    has_code: bool
    counts: dict[Core, int]
    schedules: int = 0
    late: int = 0
    order_matters: bool = False
    finding: Finding | None = None
    near: Finding | None = None
    ordered_by: OrderedBy | None = None


@dataclasses.dataclass(frozen=True)
class ClaimedLaunch:
    """Evidence of one launch about all claims; ``other_findings`` is about lines or rules that no claim names."""

    evidence: list[Evidence]
    other_findings: list[Finding]


def is_at(finding: Finding, claim: Claim) -> bool:
    """Whether one of the finding's places is the claim's."""
    places = [(finding.path, finding.line), *([finding.called_from] if finding.called_from else [])]
    if finding.related is not None:
        places.append((finding.related.path, finding.related.line))
    return any(
        claim.line <= line <= claim.last_line and (is_named(path, claim.file) or finding.kernel == claim.file)
        for path, line in places
    )


def _with_consequences(findings: Iterable[Finding]) -> Iterator[Finding]:
    for finding in findings:
        yield finding
        yield from _with_consequences(finding.consequences)


def _all_findings(result: CheckResult) -> list[Finding]:
    silenced = (each.finding for each in result.silenced)
    return list(_with_consequences((*result.findings, *result.notes, *silenced)))


class ClaimObserver(Observer[ClaimedLaunch]):
    """Collects evidence for the claims of a file.

    Args:
        path: the file of claims.
        names: rules by the names that the claims have for them.

    Attributes:
        progress: gets a line about what is being done.
    """

    def __init__(self, path: str, names: dict[str, str] | None = None) -> None:
        super().__init__()
        self._claims = read_claims(Path(path), names)
        self._explained: set[tuple[str, int]] = set()  # program, and claim that was tried harder in it
        self.progress: Callable[[str], None] = lambda words: None

    def observe(self, launch: Launch) -> Run:
        before = launch.save()
        lines = {line for claim in self._claims for line in claim.lines()}
        self.progress(f"{len(self._claims)} claims: checking a launch")
        result = check_watched(launch, lines, before)
        if result.run is not None:
            after = launch.save()
            try:
                self.take(self._launch(launch, before, result, result.run))
            finally:
                launch.restore(after)
        if result.error is not None:
            raise result.error
        assert result.run is not None
        return result.run

    def _launch(self, launch: Launch, before: Memory, result: CheckResult, run: Run) -> ClaimedLaunch:
        found = _all_findings(result)
        evidence = list(self._first_evidence(launch, run, found, 1 + orders_to_try(launch.program, run)))
        named = [each.finding for each in evidence if each.finding is not None]
        others = [each for each in result.findings if each not in named]
        if result.error is not None:  # it does not end: nothing more can be learnt from it
            return ClaimedLaunch(evidence, others)
        program = repr(structure(launch.program))
        open_ones = [each for each in evidence if _is_open(each) and (program, each.claim) not in self._explained]
        self._explained |= {(program, each.claim) for each in open_ones}
        delays, calls = _Delays(launch, before, self.progress), _RemovedCalls(launch, before, found, self.progress)
        tried = {each.claim: self._tried_harder(each, delays, calls) for each in open_ones}
        return ClaimedLaunch([tried.get(each.claim, each) for each in evidence], others)

    def _first_evidence(self, launch: Launch, run: Run, found: Sequence[Finding], schedules: int) -> Iterator[Evidence]:
        matters = order_matters(launch.program, run)
        for number, claim in enumerate(self._claims):
            watched = [run.lines[line] for line in claim.lines() if line in run.lines]
            here = [each for each in found if is_at(each, claim)]
            if not watched and not here:
                continue
            counts: dict[Core, int] = {}
            for line in watched:
                of_line: dict[Core, int] = {}
                for each in line.counts:
                    of_line[each.core] = of_line.get(each.core, 0) + each.count
                counts = {core: max(counts.get(core, 0), of_line.get(core, 0)) for core in {*counts, *of_line}}
            yield Evidence(
                number,
                watched[0].path if watched else here[0].path,
                any(each.has_code for each in watched) or bool(here),
                counts,
                schedules,
                order_matters=matters,
                finding=next((each for each in here if each.rule in claim.meant), None),
                near=next((each for each in here if each.rule not in claim.meant), None),
            )

    def _tried_harder(self, evidence: Evidence, delays: _Delays, calls: _RemovedCalls) -> Evidence:
        claim = self._claims[evidence.claim]
        if evidence.order_matters:
            late = 0
            for line in claim.lines():
                found, runs = delays.findings(line)
                late += runs
                shown = next((each for each in found if each.rule in claim.meant and is_at(each, claim)), None)
                if shown is not None:
                    return dataclasses.replace(evidence, finding=shown, late=late)
            evidence = dataclasses.replace(evidence, late=late)
        if not claim.meant:
            return evidence
        return dataclasses.replace(evidence, ordered_by=calls.ordering(claim))


def _is_open(evidence: Evidence) -> bool:
    return bool(evidence.counts) and evidence.finding is None


@dataclasses.dataclass
class _Delays:
    """Schedules of one launch in which kernels reach a line late."""

    launch: Launch
    before: Memory
    progress: Callable[[str], None]
    known: dict[str, tuple[list[Finding], int]] = dataclasses.field(default_factory=dict)

    def findings(self, line: str) -> tuple[list[Finding], int]:
        """Findings in such schedules, and how many were run."""
        if line not in self.known:
            self.progress(f"kernels reach {line} late")
            first = 2 * len(self.launch.program.kernels) + 1  # behind the directed schedules
            found: list[Finding] = []
            for seed in range(first, first + _DELAYED_SEEDS):
                options = dataclasses.replace(
                    self.launch.options, checked=True, seed=seed, threads=None, late=frozenset((line,))
                )
                found += checked_run(functools.partial(self.launch.run_again, self.before), options, seed)[2]
            self.known[line] = found, _DELAYED_SEEDS
        return self.known[line]


@dataclasses.dataclass
class _RemovedCalls:
    """Findings of one launch that appear only without one of its synchronising calls, by call."""

    launch: Launch
    before: Memory
    found: list[Finding]  # in the launch as it is
    progress: Callable[[str], None]
    known: dict[tuple[int, int], list[Finding]] = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def calls(self) -> list[tuple[KernelText, SyncCall]]:
        texts = [KernelText.of(self.launch.program, number) for number in range(len(self.launch.program.kernels))]
        return [(text, site) for text in texts for site in text.sites()]

    def ordering(self, claim: Claim) -> OrderedBy | None:
        """The call nearest to the claimed line without which its rule shows there."""
        near = sorted(self.calls, key=lambda call: _distance(call[1], claim))
        others: OrderedBy | None = None
        for text, site in near:
            kernel = self.launch.program.kernels[text.number].name
            for finding in self._findings(text, site):
                if not is_at(finding, claim):
                    continue
                ordered_by = OrderedBy(Place(kernel, site.path, site.line), site.call, finding)
                if finding.rule in claim.meant:
                    return ordered_by
                if others is None and finding.rule in _UNORDERED and claim.meant & _UNORDERED:
                    others = ordered_by
        return others

    def _findings(self, text: KernelText, site: SyncCall) -> list[Finding]:
        key = (text.number, site.begin)
        if key not in self.known:
            self.progress(f"without {Path(site.path).name}:{site.line} {site.call}")
            try:
                found = _all_findings(check_mutant(self.launch, self.before, text.without(site), seeds=0))
                as_it_is = {(each.rule, each.kernel, each.line) for each in self.found}
                self.known[key] = [each for each in found if (each.rule, each.kernel, each.line) not in as_it_is]
            except KernelCompileError:
                self.known[key] = []
        return self.known[key]


def _distance(site: SyncCall, claim: Claim) -> tuple[bool, int]:
    """Calls of the claimed file first, those above the line before those behind it."""
    behind = site.line > claim.last_line
    return not is_named(site.path, claim.file), abs(site.line - claim.line) * (2 if behind else 1)
