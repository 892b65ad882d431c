# SPDX-License-Identifier: Apache-2.0
"""Time of a whole script: total, operations ranked, what bounds them, repeated layers, functions of the script."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from tilewright.timing._advice import SHORT_WORDS, bound_of
from tilewright.timing._constants import LAUNCH_GAP_US
from tilewright.timing._peak_memory import peak_memory
from tilewright.timing._timed_launch import TimedLaunch

NO_BOUND = "no one part"
NOT_EXAMINED = "not examined"
_EXAMINED = 0.95  # the part of the time whose bounds are looked for
_OPERATIONS_SHOWN = 16
_FUNCTIONS_SHOWN = 8
_COLUMNS = 80
_SHORTEST_LAYER = 2  # launches


@dataclasses.dataclass(frozen=True)
class OperationTime:
    """Launches of one operation with the same tensors, and the same time.

    Attributes:
        operation: ttnn's name, or the kernel's where it is not known.
        tensors: shapes of the inputs that are known.
        bound: what the launches wait for most.
        unmeasured: microseconds that rest on costs that are not published.
    """

    operation: str
    tensors: str
    launches: int
    microseconds: float
    bound: str
    unmeasured: float


@dataclasses.dataclass(frozen=True)
class Layer:
    """A sequence of launches that repeats without a gap: ``times`` times ``length`` launches from number ``first``."""

    first: int
    length: int
    times: int
    microseconds: float


@dataclasses.dataclass(frozen=True)
class FunctionTime:
    """Launches made inside a function of the script; ``instances`` counts the objects of a method, 0 of a function."""

    name: str
    instances: int
    microseconds: float


@dataclasses.dataclass(frozen=True)
class ScriptTime:
    """All launches of a script.

    Example::

        with observed_launches(TimeObserver()) as launches:
            model(x)
        print("\\n".join(script_time(launches).lines()))
    """

    arch: str
    launches: int
    microseconds: float
    operations: tuple[OperationTime, ...]
    layer: Layer | None
    functions: tuple[FunctionTime, ...]
    caveats: tuple[str, ...]
    memory: tuple[str, ...] = ()

    @property
    def with_gaps(self) -> float:
        """Microseconds when the launches are replayed from a trace."""
        return self.microseconds + self.launches * LAUNCH_GAP_US[self.arch]

    @property
    def bounds(self) -> dict[str, float]:
        """Share of the time by what bounds it, the largest first."""
        found: collections.defaultdict[str, float] = collections.defaultdict(float)
        for each in self.operations:
            found[each.bound] += each.microseconds / self.microseconds
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def lines(self, batch: int | None = None) -> list[str]:
        """One screen; ``batch`` items are what the launches work on."""
        return [
            f"time {self.microseconds:,.1f} us in {self.launches} launches on {self.arch}, by the model",
            f"in a trace {self.with_gaps:,.1f} us: {LAUNCH_GAP_US[self.arch]:g} us between launches. Without a trace "
            "the host's time for each call adds to it, which the model does not have.",
            *([self._rate(batch)] if batch else []),
            *self.caveats,
            "",
            *self._operation_lines(),
            "",
            "bound by: " + ", ".join(f"{what} {share:.0%}" for what, share in self.bounds.items()),
            *self.memory,
            *self._layer_lines(),
            *self._function_lines(),
        ]

    def _rate(self, batch: int) -> str:
        return (
            f"a batch of {batch}: {batch / self.microseconds * 1e6:,.0f} items a second of kernel time, "
            f"{batch / self.with_gaps * 1e6:,.0f} in a trace"
        )

    def _operation_lines(self) -> list[str]:
        shown, rest = self.operations[:_OPERATIONS_SHOWN], self.operations[_OPERATIONS_SHOWN:]
        rows = [(each.microseconds, each.launches, each.bound, f"{each.operation}  {each.tensors}") for each in shown]
        if rest:
            microseconds, launches = sum(each.microseconds for each in rest), sum(each.launches for each in rest)
            rows.append((microseconds, launches, "", f"{len(rest)} others"))
        head = "        us  share  launches  bound by       operation and its inputs"
        lines = (
            f"{us:10,.1f}  {us / self.microseconds:5.0%}  {launches:8}  {bound:13}  {words}".rstrip()
            for us, launches, bound, words in rows
        )
        return [head, *(line if len(line) <= _COLUMNS else f"{line[: _COLUMNS - 3]}..." for line in lines)]

    def _layer_lines(self) -> list[str]:
        if self.layer is None:
            return []
        last = self.layer.first + self.layer.length - 1
        share = self.layer.times * self.layer.microseconds / self.microseconds
        return [
            f"layers: launches {self.layer.first} to {last} repeat {self.layer.times} times, "
            f"{self.layer.microseconds:,.1f} us each, {share:.0%} of the time"
        ]

    def _function_lines(self) -> list[str]:
        if not self.functions:
            return []
        lines = ["", "        us  share   objects  function of the script"]
        for each in self.functions:
            share = each.microseconds / self.microseconds
            lines.append(f"{each.microseconds:10,.1f}  {share:5.0%}  {each.instances or '':>8}  {each.name}")
        return lines

    def json(self, batch: int | None = None) -> dict[str, Any]:
        found = {
            "microseconds": self.microseconds,
            "microseconds_in_a_trace": self.with_gaps,
            "operations": [dataclasses.asdict(each) for each in self.operations],
            "bounds": self.bounds,
            "layer": None if self.layer is None else dataclasses.asdict(self.layer),
            "functions": [dataclasses.asdict(each) for each in self.functions],
            "caveats": list(self.caveats),
            "memory": list(self.memory),
        }
        return found | ({"items_per_second": batch / self.microseconds * 1e6} if batch else {})


def script_time(launches: Sequence[TimedLaunch], progress: Callable[[str], None] = lambda words: None) -> ScriptTime:
    """The launches of a script as a whole.

    Args:
        launches: at least one.
        progress: gets what is being done, for a line that moves.
    """
    groups: dict[Hashable, list[TimedLaunch]] = {}
    for number, launch in enumerate(launches, 1):
        progress(f"replaying launch {number} of {len(launches)}")
        groups.setdefault((launch.operation or launch.label, *_same(launch)), []).append(launch)
    total = sum(launch.time.microseconds for launch in launches)
    ranked = sorted(groups.values(), key=lambda group: -_microseconds(group))
    operations, covered = [], 0.0
    for group in ranked:
        progress(f"examining {group[0].name}")
        bound = _bound(group[0]) if covered < _EXAMINED * total else NOT_EXAMINED
        covered += _microseconds(group)
        operations.append(_operation_time(group, bound))
    return ScriptTime(
        arch=launches[0].time.arch,
        launches=len(launches),
        microseconds=total,
        operations=tuple(operations),
        layer=_layer(launches),
        functions=_functions(launches, total),
        caveats=_caveats(launches, total),
        memory=peak_memory(launches),
    )


def _same(launch: TimedLaunch) -> tuple[Hashable, ...]:
    """Key of launches of one operation that cost the same."""
    return (_shapes(launch), launch.time.num_cores, round(launch.time.cycles))


def _microseconds(group: Sequence[TimedLaunch]) -> float:
    return sum(launch.time.microseconds for launch in group)


def _bound(launch: TimedLaunch) -> str:
    bound = bound_of(launch.record, launch.time)
    return NO_BOUND if bound is None else SHORT_WORDS[bound.words]


def _operation_time(group: Sequence[TimedLaunch], bound: str) -> OperationTime:
    first = group[0]
    unmeasured = sum(_unmeasured(launch) for launch in group)
    return OperationTime(
        first.name,
        _shapes(first),
        len(group),
        _microseconds(group),
        bound,
        unmeasured,
    )


def _unmeasured(launch: TimedLaunch) -> float:
    """Microseconds of a launch that rest on costs that are not published, as the mean of its cores."""
    return launch.time.unmeasured / launch.time.num_cores / launch.time.clock_hz * 1e6


def _shapes(launch: TimedLaunch) -> str:
    """Shapes of the inputs that are known."""
    return ", ".join("x".join(map(str, each.logical)) for each in launch.inputs if each is not None)


def _layer(launches: Sequence[TimedLaunch]) -> Layer | None:
    """The repeated sequence that covers most launches; of equal ones the shortest, then the first."""
    kinds = [(launch.operation or launch.label, _shapes(launch), launch.time.num_cores) for launch in launches]
    best = max(
        (found for length in range(_SHORTEST_LAYER, len(kinds) // 2 + 1) if (found := _longest_repeat(kinds, length))),
        key=lambda found: (found[1] * found[2], -found[1]),
        default=None,
    )
    if best is None:
        return None
    first, length, times = best
    return Layer(first + 1, length, times, _microseconds(launches[first : first + length * times]) / times)


def _longest_repeat(kinds: Sequence[Hashable], length: int) -> tuple[int, int, int] | None:
    """Where a sequence of a length repeats most often: its first index, its length, how often; None: nowhere.

    >>> _longest_repeat("xabababy", 2)
    (1, 2, 3)
    """
    best_first, best_times, run = 0, 1, 0
    for index in range(length, len(kinds)):
        run = run + 1 if kinds[index] == kinds[index - length] else 0
        times = run // length + 1
        if times > best_times:
            best_first, best_times = index - run - length + 1, times
    return (best_first, length, best_times) if best_times > 1 else None


def _functions(launches: Sequence[TimedLaunch], total: float) -> tuple[FunctionTime, ...]:
    """Functions of the script by the time of launches made inside them, without those all launches are made in."""
    spent: collections.defaultdict[str, float] = collections.defaultdict(float)
    instances: collections.defaultdict[str, set[int]] = collections.defaultdict(set)
    for launch in launches:
        for name in {caller.name for caller in launch.callers}:
            spent[name] += launch.time.microseconds
        for caller in launch.callers:
            instances[caller.name].add(caller.instance)
    found = [
        FunctionTime(name, len(instances[name] - {0}), microseconds)
        for name, microseconds in sorted(spent.items(), key=lambda item: -item[1])
        if microseconds < 0.999 * total or len(instances[name]) > 1
    ]
    return tuple(found[:_FUNCTIONS_SHOWN])


def _caveats(launches: Sequence[TimedLaunch], total: float) -> tuple[str, ...]:
    remarks = []
    unmeasured = sum(map(_unmeasured, launches)) / total
    if unmeasured >= 0.01:
        remarks.append(f"{unmeasured:.0%} of the time is maths without a published cost; the model assumes one.")
    forced = sum(1 for launch in launches if launch.time.forced)
    if forced:
        remarks.append(f"{forced} launches wait for something their records do not have: do not rely on their times.")
    return tuple(remarks)
