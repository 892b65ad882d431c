# SPDX-License-Identifier: Apache-2.0
"""``tilewright check``: run a script or an operation under strict rules and say everything that is wrong."""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tilewright._cli.card_options import add_ttnn_option
from tilewright._cli.check_on_card import checked_on_card
from tilewright._cli.check_target import (
    NothingLaunchedError,
    add_target_arguments,
    exit_status,
    require_script_options,
    runs_on_card,
    split_arguments,
    target_work,
)
from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import Error, error_object, json_text, script_failed
from tilewright._cli.operation_arguments import chosen_card
from tilewright._cli.output_file import require_writable, write_output
from tilewright._cli.progress_line import ProgressLine
from tilewright._diagnose.deadlock import pages
from tilewright.check._check_program import CheckResult
from tilewright.check._every_launch import every_launch_checked
from tilewright.check._finding import Core, Finding
from tilewright.check._l1_footprint import L1Footprint, make_footprint
from tilewright.check._report import Report
from tilewright.check._reuse import structure
from tilewright.check._rules import RULES
from tilewright.check._sarif import sarif_log
from tilewright.check._smallest_depths import smallest_depths
from tilewright.check._sync_table import SyncTable, make_sync_table
from tilewright.ops import Plan

_DESCRIPTION = """
Run a script, in which `import ttnn` gives the simulated chip, or an operation of tilewright, with every launch under
strict rules: circular buffers, transfers in flight, compute state, values, arguments. Findings are printed worst first.

Exit status: 0 nothing found, 1 findings (or the script failed), 2 bad usage.
"""
_EXAMPLES = """
tilewright check my_script.py
tilewright check my_script.py --sync --footprint -- --batch 4
tilewright check variance_w_rm --shape 2x3x64x128 --json
"""


def build_parser() -> argparse.ArgumentParser:
    usage = "tilewright check [options] target [-- script arguments ...]"
    parser = CommandParser("check", _DESCRIPTION, _EXAMPLES, usage)
    add_target_arguments(parser)
    parser.add_argument("--seeds", type=int, metavar="N", help="orders of events to try besides the usual one")
    parser.add_argument("--sync", action="store_true", help="print the sync table of each program")
    parser.add_argument(
        "--footprint",
        action="store_true",
        help="print the L1 footprint of each program, with the smallest depths that still work",
    )
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--brief", action="store_true", help="a line for each of the first findings, for agents")
    add_ttnn_option(parser)
    parser.add_argument("--rules", action=_ListRules, help="list the rules and end")
    parser.add_argument("--sarif", metavar="FILE", type=Path, help="also write the findings as SARIF 2.1.0")
    return parser


