# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels: contents of the library file and its load address in a runner."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path

from tilewright._build.elf import LibraryLayout, library_layout
from tilewright._build.source_lines import SourceLine, line_table


@dataclasses.dataclass(frozen=True)
class KernelLibrary:
    """A compiled kernel."""

    path: Path
    layout: LibraryLayout

    def line_at(self, base: int, address: int) -> SourceLine | None:
        """The line of an instruction, where a runner has the library at ``base``; None outside its code."""
        offset = address - base
        inside = self.layout.text_begin <= offset < self.layout.text_end
        return line_table(self.path).find(offset) if inside else None


# A kernel's libraries: one, or one for each thread of a compute kernel whose text differs from thread to thread.
KernelLibraries = tuple[KernelLibrary, ...]


@functools.cache
def kernel_library(path: Path) -> KernelLibrary:
    """A compiled kernel. Libraries in the cache are named by content, so each is read once."""
    return KernelLibrary(path, library_layout(path))
