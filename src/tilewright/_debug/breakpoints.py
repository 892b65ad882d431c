# SPDX-License-Identifier: Apache-2.0
"""Where kernels are to stop: lines of their sources, and the instructions these lines begin with."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tilewright._build.generated_headers import is_own_header
from tilewright._build.kernel_library import KernelLibraries
from tilewright._build.source_lines import LineTable, is_named
from tilewright._errors import TilewrightError
from tilewright._record.run import KernelInfo
from tilewright._tensor.argument import shown
from tilewright._wire import runner as wire

EVERY_KERNEL = "*"
_HANG = "hang"
_KERNEL_MAIN = "_Z11kernel_mainv"
_UNIT = "kernel_unit.cpp"  # what the compiler reads: it includes the kernel


def is_users(path: str) -> bool:
    """Whether a source is the user's: none of our headers, of the compiler's, nor the text that includes the kernel."""
    if not path or is_own_header(path) or path.startswith(("/usr/", "/lib/")):
        return False
    return "/ziglang/" not in path and Path(path).name != _UNIT


class NoSuchLineError(TilewrightError, ValueError):
    """No kernel of the program has code at a line that was given."""

    exit_status = 2

    def __init__(self, breakpoint: Breakpoint, text: str) -> None:
        super().__init__(text)
        self.breakpoint = breakpoint


@dataclasses.dataclass(frozen=True)
class Breakpoint:
    """A place to stop at.

    Attributes:
        where: ``FILE:LINE``, of a C++ or a Python source, by its name or by the end of its path; ``KERNEL:LINE`` of a
            kernel given as text; or a kernel's name, for the begin of it; ``*`` is every kernel's. ``hang`` is where
            nothing moves any more, before the run ends with its error.
        core: the only core that stops; None is each.

    Example::

        Breakpoint("compute.cpp:41", core=(0, 0))
    """

    where: str
    core: tuple[int, int] | None = None

    @classmethod
    def parse(cls, text: str) -> Breakpoint:
        """The breakpoint of ``FILE:LINE``, ``KERNEL``, or one of these with a core.

        >>> Breakpoint.parse("compute.cpp:41@0,1")
        Breakpoint(where='compute.cpp:41', core=(0, 1))
        """
        match = re.fullmatch(r"(.+?)(?:@(\d+),(\d+))?", text.strip())
        if match is None:
            raise ValueError(f"{text!r} is no place to stop at: write FILE:LINE, a kernel's name, or FILE:LINE@X,Y")
        return cls(match[1], (int(match[2]), int(match[3])) if match[2] else None)

    @property
    def is_hang(self) -> bool:
        return self.where == _HANG

    def __str__(self) -> str:
        return self.where + (f"@{self.core[0]},{self.core[1]}" if self.core else "")


def breakpoints(given: object) -> tuple[Breakpoint, ...]:
    """Allowed values of ``break_at``: a text, a Breakpoint, or several of them."""
    several = given if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    found = []
    for each in several:
        if not isinstance(each, str | Breakpoint):
            raise TypeError(f"break_at must be FILE:LINE, a kernel's name, a Breakpoint or several, not {shown(each)}")
        found.append(Breakpoint.parse(each) if isinstance(each, str) else each)
    return tuple(found)


AT_HANG = Breakpoint(_HANG)


class KernelCode:
    """Lines and instructions of the kernels of one program, as a runner has loaded them."""

    def __init__(
        self, kernels: Sequence[KernelInfo], libraries: Sequence[KernelLibraries], bases: Sequence[Sequence[int]]
    ) -> None:
        self._kernels = kernels
        # Of each kernel: where its libraries are loaded, and their lines.
        self._code = [
            [(base, library.lines) for library, base in zip(*of_kernel, strict=True)]
            for of_kernel in zip(libraries, bases, strict=True)
        ]

    def own_lines(self) -> list[wire.CodeLineMessage]:
        """Every stretch of code that is not our headers'."""
        found = {}
        for _, base, table in self._tables():
            for begin, end, line in table.own_code(is_users):
                found[base + begin] = wire.CodeLineMessage(begin=base + begin, end=base + end, line=line)
        return list(found.values())

    def instructions(self, wanted: Iterable[Breakpoint]) -> list[wire.BreakpointMessage]:
        """The instructions at which to stop.

        Raises:
            NoSuchLineError: one of the places is in no kernel.
        """
        found = []
        for each in wanted:
            if each.is_hang:
                continue
            places = self._places(each)
            if not places:
                raise NoSuchLineError(each, self._refusal(each))
            x, y = each.core or (wire.EVERY_CORE, wire.EVERY_CORE)
            found += [
                wire.BreakpointMessage(kernel=kernel, core_x=x, core_y=y, address=address) for kernel, address in places
            ]
        return found

    def places_of(self, lines: Iterable[str]) -> dict[str, tuple[str, list[tuple[int, int]]]]:
        """Of each ``FILE:LINE`` whose file a kernel is made from: its whole path, kernels and first instructions."""
        wanted: dict[str, list[int]] = {}
        for each in dict.fromkeys(lines):
            file, _, number = each.rpartition(":")
            wanted.setdefault(file, []).append(int(number))
        found: dict[str, tuple[str, list[tuple[int, int]]]] = {}
        for index, base, table in self._tables():
            kernel = self._kernels[index]
            for path in sorted(table.own_files(is_users)):
                names = {kernel.name, path} if path == kernel.path else {path}
                for file in (each for each in wanted if each in names or is_named(path, each)):
                    for line in wanted[file]:
                        _, places = found.setdefault(f"{file}:{line}", (path, []))
                        places += [(index, base + offset) for offset in table.begins_of(path, line, exactly=True)]
        return found

    def _places(self, wanted: Breakpoint) -> list[tuple[int, int]]:
        file, colon, line = wanted.where.rpartition(":")
        found = []
        for index, base, table in self._tables():
            kernel = self._kernels[index]
            if colon and line.isdigit():
                offsets = table.begins_of(kernel.path if file == kernel.name else file, int(line))
            elif wanted.where in (kernel.name, EVERY_KERNEL):
                offsets = table.begin_of_function(_KERNEL_MAIN)
            else:
                offsets = []
            found += [(index, base + offset) for offset in offsets]
        return found

    def _tables(self) -> Iterator[tuple[int, int, LineTable]]:
        """Every library: its kernel, where it is loaded, its lines."""
        for index, libraries in enumerate(self._code):
            yield from ((index, base, table) for base, table in libraries)

    def _refusal(self, wanted: Breakpoint) -> str:
        files = sorted({Path(path).name for *_, table in self._tables() for path in table.own_files(is_users)})
        names = ", ".join(dict.fromkeys(kernel.name for kernel in self._kernels))
        return (
            f"no kernel of the program has code at {wanted.where}; it has the files {', '.join(files)} "
            f"and the kernels {names}"
        )
