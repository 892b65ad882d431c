# SPDX-License-Identifier: Apache-2.0
"""The parts that tt-metal loads and calls: the library it takes for a simulator, and the stand-in for its compiler."""

from __future__ import annotations

from pathlib import Path

from tilewright._build.native_build import COMMON, NativePart, native_files

SIMULATOR_NAME = "libttsim.so"
_SIMULATOR = NativePart("the card's library", "simulator", COMMON, (SIMULATOR_NAME,), ("card/simulator",))
_COMPILER = NativePart(
    "the card's stand-in compiler", "stand-in-compiler", COMMON, ("riscv-tt-elf-g++",), ("card/compiler",)
)


def simulator_library() -> Path:
    """The library for TT_METAL_SIMULATOR."""
    return native_files(_SIMULATOR)[0]


def stand_in_compiler() -> Path:
    """The program in the place of riscv-tt-elf-g++."""
    return native_files(_COMPILER)[0]
