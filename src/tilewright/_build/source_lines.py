# SPDX-License-Identifier: Apache-2.0
"""Addresses in a kernel's library to functions, files and lines (DWARF line table)."""

from __future__ import annotations

import bisect
import dataclasses
import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elftools.dwarf.die import DIE
    from elftools.dwarf.dwarfinfo import DWARFInfo
    from elftools.dwarf.lineprogram import LineProgram
    from elftools.elf.elffile import ELFFile


_CALL = 0xE8


@dataclasses.dataclass(frozen=True)
class SourceLine:
    """A place in a source file.

    >>> str(SourceLine("/project/reader.cpp", 12, "kernel_main"))
    'reader.cpp:12'
    """

    path: str
    line: int
    function: str = ""
    function_line: int = 0  # where the function begins; 0 if not known

    def __str__(self) -> str:
        return f"{Path(self.path).name}:{self.line}"


class LineTable:
    """Lines and functions of one library, by offset from its load address."""

    def __init__(self, path: Path, show: Callable[[str], str]) -> None:
        # Imported here: a run that goes well needs no line tables.
        from elftools.elf.elffile import ELFFile

        self._rows: list[tuple[int, str, int]] = []
        self._functions: list[tuple[int, int, str]] = []
        with path.open("rb") as file:
            elf = ELFFile(file)
            self._read_symbols(elf)
            self._read_code(elf)
            if elf.has_dwarf_info():
                self._read_lines(elf.get_dwarf_info(), show)
        self._rows.sort()
        self._functions.sort()
        self._starts = [row[0] for row in self._rows]
        self._function_starts = [function[0] for function in self._functions]
        self._function_set = set(self._function_starts)

    def find(self, offset: int) -> SourceLine | None:
        """The line the instruction at ``offset`` belongs to."""
        index = bisect.bisect_right(self._starts, offset) - 1
        if index < 0 or self._rows[index][2] == 0:
            return None
        _, path, line = self._rows[index]
        return SourceLine(path, line, *self._function_at(offset))

    def begins_of(self, file: str, line: int, *, exactly: bool = False) -> list[int]:
        """Where the code of a line begins, once in each function that has some of it; where it has none, of the next
        line of the file that has, unless ``exactly`` this line is meant.

        Args:
            file: the name of a file, or the end of its path.
        """
        later = (row[2] for row in self._rows if row[2] >= line and is_named(row[1], file))
        first = line if exactly else min(later, default=0)
        begins: dict[int, list[tuple[int, int]]] = {}
        for begin, end in self._stretches(file, first) if first else ():
            begins.setdefault(bisect.bisect_right(self._function_starts, begin), []).append((begin, end))
        return sorted(self._first_that_calls(stretches) for stretches in begins.values())

    def _stretches(self, file: str, line: int) -> Iterator[tuple[int, int]]:
        """Begin and end of every stretch of code of a line."""
        begin = None
        for offset, path, at in self._rows:
            is_line = at == line and is_named(path, file)
            if is_line and begin is None:
                begin = offset
            elif not is_line and begin is not None:
                yield begin, offset
                begin = None

    def _first_that_calls(self, stretches: list[tuple[int, int]]) -> int:
        """Where the first stretch begins that makes a call: what a compiler moves out of a loop makes none."""
        for begin, end in stretches:
            code = self._code[begin - self._code_begin : end - self._code_begin]
            if any(byte == _CALL and self._is_function(begin, code, at) for at, byte in enumerate(code)):
                return begin
        return stretches[0][0]

    def _is_function(self, begin: int, code: bytes, at: int) -> bool:
        """Whether what may be a call, as x86-64 writes it, leads to a function or to the linker's way to one."""
        target = begin + at + 5 + int.from_bytes(code[at + 1 : at + 5], "little", signed=True)
        return target in self._function_set or self._plt[0] <= target < self._plt[1]

    def begin_of_function(self, name: str) -> list[int]:
        """Where the first line behind a function's head begins, once it has set itself up."""
        for start, end, each in self._functions:
            if each == name:
                rows = [offset for offset in self._starts if start < offset < end]
                return rows[:1] or [start]
        return []

    def own_code(self, is_own: Callable[[str], bool]) -> list[tuple[int, int, int]]:
        """Begin, end and line of every stretch of code in functions that stand in files of one's own."""
        found = []
        for start, end, _ in self._functions:
            first = bisect.bisect_right(self._starts, start) - 1
            if first < 0 or not is_own(self._rows[first][1]):
                continue
            rows = [row for row in self._rows[first : bisect.bisect_left(self._starts, end)] if row[2]]
            # Code of others in between belongs to the line before it.
            line = 0
            for index, (offset, path, at) in enumerate(rows):
                line = at if is_own(path) else line
                until = rows[index + 1][0] if index + 1 < len(rows) else end
                if until > offset:
                    found.append((offset, until, line))
        return found

    def own_files(self, is_own: Callable[[str], bool]) -> set[str]:
        """Files of one's own that have code."""
        return {path for _, path, line in self._rows if line and is_own(path)}

    def _function_at(self, offset: int) -> tuple[str, int]:
        """Name and first line of the function the instruction belongs to."""
        index = bisect.bisect_right(self._function_starts, offset) - 1
        if index < 0:
            return "", 0
        start, end, name = self._functions[index]
        if offset >= end:
            return "", 0
        row = bisect.bisect_right(self._starts, start) - 1
        return name, self._rows[row][2] if row >= 0 else 0

    def _read_symbols(self, elf: ELFFile) -> None:
        from elftools.elf.sections import SymbolTableSection

        table = elf.get_section_by_name(".symtab")
        if not isinstance(table, SymbolTableSection):
            return
        for symbol in table.iter_symbols():
            if symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_size"]:
                start = symbol["st_value"]
                self._functions.append((start, start + symbol["st_size"], symbol.name))

    def _read_code(self, elf: ELFFile) -> None:
        text, plt = elf.get_section_by_name(".text"), elf.get_section_by_name(".plt")
        self._code_begin, self._code = (text["sh_addr"], text.data()) if text is not None else (0, b"")
        self._plt = (plt["sh_addr"], plt["sh_addr"] + plt["sh_size"]) if plt is not None else (0, 0)

    def _read_lines(self, dwarf: DWARFInfo, show: Callable[[str], str]) -> None:
        for unit in dwarf.iter_CUs():
            program = dwarf.line_program_for_CU(unit)
            if program is None:
                continue
            files = {index: show(name) for index, name in _file_names(program, unit.get_top_DIE()).items()}
            for entry in program.get_entries():
                state = entry.state
                if state is not None:
                    # Line 0 marks where a stretch of code ends.
                    line = 0 if state.end_sequence else state.line
                    self._rows.append((state.address, files.get(state.file, ""), line))


