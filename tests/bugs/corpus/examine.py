# SPDX-License-Identifier: Apache-2.0
"""A program under the checker: what is said about it, and what that is worth."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from tests.bugs.corpus.model import Build, Launch, Plain, named_lines
from tests.bugs.corpus.running import SPIN_LIMIT, fresh_host, run_plain
from tilewright._launch.run_options import RunOptions
from tilewright.check import check_program

FOUND, RULE_ONLY, SHOWN, MISSED = "found", "rule only", "only shown", "missed"
VERDICTS = (FOUND, RULE_ONLY, SHOWN, MISSED)


class Finding(Protocol):
    """Findings on a program, as the score and the cures use them."""

    @property
    def rule(self) -> str: ...
    @property
    def kernel(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def called_from(self) -> tuple[str, int] | None: ...
    @property
    def cb(self) -> str | None: ...
    @property
    def numbers(self) -> str: ...


class Checked(Protocol):
    """The result of a check: findings count, notes ask a person to look."""

    @property
    def findings(self) -> Sequence[Finding]: ...
    @property
    def notes(self) -> Sequence[Finding]: ...


Check = Callable[[Launch], Checked]


@dataclasses.dataclass(frozen=True)
class Said:
    """A finding, and whether the place it names is one of those the corpus marks."""

    rule: str
    place: str
    at_marked_line: bool
    is_note: bool


@dataclasses.dataclass(frozen=True)
class Examined:
    """All that was said about one twin, and how it ends without checks."""

    said: tuple[Said, ...]
    ending: Plain


def find_check() -> Check:
    """The checker, as programs here are given to it."""
    return lambda launch: check_program(
        launch.io_tensors, launch.program, RunOptions(spin_limit=SPIN_LIMIT), fresh_program=launch.fresh_program
    )


def examine(build: Build, arch: str, *, fixed: bool, check: Check | None) -> Examined:
    """One twin without and with the checker, each time on a chip of its own."""
    ending = run_plain(build, arch, fixed=fixed).plain
    said: list[Said] = []
    if check is not None and ending is not Plain.COMPILE_ERROR:
        with fresh_host(arch, fixed=fixed) as host:
            for launch in build(host):
                kernels = launch.program.kernels
                marked = {(kernel.name, line) for kernel in kernels for line in named_lines(kernel.kernel_source)}
                said += said_about(launch, check, marked)
    return Examined(tuple(said), ending)


def said_about(launch: Launch, check: Check, marked: Collection[tuple[str, int]]) -> list[Said]:
    """Findings and notes on one launch; ``marked`` are kernels and lines that may be named."""
    checked = check(launch)
    return [_located(finding, marked, is_note=False) for finding in checked.findings] + [
        _located(note, marked, is_note=True) for note in checked.notes
    ]


def _located(finding: Finding, marked: Collection[tuple[str, int]], *, is_note: bool) -> Said:
    """Where a helper is to blame, both its line and the kernel's own count."""
    lines = [finding.line, finding.called_from[1] if finding.called_from else 0]
    place = f"{finding.kernel}:{finding.line}" if finding.kernel else "the program"
    return Said(finding.rule, place, any((finding.kernel, line) in marked for line in lines), is_note)


def verdict_on(rules: Collection[str], examined: Examined, *, in_kernel: bool = True) -> str:
    """Verdict on the findings of a wrong program; a bug of the host's side needs no line."""
    named = [said for said in examined.said if said.rule in rules]
    if any(said.at_marked_line or not in_kernel for said in named):
        return FOUND
    if named:
        return RULE_ONLY
    return SHOWN if examined.said or examined.ending is not Plain.RIGHT else MISSED
