# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels in this process."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import os
from pathlib import Path

from tilewright.device.elf import library_layout
from tilewright.device.engine import engine
from tilewright.device.source_lines import SourceLine, line_table


@dataclasses.dataclass(frozen=True)
class KernelLibrary:
    """A loaded kernel: where to enter it, where its code and its mutable globals lie."""

    path: Path
    entry: int
    base: int
    text: tuple[int, int]
    statics: tuple[int, int]
    initial_statics: bytes

    def restore_statics(self) -> None:
        """Gives the mutable globals the values they had when the library was loaded."""
        ctypes.memmove(self.statics[0], self.initial_statics, len(self.initial_statics))

    def contains(self, address: int) -> bool:
        return self.text[0] <= address < self.text[1]

    def source_line(self, address: int) -> SourceLine | None:
        return line_table(self.path).find(address - self.base)


@functools.cache
def load_kernel(path: Path) -> KernelLibrary:
    """Loads a compiled kernel. Libraries in the cache are named by content, so each is loaded once."""
    engine()  # its functions must be there before the kernel's references are bound
    library = ctypes.CDLL(str(path), mode=os.RTLD_NOW | os.RTLD_LOCAL)
    entry = ctypes.cast(library.tw_kernel_entry, ctypes.c_void_p).value or 0
    base = engine().tw_library_base(entry)
    layout = library_layout(path)
    _KEEP_LOADED.append(library)
    statics = (base + layout.statics_begin, base + layout.statics_end)
    return KernelLibrary(
        path,
        entry,
        base,
        (base + layout.text_begin, base + layout.text_end),
        statics,
        ctypes.string_at(statics[0], statics[1] - statics[0]),
    )


_KEEP_LOADED: list[ctypes.CDLL] = []