def is_named(path: str, name: str) -> bool:
    """Whether a path is the one given, or ends in it.

    >>> is_named("/project/kernels/reader.cpp", "kernels/reader.cpp")
    True
    >>> is_named("/project/my_reader.cpp", "reader.cpp")
    False
    """
    return path == name or path.endswith(f"/{name.lstrip('./')}")


def _file_names(program: LineProgram, top: DIE) -> dict[int, str]:
    header = program.header
    version = header["version"]
    raw = top.attributes.get("DW_AT_comp_dir")
    unit_directory = raw.value.decode() if raw else ""
    directories = [entry.decode() if isinstance(entry, bytes) else entry for entry in header["include_directory"]]
    if version < 5:
        directories = [unit_directory, *directories]
    names: dict[int, str] = {}
    for index, entry in enumerate(header["file_entry"]):
        name = entry["name"] if isinstance(entry["name"], str) else entry["name"].decode()
        directory = directories[entry["dir_index"]] if entry["dir_index"] < len(directories) else ""
        path = Path(name) if name.startswith("/") else Path(directory) / name
        if not path.is_absolute():
            path = Path(unit_directory) / path
        names[index if version >= 5 else index + 1] = str(path)
    return names


@functools.lru_cache(maxsize=256)
def line_table(path: Path, show: Callable[[str], str]) -> LineTable:
    """The line table of a library; libraries in the cache never change, so it is read once.

    Args:
        show: gives the path of a file for the name that the library has for it.
    """
    return LineTable(path, show)
