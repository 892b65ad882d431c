# SPDX-License-Identifier: Apache-2.0
"""What a spec asks for in numbers: the plan of a test case, and the pages of a buffer in it."""

from __future__ import annotations

import math

from tilewright.ops.plan import Plan, Strategy, make_plan
from tilewright.ops.row_split import Rows
from tilewright.tensor.paper_device import paper_device
from tilewright.tensor.tile import TILE_SIZE
from tilewright.workshop.spec.calls import resolve_calls
from tilewright.workshop.spec.expressions import page_count
from tilewright.workshop.spec.model import BufferSpec, Spec, TestCase
from tilewright.workshop.spec.sense import DTYPES, plan_buffers


def smallest_case(spec: Spec) -> TestCase:
    """The case whose numbers are told."""
    return min(spec.tests, key=lambda case: math.prod(case.shape))


def smallest_plan(spec: Spec) -> Plan:
    """The plan of the smallest case as the spec alone has it, on a whole chip."""
    case, device = smallest_case(spec), paper_device("wormhole_b0")
    calls, _ = resolve_calls(spec)
    budget = device.l1_end - device.description.l1_unreserved_base
    strategy = None if spec.work.passes else Strategy.RESIDENT
    grid = device.compute_with_storage_grid_size()
    return make_plan(spec.name, plan_buffers(spec, calls), Rows(case.shape, DTYPES[case.dtype]), grid, budget, strategy)


def buffer_pages(buffer: BufferSpec, plan: Plan) -> tuple[int, int]:
    """Number of pages that the spec gives a buffer in a plan, and the bytes of one."""
    row_tiles = plan.rows.width_tiles if plan.strategy is Strategy.RESIDENT else plan.block_tiles
    is_partial = plan.rows.last_tile_columns < TILE_SIZE
    dtype = DTYPES.get(buffer.format, plan.rows.dtype)
    stick_bytes = plan.block_tiles * TILE_SIZE * dtype.element_bytes
    pages = page_count(buffer.pages).pages(row_tiles, plan.block_tiles, is_partial)
    return pages, dtype.tile_bytes() if buffer.page == "tile" else stick_bytes
