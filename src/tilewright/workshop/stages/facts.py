# SPDX-License-Identifier: Apache-2.0
"""What stages learn about an operation besides pass and fail, as breadcrumbs: buffers, work, kernels, pages moved."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from tilewright.check.sync_table import SyncRow, make_sync_table
from tilewright.device.run import Run
from tilewright.ops.operation import Operation
from tilewright.ops.plan import Plan
from tilewright.tensor.paper_device import paper_device
from tilewright.workshop.cases import DTYPES
from tilewright.workshop.home import Home
from tilewright.workshop.spec.calls import LIBRARY
from tilewright.workshop.spec.model import BufferSpec, Spec
from tilewright.workshop.spec.planned import buffer_pages, smallest_case
from tilewright.workshop.trace.call_sites import CallSite, call_sites
from tilewright.workshop.trace.steps import step_of, steps_of

# Name of an event, and its fields.
Crumbs: TypeAlias = list[tuple[str, dict[str, object]]]


def plan_facts(operation: Operation, spec: Spec, home: Home) -> Crumbs:
    """Circular buffers as the spec asks for them and as the plan of the smallest test case has them; the work."""
    case = smallest_case(spec)
    plan = operation.plan(case.shape, DTYPES[case.dtype], paper_device("wormhole_b0"))
    crumbs: Crumbs = [("cb_requirement", _requirement(each, plan)) for each in spec.buffers]
    lines = {each.name: each.place.line for each in spec.buffers}
    for planned in plan.buffers:
        line = lines.get(planned.buffer.name)
        source = f"spec.toml:{line} ({planned.formula})" if line else "not in the spec"
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
    work = spec.work.place.line
    for parameter, value in (
        ("work unit", spec.work.unit),
        ("units", f"{spec.work.count} = {plan.rows.num_tile_rows} for {list(case.shape)}"),
        ("distribution", plan.split.describe()),
        ("plan", plan.describe()),
    ):
        fields = {"parameter": parameter, "value": value, "source": f"spec.toml:{work}"}
        crumbs.append(("work_distribution", fields))
    return crumbs


def _requirement(buffer: BufferSpec, plan: Plan) -> dict[str, object]:
    pages, page_bytes = buffer_pages(buffer, plan)
    return {
        "index": f"c_{buffer.index}",
        "num_pages": str(pages),
        "page_size": f"{page_bytes} B",
        "purpose": buffer.purpose,
        "producer": buffer.producer,
        "consumer": buffer.consumer,
    }


def run_facts(operation: Operation, plan: Plan, run: Run, home: Home) -> Crumbs:
    """The kernels that ran and the pages they moved."""
    kernels = operation.kernels[plan.strategy]
    roles = {"reader": kernels.reader, "compute": kernels.compute, "writer": kernels.writer}
    crumbs: Crumbs = []
    for role, kernel in roles.items():
        index = [each.name for each in run.kernels].index(kernel.name)
        moved = [each for each in run.traffic if each.kernel == index]
        reads = sorted({run.cb_label(each.cb) for each in moved if each.wait_calls or each.pop_calls})
        writes = sorted({run.cb_label(each.cb) for each in moved if each.push_calls})
        fields: dict[str, object] = {
            "kernel": role,
            "file": "kernels.py" if str(home.directory) in kernel.path else kernel.path.rpartition("/")[2],
            "function": kernel.name,
            "reads": ", ".join(reads) or "DRAM",
            "writes": ", ".join(writes) or "DRAM",
        }
        crumbs.append(("kernel_implemented", fields))
    steps = {(each.core.x, each.core.y): each.num_tile_rows for each in plan.split.work}
    for row in make_sync_table(run, steps).groups[0].rows:
        crumbs.append(("cb_sync_check", _sync(row)))
    return crumbs


def compliance_facts(operation: Operation, spec: Spec, plan: Plan) -> Crumbs:
    """Where each phase of the spec is in the kernel that ran, and whether it is what the spec calls."""
    steps = steps_of(spec)
    sites = call_sites(operation.kernels[plan.strategy].compute)
    crumbs: Crumbs = []
    for step in steps:
        found = [each for each in sites if step_of(each, steps) == step]
        if not step.number:
            continue
        is_library = step.function in LIBRARY
        places = [f"{_called(each)} at {Path(each.chain[-1][0]).name}:{each.line}" for each in found]
        is_real = bool(found) and not any(each.is_stub for each in found)
        fields: dict[str, object] = {
            "phase": step.name,
            "directive": "USE HELPER" if is_library else "NO HELPER",
            "implementation": ", ".join(places) or "not called",
            "compliant": is_real and (not is_library or any(each.phase.name == step.function for each in found)),
        }
        crumbs.append(("design_compliance", fields))
    return crumbs


def _called(site: CallSite) -> str:
    """What a call is of, as a kernel that imports the library's phases names it."""
    return f"phases.{site.phase.name}" if site.phase.name in LIBRARY else site.phase.name


def _sync(row: SyncRow) -> dict[str, object]:
    index = row.cb.split()[0]
    is_kept = row.popped == 0 and row.pushed > 0
    per_step = row.pushed_per_step is not None and row.popped_per_step is not None and not is_kept
    # A buffer that is filled several times for a tile-row says so in all: no number of it must fit at once.
    fits = not per_step or (row.pushed_per_step or 0) <= row.num_pages or not row.is_balanced
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