class _ListRules(argparse.Action):
    """Prints the catalogue, as ``--help`` does the help."""

    def __init__(self, option_strings: list[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *rest: object) -> None:
        columns = min(shutil.get_terminal_size().columns, 120)
        for rule in RULES.values():
            print(textwrap.fill(f"{rule.id} ({rule.severity}): {rule.title}", columns, subsequent_indent="  "))
        parser.exit()


class _Session:
    """The launches of one check, and what is wanted of each."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self.progress = ProgressLine()
        self.launches = 0
        self.sync: dict[str, SyncTable] = {}
        self.footprints: dict[str, L1Footprint] = {}
        self._formulas: dict[int, str] = {}
        self._steps: dict[Core, int] | None = None

    def take_plan(self, plan: Plan) -> None:
        """What an operation says about its launches."""
        self._formulas = {each.buffer.index: each.formula for each in plan.buffers}
        self._steps = {(each.core.x, each.core.y): each.num_lines for each in plan.split.work}

    def take(self, result: CheckResult) -> None:
        """Looks at a launch as soon as it has ended: its device may be closed later."""
        self.launches += 1
        self.progress.show(f"launch {self.launches} checked, findings: {len(result.findings)}")
        program = repr(structure(result.program))
        if self._options.sync and result.run is not None and program not in self.sync:
            self.sync[program] = make_sync_table(result.run, self._steps)
        if self._options.footprint and program not in self.footprints:
            device = result.io_tensors[-1].device()
            assert device is not None
            smallest = None
            if result.error is None:
                smallest = smallest_depths(
                    result.io_tensors,
                    result.program,
                    progress=lambda cb, depth: self.progress.show(f"smallest depths: {cb} with {pages(depth)}"),
                )
            self.footprints[program] = make_footprint(result.program, device, result.run, self._formulas, smallest)

    def clear(self) -> None:
        self.progress.clear()


def run(arguments: list[str]) -> int:
    parser = build_parser()
    ours, script_arguments = split_arguments(arguments)
    options = parser.parse_args(ours)
    if options.seeds is not None and options.seeds < 0:
        parser.error(f"--seeds is {options.seeds}; it must be 0 or more")
    if options.sarif is not None:
        require_writable(parser, "--sarif", options.sarif)
    session = _Session(options)
    if runs_on_card(options):
        return _check_real_ttnn(parser, options, script_arguments, session)
    failed: list[BaseException] = []
    work = target_work(parser, options, script_arguments, session.progress, session.take_plan, failed.append)
    found: list[Finding] = []
    with _findings_only(options), every_launch_checked(options.seeds, session.take) as results:
        try:
            status, found = work()
        except SystemExit as end:
            status = exit_status(end)
            failed += [end] if status else []
    session.clear()
    if not results and not failed:
        raise NothingLaunchedError(f"{options.target} launched no program")
    return _show(options, session, Report.of(results, found, failed[0] if failed else None), status)


def _check_real_ttnn(
    parser: argparse.ArgumentParser, options: argparse.Namespace, arguments: list[str], session: _Session
) -> int:
    """Runs the script in a process of its own, with a card whose every launch is checked."""
    require_script_options(parser, options, ("shape", "dtype", "plan"))
    for name in ("seeds", "sync", "footprint"):
        if getattr(options, name):
            parser.error(f"--{name} is for programs of the built-in ttnn; give --ttnn built-in with it")
    status, report = checked_on_card([options.target, *arguments], chosen_card(options), quiet=options.json)
    if not report.launches and not report.not_run and status == 0:
        hint = "a script that imports tilewright's own module needs --ttnn built-in"
        raise NothingLaunchedError(f"{options.target} launched no program on the card; {hint}")
    return _show(options, session, report, status)


def _show(options: argparse.Namespace, session: _Session, report: Report, status: int) -> int:
    """Prints what was found, and gives the exit status that says so."""
    if options.sarif is not None:
        log = sarif_log([*report.findings, *report.notes], report.silenced)
        write_output("--sarif", options.sarif, (json.dumps(log, indent=2) + "\n").encode())
    status = 1 if report.findings else status
    print(_rendered(options, session, report, status))
    return status


@contextlib.contextmanager
def _findings_only(options: argparse.Namespace) -> Iterator[None]:
    """For machines: what the script prints goes to stderr."""
    if not options.json:
        yield
        return
    with contextlib.redirect_stdout(sys.stderr):
        yield


def _error(report: Report, target: str, status: int) -> Error | None:
    return error_object("Findings", report.summary) if report.findings else script_failed(target, status)


def _rendered(options: argparse.Namespace, session: _Session, report: Report, status: int) -> str:
    tables: list[SyncTable | L1Footprint] = [*session.sync.values(), *session.footprints.values()]
    if options.json:
        out: dict[str, Any] = report.as_dict()
        if options.sync:
            out["sync"] = [table.as_dict() for table in session.sync.values()]
        if options.footprint:
            out["footprint"] = [footprint.as_dict() for footprint in session.footprints.values()]
        return json_text("check", out, status, out["error"] or _error(report, options.target, status))
    if options.brief:
        return report.brief()
    if options.markdown:
        return "\n\n".join([*(table.markdown() for table in tables), report.markdown()])
    width = min(shutil.get_terminal_size().columns, 100)
    return "\n\n".join([*(table.text(width) for table in tables), report.text(width)])
