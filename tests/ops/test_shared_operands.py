# SPDX-License-Identifier: Apache-2.0
"""Operands of a matmul that cores share: every part once, right and clean in every cut, and the DRAM bytes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tilewright import Column, Matrix, Row, Rows, operation, ttnn
from tilewright._planner.plan import Plan
from tilewright._planner.plan_text import plan_lines
from tilewright._planner.work_grid import Freedom, WorkGrid, fills_blocks, part_values, work_grids
from tilewright._tensor.cores import CoreRange, CoreRangeSet
from tilewright.check._check_program import check_program
from tilewright.formula import Value, mean, relu, rsqrt, silu, softmax, square, transpose
from tilewright.ops import Operation, Options, Strategy
from tilewright.ops._accuracy import held, judge
from tilewright.timing._timed_launch import time_program


@operation
def product(x: Rows, weights: Matrix) -> Value:
    """x @ weights."""
    return x @ weights


@operation
def biased(x: Rows, weights: Matrix, bias: Row, scale: Column, rest: Rows) -> Value:
    """Everything that may stand beside a product whose columns lie on different cores."""
    return relu(x @ weights * scale + bias) + rest


@operation
def normed(x: Rows, gamma: Row, weights: Matrix) -> Value:
    """A norm before the product."""
    return (x * rsqrt(mean(square(x)) + 1e-3) * gamma) @ weights


@operation
def gated(x: Rows, gate: Rows, weights: Matrix) -> Value:
    """A product of elements before the product of matrices."""
    return (x * silu(gate)) @ weights


@operation
def weighted(x: Rows, weights: Matrix) -> Value:
    """Softmax after the product: no core may have a part of the columns."""
    return softmax(x @ weights)


@operation
def scores(x: Rows, keys: Matrix) -> Value:
    """A transposed matrix."""
    return x @ transpose(keys)


def tensors_of(
    declared: Operation, rows: tuple[int, ...], columns: int, device: ttnn.Device, layout: ttnn.Layout
) -> dict[str, ttnn.Tensor]:
    inner, generator = rows[-1], np.random.default_rng(7)
    shapes = {
        "x": rows, "gate": rows, "weights": (inner, columns), "keys": (columns, inner),
        "gamma": (inner,), "bias": (columns,), "scale": (*rows[:-1], 1), "rest": (*rows[:-1], columns),
    }  # fmt: skip
    return {
        each.name: ttnn.from_numpy(
            generator.standard_normal(shapes[each.name]), ttnn.bfloat16, layout=layout, device=device
        )
        for each in declared.inputs
    }


def run_and_check(declared: Operation, tensors: dict[str, ttnn.Tensor], options: Options) -> Plan:
    """A launch that must be right and clean."""
    outcome = declared.launch(tensors, options)
    accuracy = judge([outcome.output.to_numpy()], declared.bounds(outcome.plan, held(tensors)))
    assert accuracy.is_within_bound, accuracy.text
    program = declared.program(outcome.plan, {**tensors, "output": outcome.output})
    assert check_program([*tensors.values(), outcome.output], program).findings == []
    return outcome.plan


TILES, ROWS = ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT
# Operation, shape of x, columns, layout, cores; the parts and whether the matrix stays.
CUTS = [
    (biased, (200, 64), 150, TILES, (2, 3), (3, 2, True)),
    (biased, (2, 40, 70), 150, ROWS, (3, 2), (1, 6, True)),
    (biased, (30, 64), 160, TILES, (3, 2), (1, 6, False)),  # the sixth core repeats the fifth part
    (normed, (5, 30, 70), 70, ROWS, (2, 2), (2, 2, True)),
    (weighted, (170, 64), 100, TILES, (2, 2), (4, 1, True)),
    (scores, (120, 64), 200, TILES, (3, 2), (2, 3, True)),
    (scores, (120, 50), 200, ROWS, (3, 2), (2, 3, True)),
]


@pytest.mark.parametrize("chip", ["wormhole", "blackhole"])
@pytest.mark.parametrize(("declared", "shape", "columns", "layout", "cores", "cut"), CUTS)
def test_every_cut_is_right_and_clean(request, chip, declared, shape, columns, layout, cores, cut) -> None:
    device = request.getfixturevalue(chip)
    plan = run_and_check(declared, tensors_of(declared, shape, columns, device, layout), Options(core_grid=cores))
    grid = plan.split.grid
    assert grid is not None
    assert (grid.row_parts, grid.column_parts, grid.keeps_right) == cut


def test_a_matrix_that_does_not_stay_is_read_in_every_round(wormhole: ttnn.Device) -> None:
    """Streaming makes the product again in the second pass."""
    tensors = tensors_of(weighted, (100, 64), 200, wormhole, TILES)
    options = Options(core_grid=(2, 1), strategy=Strategy.STREAMING, block_tiles=3)
    plan = run_and_check(weighted, tensors, options)
    assert plan.split.grid is not None
    assert not plan.rows.keeps_right
    assert any("the matrix 2 times in each of 3 passes" in line for line in plan_lines(plan, [(100, 200)]))


def test_cores_that_are_no_rectangle_share_nothing(wormhole: ttnn.Device) -> None:
    cores = CoreRangeSet([CoreRange((0, 0), (1, 0)), CoreRange((0, 1), (0, 1))])
    plan = run_and_check(product, tensors_of(product, (100, 64), 70, wormhole, TILES), Options(core_grid=cores))
    assert plan.split.grid is None
    assert len(plan.split.work) == 3
    assert any("cores are no rectangle" in line for line in plan_lines(plan, [(100, 70)]))


def test_a_rectangle_may_begin_anywhere(blackhole: ttnn.Device) -> None:
    cores = CoreRangeSet([CoreRange((5, 1), (8, 2))])  # between its columns 6 and 7 lie others than worker cores
    plan = run_and_check(product, tensors_of(product, (70, 64), 130, blackhole, TILES), Options(core_grid=cores))
    assert plan.split.work[0].core == cores.ranges()[0].start


@pytest.mark.parametrize("chip", ["wormhole", "blackhole"])
def test_each_operand_is_read_from_dram_once(request: pytest.FixtureRequest, chip: str) -> None:
    tensors = tensors_of(product, (256, 128), 256, request.getfixturevalue(chip), TILES)
    outcome = product.launch(tensors)
    program = product.program(outcome.plan, {**tensors, "output": outcome.output})
    timed = time_program([*tensors.values(), outcome.output], program)
    assert timed.time.dram_read_bytes == 2 * (256 * 128 + 128 * 256)


def test_long_rows_leave_room_for_one_block_of_the_matrix(wormhole: ttnn.Device) -> None:
    plan = run_and_check(product, tensors_of(product, (32, 10240), 64, wormhole, TILES), Options(core_grid=(1, 1)))
    assert (plan.rows.right_blocks, plan.block_tiles) == (1, 1)


@operation
def slab_scores(x: Rows, keys: Rows) -> Value:
    """A matrix for each slab."""
    return x @ transpose(keys)


@pytest.mark.parametrize("layout", [TILES, ROWS], ids=["tiles", "rows"])
def test_the_matrix_of_a_slab_stays_for_its_tile_rows(wormhole: ttnn.Device, layout: ttnn.Layout) -> None:
    """Six tile-rows of two slabs, on two cores and on one."""
    shapes = {"x": (2, 96, 64), "keys": (2, 128, 64)}
    generator = np.random.default_rng(3)
    tensors = {
        name: ttnn.from_numpy(generator.standard_normal(shape), ttnn.bfloat16, layout=layout, device=wormhole)
        for name, shape in shapes.items()
    }
    cores = CoreRangeSet([CoreRange((0, 0), (0, 0)), CoreRange((2, 0), (2, 0))])
    plan = run_and_check(slab_scores, tensors, Options(core_grid=cores))
    assert plan.rows.keeps_right
    outcome = slab_scores.launch(tensors, Options(core_grid=(1, 1)))
    program = slab_scores.program(outcome.plan, {**tensors, "output": outcome.output})
    timed = time_program([*tensors.values(), outcome.output], program)
    assert timed.time.dram_read_bytes == 2 * 2 * (96 * 64 + 128 * 64)


def tiles_written(grid: WorkGrid, tile_rows: int, tile_columns: int, num_blocks: int, block_tiles: int) -> list:
    found = []
    for x, y in itertools.product(range(grid.width), range(grid.height)):
        values = part_values(grid, x, y, tile_rows, tile_columns, num_blocks)
        first = values["first_block"] * block_tiles
        columns = range(first, min(first + num_blocks * block_tiles, tile_columns))
        assert columns, "every core has columns"
        rows = range(values["first_tile_row"], values["first_tile_row"] + values["num_written_rows"])
        found += list(itertools.product(rows, columns))
    return found


@pytest.mark.parametrize("free", [*itertools.product((True, False), repeat=3)], ids=str)
def test_every_grid_writes_every_tile_once(free: tuple[bool, bool, bool]) -> None:
    for tile_rows, tile_columns in itertools.product((1, 2, 5, 13), (1, 3, 8, 11)):
        for grid in work_grids(tile_rows, tile_columns, 4, 3, Freedom(*free)):
            assert grid.column_parts == 1 or free[0]
            for block_tiles in range(1, grid.part_tiles + 1):
                num_blocks = -(-grid.part_tiles // block_tiles)
                if fills_blocks(grid, tile_columns, num_blocks, block_tiles):
                    written = tiles_written(grid, tile_rows, tile_columns, num_blocks, block_tiles)
                    assert sorted(written) == list(itertools.product(range(tile_rows), range(tile_columns)))


def test_one_core_of_every_group_sends() -> None:
    for grid in work_grids(7, 9, 4, 3, Freedom(True, True, True)):
        for name, others in (("left", grid.column_parts - 1), ("right", grid.row_parts - 1)):
            groups: dict[tuple[int, ...], list[int]] = {}
            for x, y in itertools.product(range(grid.width), range(grid.height)):
                sends = part_values(grid, x, y, 7, 9, 1)[f"sends_{name}"]
                groups.setdefault(grid.groups(x, y)[name], []).append(sends)
            assert all(sum(each) == 1 and len(each) == others + 1 for each in groups.values())
            assert grid.receivers()[f"{name}_receivers"] == others
