# SPDX-License-Identifier: Apache-2.0
"""What the warnings of plain runs cost: multicasts whose rectangle is looked at, against known ones.

A kernel's rectangle is looked at when it differs from that of its last multicast. Two rectangles by turns are looked at
each time, one rectangle once; both send as many bytes to as many cores. Programs send to a rectangle many times: the
row bounds what one look adds to a multicast, not to a program.
"""

from __future__ import annotations

import functools

from bench.programs import BFLOAT16_TILE_BYTES, KERNELS
from bench.timing import Row, best_said, milliseconds
from tilewright import run_program, ttnn
from tilewright._launch.run_options import RunOptions

LIMIT = 1.25
_COUNT = 4000
_COLUMNS = 8


def measure(turns: int) -> list[Row]:
    device = ttnn.open_device(device_id=0)
    x = ttnn.full([32, 32], 1.0, ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
    best = best_said(
        {
            how: functools.partial(_seconds, x, multicasts(device, rows))
            for how, rows in (("known", (1, 1)), ("looked at", (1, 2)))
        },
        turns * 4,
    )
    ttnn.close_device(device)
    looked_at, known = best["looked at"], best["known"]
    name = f"{_COUNT} multicasts to {_COLUMNS} cores, each looked at"
    return [Row(name, milliseconds(looked_at), f"known {milliseconds(known)}", looked_at / known, LIMIT)]


def multicasts(device: ttnn.Device, rows: tuple[int, int], count: int = _COUNT) -> ttnn.ProgramDescriptor:
    """Core (0,0) sends pages to the cores of two rows of the grid by turns."""
    grid = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(_COLUMNS - 1, max(rows)))])
    sender = ttnn.CoreCoord(0, 0)
    corners = [
        device.worker_core_from_logical_core(ttnn.CoreCoord(column, row))
        for row in rows
        for column in (0, _COLUMNS - 1)
    ]
    page = ttnn.CBFormatDescriptor(0, ttnn.bfloat16, BFLOAT16_TILE_BYTES)
    kernel = ttnn.KernelDescriptor(
        str(KERNELS / "multicast.cpp"),
        core_ranges=ttnn.CoreRangeSet([ttnn.CoreRange(sender, sender)]),
        runtime_args=[(sender, [count, _COLUMNS, *(part for corner in corners for part in (corner.x, corner.y))])],
        config=ttnn.ReaderConfigDescriptor(),
    )
    return ttnn.ProgramDescriptor(kernels=[kernel], cbs=[ttnn.CBDescriptor(BFLOAT16_TILE_BYTES, grid, [page])])


def _seconds(x: ttnn.Tensor, program: ttnn.ProgramDescriptor) -> float:
    return run_program([x, x], program, RunOptions(threads=1)).seconds
