# SPDX-License-Identifier: Apache-2.0
"""``tilewright show``: what an operation becomes on a chip, without running it."""

from __future__ import annotations

import argparse

from tilewright.cli.operation_arguments import DTYPES, add_operation_arguments, checked_grid
from tilewright.ops import OPERATIONS, Operation, Plan, Strategy
from tilewright.ops.phase_list import KEPT, phase_lines
from tilewright.ops.plan_text import buffer_lines, plan_lines
from tilewright.tensor.paper_device import paper_device


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tilewright show",
        description="Show what an operation becomes: its plan, phases and circular buffers (without other options), "
        "its kernels in C++, or the whole program.",
    )
    add_operation_arguments(parser)
    parser.add_argument("--cbs", action="store_true", help="plan, phases and circular buffers with their formulas")
    parser.add_argument("--cpp", action="store_true", help="the kernels in C++, as a card would compile them")
    parser.add_argument("--program", action="store_true", help="the program descriptor")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    operation = OPERATIONS[options.operation]
    device = paper_device(options.arch, checked_grid(parser, options))
    plan = operation.plan(
        options.shape or (2, 3, 64, 128),
        DTYPES[options.dtype or "bfloat16"],
        device,
        strategy=Strategy(options.plan) if options.plan else None,
    )
    parts = []
    if options.cbs or not (options.cpp or options.program):
        parts.append(_overview(operation, plan, options.arch))
    if options.cpp:
        parts.append(_sources(operation, plan))
    if options.program:
        parts.append(repr(operation.program(plan, operation.allocate(plan, device))))
    print("\n\n".join(parts))
    return 0


def _overview(operation: Operation, plan: Plan, arch: str) -> str:
    lines = [
        f"{operation.name} on {arch}",
        operation.formula,
        "",
        *plan_lines(plan, operation.output_shape(plan.rows.shape)),
        "",
        f"phases ({KEPT} keeps its pages)",
        *(f"  {line}" for line in phase_lines(operation.kernels[plan.strategy].compute)),
        "",
        *buffer_lines(plan),
    ]
    return "\n".join(lines)


def _sources(operation: Operation, plan: Plan) -> str:
    kernels = operation.kernels[plan.strategy]
    return "\n".join(f"// {kernel.role.value}: {kernel.name}.cpp\n{kernel.cpp_source()}" for kernel in kernels)
