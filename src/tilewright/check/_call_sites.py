# SPDX-License-Identifier: Apache-2.0
"""Synchronising calls in the text of kernels: where they stand, and programs without them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tilewright._program.kernel import KernelDescriptor, SourceType
from tilewright._program.kernel_path import resolve_kernel_path
from tilewright._program.program import ProgramDescriptor

# Calls that order kernels, transfers and threads, and return nothing.
_FUNCTIONS = (
    "cb_wait_front|cb_reserve_back|cb_push_back|cb_pop_front|noc_async_(?:read|write)_barrier(?:_with_trid)?"
    "|noc_async_(?:posted_)?writes_flushed|noc_async_write_flushed_with_trid|noc_async_atomic_barrier"
    "|noc_async_full_barrier|noc_semaphore_wait(?:_min)?|noc_semaphore_set(?:_remote|_multicast|_multicast_loopback_src)?"
    "|noc_semaphore_inc(?:_multicast)?|tile_regs_acquire|tile_regs_commit|tile_regs_wait|tile_regs_release"
    "|acquire_dst|release_dst|ACQ|REL"
)
# Calls that configure the compute threads, and the pack that empties DST.
_CONFIGURING = (
    r"[a-z]\w*_(?:un)?init(?:_\w+)?|init_sfpu|compute_kernel_hw_startup|(?:pack_)?reconfig_data_format\w*|pack_tile\w*"
)
_METHODS = (
    "wait_front|reserve_back|push_back|pop_front|async_read_barrier|async_write_barrier|async_writes_flushed"
    "|async_atomic_barrier|async_full_barrier"
)
_SEMAPHORE_METHODS = "wait|wait_min|set|up|down|set_multicast|inc_multicast"
_RECEIVER = r"[A-Za-z_]\w*(?:\[[^\];]*\])?(?:\s*(?:\.|->)\s*[A-Za-z_]\w*)*?"
_ARGUMENTS = r"\s*(?:<[^;<>()]*>)?\s*\("
_SYNCHRONISING = (
    rf"(?:{_FUNCTIONS}){_ARGUMENTS}"
    rf"|{_RECEIVER}\s*(?:\.|->)\s*(?:{_METHODS}){_ARGUMENTS}"
    rf"|(?i:\w*sem\w*)(?:\[[^\];]*\])?\s*(?:\.|->)\s*(?:{_SEMAPHORE_METHODS}){_ARGUMENTS}"
)
_CALL = re.compile(rf"(?<![\w.>])(?:{_SYNCHRONISING})")
_ANY_CALL = re.compile(rf"(?<![\w.>])(?:{_SYNCHRONISING}|(?:{_CONFIGURING}){_ARGUMENTS})")
_NAME = re.compile(r"(\w+)\s*(?:<[^;<>()]*>)?\s*\($")
# Calls of one kind may stand for each other: a later barrier waits for earlier transfers too.
_KINDS = ("barrier|flushed", "wait_front", "reserve_back", "semaphore|^wait|^set|^up|^down", "init|reconfig|startup")
_COMMENT_OR_TEXT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_LINE = re.compile(r'^#line (\d+) "(.*)"$')
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class SyncCall:
    """A statement in a kernel's text.

    Attributes:
        path, line: of the source; those of a Python file where the text was made from one.
        call: the statement without its semicolon.
        name: of the function or method.
    """

    begin: int
    end: int
    path: str
    line: int
    call: str
    name: str

    @property
    def kind(self) -> str:
        """What calls that may do its work have in common; its name where there are none.

        >>> [site.kind for site in call_sites("noc_async_read_barrier(); n.async_full_barrier(); cb_pop_front(0, 1);")]
        ['barrier|flushed', 'barrier|flushed', 'cb_pop_front']
        """
        return next((kind for kind in _KINDS if re.search(kind, self.name)), self.name)


def call_sites(text: str, path: str = "", *, configuring: bool = False) -> Iterator[SyncCall]:
    """Statements of C++ text that are synchronising calls.

    Args:
        configuring: with those that configure the compute threads, and packs.

    >>> [site.call for site in call_sites("// cb_push_back(0, 1);\\nif (x) { in.push_back(n * (2 + 1)); }")]
    ['in.push_back(n * (2 + 1))']
    """
    bare = _COMMENT_OR_TEXT.sub(_blank, text)
    bare = _DIRECTIVE.sub(_blank, bare)
    lines = _source_lines(text, path)
    for match in (_ANY_CALL if configuring else _CALL).finditer(bare):
        before = bare[: match.start()].rstrip()
        end = _closing(bare, match.end() - 1)
        is_statement = not before or before[-1] in ";{})" or before.endswith("else")
        if end is None or not is_statement or not re.match(r"\s*;", bare[end:]):
            continue  # part of an expression, or the definition of a function of this name
        call = " ".join(text[match.start() : end].split())
        name = _NAME.search(bare, match.start(), match.end())
        assert name is not None
        yield SyncCall(match.start(), end, *lines[bare.count("\n", 0, match.start())], call, name[1])


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _source_lines(text: str, path: str) -> list[tuple[str, int]]:
    """The source of each line of a text with ``#line`` directives."""
    found = []
    number = 0
    for line in text.split("\n"):
        number += 1
        found.append((path, number))
        directive = _LINE.match(line)
        if directive is not None:
            path, number = directive[2], int(directive[1]) - 1
    return found


def _closing(text: str, opening: int) -> int | None:
    depth = 0
    for at in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    return None


@dataclasses.dataclass(frozen=True)
class KernelText:
    """The text of one kernel of a program.

    Attributes:
        path: of its file; the kernel's name where it is given as text.
    """

    program: ProgramDescriptor
    number: int
    text: str
    path: str
    is_file: bool

    @classmethod
    def of(cls, program: ProgramDescriptor, number: int) -> KernelText:
        kernel: KernelDescriptor = program.kernels[number]
        if kernel.source_type is not SourceType.FILE_PATH:
            return cls(program, number, kernel.kernel_source, kernel.name, False)
        path = str(resolve_kernel_path(kernel.kernel_source))
        return cls(program, number, Path(path).read_text("utf8"), path, True)

    def sites(self, *, configuring: bool = False) -> list[SyncCall]:
        """The kernel's synchronising calls; with those that configure and pack."""
        return list(call_sites(self.text, self.path, configuring=configuring))

    def with_expression(self, sites: Sequence[SyncCall], expression: str) -> ProgramDescriptor:
        """The program with another expression in the place of these calls."""
        other = self.program.copy()
        kernel = other.kernels[self.number]
        name, text = kernel.name, self.text
        for site in sorted(sites, key=lambda each: each.begin, reverse=True):
            lines = "\n" * text.count("\n", site.begin, site.end)  # later lines keep their numbers
            text = f"{text[: site.begin]}{expression}{lines}{text[site.end :]}"
        if self.is_file:
            kernel.compiler_include_paths = [str(Path(self.path).parent), *kernel.compiler_include_paths]
            text = f'#line 1 "{self.path}"\n{text}'  # findings name the file
        kernel.source_type, kernel.kernel_source = SourceType.SOURCE_CODE, text
        kernel.name = name
        return other

    def without(self, *sites: SyncCall) -> ProgramDescriptor:
        """The program without these calls."""
        return self.with_expression(sites, "(void)0")
