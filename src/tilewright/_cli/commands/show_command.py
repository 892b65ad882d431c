# SPDX-License-Identifier: Apache-2.0
"""``tilewright show``: what an operation becomes on a chip, without running it."""

from __future__ import annotations

import argparse
import linecache
from collections.abc import Iterator, Sequence
from pathlib import Path

from tilewright._build.kernel_sources import source_path
from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import json_text
from tilewright._cli.operation_arguments import DTYPES, add_operation_arguments, checked_grid
from tilewright._cli.screen import wrapped
from tilewright._planner.plan_text import purpose_lines
from tilewright._program.kernel import SourceType
from tilewright._program.program import ProgramDescriptor
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._tensor.paper_device import paper_device
from tilewright._workshop.cases import LOGGED_CASE, usual_case
from tilewright.ops import Operation, Options, Plan, Strategy
from tilewright.ops._phase_list import phase_lines
from tilewright.ops._plan_by_clock import why_lines
from tilewright.ops._specification_text import phase_section, specification_lines
from tilewright.ops._what_runs import kernel_file, kernel_text, split_lines, what_runs_json, what_runs_lines


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "show",
        "Show what is derived from an operation's formula: plan, phases and circular buffers (default), specification, "
        "kernels in Python or C++, or the program descriptor.",
        """
        tilewright show variance_w_rm
        tilewright show layernorm_fused_rm --shape 1x32768 --cpp
        tilewright show centralize_w_rm --program
        """,
    )
    add_operation_arguments(parser)
    parser.add_argument(
        "--cbs", action="store_true", help="plan, phases and circular buffers with the formulas of their sizes"
    )
    parser.add_argument(
        "--spec", action="store_true", help="the specification: requirements, buffers, phases, roundings"
    )
    parser.add_argument("--kernels", action="store_true", help="the kernels in Python")
    parser.add_argument("--cpp", action="store_true", help="the kernels in C++")
    parser.add_argument("--program", action="store_true", help="the program descriptor")
    parser.add_argument(
        "--why", action="store_true", help="the plans that were predicted, the runner-up, and what decided"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    operation: Operation = options.operation
    device = paper_device(options.arch, checked_grid(parser, options))
    # A log that `log audit --spec` compares with the specification has the buffers of this case.
    default = usual_case(operation, LOGGED_CASE).shape if options.spec else (2, 3, 64, 128)
    shape, dtype = options.shape or default, DTYPES[options.dtype or "bfloat16"]
    parts, reason = operation.parts_that_fit(shape, dtype, device)
    shown = [_shown(each, shape, dtype, device, options, len(parts) > 1) for each in parts]
    if options.json:
        programs = [json for _, json in shown]
        whole = {"operation": operation.name, "formula": operation.formula, "arch": options.arch}
        print(json_text("show", programs[0] if len(programs) == 1 else {**whole, "programs": programs}))
    else:
        print("\n\n".join([*_split_texts(operation, parts, reason), *(text for text, _ in shown)]))
    return 0


def _split_texts(operation: Operation, parts: Sequence[Operation], reason: str) -> list[str]:
    """The formula and the programs of an operation that needs several, and why it does if it could need fewer."""
    lines = [*([reason, ""] if reason else []), *split_lines(parts)]
    texts = [operation.name, *operation.graph.lines(), "", *lines[:-1]] if lines else []
    return ["\n".join(row for line in texts for row in wrapped(line))] if texts else []


def _shown(
    operation: Operation,
    shape: tuple[int, ...],
    dtype: DataType,
    device: Device,
    options: argparse.Namespace,
    is_part: bool,
) -> tuple[str, dict[str, object]]:
    """One program as text and as JSON; ``is_part``: others are shown beside it."""
    strategy = Strategy(options.plan) if options.plan else None
    plan = operation.plan(shape, dtype, device, strategy=strategy)
    program = operation.program(plan, operation.allocate(plan, device))
    parts = {}
    if options.cbs or not (options.spec or options.kernels or options.cpp or options.program or options.why):
        parts["overview"] = _overview(operation, plan, program, device, options.arch)
    if options.why:
        lines = why_lines(operation.decision(shape, dtype, device, Options(strategy=strategy)))
        if is_part and "overview" not in parts:
            lines = [f"{operation.name}:", *lines]
        parts["why"] = "\n".join(row for line in lines for row in wrapped(line))
    if options.spec:
        lines = specification_lines(operation, plan, program, device)
        parts["spec"] = "\n".join(row for line in lines for row in wrapped(line))
    if options.kernels:
        parts["kernels"] = _kernel_texts(operation, plan, program)
    if options.cpp:
        parts["cpp"] = _sources(operation, plan, program)
    if options.program:
        text = repr(program)
        parts["program"] = "\n".join(row for line in text.splitlines() for row in wrapped(line))
    return "\n\n".join(parts.values()), _as_json(operation, plan, program, options, parts)


def _as_json(
    operation: Operation,
    plan: Plan,
    program: ProgramDescriptor,
    options: argparse.Namespace,
    parts: dict[str, str],
) -> dict[str, object]:
    is_own = operation.choices.program is not None
    return {
        "operation": operation.name,
        "formula": operation.formula,
        "arch": options.arch,
        **what_runs_json(operation, plan, program),
        "phases": [] if is_own else phase_lines(plan.kernels.compute),
        **({"cpp": dict(_cpp_texts(operation, plan, program))} if "cpp" in parts else {}),
        **{name: text for name, text in parts.items() if name in ("spec", "kernels", "program", "why")},
    }


def _overview(operation: Operation, plan: Plan, program: ProgramDescriptor, device: Device, arch: str) -> str:
    lines = [
        f"{operation.name} on {arch}",
        *operation.graph.lines(),
        "",
        *what_runs_lines(operation, plan, program, device, phase_section(plan)),
        *([] if operation.choices.program is not None else ["", *purpose_lines(plan)]),
    ]
    return "\n".join(row for line in lines for row in wrapped(line))


def _kernel_texts(operation: Operation, plan: Plan, program: ProgramDescriptor) -> str:
    """The kernels that run, as they are written; those that are not the operation's own are in one module."""
    if operation.choices.program is not None:
        return _sources(operation, plan, program)
    own = operation.own_kernels(plan)
    parts = [f"# {role}: {each.name} in {kernel_file(each)}\n{kernel_text(each)}" for role, each in own.items()]
    if len(own) < len(list(plan.kernels)):
        if own:
            parts.append(f"# Of the following, {' and '.join(own)} does not run: the operation has its own.\n")
        planned = next(each for each in plan.kernels if each not in own.values())
        parts.append("".join(linecache.getlines(planned.path)))
    return "\n".join(parts)


def _cpp_texts(operation: Operation, plan: Plan, program: ProgramDescriptor) -> Iterator[tuple[str, str]]:
    """Name and C++ of each kernel that runs."""
    if operation.choices.program is None:
        yield from ((each.name, each.cpp_source()) for each in plan.kernels)
        return
    for kernel in program.kernels:
        is_file = kernel.source_type is SourceType.FILE_PATH
        yield kernel.name, Path(source_path(kernel)).read_text("utf-8") if is_file else kernel.kernel_source


def _sources(operation: Operation, plan: Plan, program: ProgramDescriptor) -> str:
    return "\n".join(f"// {name}.cpp\n{text}" for name, text in _cpp_texts(operation, plan, program))
