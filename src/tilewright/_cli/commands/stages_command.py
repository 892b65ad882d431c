# SPDX-License-Identifier: Apache-2.0
"""``tilewright stages``: run the stage tests of an operation."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

from tilewright._cli.command_parser import CommandParser, seconds
from tilewright._cli.folder_stages import run_folder_stages
from tilewright._cli.json_output import error_object, json_text
from tilewright._cli.progress_line import ProgressLine
from tilewright._cli.screen import has_colour
from tilewright._workshop.home import Home, find_operation
from tilewright._workshop.stages.running import run_stages
from tilewright._workshop.stages.stage import STAGES, Stage, StageResult
from tilewright._workshop.stages.table import (
    brief_failure,
    brief_lines,
    coloured,
    failure_lines,
    head_line,
    last_line,
    plain,
    result_json,
    stage_lines,
)
from tilewright._workshop.stages.watching import snapshot, wait_for_change

_DESCRIPTION = """
Run the tests of an operation in seven stages, from an existing API (1) to correct numbers (7). Each stage runs in its
own process. The command stops at the first failed stage. For wrong numbers it names the first wrong phase and shows
where its circular buffer is wrong. Results are recorded as breadcrumbs, from which `tilewright log` computes the
execution log.

Exit status 0 if every selected stage passes, else 1.
"""
_EXAMPLES = """
tilewright stages my_op.py
tilewright stages my_op.py --stage 7
tilewright stages my_op.py --watch
tilewright stages my_op.py --brief
tilewright stages variance_w_rm --all --json
"""


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser("stages", _DESCRIPTION, _EXAMPLES)
    parser.add_argument(
        "operation",
        metavar="NAME",
        help="file with a declaration, a shipped operation, or the folder of a C++ operation",
    )
    parser.add_argument("--stage", type=int, metavar="N", help="run this stage only, 1 to 7")
    parser.add_argument("--all", action="store_true", help="continue after a failed stage")
    parser.add_argument("--watch", action="store_true", help="run again whenever a file changes, until Ctrl-C")
    parser.add_argument(
        "--time-limit", type=seconds, default=300.0, metavar="S", help="time limit of a stage in seconds (default 300)"
    )
    parser.add_argument(
        "--ttnn",
        choices=("real", "built-in"),
        help="for a folder: run on the installed ttnn or on tilewright's own module (default: real if installed)",
    )
    parser.add_argument(
        "--arch", choices=("wormhole_b0", "blackhole"), help="for a folder: the chip (default wormhole_b0)"
    )
    parser.add_argument("--link", action="store_true", help="for a folder: link it against the installed ttnn")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.add_argument("--brief", action="store_true", help="print passed stages and the first failure, for agents")
    parser.add_argument("--no-color", action="store_true", help="print without colours, as with NO_COLOR")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.stage is not None and not 1 <= options.stage <= len(STAGES):
        parser.error(f"--stage is {options.stage}; it must be 1 to {len(STAGES)}")
    if options.json and options.watch:
        parser.error("--json and --watch: a machine reads one result; give one of them")
    if Path(options.operation).is_dir():
        return run_folder_stages(Path(options.operation), options)
    for name in ("ttnn", "arch"):
        if getattr(options, name) is not None:
            parser.error(f"--{name} is for the folder of a C++ operation; a declaration's stages choose it themselves")
    home = find_operation(options.operation)
    stages = STAGES if options.stage is None else (STAGES[options.stage - 1],)
    if not options.watch:
        return _run_once(home, stages, options)
    while True:
        before = snapshot(home.directory)
        _run_once(home, stages, options)
        print("\nwaiting for a change; Ctrl-C ends", flush=True)
        changed = wait_for_change(home.directory, before)
        names = ", ".join(str(path.relative_to(home.directory)) for path in changed)
        print(f"\nchanged: {names}\n", flush=True)


def _formula(home: Home) -> str:
    """The formula; empty if the declaration cannot be imported, which the first stage reports."""
    with contextlib.suppress(Exception):
        return f": {home.operation().formula}"
    return ""


def _run_once(home: Home, stages: tuple[Stage, ...], options: argparse.Namespace) -> int:
    results: list[StageResult] = []
    paint = coloured if has_colour(sys.stdout) and not options.no_color else plain
    is_shown = not (options.json or options.brief)
    if is_shown:
        print(f"{home.name}{_formula(home)}\n\n{head_line()}", flush=True)
    with ProgressLine() as progress:
        for result in run_stages(home, stages, options.time_limit, options.all, progress.show):
            progress.clear()
            results.append(result)
            if is_shown:
                print("\n".join(stage_lines(result, paint)), flush=True)
    if options.json:
        red = next((each for each in results if each.status.is_red), None)
        error = error_object(red.error_type or red.status.value, brief_failure(red)) if red is not None else None
        says = {"operation": home.name, "stages": [result_json(each) for each in results]}
        print(json_text("stages", says, 1 if red is not None else 0, error))
    elif options.brief:
        print("\n".join(brief_lines(results)))
    else:
        for result in results:
            print("\n".join(failure_lines(result)), end="\n" if failure_lines(result) else "")
        print(f"\n{last_line(results)}", flush=True)
    return 1 if any(each.status.value != "PASS" for each in results) else 0
