# SPDX-License-Identifier: Apache-2.0
"""The circular buffers a spec asks for, in the words of an execution log: what an audit holds a log against."""

from __future__ import annotations

from tilewright.logs.model import ExecutionLog, Requirement
from tilewright.ops.plan import Plan
from tilewright.workshop.spec.expressions import page_count
from tilewright.workshop.spec.model import BufferSpec, Spec
from tilewright.workshop.spec.planned import buffer_pages, smallest_plan


def required_buffers(spec: Spec, log: ExecutionLog) -> tuple[Requirement, ...]:
    """The circular buffers of a spec.toml as the log counts them: in numbers for its smallest case, or in Wt."""
    plan = smallest_plan(spec)
    counted = {row.index for row in log.buffers if row.num_pages.strip().isdigit()}
    return tuple(_asked_for(each, plan, f"c_{each.index}" in counted) for each in spec.buffers)


def _asked_for(buffer: BufferSpec, plan: Plan, in_numbers: bool) -> Requirement:
    index = f"c_{buffer.index}"
    if in_numbers:
        pages, page_bytes = buffer_pages(buffer, plan)
        return Requirement(index, buffer.purpose, str(pages), f"{page_bytes} B", line=buffer.place.line)
    # A row is one block where nothing is said about blocks.
    pages_of_row = page_count(buffer.pages).formula("Wt", "Wt", is_partial=False)
    return Requirement(index, buffer.purpose, pages_of_row, f"{buffer.page}_size", line=buffer.place.line)
