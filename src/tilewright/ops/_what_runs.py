# SPDX-License-Identifier: Apache-2.0
"""The program of an operation's call: the plan with the operation's own kernels, or the operation's own program."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path

from tilewright._launch.program_text import core_count, program_lines
from tilewright._planner.plan import Plan
from tilewright._planner.plan_text import buffer_lines, plan_json, plan_lines, table
from tilewright._program.program import ProgramDescriptor
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright.kernels import Kernel
from tilewright.kernels._cpp_kernel import CppKernel
from tilewright.ops._operation import Operation


def kernel_file(kernel: Kernel) -> str:
    """Name of the file that a kernel is written in."""
    return kernel.file.name if isinstance(kernel, CppKernel) else Path(kernel.path).name


def kernel_text(kernel: Kernel) -> str:
    """A kernel as it is written: C++, or Python."""
    return kernel.cpp_source() if isinstance(kernel, CppKernel) else inspect.getsource(kernel.function)


def split_lines(parts: Sequence[Operation]) -> list[str]:
    """The programs of an operation that needs several, and the intermediates between them; empty for one program."""
    if len(parts) == 1:
        return []
    rows = []
    for each in parts:
        made = ", ".join(
            f"{name}: {dtype.name.lower()}"
            for name, dtype in zip(each.makes, each.output_dtypes(DataType.BFLOAT16), strict=True)
        )
        rows.append((each.name, f"{made} = {each.graph.text()}"))
    heading = f"{len(rows)} programs, intermediates in DRAM (dtypes for bfloat16):"
    return [heading, *(f"  {line}" for line in table(rows)), ""]


def own_kernel_rows(operation: Operation, plan: Plan) -> list[tuple[str, str]]:
    """A row for each kernel of the operation's own: role, and name with file."""
    return [
        (role, f"{each.name} in {kernel_file(each)}, the operation's own")
        for role, each in operation.own_kernels(plan).items()
    ]


def what_runs_lines(
    operation: Operation, plan: Plan, program: ProgramDescriptor, device: Device, phases: Sequence[str] = ()
) -> list[str]:
    """Shapes, cores, kernels and circular buffers of what runs.

    Args:
        program: of the call; looked at where it is the operation's own.
        phases: lines about the plan's phases, to stand before its buffers.
    """
    shapes = operation.output_shapes(plan.rows.shape)
    if operation.choices.program is None:
        own = own_kernel_rows(operation, plan)
        between = ["", *phases, ""] if phases else [""]
        return [*plan_lines(plan, shapes), *(table(own) if own else []), *between, *buffer_lines(plan)]
    results = ", ".join(str(list(each)) for each in shapes)
    rows = [
        ("shape", f"{list(plan.rows.shape)} -> {results}, {plan.rows.dtype.name.lower()}"),
        ("program", f"the operation's own, on {core_count(program)}"),
    ]
    return [*table(rows), "", *program_lines(program, _no_words, device.description.l1_unreserved_base)]


def what_runs_json(operation: Operation, plan: Plan, program: ProgramDescriptor) -> dict[str, object]:
    """The same for machines; of a program of its own, its configured buffers and kernels."""
    shapes = operation.output_shapes(plan.rows.shape)
    if operation.choices.program is None:
        own = {role: kernel_file(each) for role, each in operation.own_kernels(plan).items()}
        return {**plan_json(plan, shapes), "own_kernels": own}
    return {
        "shape": list(plan.rows.shape),
        "output_shapes": [list(each) for each in shapes],
        "dtype": plan.rows.dtype.name.lower(),
        "plan": "own program",
        "num_cores": program.all_cores().num_cores(),
        "l1_bytes": sum(each.total_size for each in program.cbs if not each.is_over_tensor()),
        "kernels": [{"name": each.name, "cores": str(each.core_ranges)} for each in program.kernels],
        "circular_buffers": configured_buffers(program),
    }


def configured_buffers(program: ProgramDescriptor) -> list[dict[str, object]]:
    """Every index of every circular buffer, as it is configured."""
    return [
        {
            "index": each.buffer_index,
            "name": each.name,
            "pages": cb.total_size // max(each.page_size, 1),
            "page_bytes": each.page_size,
            "bytes": cb.total_size,
            "format": each.data_format.name,
            "cores": str(cb.core_ranges),
        }
        for cb in program.cbs
        for each in cb.format_descriptors
    ]


def _no_words(core: tuple[int, int], address: int, count: int) -> list[int]:
    """No arguments in L1: those of a described program are in the descriptor."""
    return []


def words_of(operation: Operation, plan: Plan, program: ProgramDescriptor) -> str:
    """Strategy and cores in a few words."""
    if operation.choices.program is not None:
        return f"with a program of its own on {core_count(program)}"
    cores: Sequence[object] = plan.split.work
    return f"{plan.strategy.value} on {len(cores)} cores"
