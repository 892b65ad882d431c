# SPDX-License-Identifier: Apache-2.0
"""Stage 4: there is a plan for every case and for rows of any width, and it fits L1."""

from __future__ import annotations

import pytest

from tilewright._tensor.dtype import DataType
from tilewright._tensor.paper_device import paper_device
from tilewright._workshop.cases import DTYPES, OperationCase
from tilewright.ops import Operation, OperationError


@pytest.mark.parametrize("arch", ["wormhole_b0", "blackhole"])
def test_a_plan_fits(operation: Operation, case: OperationCase, arch: str) -> None:
    """The plan's circular buffers fit L1; those of a program of its own, too."""
    plan = operation.plan(
        case.shape, DTYPES[case.dtype], paper_device(arch), strategy=case.strategy, block_tiles=case.block_tiles
    )
    if operation.has_whole_program:
        program = operation.program(plan, operation.allocate(plan, paper_device(arch)))
        assert sum(each.total_size for each in program.cbs if not each.is_over_tensor()) <= plan.l1_budget
        return
    assert plan.l1_bytes <= plan.l1_budget
    assert plan.block_tiles * plan.num_blocks >= plan.rows.core_tiles


@pytest.mark.parametrize("width", [32, 4096, 100_000, 1 << 20])
def test_rows_of_any_width_have_a_plan(operation: Operation, width: int) -> None:
    if operation.has_whole_program:
        pytest.skip("not judged: the operation has a program of its own, which the plan says nothing about")
    try:
        plan = operation.plan((64, width), DataType.FLOAT32, paper_device("wormhole_b0"))
    except OperationError as refusal:
        if operation.multiplication is None or width == 32 or "does not fit L1" not in str(refusal):
            raise
        pytest.skip("a row that is multiplied by a matrix stays in L1, and this one is refused by name")
    assert plan.l1_bytes <= plan.l1_budget
