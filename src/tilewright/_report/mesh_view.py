# SPDX-License-Identifier: Apache-2.0
"""Chips of a launch for the page: the mesh, and the packets on the links between its chips."""

from __future__ import annotations

from collections import Counter

from tilewright._launch.chip import Chip
from tilewright._record.run import Run
from tilewright._report.launch_view import View


def mesh_view(chip: Chip, run: Run) -> View:
    """The chips of a system in their rows and columns, and each direction of each link that packets crossed."""
    rows = chip.die_grid[1]
    cores: Counter[int] = Counter(core[1] // rows for core in {each.core for each in run.traffic})
    moved = [
        {
            "from": link.begin[0],
            "to": link.end[0],
            "words": f"chip {link.begin[0]} channel {link.begin[1]} to chip {link.end[0]} channel {link.end[1]}",
            "packets": link.packets,
            "bytes": link.bytes,
        }
        for link in run.links
    ]
    return {
        "columns": chip.mesh_columns,
        "rows": -(-chip.num_dies // chip.mesh_columns),
        "rowsOfChip": rows,
        "chips": [{"chip": number, "cores": cores[number]} for number in range(chip.num_dies)],
        "links": sorted(moved, key=lambda link: (-link["bytes"], link["words"])),
    }
