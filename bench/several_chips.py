# SPDX-License-Identifier: Apache-2.0
"""The real ttnn on eight simulated chips: opening the mesh, and a collective next to copies in memory.

It needs a Python that has ttnn, torch and tilewright's dependencies, named by TILEWRIGHT_REAL_TTNN.
"""

from __future__ import annotations

import json

from bench.real_ttnn import run_on_card
from bench.timing import Row, milliseconds

_MOST_TO_OPEN = 5.0  # seconds
_COPIES, _ALLOWANCE = 5.0, 10e-3  # a collective may take so many times the copies, and so many seconds more


def measure(turns: int) -> list[Row]:
    lines = run_on_card("bench.mesh_operations", turns, "--system", "t3000")
    if lines is None:
        return []
    measured = json.loads(lines[-1])
    opened, gathered, copied = (measured[key] for key in ("opened", "gathered", "copied"))
    rival = f"copies {milliseconds(copied)}"
    ratio = (gathered - _ALLOWANCE) / copied
    return [
        Row("8 chips: open the mesh (s)", milliseconds(opened), "", opened, _MOST_TO_OPEN),
        Row("8 chips: all_gather of 1 MiB a chip, less 10 ms", milliseconds(gathered), rival, ratio, _COPIES),
    ]
