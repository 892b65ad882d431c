# SPDX-License-Identifier: Apache-2.0
"""``tilewright export``: an operation as a package for hardware."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import json_text
from tilewright._cli.operation_arguments import add_operation_argument, shape
from tilewright.ops import Operation
from tilewright.ops._export import export_operation


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "export",
        "Write an operation as a Python package for a card: host code that uses ttnn.generic_op, the C++ kernels, and "
        "a test against torch. The package takes any shape and cores, bfloat16 and float32; it depends on ttnn, not on "
        "tilewright. With --tree, write a C++ operation into a checkout of tt-metal.",
        """
        tilewright export layernorm_fused_rm --output layernorm
        tilewright export variance_w_rm --shape 32x4096 --output v
        tilewright export variance_w_rm --tree ../tt-metal
        """,
    )
    add_operation_argument(parser)
    parser.add_argument(
        "--shape",
        type=shape,
        help="shape that the package's test runs, in addition to an uneven one (default 2x3x64x128)",
    )
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--output", type=Path, metavar="DIR", help="directory of the package; created if missing")
    where.add_argument(
        "--tree", type=Path, metavar="DIR", help="write a C++ operation into this checkout of tt-metal instead"
    )
    parser.add_argument(
        "--category", default="reduction", help="with --tree: folder below ttnn/operations (default reduction)"
    )
    parser.add_argument("--replace", action="store_true", help="write into a directory that is not empty")
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    operation: Operation = options.operation
    if options.tree is not None:
        if not (options.tree / "ttnn" / "cpp" / "ttnn" / "operations").is_dir():
            parser.error(
                f"--tree {options.tree} has no ttnn/cpp/ttnn/operations, so it is no checkout of tt-metal; "
                "`tilewright new NAME --cpp --from FILE` writes the folder elsewhere"
            )
        return _export_tree(options)
    tested = options.shape or (2, 3, 64, 128)
    command = f"tilewright export {operation.name} --output DIR"
    files = export_operation(operation, options.output, shape=tested, command=command, replace=options.replace)
    if options.json:
        print(json_text("export", {"operation": operation.name, "files": [str(path) for path in files]}))
        return 0
    for path in files:
        print(path)
    print("\nOn a machine with a card and ttnn:")
    print(f"  cd {shlex.quote(str(options.output))} && pytest test_{operation.name}.py")
    return 0


def _export_tree(options: argparse.Namespace) -> int:
    """Writes the operation as a folder of the tree."""
    from tilewright.ops._export.tree_code import write_tree

    operation: Operation = options.operation
    files = write_tree(operation, options.tree, options.category)
    if options.json:
        print(json_text("export", {"operation": operation.name, "files": [str(path) for path in files]}))
        return 0
    for path in files:
        print(path)
    print(f"\nNext:\n  tilewright build {shlex.quote(str(files[0].parent))}")
    print(f"  tilewright stages {shlex.quote(str(files[0].parent))}")
    return 0
