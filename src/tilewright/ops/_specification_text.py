# SPDX-License-Identifier: Apache-2.0
"""An operation as a written specification: requirements, buffers, phases, work split, roundings."""

from __future__ import annotations

from tilewright._planner.error_bound import roundings_of
from tilewright._planner.model import Role, Schedule
from tilewright._planner.plan import Plan
from tilewright._planner.plan_text import table
from tilewright._program.program import ProgramDescriptor
from tilewright._tensor.device import Device
from tilewright.formula._direction import Direction
from tilewright.formula._graph import Extent
from tilewright.ops._operation import Operation
from tilewright.ops._phase_list import KEPT, phase_lines
from tilewright.ops._what_runs import own_kernel_rows, what_runs_lines

_ENDS = {
    Role.ROWS_IN: ("reader", "compute"),
    Role.STICK: ("reader", "reader"),
    Role.SCALER: ("reader", "compute"),
    Role.MASK: ("reader", "compute"),
    Role.LEFT_ROWS: ("reader", "compute"),
    Role.RIGHT_ROWS: ("reader", "compute"),
    Role.NUMBER: ("reader", "compute"),
    Role.VALUE: ("compute", "compute"),
    Role.PARTS: ("compute", "compute"),
    Role.OWN_PART: ("compute", "writer"),
    Role.ALL_PARTS: ("writer", "compute"),
    Role.OUTPUT: ("compute", "writer"),
}
# Where cores compute parts of what is multiplied for each other.
_ENDS_OF_PARTS = {
    Role.LEFT_PART: ("compute", "reader"),
    Role.LEFT: ("reader", "compute"),
    Role.OWN_PART: ("compute", "reader"),
    Role.ALL_PARTS: ("reader", "compute"),
}
_UNITS = {
    Direction.ROWS: "tile-row (32 rows)",
    Direction.COLUMNS: "tile-column (32 columns)",
    Direction.SLABS: "slab (the last two dimensions)",
}
_PROPERTIES = ("rank", "row_major", "interleaved", "on_device", "dtype", "width")


def ends_of(schedule: Schedule, name: str) -> tuple[str, str]:
    """The producer and the consumer of a buffer."""
    store = schedule.stores[name]
    if schedule.parts_left and store.role in _ENDS_OF_PARTS:
        return _ENDS_OF_PARTS[store.role]
    if store.role in _ENDS and name not in schedule.filled_by_writer:
        return _ENDS[store.role]
    made = schedule.multiplication
    if made is not None and (store.value is made.product or (store.role is Role.LEFT and schedule.left is not None)):
        return ("compute", "compute")
    rows = (Role.ROWS_IN, Role.LEFT_ROWS, Role.RIGHT_ROWS)
    if name in schedule.filled_by_writer:
        return ("writer", "compute")
    has_rows = any(each.value is store.value and each.role in rows for each in schedule.stores.values())
    return ("compute" if has_rows else "reader", "compute")


def lifetime_of(schedule: Schedule, name: str) -> str:
    store = schedule.stores[name]
    if store.persistent:
        return "persistent"
    return "kept for the row" if store.kept else "streaming"


def requirement_rows(operation: Operation) -> list[tuple[str, str]]:
    """Refused calls and their error messages."""
    main = operation.main_input.name
    rows = [
        (each, operation.wording.text(each, main, "{}"))
        for each in _PROPERTIES
        if each not in ("row_major", "interleaved") or getattr(operation.wording, each)
    ]
    rows += [(name, f"{each.rule}, got {{}}") for name, each in operation.parameters.items()]
    return rows


def _conditions(operation: Operation) -> list[tuple[str, str]]:
    return [(each.condition, each.text) for each in operation.requirements]


def phase_section(plan: Plan) -> list[str]:
    """The compute kernel's phases, below a head; of a kernel without any, that none is known."""
    found = phase_lines(plan.kernels.compute)
    if found:
        return [f"phases ({KEPT} keeps its pages)", *(f"  {line}" for line in found)]
    return [f"phases: not known, the compute kernel {plan.kernels.compute.name} calls none"]


def specification_lines(operation: Operation, plan: Plan, program: ProgramDescriptor, device: Device) -> list[str]:
    """The documents' form of a specification."""
    inputs = [
        (each.name, each.extent.name.lower(), _shape_text(each.extent))
        for each in operation.inputs
        if not each.is_matrix
    ]
    inputs += [(each.name, "matrix", "[K, W]") for each in operation.inputs if each.is_matrix]
    return [
        f"# {operation.name}",
        operation.summary,
        "",
        "## Formula",
        *operation.graph.lines(),
        "",
        "## Tensors and numbers",
        *table([("name", "kind", "shape"), *inputs]),
        *(f"{name}: {each.default} ({each.rule})" for name, each in operation.parameters.items()),
        "",
        "## Requirements",
        *table([("property", "error"), *requirement_rows(operation), *_conditions(operation)]),
        "",
        *_planned_sections(operation, plan, program, device),
        "",
        "## Where it rounds",
        *table([(each.what, f"{each.unit:.3g}", each.why) for each in roundings_of(plan.schedule)]),
    ]


def _planned_sections(operation: Operation, plan: Plan, program: ProgramDescriptor, device: Device) -> list[str]:
    """Work, circular buffers and phases of what runs."""
    if operation.choices.program is not None:
        return ["## Program", *what_runs_lines(operation, plan, program, device)]
    schedule = plan.schedule
    buffers = ["| CB | Capacity | Page size | Format | Producer | Consumer |", "|---|---|---|---|---|---|"]
    purposes = []
    for each in plan.buffers:
        buffer = each.buffer
        index, size = f"c_{buffer.index}", f"{buffer.page.value} = {each.page_bytes} B"
        row = [index, f"{each.formula} = {each.pages}", size, each.dtype.data_format.name]
        buffers.append(f"| {' | '.join([*row, *ends_of(schedule, buffer.name)])} |")
        purposes.append((f"{index} {buffer.name}", lifetime_of(schedule, buffer.name), buffer.purpose))
    return [
        "## Work",
        f"unit: {_UNITS[plan.rows.direction]}; {plan.split.describe()}",
        plan.describe(),
        *(f"{role}: {text}" for role, text in own_kernel_rows(operation, plan)),
        "",
        "## Circular buffers",
        *buffers,
        "",
        *table(purposes),
        "",
        "## Phases",
        *(phase_lines(plan.kernels.compute) or phase_section(plan)),
    ]


def _shape_text(extent: Extent) -> str:
    return {Extent.FULL: "[..., H, W]", Extent.ROW: "[W]", Extent.COLUMN: "[..., H, 1]", Extent.SCALAR: "[1, 1]"}[
        extent
    ]
