# SPDX-License-Identifier: Apache-2.0
"""A stop for machines: plain dictionaries, lists, words and numbers."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from tilewright._debug.stop import Dst, Stop


def stop_json(stop: Stop) -> dict[str, object]:
    """A stop as `tilewright debug --json` prints it; docs/for-agents.md lists it."""
    line = stop.line
    return {
        "kernel": stop.kernel,
        "core": stop.core,
        "threads": stop.threads,
        "is_hang": stop.is_hang,
        "file": line.path if line else None,
        "line": line.line if line else None,
        "source": next((text.strip() for number, text in stop.source(0)), None),
        "stack": [f"{each.path}:{each.line}" for each in stop.stack],
        "waits": stop.waits(),
        "circular_buffers": [
            {**dataclasses.asdict(each), "data_format": each.data_format.name} for each in stop.buffers()
        ],
        "arguments": dataclasses.asdict(stop.arguments),
        "semaphores": stop.semaphores(),
        "dst": _dst_json(stop.dst) if stop.dst is not None else None,
    }


def _dst_json(dst: Dst) -> dict[str, object]:
    tiles = [np.asarray(dst.tile(index), np.float64) for index in range(len(dst.words))]
    return {
        "phase": dst.phase.name.lower(),
        "bits": 32 if dst.is_32_bit else 16,
        "tiles": [_range(tile[np.isfinite(tile)]) for tile in tiles],
    }


def _range(numbers: NDArray[np.float64]) -> dict[str, float] | None:
    """None where nothing is a number."""
    return {"least": float(numbers.min()), "most": float(numbers.max())} if numbers.size else None
