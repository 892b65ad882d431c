# SPDX-License-Identifier: Apache-2.0
"""Mutation of kernels: which synchronising calls of a program would be missed if they were not there.

Each call is removed alone, and the launch runs again on the same memory under every rule. A call whose removal changes
nothing is replaced by one that fails: if the launch still ends well, no core reaches the call.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from tilewright._errors import KernelCompileError, TilewrightError
from tilewright._launch.observer import Launch, Memory, Observer
from tilewright._launch.tensor_launch import TensorLaunch
from tilewright._program.kernel import SourceType
from tilewright._program.kernel_path import resolve_kernel_path
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run
from tilewright.check._check_program import check_launch
from tilewright.check._finding import Finding

# Calls that order kernels, transfers and threads, and return nothing.
_CALLS = (
    "cb_wait_front|cb_reserve_back|cb_push_back|cb_pop_front|noc_async_read_barrier|noc_async_write_barrier"
    "|noc_async_writes_flushed|noc_async_atomic_barrier|noc_async_full_barrier|noc_semaphore_wait|noc_semaphore_wait_min"
    "|noc_semaphore_set|noc_semaphore_inc|tile_regs_acquire|tile_regs_commit|tile_regs_wait|tile_regs_release"
)
_CALL = re.compile(rf"\b({_CALLS})\s*(?:<[^;<>()]*>)?\s*\(")
_COMMENT_OR_TEXT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_TRAP = "*(volatile int*)8 = 0;"  # a fault, wherever a kernel gets there


class MutantFate(enum.Enum):
    """What a check says of a program without one of its calls."""

    NAMED = "named"  # a finding, or an error of the run
    CHANGED = "changed"  # no finding, but other values: a test that compares them would fail
    EQUIVALENT = "equivalent"  # another call of the kernel does its work
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
class _Site:
    """A statement in a kernel's text."""

    begin: int
    end: int
    line: int
    call: str


def call_sites(text: str) -> Iterator[_Site]:
    """Statements of C++ text that are synchronising calls.

    >>> [site.call for site in call_sites("// cb_push_back(0, 1);\\nif (x) { cb_push_back(0, n * (2 + 1)); }")]
    ['cb_push_back(0, n * (2 + 1))']
    """
    bare = _COMMENT_OR_TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for match in _CALL.finditer(bare):
        before = bare[: match.start()].rstrip()
        end = _closing(bare, match.end() - 1)
        is_statement = not before or before[-1] in ";{})" or before.endswith("else")
        if end is None or not is_statement or not re.match(r"\s*;", bare[end:]):
            continue  # part of an expression, or the definition of a function of this name
        call = " ".join(text[match.start() : end].split())
        yield _Site(match.start(), end, bare.count("\n", 0, match.start()) + 1, call)


def _closing(text: str, opening: int) -> int | None:
    depth = 0
    for at in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    return None


class MutateObserver(Observer[Mutant]):
    """Mutates the kernels of every program it has not seen before.

    Attributes:
        progress: gets a line about what is being done.
        unclean: findings of programs as they are; those are not mutated.
    """

    def __init__(self) -> None:
        super().__init__()
        self.progress: Callable[[str], None] = lambda words: None
        self.unclean: list[Finding] = []
        self._seen: set[tuple[str, int]] = set()

    def observe(self, launch: Launch) -> Run:
        if not isinstance(launch, TensorLaunch):
            raise TilewrightError("--mutate is for programs of tilewright.ttnn, not for those of an installed ttnn")
        before = launch.save()
        result = check_launch(launch, before=before)
        if result.error is not None:
            raise result.error
        assert result.run is not None
        if result.findings:
            self.unclean += result.findings
            return result.run
        after = launch.save()
        try:
            for mutant in self._mutants(launch, before, after):
                self.take(mutant)
        finally:
            launch.restore(after)
        return result.run

    def _mutants(self, launch: TensorLaunch, before: Memory, after: Memory) -> Iterator[Mutant]:
        for number, kernel in enumerate(launch.program.kernels):
            is_file = kernel.source_type is SourceType.FILE_PATH
            path = str(resolve_kernel_path(kernel.kernel_source)) if is_file else kernel.name
            text = Path(path).read_text("utf8") if is_file else kernel.kernel_source
            for site in call_sites(text):
                if (text, site.begin) in self._seen:
                    continue
                self._seen.add((text, site.begin))
                self.progress(f"without {kernel.name}:{site.line} {site.call}")
                judged = _Judged(launch, before, after, number, text, path if is_file else "")
                fate, evidence = judged.fate([site], ";")
                if fate is MutantFate.NOT_NOTICED:
                    fate, evidence = judged.reason(site)
                yield Mutant(kernel.name, path, site.line, site.call, fate, evidence)


@dataclasses.dataclass(frozen=True)
class _Judged:
    """One kernel of a launch, and how to judge changes of it."""

    launch: TensorLaunch
    before: Memory
    after: Memory
    number: int
    text: str
    path: str  # of its file; empty: it is given as text

    def fate(self, sites: list[_Site], statement: str) -> tuple[MutantFate, str]:
        """What a check says of the program in which these calls are another statement."""
        self.launch.restore(self.before)
        mutated = TensorLaunch(self.launch.io_tensors, self._changed(sites, statement), self.launch.options)
        try:
            result = check_launch(mutated, before=self.before)
        except KernelCompileError as error:
            return MutantFate.NAMED, type(error).__name__
        if result.findings:
            first = result.findings[0]
            return MutantFate.NAMED, f"{first.rule} at {first.place}" if first.place else first.rule
        if result.error is not None:
            return MutantFate.NAMED, str(result.error).splitlines()[0]
        if not self.launch.same_results(self.launch.save(), self.after):
            return MutantFate.CHANGED, "values differ"
        return MutantFate.NOT_NOTICED, ""

    def reason(self, site: _Site) -> tuple[MutantFate, str]:
        """Why the removal of a call is not noticed: no core gets there, or other calls of the kernel do the same."""
        if self.fate([site], _TRAP)[0] is MutantFate.NOT_NOTICED:
            return MutantFate.NOT_REACHED, ""
        alike = [each for each in call_sites(self.text) if each.call == site.call and each.begin != site.begin]
        if alike and self.fate([site, *alike], ";")[0] is not MutantFate.NOT_NOTICED:
            lines = ", ".join(str(each.line) for each in alike)
            return MutantFate.EQUIVALENT, f"the same call in line {lines} does its work"
        return MutantFate.NOT_NOTICED, ""

    def _changed(self, sites: list[_Site], statement: str) -> ProgramDescriptor:
        other = self.launch.program.copy()
        kernel = other.kernels[self.number]
        name, text = kernel.name, self.text
        for site in sorted(sites, key=lambda each: each.begin, reverse=True):
            lines = "\n" * text.count("\n", site.begin, site.end)  # later lines keep their numbers
            text = f"{text[: site.begin]}{statement}{lines}{text[site.end :]}"
        if self.path:
            kernel.compiler_include_paths = [str(Path(self.path).parent), *kernel.compiler_include_paths]
        kernel.source_type, kernel.kernel_source = SourceType.SOURCE_CODE, text
        kernel.name = name
        return other
