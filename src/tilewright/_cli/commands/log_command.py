# SPDX-License-Identifier: Apache-2.0
"""``tilewright log``: the execution log of an operation, computed from what was run."""

from __future__ import annotations

import argparse
from pathlib import Path

from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import json_text
from tilewright._cli.output_file import require_writable, write_output
from tilewright._cpp_ops.folder_log import folder_log
from tilewright._cpp_ops.targets import is_operation_folder
from tilewright._logs.rendering import render_log
from tilewright._workshop.home import find_operation
from tilewright._workshop.operation_log import operation_log


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "log",
        "Compute the execution log of an operation from its breadcrumbs, in Markdown: values of the declaration, runs, "
        "attempts and results. `tilewright log note` adds notes and hypotheses.",
        """
        tilewright log my_op.py
        tilewright log my_op.py --output my_op_log.md
        tilewright log note my_op.py "gamma is read twice"
        tilewright log audit my_op_log.md
        """,
    )
    parser.add_argument(
        "operation",
        metavar="NAME",
        help="file with a declaration, a shipped operation, or the folder of a C++ operation",
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the log to FILE instead of printing it")
    parser.add_argument("--json", action="store_true", help="print the log as JSON")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.output is not None:
        require_writable(parser, "--output", options.output)
    folder = Path(options.operation)
    log = folder_log(folder) if is_operation_folder(folder) else operation_log(find_operation(options.operation))
    text = json_text("log", log.as_json()) if options.json else render_log(log).rstrip()
    if options.output is None:
        print(text)
        return 0
    write_output("--output", options.output, (text + "\n").encode())
    print(f"{options.output}: {len(text.splitlines())} lines")
    return 0
