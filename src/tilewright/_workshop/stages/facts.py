# SPDX-License-Identifier: Apache-2.0
"""Facts that stages record as breadcrumbs: buffers, work split, kernels, pages moved."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from tilewright._planner.model import Schedule
from tilewright._planner.plan import Plan, PlannedBuffer
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run
from tilewright._tensor.paper_device import paper_device
from tilewright._workshop.home import Home
from tilewright._workshop.required_buffers import case_plan
from tilewright._workshop.trace.call_sites import CallSite, call_sites
from tilewright._workshop.trace.steps import step_of, steps_of
from tilewright.check._sync_table import SyncRow, make_sync_table
from tilewright.formula._direction import Direction
from tilewright.kernels import phases
from tilewright.ops._operation import Operation
from tilewright.ops._specification_text import ends_of
from tilewright.ops._what_runs import configured_buffers

LIBRARY = frozenset(phases.__all__)
_UNITS = {Direction.ROWS: "N*C*Ht", Direction.COLUMNS: "N*C*Wt", Direction.SLABS: "N*C"}
# Name of an event, and its fields.
Crumbs: TypeAlias = list[tuple[str, dict[str, object]]]


def plan_facts(operation: Operation, home: Home) -> Crumbs:
    """Circular buffers as the declaration asks for them and as the program of one case has them; the work."""
    plan = case_plan(home)
    if operation.has_whole_program:
        return _own_program_facts(operation, plan, home)
    crumbs: Crumbs = [("cb_requirement", _requirement(each, plan.schedule)) for each in plan.buffers]
    for planned in plan.buffers:
        source = f"{home.file.name}:{home.line_of(planned.buffer.name)} ({planned.formula})"
        fields: dict[str, object] = {
            "index": f"c_{planned.buffer.index}",
            "num_pages": str(planned.pages),
            "page_size": f"{planned.page_bytes} B",
            "name": planned.buffer.name,
            "data_format": planned.dtype.data_format.name,
            "purpose": planned.buffer.purpose,
            "source": source,
        }
        crumbs.append(("cb_config", fields))
    for parameter, value in (
        ("work unit", plan.rows.direction.unit),
        ("units", f"{_UNITS[plan.rows.direction]} = {plan.rows.num_lines} for {list(plan.rows.shape)}"),
        ("distribution", plan.split.describe()),
        ("plan", plan.describe()),
    ):
        fields = {"parameter": parameter, "value": value, "source": f"{home.file.name}:{home.line_of(operation.name)}"}
        crumbs.append(("work_distribution", fields))
    return crumbs


def _own_program_facts(operation: Operation, plan: Plan, home: Home) -> Crumbs:
    """The configured buffers and cores of a program of its own; nothing says what they should be."""
    device = paper_device("wormhole_b0")
    program = operation.program(plan, operation.allocate(plan, device))
    return program_facts(program, f"{home.file.name}:{home.line_of(operation.name)} (a program of its own)")


def program_facts(program: ProgramDescriptor, source: str) -> Crumbs:
    """Circular buffers and cores of a program of which no plan is known."""
    crumbs: Crumbs = []
    for each in configured_buffers(program):
        fields: dict[str, object] = {
            "index": f"c_{each['index']}",
            "num_pages": str(each["pages"]),
            "page_size": f"{each['page_bytes']} B",
            "name": each["name"],
            "data_format": each["format"],
            "purpose": "not known",
            "source": source,
        }
        crumbs.append(("cb_config", fields))
    cores = [f"{each.name} on {each.core_ranges}" for each in program.kernels]
    for parameter, value in (("work unit", "not known"), ("distribution", "; ".join(cores)), ("plan", "own program")):
        crumbs.append(("work_distribution", {"parameter": parameter, "value": value, "source": source}))
    return crumbs


def _requirement(planned: PlannedBuffer, schedule: Schedule) -> dict[str, object]:
    producer, consumer = ends_of(schedule, planned.buffer.name)
    return {
        "index": f"c_{planned.buffer.index}",
        "num_pages": str(planned.pages),
        "page_size": f"{planned.page_bytes} B",
        "purpose": planned.buffer.purpose,
        "producer": producer,
        "consumer": consumer,
    }


def run_facts(operation: Operation, plan: Plan, run: Run) -> Crumbs:
    """The kernels that ran and the pages they moved."""
    is_own = operation.has_whole_program
    roles = {} if is_own else {each.name: each.role.value for each in plan.kernels}
    steps = None if is_own else {(each.core.x, each.core.y): each.num_lines for each in plan.split.work}
    return traffic_facts(run, roles, steps)


def traffic_facts(run: Run, roles: Mapping[str, str], steps: dict[tuple[int, int], int] | None) -> Crumbs:
    """The kernels of a run, by their roles or names, and the pages they moved; ``steps``: tile-rows of each core."""
    crumbs: Crumbs = []
    for index, kernel in enumerate(run.kernels):
        role = roles.get(kernel.name, kernel.name)
        moved = [each for each in run.traffic if each.kernel == index]
        reads = sorted({run.cb_label(each.cb) for each in moved if each.wait_calls or each.pop_calls})
        writes = sorted({run.cb_label(each.cb) for each in moved if each.push_calls})
        fields: dict[str, object] = {
            "kernel": role,
            "file": Path(kernel.path).name,
            "function": kernel.name,
            "reads": ", ".join(reads) or "DRAM",
            "writes": ", ".join(writes) or "DRAM",
        }
        crumbs.append(("kernel_implemented", fields))
    for row in make_sync_table(run, steps).groups[0].rows:
        crumbs.append(("cb_sync_check", _sync(row, in_all=steps is None)))
    return crumbs


def compliance_facts(operation: Operation, plan: Plan) -> Crumbs:
    """Where each phase is in the kernel that ran, and whether it is one of the library's.

    Nothing about a program of its own, or a compute kernel of its own that calls no phases: these are not the plan's.
    """
    steps = steps_of(plan.schedule)
    sites = call_sites(plan.kernels.compute)
    if operation.has_whole_program or (not sites and "compute" in operation.own_kernels(plan)):
        return []
    crumbs: Crumbs = []
    for step in steps:
        if not step.number:
            continue
        found = [each for each in sites if step_of(each, steps) is step]
        places = [f"{_called(each)} at {Path(each.chain[-1][0]).name}:{each.line}" for each in found]
        fields: dict[str, object] = {
            "phase": step.name,
            "directive": "USE HELPER" if any(each.phase.name in LIBRARY for each in found) else "NO HELPER",
            "implementation": ", ".join(places) or "not called",
            "compliant": bool(found),
        }
        crumbs.append(("design_compliance", fields))
    return crumbs


def _called(site: CallSite) -> str:
    """The function of a call, as a kernel that imports the library's phases names it."""
    return f"phases.{site.phase.name}" if site.phase.name in LIBRARY else site.phase.name


def _sync(row: SyncRow, in_all: bool) -> dict[str, object]:
    """A row of the sync table; ``in_all``: its steps are inferred and no tile-rows."""
    index = row.cb.split()[0]
    is_kept = row.popped == 0 and row.pushed > 0
    per_step = row.pushed_per_step is not None and row.popped_per_step is not None and not is_kept
    # A buffer that is filled several times for a tile-row gives their sum, of which no part must fit at once.
    is_small = not per_step or (row.pushed_per_step or 0) <= row.num_pages or not row.is_balanced
    fits = is_small and not in_all
    form = "{} pages per tile-row" if per_step and fits else "{} pages" if fits else "in all {} pages"
    pushed, popped = (row.pushed_per_step, row.popped_per_step) if per_step and fits else (row.pushed, row.popped)
    return {
        "index": index,
        "push": form.format(pushed) + (" once" if is_kept else ""),
        "pop": form.format(popped),
        "producer": ", ".join(row.producers),
        "consumer": ", ".join(row.consumers),
        "kept": is_kept,
    }
