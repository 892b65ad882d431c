# SPDX-License-Identifier: Apache-2.0
"""From addresses inside a kernel's library to functions, files and lines. Used only when something went wrong."""

from __future__ import annotations

import bisect
import dataclasses
import functools
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elftools.dwarf.die import DIE
    from elftools.dwarf.dwarfinfo import DWARFInfo
    from elftools.dwarf.lineprogram import LineProgram
    from elftools.elf.elffile import ELFFile


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

    def __init__(self, path: Path) -> None:
        # Imported here: a run that goes well needs no line tables.
        from elftools.elf.elffile import ELFFile

        self._rows: list[tuple[int, str, int]] = []
        self._functions: list[tuple[int, int, str]] = []
        with path.open("rb") as file:
            elf = ELFFile(file)
            self._read_symbols(elf)
            if elf.has_dwarf_info():
                self._read_lines(elf.get_dwarf_info())
        self._rows.sort()
        self._functions.sort()
        self._starts = [row[0] for row in self._rows]
        self._function_starts = [function[0] for function in self._functions]

    def find(self, offset: int) -> SourceLine | None:
        """The line the instruction at ``offset`` belongs to."""
        index = bisect.bisect_right(self._starts, offset) - 1
        if index < 0 or self._rows[index][2] == 0:
            return None
        _, path, line = self._rows[index]
        return SourceLine(path, line, *self._function_at(offset))

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

    def _read_lines(self, dwarf: DWARFInfo) -> None:
        for unit in dwarf.iter_CUs():
            program = dwarf.line_program_for_CU(unit)
            if program is None:
                continue
            files = _file_names(program, unit.get_top_DIE())
            for entry in program.get_entries():
                state = entry.state
                if state is not None:
                    # Line 0 marks where a stretch of code ends.
                    line = 0 if state.end_sequence else state.line
                    self._rows.append((state.address, files.get(state.file, ""), line))


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
def line_table(path: Path) -> LineTable:
    """The line table of a library; libraries in the cache never change, so it is read once."""
    return LineTable(path)
