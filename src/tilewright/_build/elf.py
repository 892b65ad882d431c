# SPDX-License-Identifier: Apache-2.0
"""ELF sections of a kernel's library: its code, its mutable globals, and what it imports."""

from __future__ import annotations

import dataclasses
import struct
from pathlib import Path

_SHF_WRITE, _SHF_ALLOC, _SHF_EXECINSTR = 1, 2, 4
_SHT_DYNSYM = 11


@dataclasses.dataclass(frozen=True)
class LibraryLayout:
    """Offsets from the address a library is loaded at."""

    text_begin: int
    text_end: int
    statics_begin: int
    statics_end: int


def library_layout(path: Path) -> LibraryLayout:
    """Reads the section table of a 64-bit little-endian shared library."""
    data = path.read_bytes()
    table, entry_bytes, count, names_index = (
        *struct.unpack_from("<Q", data, 0x28),
        *struct.unpack_from("<HHH", data, 0x3A),
    )
    sections = [struct.unpack_from("<IIQQQQ", data, table + index * entry_bytes) for index in range(count)]
    names_at = sections[names_index][4]
    text: list[tuple[int, int]] = []
    statics: list[tuple[int, int]] = []
    for name, _kind, flags, address, _offset, size in sections:
        end = data.index(b"\0", names_at + name)
        label = data[names_at + name : end].decode()
        if flags & _SHF_EXECINSTR:
            text.append((address, address + size))
        elif flags & _SHF_ALLOC and flags & _SHF_WRITE and label in (".data", ".bss") and size:
            statics.append((address, address + size))
    return LibraryLayout(
        min((begin for begin, _ in text), default=0),
        max((end for _, end in text), default=0),
        min((begin for begin, _ in statics), default=0),
        max((end for _, end in statics), default=0),
    )


def imported_symbols(path: Path) -> set[str]:
    """Names of functions and data that a 64-bit little-endian shared library takes from others."""
    data = path.read_bytes()
    table, entry_bytes, count = (*struct.unpack_from("<Q", data, 0x28), *struct.unpack_from("<HH", data, 0x3A))
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + index * entry_bytes) for index in range(count)]
    found = set()
    for _name, kind, _flags, _address, offset, size, link, _info, _alignment, each in sections:
        if kind != _SHT_DYNSYM:
            continue
        names_at = sections[link][4]
        for at in range(offset, offset + size, each):
            name, _binding, _visibility, section = struct.unpack_from("<IBBH", data, at)
            if section == 0 and name:
                found.add(data[names_at + name : data.index(b"\0", names_at + name)].decode())
    return found
