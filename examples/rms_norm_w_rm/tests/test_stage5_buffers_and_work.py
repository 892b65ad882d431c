# SPDX-License-Identifier: Apache-2.0
"""Stage 5: circular buffers and work are as the spec says."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tilewright.ops import OperationError, Strategy
from tilewright.tensor.paper_device import paper_device
from tilewright.workshop.cases import DTYPES
from tilewright.workshop.spec import read_spec
from tilewright.workshop.spec.expressions import page_count

from rms_norm_w_rm.op import rms_norm_w_rm

SPEC = read_spec(Path(__file__).parents[1] / "spec.toml")
CASES = pytest.mark.parametrize("case", SPEC.tests, ids=lambda case: case.name)


@CASES
@pytest.mark.parametrize("strategy", rms_norm_w_rm.kernels, ids=lambda each: each.value)
def test_buffers(case, strategy: Strategy) -> None:
    device = paper_device("wormhole_b0")
    try:
        plan = rms_norm_w_rm.plan(case.shape, DTYPES[case.dtype], device, strategy=strategy)
    except OperationError:
        pytest.skip("this row does not fit L1, so it streams (stage 4 looks at the plan it gets)")
    assert [each.buffer.index for each in plan.buffers] == [each.index for each in SPEC.buffers]
    row_tiles = plan.rows.width_tiles if strategy is Strategy.RESIDENT else plan.block_tiles
    for planned, wanted in zip(plan.buffers, SPEC.buffers, strict=True):
        dtype = DTYPES.get(wanted.format, plan.rows.dtype)
        stick_bytes = plan.block_tiles * 32 * dtype.element_bytes
        pages = page_count(wanted.pages).pages(row_tiles, plan.block_tiles, case.shape[-1] % 32 != 0)
        assert planned.buffer.name == wanted.name
        assert planned.pages == pages, wanted.name
        assert planned.dtype is dtype, wanted.name
        assert planned.page_bytes == (dtype.tile_bytes() if wanted.page == "tile" else stick_bytes), wanted.name


@CASES
def test_work_covers_every_row_once(case) -> None:
    plan = rms_norm_w_rm.plan(case.shape, DTYPES[case.dtype], paper_device("wormhole_b0"))
    expected = 0
    for work in sorted(plan.split.work, key=lambda each: each.first_stick):
        assert work.first_stick == expected
        expected += work.num_sticks
    assert expected == math.prod(case.shape[:-1])


@CASES
def test_the_program_is_whole(case) -> None:
    device = paper_device("wormhole_b0")
    plan = rms_norm_w_rm.plan(case.shape, DTYPES[case.dtype], device)
    program = rms_norm_w_rm.program(plan, rms_norm_w_rm.allocate(plan, device))
    assert len(program.kernels) == 3
    assert len(program.cbs) == len(SPEC.buffers)
