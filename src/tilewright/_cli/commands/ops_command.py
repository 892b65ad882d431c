# SPDX-License-Identifier: Apache-2.0
"""``tilewright ops``: the operations that other commands take."""

from __future__ import annotations

import argparse
from pathlib import Path

from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import json_text
from tilewright._cli.operation_arguments import declares_operation
from tilewright._planner.plan_text import table
from tilewright._workshop.home import names_in
from tilewright.ops import OPERATIONS


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "ops",
        "List operations: the shipped ones, and those that Python files of a folder declare.",
        """
        tilewright ops
        tilewright ops my_operations --json
        """,
    )
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), help="folder to look in (default: this one)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    if not options.folder.is_dir():
        parser.error(f"folder is {str(options.folder)!r}; it must be a folder that exists")
    rows = [(name, "shipped", each.formula) for name, each in OPERATIONS.items()]
    for file in sorted(options.folder.glob("*.py")):
        if declares_operation(str(file)):
            rows += [(name, str(file), "") for name in names_in(file)]
    if options.json:
        print(json_text("ops", {"operations": [{"name": each[0], "where": each[1]} for each in rows]}))
    else:
        print("\n".join(table(rows)))
    return 0
