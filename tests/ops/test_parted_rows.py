# SPDX-License-Identifier: Apache-2.0
"""Rows that are computed and then multiplied: cores that need the same ones compute a part each, for all of them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ops.test_shared_operands import ROWS, TILES, gated, normed, run_and_check, tensors_of
from tilewright import Column, Matrix, Rows, operation, ttnn
from tilewright.formula import Value, exp, max, mean, relu, sum
from tilewright.ops import Operation, Options


@operation
def shares(x: Rows, weights: Matrix) -> Value:
    """A maximum, and a sum that needs it: two exchanges for each line."""
    powers = exp(x - max(x))
    return (powers / sum(powers)) @ weights


@operation
def shifted(x: Rows, scale: Column, weights: Matrix, rest: Rows, *, offset: float = 0.5) -> Value:
    """A column and a number before the product, the rows themselves and others beside it."""
    return relu((x * scale + offset) @ weights) + rest


@operation
def centred_square(x: Rows, weights: Matrix) -> Value:
    """The rows are needed again after the product."""
    return (x - mean(x)) @ weights + x


# Operation, shape of x, columns, layout, cores; parts of the rows, and cores that share them.
CASES = [
    (gated, (200, 64), 150, TILES, (2, 3), (2, 2)),
    (gated, (200, 64), 150, TILES, (3, 2), (2, 3)),  # the third core of a row computes nothing
    (gated, (5, 30, 128), 130, ROWS, (2, 2), (2, 2)),
    (normed, (200, 128), 150, TILES, (3, 2), (2, 3)),
    (normed, (3, 40, 128), 200, ROWS, (2, 2), (4, 4)),
    (normed, (30, 192), 180, TILES, (3, 2), (6, 6)),  # one tile-row: the whole rectangle shares it
    (shares, (200, 128), 200, TILES, (4, 2), (4, 4)),
    (shifted, (120, 96), 150, TILES, (3, 2), (3, 3)),
    (shifted, (120, 96), 150, ROWS, (3, 2), (3, 3)),
    (centred_square, (120, 128), 128, TILES, (2, 2), (2, 2)),
]


@pytest.mark.parametrize("chip", ["wormhole", "blackhole"])
@pytest.mark.parametrize(("declared", "shape", "columns", "layout", "cores", "parts"), CASES)
def test_parts_are_right_and_clean(request, chip, declared, shape, columns, layout, cores, parts) -> None:
    device = request.getfixturevalue(chip)
    plan = run_and_check(declared, tensors_of(declared, shape, columns, device, layout), Options(core_grid=cores))
    assert plan.split.grid is not None
    assert (plan.split.grid.left_parts, plan.split.grid.column_parts) == parts


@pytest.mark.parametrize(
    ("declared", "shape", "columns", "cores"),
    [
        (gated, (200, 70), 150, (2, 2)),  # the rows end inside a tile
        (gated, (30, 128), 160, (5, 1)),  # no equal parts but for four of five cores
        (gated, (200, 64), 32, (2, 2)),  # one column of tiles: cores have rows of their own
    ],
)  # fmt: skip
def test_rows_without_equal_parts_are_right(wormhole: ttnn.Device, declared: Operation, shape, columns, cores) -> None:
    plan = run_and_check(declared, tensors_of(declared, shape, columns, wormhole, ROWS), Options(core_grid=cores))
    assert plan.split.grid is not None
    assert plan.split.grid.left_parts in (1, 4)


def test_each_core_computes_its_part_alone(wormhole: ttnn.Device) -> None:
    """What is read from DRAM is every operand once, though two cores need every row."""
    tensors = tensors_of(gated, (128, 128), 128, wormhole, TILES)
    outcome = gated.launch(tensors, Options(core_grid=(2, 2)))
    assert outcome.plan.split.grid is not None
    assert outcome.plan.split.grid.left_parts == 2
    assert "2 of them compute a part each" in outcome.plan.split.describe()
    sizes = {each.buffer.name: each.pages for each in outcome.plan.buffers}
    assert (sizes["x_tiled"], sizes["left_part"], sizes["left"]) == (2, 4, 8)


def test_results_do_not_depend_on_the_cores(wormhole: ttnn.Device) -> None:
    """The parts are rounded as a whole row is: to the format of the results."""
    tensors = tensors_of(gated, (128, 128), 128, wormhole, TILES)
    alone, shared = (gated.launch(tensors, Options(core_grid=grid)) for grid in ((1, 1), (2, 2)))
    assert shared.plan.rows.left_parts == 2
    assert np.array_equal(alone.output.to_numpy(), shared.output.to_numpy())
