# SPDX-License-Identifier: Apache-2.0
"""Tile-rows of which several cores have a part each: right and clean, predicted, and offered where they help."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ops.exchanging import exchanging_plans, run_plan
from tilewright import Column, Row, Rows, operation, ttnn
from tilewright._planner.plan import Plan
from tilewright._tensor.paper_device import paper_device
from tilewright.formula import Value, max, mean, rsqrt, softmax, square, sum, where
from tilewright.ops import Operation, Options
from tilewright.ops._plan_by_clock import why_lines

TILES, STICKS = ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT


@operation
def everything(x: Rows, y: Rows, gamma: Row, scale: Column) -> tuple[Value, Value, Value]:
    """All reductions, two of them of one pass; results as wide as a row and of one number a row."""
    centred = x - mean(x)
    normed = centred * rsqrt(mean(square(centred)) + 1e-3) * gamma
    return normed + y * scale, sum(x * y), max(x)


@operation
def probabilities(x: Rows) -> Value:
    """Softmax."""
    return softmax(x)


@operation
def masked(x: Rows, y: Rows) -> Value:
    """Softmax of what a mask leaves, which stays in L1 for both passes."""
    return softmax(where(y > 0, x, -1e9))


def tensors_of(
    of: Operation, rows: tuple[int, ...], device: ttnn.Device, layout: ttnn.Layout
) -> dict[str, ttnn.Tensor]:
    """Rows that are easy, rows that cancel, large and tiny ones, and a row of one number."""
    generator = np.random.default_rng(11)
    shapes = {"x": rows, "y": rows, "gamma": (1, rows[-1]), "scale": (*rows[:-1], 1)}
    values = {name: generator.standard_normal(shape) for name, shape in shapes.items()}
    x = values["x"].reshape(-1, rows[-1])
    x[1], x[2], x[3], x[4] = x[1] + 300, x[2] * 1e4, x[3] * 1e-20, 2.5
    x[5, ::2] = -x[5, 1::2]
    return {
        each.name: ttnn.as_tensor(
            values[each.name].astype(np.float32), dtype=ttnn.bfloat16, layout=layout, device=device
        )
        for each in of.inputs
    }


# Operation, shape, layout, cores: one line for each group, several lines for each, groups with one line more.
CASES = [
    (everything, (64, 256), TILES, (4, 2)),
    (everything, (2, 40, 128), STICKS, (3, 2)),
    (probabilities, (96, 128), TILES, (2, 2)),
    (masked, (64, 256), TILES, (4, 2)),
]


@pytest.mark.parametrize("chip", ["wormhole", "blackhole"])
@pytest.mark.parametrize(("of", "shape", "layout", "cores"), CASES)
def test_rows_that_cores_share_are_right_and_clean(request, chip, of, shape, layout, cores) -> None:
    device = request.getfixturevalue(chip)
    tensors = tensors_of(of, shape, device, layout)
    plan = exchanging_plans(of, tensors, Options(core_grid=cores))[0]
    predicted, recorded = run_plan(of, plan.plan, tensors), plan.time
    assert len(plan.plan.split.work) % plan.plan.rows.line_parts == 0
    assert predicted == pytest.approx(recorded.cycles, rel=0.05)


def plans(of: Operation, shape: tuple[int, ...], **options: object) -> list[Plan]:
    found = of.decision(shape, ttnn.bfloat16, paper_device("wormhole_b0"), Options(**options), layout=TILES)  # type: ignore[arg-type]
    return [each.plan for each in found.candidates if each.plan.rows.line_parts > 1]


def test_all_cores_work_on_few_long_rows() -> None:
    found = probabilities.decision((256, 512), ttnn.bfloat16, paper_device("wormhole_b0"), layout=TILES)
    assert found.chosen.rows.line_parts == 8
    assert len(found.chosen.split.work) == 64
    assert len(found.rule.split.work) == 8
    assert "8 parts of each on different cores" in found.chosen.describe()
    assert any("8 parts of a row" in line and "chosen" in line for line in why_lines(found))


@pytest.mark.parametrize(
    ("shape", "options"),
    [
        ((64, 500), {}),  # the last tile is not full
        ((2048, 512), {}),  # a tile-row for every core
        ((64, 32), {}),  # one tile
        ((64, 512), {"core_grid": (1, 1)}),
    ],
)
def test_rows_are_not_cut_where_that_cannot_help(shape: tuple[int, ...], options: dict[str, object]) -> None:
    assert plans(probabilities, shape, **options) == []


def test_cores_of_a_row_are_a_rectangle_anywhere_in_the_core_grid() -> None:
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(1, 2), ttnn.CoreCoord(4, 5))])
    for plan in plans(probabilities, (64, 512), core_grid=cores):
        places = [work.groups["line"] for work in plan.split.work]
        for work, (last, first) in zip(plan.split.work, places, strict=True):  # as the writer multicasts
            assert first.x <= work.core.x <= last.x
            assert first.y <= work.core.y <= last.y
            assert (last.x - first.x + 1) * (last.y - first.y + 1) == plan.rows.line_parts
        assert {(each.core.x, each.core.y) for each in plan.split.work} <= {
            (x, y) for x in range(1, 5) for y in range(2, 6)
        }
