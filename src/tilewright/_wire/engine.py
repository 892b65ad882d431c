# SPDX-License-Identifier: Apache-2.0
"""Functions of the engine's library that this process calls: they are about a chip's memory."""

import ctypes
from typing import Annotated

from tilewright._wire.layout import Function, PointerTo, i32, structure, u32, u64

Chip = Annotated[int, PointerTo("void")]


@structure
class MemoryFileNumbers(ctypes.Structure):
    """Open files of this process that hold a chip's memory (native/engine/chip/chip_memory.h), and their layout."""

    l1: i32
    dram: i32
    state: i32
    l1_slot_bytes: u64  # core i, row by row over the grid, begins at i * l1_slot_bytes of `l1`
    dram_bank_stride: u64  # bank i begins at i * dram_bank_stride of `dram`


# Where pages lie: null for round-robin over the banks, or for each page ``bank * pages_per_bank + page of the bank``.
_PLACES = {"places": Annotated[int, PointerTo("const uint32_t")], "pages_per_bank": u64}
_PAGES = {"chip": Chip, "is_dram": u32, "address": u64, "page_bytes": u64, "stride": u64, "count": u64, **_PLACES}

FUNCTIONS = (
    Function("tw_last_error", Annotated[bytes, ctypes.c_char_p], {}),
    Function(
        "tw_chip_new",
        Chip,
        {
            "config": Annotated[int, PointerTo("const ChipConfig")],
            "noc_xy": Annotated[int, PointerTo("const uint8_t")],
            "files": Annotated[int, PointerTo("const MemoryFileNumbers")],
        },
    ),
    Function("tw_chip_files", None, {"chip": Chip, "files": Annotated[int, PointerTo("MemoryFileNumbers")]}),
    Function("tw_chip_free", None, {"chip": Chip}),
    Function("tw_chip_settle", None, {"chip": Chip}),
    Function("tw_chip_set_l1_banks", None, {"chip": Chip, "cores": Annotated[int, PointerTo("const uint16_t")]}),
    Function("tw_core_l1", u64, {"chip": Chip, "x": u32, "y": u32}),
    Function("tw_core_kept_l1", u32, {"chip": Chip, "x": u32, "y": u32, "offset": u32, "bytes": u32}),
    Function("tw_write_pages", None, {**_PAGES, "data": Annotated[int, PointerTo("const uint8_t")]}),
    Function("tw_read_pages", None, {**_PAGES, "data": Annotated[int, PointerTo("uint8_t")]}),
    Function(
        "tw_fill_pages",
        None,
        {"chip": Chip, "is_dram": u32, "address": u64, "stride": u64, "count": u64, **_PLACES, "word": u32},
    ),
    Function(
        "tw_unwritten_pages",
        u64,
        {
            "chip": Chip,
            "buffer": Annotated[int, PointerTo("const HostBufferMessage")],
            "outside": Annotated[int, PointerTo("const uint8_t")],
            "places": Annotated[int, PointerTo("const uint32_t")],
            "first": Annotated[int, PointerTo("uint64_t")],
        },
    ),
)
