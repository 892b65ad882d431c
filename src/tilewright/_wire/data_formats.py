# SPDX-License-Identifier: Apache-2.0
"""Data formats, numbered as on a card and its host. Kernels, engine and host headers get them as a macro."""

from __future__ import annotations

import enum


class DataFormat(enum.Enum):
    """The number a kernel sees for a format (``get_dataformat``, ``unpack_src_format`` ...)."""

    Float32 = 0
    Float16 = 1
    Bfp8 = 2
    Bfp4 = 3
    Tf32 = 4
    Float16_b = 5
    Bfp8_b = 6
    Bfp4_b = 7
    Int32 = 8
    UInt16 = 9
    Lf8 = 10
    Bfp2 = 11
    Int8 = 14
    Bfp2_b = 15
    UInt32 = 24
    Fp8_e4m3 = 26  # Blackhole only
    UInt8 = 30
    RawUInt8 = 240  # to 242: host only
    RawUInt16 = 241
    RawUInt32 = 242
    Invalid = 255

    @property
    def is_block_float(self) -> bool:
        return self.name.startswith("Bfp")

    @property
    def is_of_python_kernels(self) -> bool:
        return self is not DataFormat.Fp8_e4m3 and not self.name.startswith("Raw")


def data_formats_header() -> str:
    """``wire/data_formats.h``: a macro with the enumerators."""
    enumerators = ", \\\n".join(f"    {each.name} = {each.value}" for each in DataFormat)
    head = "// Generated from src/tilewright/_wire/data_formats.py.\n#pragma once\n\n"
    return f"{head}#define TW_DATA_FORMATS \\\n{enumerators}\n"
