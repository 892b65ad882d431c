# SPDX-License-Identifier: Apache-2.0
"""Cycles of the vector unit's functions, from the columns ``bh``, ``wh`` and ``tile`` of their table.

``native/abi/sfpu_functions.inl`` has the table and where its figures come from. Where one chip has no figure the
other's is taken: the units are alike, the programs mostly the same.
"""

from __future__ import annotations

from tilewright._sfpu_functions import sfpu_functions
from tilewright._wire.data_formats import DataFormat

# From, to. Fitted to one calibration row, as nothing was published.
TYPECAST: dict[tuple[int, int], float] = {(DataFormat.Float16_b.value, DataFormat.UInt32.value): 1380.0}


def unary_costs(arch: str) -> dict[str, tuple[float, float]]:
    """Cycles of a face by function: with 16-bit DST and with 32-bit DST."""
    first, second = ("bh", "wh") if arch == "blackhole" else ("wh", "bh")
    costs = {}
    for function in sfpu_functions():
        narrow_and_wide = function.costs.get(first) or function.costs.get(second)
        if narrow_and_wide is not None:
            narrow, wide = narrow_and_wide
            costs[function.operation] = (narrow, wide)
    return costs


def binary_costs() -> dict[str, float]:
    """Cycles of a tile by function of two tiles, on either chip."""
    return {each.operation: each.costs["tile"][0] for each in sfpu_functions() if "tile" in each.costs}
