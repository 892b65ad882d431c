# SPDX-License-Identifier: Apache-2.0
"""A design's circular buffers against those of the program that the factory makes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tilewright._cpp_ops.pipeline.design import Design, DesignedBuffer, amount

_ELEMENT_BYTES = {
    "Float16_b": 2, "Float16": 2, "Float32": 4, "UInt32": 4, "Int32": 4, "UInt16": 2, "UInt8": 1,
}  # fmt: skip
_BLOCK_TILE_BYTES = {"Bfp8_b": 1088, "Bfp4_b": 576, "Bfp2_b": 320}
_FORMATS = {
    "bf16": "Float16_b", "bfloat16": "Float16_b", "float16_b": "Float16_b",
    "f32": "Float32", "fp32": "Float32", "float32": "Float32",
    "bfp8": "Bfp8_b", "bfp8_b": "Bfp8_b", "bfloat8_b": "Bfp8_b", "bfp4_b": "Bfp4_b", "bfloat4_b": "Bfp4_b",
    "uint32": "UInt32", "int32": "Int32", "uint16": "UInt16", "uint8": "UInt8",
}  # fmt: skip
_ALIGNMENTS = (1, 16, 32, 64)  # of a row in a circular buffer: none, L1's, DRAM's on Wormhole and on Blackhole


@dataclass(frozen=True)
class DesignCase:
    """The call whose program is compared."""

    shape: tuple[int, ...]
    input_dtype: str
    output_dtype: str
    output_width: int

    def values(self) -> dict[str, int]:
        """Values of the names in a design."""
        height = self.shape[-2] if len(self.shape) > 1 else 1
        width = self.shape[-1]
        outer = math.prod(self.shape[:-2])
        tiles = {"Wt": -(-width // 32), "Ht": -(-height // 32)}
        return {"W": width, "H": height, "NC": outer, "TILE": 32, "TILE_HEIGHT": 32, "TILE_WIDTH": 32, **tiles}

    def __str__(self) -> str:
        return f"{'x'.join(map(str, self.shape))} {self.input_dtype}"


@dataclass(frozen=True)
class DesignComparison:
    """Differences, and cells that cannot be compared with a program."""

    differences: list[str] = field(default_factory=list)
    not_judged: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _ProgramBuffer:
    pages: int
    page_size: int
    format: str
    has_whole_tiles: bool

    @property
    def tile_bytes(self) -> int | None:
        if not self.has_whole_tiles:
            return None
        elements = _ELEMENT_BYTES.get(self.format)
        return _BLOCK_TILE_BYTES.get(self.format) if elements is None else elements * 1024


def compare_design(design: Design, program: list[Any], case: DesignCase) -> DesignComparison:
    """Compares each row of the design with a program, recorded as ``ProgramRecord::to_value`` gives it."""
    made = _made(program[1])
    values = {**case.values(), **design.values}
    found = DesignComparison()
    for row in design.buffers:
        if row.index not in made:
            if not row.is_conditional:
                found.differences.append(f"{_place(design, row)}: the program has no c_{row.index}")
            continue
        _compare_row(row, made[row.index], values, case, found, _place(design, row))
    rows = {row.index for row in design.buffers}
    for index in sorted(set(made) - rows):
        found.differences.append(f"{design.path.name}: the program has c_{index}, the design has no row for it")
    return found


def _place(design: Design, row: DesignedBuffer) -> str:
    name = "" if row.name == f"c_{row.index}" else f" {row.name}"
    return f"{design.path.name}:{row.line}: c_{row.index}{name}"


def _made(cbs: Sequence[list[Any]]) -> dict[int, list[_ProgramBuffer]]:
    """Buffers of a program by index; several where core ranges have different ones."""
    found: dict[int, list[_ProgramBuffer]] = {}
    for _, total_size, formats, _ in cbs:
        for index, name, _, page_size, tile in formats:
            whole = tile is None or list(tile[1:]) == [32, 32]
            found.setdefault(index, []).append(_ProgramBuffer(total_size // page_size, page_size, name, whole))
    return found


def _compare_row(
    row: DesignedBuffer,
    made: Sequence[_ProgramBuffer],
    values: Mapping[str, int],
    case: DesignCase,
    found: DesignComparison,
    place: str,
) -> None:
    pages = amount(row.pages, values)
    if pages is None:
        found.not_judged.append(f"{place}: {row.pages!r} pages is no formula of names with a known value")
    elif all(each.pages != pages for each in made):
        shown = row.pages if row.pages == str(pages) else f"{row.pages} = {pages}"
        found.differences.append(f"{place}: the design has {shown} pages, the program {_listed(made, 'pages')}")
    sizes = _page_sizes(row.page_size, made[0], values, case)
    if sizes is None:
        if row.page_size:
            found.not_judged.append(f"{place}: page size {row.page_size!r} is not known")
    elif all(each.page_size not in sizes for each in made):
        found.differences.append(
            f"{place}: the design has pages of {row.page_size} ({min(sizes)} bytes), "
            f"the program of {_listed(made, 'page_size')} bytes"
        )
    form = _format(row.format, case)
    if form is None:
        if row.format:
            found.not_judged.append(f"{place}: format {row.format!r} is not known")
    elif all(each.format != form for each in made):
        found.differences.append(f"{place}: the design has {form}, the program {_listed(made, 'format')}")


def _listed(made: Sequence[_ProgramBuffer], name: str) -> str:
    return " or ".join(dict.fromkeys(str(getattr(each, name)) for each in made))


def _page_sizes(text: str, made: _ProgramBuffer, values: Mapping[str, int], case: DesignCase) -> set[int] | None:
    """Sizes that a cell allows; a stick may be aligned."""
    words = re.split(r"\s*\(", text.strip().lower())[0]
    if re.fullmatch(r"(?:1 )?(?:\w+_)?tile(?:[ _]size)?", words):
        return None if made.tile_bytes is None else {made.tile_bytes}
    if re.fullmatch(r"(?:1 )?(?:\w+_)?stick(?:[ _]size)?", words) and made.format in _ELEMENT_BYTES:
        widths = {values["W"], case.output_width}
        bytes_ = {width * _ELEMENT_BYTES[made.format] for width in widths}
        return {-(-size // each) * each for size in bytes_ for each in _ALIGNMENTS}
    number = amount(re.sub(r"\s*(?:b|bytes?)$", "", words), values)
    return None if number is None else {number}


def _format(text: str, case: DesignCase) -> str | None:
    words = re.split(r"\s*\(", text.strip().lower())[0]
    if re.fullmatch(r"(?:same as )?input(?: (?:dtype|format|data format))?", words):
        return _FORMATS.get(case.input_dtype)
    if re.fullmatch(r"(?:same as )?output(?: (?:dtype|format|data format))?", words):
        return _FORMATS.get(case.output_dtype)
    return _FORMATS.get(words)
