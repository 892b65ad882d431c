# SPDX-License-Identifier: Apache-2.0
"""Entries of the corpus: a program in two twins, the rule that names the bug, and what a plain run shows.

A kernel is written once for both twins. The end of a line says to whom it belongs and where the bug is:

    cb_push_back(cb_in, 1);           // BUG     in both twins; the line a finding has to name
    cb_push_back(cb_in, 1);           // -       in the buggy twin only
    cb_push_back(cb_in, 1);           // - BUG   in the buggy twin only, and to be named
    noc_async_read_barrier();         // +       in the fixed twin only

A line that a twin does not have stays empty there, so both have the same line numbers. Kernels in Python are two
functions, and a comment with BUG marks the line.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tilewright import ttnn

WORMHOLE = "wormhole_b0"
BLACKHOLE = "blackhole"

_BUGGY_ONLY = re.compile(r"//\s*-(\s|$)")
_FIXED_ONLY = re.compile(r"//\s*\+(\s|$)")
_NAMED = re.compile(r"(//|#).*\bBUG\b")
_PYTHON_FILE = re.compile(r'^#line \d+ "(.+\.py)"', re.MULTILINE)


class Plain(enum.Enum):
    """How a run without any checks ends."""

    RIGHT = "right output"  # the bug is latent: nothing shows in this run
    WRONG = "wrong output"
    DEADLOCK = "deadlock"
    KERNEL_ERROR = "kernel error"
    SPINNING = "spinning"
    PROGRAM_ERROR = "program error"
    COMPILE_ERROR = "does not compile"


@dataclasses.dataclass(frozen=True)
class Launch:
    """One program on its tensors, and what the last of them must hold afterwards.

    ``fresh_program`` is what a build from scratch gives for the same call, where ``program`` comes from a cache.
    """

    io_tensors: Sequence[ttnn.Tensor]
    program: ttnn.ProgramDescriptor
    expected: NDArray[np.float64]
    fresh_program: ttnn.ProgramDescriptor | None = None


def twin_source(source: str, *, fixed: bool) -> str:
    """The kernel as one twin has it."""
    other = _BUGGY_ONLY if fixed else _FIXED_ONLY
    return "\n".join("" if other.search(line) else line for line in source.split("\n"))


def named_lines(source: str) -> frozenset[int]:
    """Lines of a twin's kernel that a finding may name; of its Python file, where it was written in Python."""
    python = _PYTHON_FILE.search(source)
    lines = Path(python.group(1)).read_text().split("\n") if python else source.split("\n")
    return frozenset(number for number, line in enumerate(lines, 1) if _NAMED.search(line))


Build = Callable[..., Iterator[Launch]]


@dataclasses.dataclass(frozen=True)
class Bug:
    """A bug and its cure.

    ``build(host)`` yields the launches of one twin, one after the other: a launch has run before the next is made.
    ``rules`` are the rules that may name it; one of them has to. ``in_kernel`` is false for a bug of the host's side,
    which has no line in a kernel. ``not_expressible`` says why a model of this kind cannot see it, where that is so.
    """

    id: str
    bug_class: str
    title: str
    build: Build
    rules: tuple[str, ...]
    plain: Plain
    plain_text: str
    archs: tuple[str, ...]
    in_kernel: bool
    not_expressible: str

    def __str__(self) -> str:
        return f"{self.id}-{self.build.__name__}"


@dataclasses.dataclass(frozen=True)
class Control:
    """A program that looks suspicious and is right: nothing may be said about it."""

    id: str
    title: str
    build: Build
    archs: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.id}-{self.build.__name__}"


class BugClass:
    """Bugs of one kind, in the order they were written down."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.bugs: list[Bug] = []

    def bug(
        self,
        id: str,
        *rules: str,
        plain: Plain,
        plain_text: str = "",
        archs: tuple[str, ...] = (WORMHOLE,),
        in_kernel: bool = True,
        not_expressible: str = "",
    ) -> Callable[[Build], Build]:
        """Registers the decorated builder; the first line of its docstring is the title."""

        def register(build: Build) -> Build:
            self.bugs.append(
                Bug(
                    id,
                    self.name,
                    title_of(build),
                    build,
                    rules,
                    plain,
                    plain_text,
                    archs,
                    in_kernel,
                    not_expressible,
                )
            )
            return build

        return register


def title_of(build: Build) -> str:
    """The first line of a builder's docstring."""
    assert build.__doc__, f"{build.__name__} has no docstring to take its title from"
    return build.__doc__.strip().split("\n")[0].rstrip(".")
