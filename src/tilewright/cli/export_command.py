# SPDX-License-Identifier: Apache-2.0
"""``tilewright export``: an operation as a package for hardware."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from tilewright.cli.command_parser import CommandParser
from tilewright.cli.json_output import json_text
from tilewright.cli.operation_arguments import DTYPES, add_operation_arguments, checked_grid
from tilewright.ops import Operation, Strategy
from tilewright.ops.export import export_operation
from tilewright.tensor.paper_device import paper_device


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "export",
        "Write an operation as a small Python package for a card: host code that uses ttnn.generic_op, the C++ "
        "kernels, and a test against torch. The package needs ttnn and nothing of tilewright.",
        """
        tilewright export layernorm_fused_rm --out layernorm
        tilewright export variance_w_rm --shape 32x4096 --dtype float32 --out v
        """,
    )
    add_operation_arguments(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where to write it; made if need be")
    parser.add_argument("--replace", action="store_true", help="write into a directory that is not empty")
    parser.add_argument("--json", action="store_true", help="say what was written as JSON")
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
    command = f"tilewright export {operation.name} --shape SHAPE --dtype DTYPE --arch {options.arch} --out DIR"
    files = export_operation(operation, plan, options.out, arch=options.arch, command=command, replace=options.replace)
    if options.json:
        print(json_text("export", {"operation": operation.name, "files": [str(path) for path in files]}))
        return 0
    for path in files:
        print(path)
    print("\nOn a machine with a card and ttnn:")
    print(f"  cd {shlex.quote(str(options.out))} && pytest test_{operation.name}.py")
    return 0
