# SPDX-License-Identifier: Apache-2.0
"""Stage 5: circular buffers are the declaration's, every row is assigned to a core, the program is whole."""

from __future__ import annotations

import pytest

from tilewright._tensor.dtype import DataType
from tilewright._tensor.paper_device import paper_device
from tilewright._workshop.cases import DTYPES, OperationCase
from tilewright.ops import Operation, Strategy
from tilewright.ops._specification_text import ends_of


@pytest.fixture(autouse=True)
def _planned(operation: Operation, request: pytest.FixtureRequest) -> None:
    if operation.has_whole_program and request.function is not test_the_program_is_whole:
        pytest.skip("not judged: buffers and work of a program of its own are its author's")


def test_buffers_have_the_indices_that_were_given(operation: Operation, strategy: Strategy) -> None:
    buffers = operation.variants(operation.form(DataType.BFLOAT16))[strategy].buffers
    indices = {each.name: each.index for each in buffers}
    assert len(set(indices.values())) == len(indices)
    for name, index in operation.choices.buffers.items():
        assert indices.get(name, index) == index, name


def test_every_buffer_has_two_ends(operation: Operation, strategy: Strategy) -> None:
    schedule = operation.schedule(operation.form(DataType.BFLOAT16), strategy)
    for name in schedule.stores:
        producer, consumer = ends_of(schedule, name)
        assert producer in ("reader", "compute", "writer"), name
        assert consumer in ("reader", "compute", "writer"), name


def test_work_covers_every_tile_once(operation: Operation, case: OperationCase) -> None:
    plan = operation.plan(case.shape, DTYPES[case.dtype], paper_device("wormhole_b0"))
    written: list[tuple[int, int]] = []
    for work in plan.split.work:
        num_lines = work.values.get("num_written_rows", work.num_lines)
        end = min(work.first_tile + plan.num_blocks * plan.block_tiles, plan.rows.line_tiles)
        lines = range(work.first_line, work.first_line + num_lines)
        written += [(line, tile) for line in lines for tile in range(work.first_tile, end)]
    assert len(written) == len(set(written))
    assert len(written) == plan.rows.num_lines * plan.rows.line_tiles


def test_the_program_is_whole(operation: Operation, case: OperationCase) -> None:
    device = paper_device("wormhole_b0")
    plan = operation.plan(case.shape, DTYPES[case.dtype], device, strategy=case.strategy, block_tiles=case.block_tiles)
    program = operation.program(plan, operation.allocate(plan, device))
    if operation.has_whole_program:
        assert program.kernels, "a program of its own has kernels"
        return
    assert len(program.kernels) == 3
    assert {each.format_descriptors[0].buffer_index for each in program.cbs} == {
        each.buffer.index for each in plan.buffers
    }
