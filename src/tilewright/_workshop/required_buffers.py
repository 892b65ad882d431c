# SPDX-License-Identifier: Apache-2.0
"""The circular buffers a declaration asks for, in the words of an execution log: what an audit holds a log against."""

from __future__ import annotations

from tilewright._logs.events import Entry
from tilewright._logs.execution_log import ExecutionLog
from tilewright._planner.plan import Plan, PlannedBuffer
from tilewright._tensor.paper_device import paper_device
from tilewright._workshop.cases import DTYPES, LOGGED_CASE, usual_case
from tilewright._workshop.home import Home


def case_plan(home: Home) -> Plan:
    """The plan of the case that stages and logs speak about."""
    operation = home.operation()
    case = usual_case(operation, LOGGED_CASE)
    return operation.plan(case.shape, DTYPES[case.dtype], paper_device("wormhole_b0"))


def required_buffers(home: Home, log: ExecutionLog) -> tuple[Entry, ...]:
    """The circular buffers of a declaration as the log counts them: in numbers, or in Wt.

    None for a program of its own: its author decides about them.
    """
    if home.operation().has_whole_program:
        return ()
    counted = {index for index, row in log.buffers.items() if row.text("num_pages").strip().isdigit()}
    return tuple(_asked_for(home, each, f"c_{each.buffer.index}" in counted) for each in case_plan(home).buffers)


def _asked_for(home: Home, planned: PlannedBuffer, in_numbers: bool) -> Entry:
    buffer = planned.buffer
    # In Wt a row is one block, as nothing is said about blocks.
    pages, size = str(planned.pages), f"{planned.page_bytes} B"
    if not in_numbers:
        pages, size = buffer.count.formula("Wt", "Wt", is_partial=False), f"{buffer.page.value}_size"
    fields = {"index": f"c_{buffer.index}", "purpose": buffer.purpose, "num_pages": pages, "page_size": size}
    return Entry("cb_requirement", fields, line=home.line_of(buffer.name))
