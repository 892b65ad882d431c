# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels: contents of the library file and its load address in a runner."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path

from tilewright._build.elf import LibraryLayout, library_layout
from tilewright._build.kernel_places import places_of
from tilewright._build.source_lines import LineTable, SourceLine, line_table
from tilewright._build.translation_unit import KernelSource


@dataclasses.dataclass(frozen=True)
class KernelLibrary:
    """A compiled kernel, as one of its users sees it: the same file serves kernels that lie in other directories."""

    path: Path
    layout: LibraryLayout
    source: KernelSource

    @property
    def lines(self) -> LineTable:
        """Its line table, with this user's directories."""
        return line_table(self.path, places_of(self.source).show)

    def line_at(self, base: int, address: int) -> SourceLine | None:
        """The line of an instruction, where a runner has the library at ``base``; None outside its code."""
        offset = address - base
        inside = self.layout.text_begin <= offset < self.layout.text_end
        return self.lines.find(offset) if inside else None


# A kernel's libraries: one, or one for each thread of a compute kernel whose text differs from thread to thread.
KernelLibraries = tuple[KernelLibrary, ...]


def kernel_library(path: Path, source: KernelSource) -> KernelLibrary:
    """The compiled kernel of a source."""
    return KernelLibrary(path, _layout(path), source)


@functools.cache
def _layout(path: Path) -> LibraryLayout:
    """Libraries in the cache are named by content, so each is read once."""
    return library_layout(path)
