# SPDX-License-Identifier: Apache-2.0
"""Constants of the timing model, read from their table, ``native/replay/constants.inl``."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

from tilewright._cpp_declarations import macro_calls

TABLE = Path(__file__).parents[1] / "native" / "replay" / "constants.inl"

# Microseconds between two launches that a trace replays: measured, tt-metal's op-to-op latency benchmark.
LAUNCH_GAP_US = {"wormhole_b0": 2.05, "blackhole": 2.08}


@functools.cache
def constants_of(arch: str) -> dict[str, float]:
    """The constants of a chip by name, in the order of the table.

    >>> constants_of("blackhole")["packet_bytes"]
    16384
    """
    rows = [call.args for call in macro_calls(TABLE) if ast.unparse(call.func) == "TW_CONSTANT"]
    column = 2 if arch == "blackhole" else 1
    return {ast.unparse(row[0]): ast.literal_eval(row[column]) for row in rows}
