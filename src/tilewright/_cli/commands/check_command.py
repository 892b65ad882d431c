# SPDX-License-Identifier: Apache-2.0
"""``tilewright check``: run a script or an operation under strict rules and say everything that is wrong."""

from __future__ import annotations

import argparse
import json
import shutil
import textwrap
from pathlib import Path
from typing import Any

from tilewright._cli.cache_findings import cache_summary, with_cache_findings
from tilewright._cli.card_options import add_ttnn_option
from tilewright._cli.check_claims import run_claims
from tilewright._cli.check_mutation import run_mutation
from tilewright._cli.check_target import (
    NothingLaunchedError,
    add_target_arguments,
    parsed_arguments,
    refuse_operation_options,
    runs_on_card,
    target_work,
)
from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import Error, error_object, json_text, script_failed
from tilewright._cli.observed_target import ObservedTarget, nothing_launched, observe_here, observe_on_card
from tilewright._cli.output_file import require_writable, write_output
from tilewright._cli.progress_line import ProgressLine
from tilewright._launch.observer import ObserverRequest
from tilewright._rules import RULES
from tilewright.check._l1_footprint import L1Footprint
from tilewright.check._observer import CheckedLaunch, CheckObserver
from tilewright.check._report import Report
from tilewright.check._sarif import sarif_log
from tilewright.check._sync_table import SyncTable
from tilewright.ops import Plan

_DESCRIPTION = """
Run a script, in which `import ttnn` gives the simulated chip, an operation, or the folder of a C++ operation, with
every launch under the checker: circular buffers, transfers in flight, compute state, values, arguments. Findings are
printed worst first.

Exit status: 0 nothing found, 1 findings (or the script failed), 2 bad usage.
"""
_EXAMPLES = """
tilewright check my_script.py
tilewright check my_script.py --sync --footprint --batch 4
tilewright check variance_w_rm --shape 2x3x64x128 --json
tilewright check my_script.py --mutate
tilewright check my_script.py --claims audit.sarif --sarif verdicts.sarif
"""


def build_parser() -> argparse.ArgumentParser:
    usage = "tilewright check [options] target [[--] script arguments ...]"
    parser = CommandParser("check", _DESCRIPTION, _EXAMPLES, usage)
    add_target_arguments(parser)
    parser.add_argument("--seeds", type=int, metavar="N", help="also run N randomised schedules")
    parser.add_argument("--sync", action="store_true", help="print the sync table of each program")
    parser.add_argument(
        "--footprint",
        action="store_true",
        help="print the L1 use of each program, with the smallest depths of circular buffers that work",
    )
    parser.add_argument(
        "--fast-check", action="store_true", help="only rules about calls: no values, no races; a third of the cost"
    )
    parser.add_argument(
        "--program-cache",
        action="store_true",
        help="call each operation of a ttnn script again with other addresses, scalars and rows; compare results "
        "from the program cache with those of a program built anew",
    )
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--brief", action="store_true", help="print one line for each of the first findings, for agents"
    )
    parser.add_argument(
        "--mutate",
        action="store_true",
        help="remove each synchronising call of each kernel alone, and print whether the checker or the values notice",
    )
    parser.add_argument(
        "--claims",
        metavar="FILE",
        type=Path,
        help="confirm or refute claims of another tool: SARIF, or lines of FILE:LINE RULE",
    )
    parser.add_argument(
        "--claim-rule",
        metavar="NAME=RULE",
        action="append",
        default=[],
        help="the rule that claims call NAME; RULE is one of --rules, or any; may be repeated",
    )
    add_ttnn_option(parser)
    parser.add_argument("--rules", action=_ListRules, help="list the rules and exit")
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


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options, script_arguments = parsed_arguments(parser, arguments)
    if options.seeds is not None and options.seeds < 0:
        parser.error(f"--seeds is {options.seeds}; it must be 0 or more")
    if options.sarif is not None:
        require_writable(parser, "--sarif", options.sarif)
    if options.claim_rule and options.claims is None:
        parser.error("--claim-rule is for --claims")
    if options.claims is not None:
        return run_claims(parser, options, script_arguments)
    if options.mutate:
        return run_mutation(parser, options, script_arguments)
    wanted = {name: getattr(options, name) for name in ("seeds", "sync", "footprint")}
    wanted["fast"] = options.fast_check
    if runs_on_card(options):
        refuse_operation_options(parser, options)
        seen = with_cache_findings(
            observe_on_card(
                options,
                script_arguments,
                ObserverRequest("check", wanted),
                quiet=options.json,
                program_cache=options.program_cache,
                unset_arguments=not options.fast_check,
            )
        )
    else:
        if options.program_cache:
            parser.error("--program-cache is for scripts of the real ttnn; an operation is called twice anyway")
        seen = _check_here(parser, options, script_arguments, CheckObserver(**wanted))
    if not seen.results and seen.error is None and (seen.status == 0 or not runs_on_card(options)):
        raise NothingLaunchedError(nothing_launched(options))
    return _show(options, seen)


def _check_here(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    script_arguments: list[str],
    observer: CheckObserver,
) -> ObservedTarget:
    """Run a script of the built-in module, or an operation, in this process."""

    def take_plan(plan: Plan) -> None:
        observer.formulas = {each.buffer.index: each.formula for each in plan.buffers}
        observer.steps = {(each.core.x, each.core.y): each.num_lines for each in plan.split.work}

    with ProgressLine() as progress:
        observer.progress = progress.show
        failed: list[BaseException] = []
        work = target_work(parser, options, script_arguments, progress, take_plan, failed.append)
        return observe_here(work, observer, failed, quiet=options.json)


def _show(options: argparse.Namespace, seen: ObservedTarget) -> int:
    """Print what was found; the exit status of the command."""
    report = Report.of(seen.results, seen.findings, seen.error)
    if options.sarif is not None:
        log = sarif_log([*report.findings, *report.notes], report.silenced)
        write_output("--sarif", options.sarif, (json.dumps(log, indent=2) + "\n").encode())
    status = 1 if report.findings else seen.status
    if not (seen.results or report.findings or seen.error or options.json) and status:
        print(f"no launch was checked: {options.target} ended with status {status}")
        return status
    print(_rendered(options, seen.results, report, status))
    if options.program_cache and not options.json:
        print(cache_summary(seen.cache_results))
    return status


def _error(report: Report, target: str, status: int) -> Error | None:
    return error_object("Findings", report.summary) if report.findings else script_failed(target, status)


def _rendered(options: argparse.Namespace, results: list[CheckedLaunch], report: Report, status: int) -> str:
    sync = {each.program: each.sync for each in results if each.sync is not None}
    footprints = {each.program: each.footprint for each in results if each.footprint is not None}
    tables: list[SyncTable | L1Footprint] = [*sync.values(), *footprints.values()]
    if options.json:
        out: dict[str, Any] = report.as_dict()
        if options.sync:
            out["sync"] = [table.as_dict() for table in sync.values()]
        if options.footprint:
            out["footprint"] = [footprint.as_dict() for footprint in footprints.values()]
        return json_text("check", out, status, out["error"] or _error(report, options.target, status))
    if options.brief:
        return report.brief()
    if options.markdown:
        return "\n\n".join([*(table.markdown() for table in tables), report.markdown()])
    width = min(shutil.get_terminal_size().columns, 100)
    return "\n\n".join([*(table.text(width) for table in tables), report.text(width)])
