# SPDX-License-Identifier: Apache-2.0
"""The circular buffers a declaration asks for, in the words of an execution log: what an audit holds a log against."""

from __future__ import annotations

from tilewright._logs.model import ExecutionLog, Requirement
from tilewright._planner.plan import Plan, PlannedBuffer
from tilewright._tensor.paper_device import paper_device
from tilewright._workshop.cases import DTYPES, case_named
from tilewright._workshop.home import Home


def case_plan(home: Home) -> Plan:
    """The plan of the case that stages and logs speak about."""
    operation = home.operation()
    case = case_named(operation, "all kinds of rows")
    return operation.plan(case.shape, DTYPES[case.dtype], paper_device("wormhole_b0"))


def required_buffers(home: Home, log: ExecutionLog) -> tuple[Requirement, ...]:
    """The circular buffers of a declaration as the log counts them: in numbers, or in Wt."""
    counted = {row.index for row in log.buffers if row.num_pages.strip().isdigit()}
    return tuple(_asked_for(home, each, f"c_{each.buffer.index}" in counted) for each in case_plan(home).buffers)


def _asked_for(home: Home, planned: PlannedBuffer, in_numbers: bool) -> Requirement:
    buffer = planned.buffer
    index, line = f"c_{buffer.index}", home.line_of(buffer.name)
    if in_numbers:
        return Requirement(index, buffer.purpose, str(planned.pages), f"{planned.page_bytes} B", line=line)
    # A row is one block where nothing is said about blocks.
    pages_of_row = buffer.count.formula("Wt", "Wt", is_partial=False)
    return Requirement(index, buffer.purpose, pages_of_row, f"{buffer.page.value}_size", line=line)
