# SPDX-License-Identifier: Apache-2.0
"""``tilewright show``: what an operation becomes on a chip, without running it."""

from __future__ import annotations

import argparse

from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import json_text
from tilewright._cli.operation_arguments import DTYPES, add_operation_arguments, checked_grid
from tilewright._cli.screen import wrapped
from tilewright._planner.plan_text import buffer_lines, plan_json, plan_lines, purpose_lines
from tilewright._tensor.paper_device import paper_device
from tilewright.ops import Operation, Plan, Strategy
from tilewright.ops._phase_list import KEPT, phase_lines
from tilewright.ops._specification_text import specification_lines


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
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    operation: Operation = options.operation
    device = paper_device(options.arch, checked_grid(parser, options))
    plan = operation.plan(
        options.shape or (2, 3, 64, 128),
        DTYPES[options.dtype or "bfloat16"],
        device,
        strategy=Strategy(options.plan) if options.plan else None,
    )
    parts = {}
    if options.cbs or not (options.spec or options.kernels or options.cpp or options.program):
        parts["overview"] = _overview(operation, plan, options.arch)
    if options.spec:
        lines = specification_lines(operation, plan)
        parts["spec"] = "\n".join(row for line in lines for row in wrapped(line))
    if options.kernels:
        form = operation.form(plan.rows.dtype)
        parts["kernels"] = operation.kernel_text(form, plan.strategy)
    if options.cpp:
        parts["cpp"] = _sources(plan)
    if options.program:
        text = repr(operation.program(plan, operation.allocate(plan, device)))
        parts["program"] = "\n".join(row for line in text.splitlines() for row in wrapped(line))
    if options.json:
        print(json_text("show", _as_json(operation, plan, options, parts)))
    else:
        print("\n\n".join(parts.values()))
    return 0


def _as_json(operation: Operation, plan: Plan, options: argparse.Namespace, parts: dict[str, str]) -> dict[str, object]:
    kernels = plan.kernels
    return {
        "operation": operation.name,
        "formula": operation.formula,
        "arch": options.arch,
        **plan_json(plan, operation.output_shapes(plan.rows.shape)),
        "phases": phase_lines(kernels.compute),
        **({"cpp": {each.name: each.cpp_source() for each in kernels}} if "cpp" in parts else {}),
        **{name: text for name, text in parts.items() if name in ("spec", "kernels", "program")},
    }


def _overview(operation: Operation, plan: Plan, arch: str) -> str:
    lines = [
        f"{operation.name} on {arch}",
        *operation.graph.lines(),
        "",
        *plan_lines(plan, operation.output_shapes(plan.rows.shape)),
        "",
        f"phases ({KEPT} keeps its pages)",
        *(f"  {line}" for line in phase_lines(plan.kernels.compute)),
        "",
        *buffer_lines(plan),
        "",
        *purpose_lines(plan),
    ]
    return "\n".join(row for line in lines for row in wrapped(line))


def _sources(plan: Plan) -> str:
    kernels = plan.kernels
    return "\n".join(f"// {kernel.role.value}: {kernel.name}.cpp\n{kernel.cpp_source()}" for kernel in kernels)
