# SPDX-License-Identifier: Apache-2.0
"""Work of generated kernels: tile operations of a tile-row, which are the same on every machine."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright import ttnn
from tilewright._launch.run_options import RunOptions
from tilewright._launch.run_program import run_program
from tilewright.ops import OPERATIONS, Options, Strategy
from tilewright.timing._record_entries import call_number, entries_of

# Calls that take a tile through the unpackers or the matrix unit, and passes of the vector unit over a tile.
TILES = ("CopyTile", "UnaryBroadcast", "BinaryTiles", "BinaryReuseDest", "ReduceTile")
VECTOR = ("SfpuUnary", "SfpuBinary", "SfpuTernary", "SfpuTypecast", "SfpuOther")
# For a row of 32 tiles, beside what kernels written by hand took (docs/performance.md).
MOST = {
    ("centralize_w_rm", Strategy.RESIDENT): (64, 1),
    ("variance_w_rm", Strategy.RESIDENT): (128, 2),
    ("standardize_w_rm", Strategy.RESIDENT): (161, 3),
    ("standardize_w_rm", Strategy.STREAMING): (193, 3),
    ("layernorm_fused_rm", Strategy.RESIDENT): (178, 99),
}


@pytest.mark.parametrize(("name", "strategy"), MOST, ids=lambda each: getattr(each, "value", each))
def test_tile_operations_of_a_row(device: ttnn.Device, name: str, strategy: Strategy) -> None:
    operation = OPERATIONS[name]
    tensors = {
        each.name: ttnn.from_numpy(
            np.ones(each.shape_of((32, 1024))), ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device
        )
        for each in operation.inputs
    }
    outcome = operation.launch(tensors, Options(strategy=strategy))
    run = run_program([*tensors.values(), outcome.output], outcome.program, RunOptions(record_calls=True))
    assert run.calls is not None
    counts = np.zeros(2, dtype=int)
    for entries in entries_of(run.calls):
        for index, names in enumerate((TILES, VECTOR)):
            counts[index] += np.isin(entries.calls, [call_number(each) for each in names]).sum()
    assert counts[0] <= MOST[name, strategy][0]
    assert counts[1] <= MOST[name, strategy][1]
