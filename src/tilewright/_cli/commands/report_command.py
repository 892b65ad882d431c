# SPDX-License-Identifier: Apache-2.0
"""``tilewright report``: run a script or an operation under the checker and write what happened as a page."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from tilewright._cli.card_options import add_ttnn_option
from tilewright._cli.check_operation import OperationCall
from tilewright._cli.check_target import (
    NothingLaunchedError,
    add_target_arguments,
    parsed_arguments,
    refuse_operation_options,
    runs_on_card,
    target_work,
)
from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import json_text, script_failed
from tilewright._cli.observed_target import ObservedTarget, nothing_launched, observe_here, observe_on_card
from tilewright._cli.output_file import require_writable, write_output
from tilewright._cli.progress_line import ProgressLine
from tilewright._display.error_map import error_map
from tilewright._launch.observer import ObserverRequest
from tilewright._report.html_page import html_page
from tilewright._report.launch_view import View
from tilewright._report.observer import ReportedLaunch, ReportObserver
from tilewright._report.picture import picture_svg
from tilewright._workshop.trace.steps import steps_of
from tilewright.check._report import Report
from tilewright.ops import Plan
from tilewright.ops._accuracy import held, share_of_allowed

_DESCRIPTION = """
Run a script, in which `import ttnn` gives the simulated chip (the installed ttnn on a simulated card if it is
installed), or an operation, under the checker, and write one HTML file: cores, timeline by modelled time, time per
phase, NoC traffic, which kernel waits for which in a deadlock, findings with their source lines, errors over the
result, fill levels of circular buffers, which kernels push and pop what, and a map of L1. The file opens in any
browser and loads nothing from the network. With a file name that ends in .svg, write one picture: cores and timeline
of the first launch or, if a launch failed, which kernel waits for which.

Exit status: 0 the report is written, 1 the script failed (the report is still written), 2 bad usage.
"""
_EXAMPLES = """
tilewright report variance_w_rm
tilewright report my_script.py -o run.html -- --batch 4
tilewright report model.py --compare --grid p150
tilewright report layernorm_fused_rm --shape 8x64x256 -o run.svg
tilewright report variance_w_rm --json
"""


def build_parser() -> argparse.ArgumentParser:
    usage = "tilewright report [options] target [-- script arguments ...]"
    parser = CommandParser("report", _DESCRIPTION, _EXAMPLES, usage)
    add_target_arguments(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("report.html"),
        metavar="FILE",
        help="HTML or SVG file (default: report.html)",
    )
    parser.add_argument(
        "--compare",
        action="store_true",
        help="compare each result of the real ttnn with its operation's golden function, and show where it differs",
    )
    parser.add_argument("--json", action="store_true", help="print findings and files as JSON")
    add_ttnn_option(parser)
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options, script_arguments = parsed_arguments(parser, arguments)
    require_writable(parser, "--output", options.output)
    if runs_on_card(options):
        refuse_operation_options(parser, options)
        request = ObserverRequest("report")
        seen = observe_on_card(options, script_arguments, request, quiet=options.json, compares=options.compare)
    else:
        if options.compare:
            parser.error("--compare is for scripts of the real ttnn; operations are compared with their formula anyway")
        seen = _report_here(parser, options, script_arguments)
    return _written(options, seen.status, _with_error_maps(seen.results))


def _report_here(
    parser: argparse.ArgumentParser, options: argparse.Namespace, script_arguments: list[str]
) -> ObservedTarget:
    """Run a script of the built-in module, or an operation, in this process."""
    observer = ReportObserver()

    def take_plan(plan: Plan) -> None:
        """Names of an operation's phases."""
        indices = {each.buffer.name: each.buffer.index for each in plan.buffers}
        steps = [step for step in steps_of(plan.schedule) if step.number]
        observer.phases = {indices[step.buffer]: f"{step.name} = {step.expression}" for step in steps}

    def take_call(call: OperationCall) -> None:
        observer.results[-1].view["difference"] = _error_map(call)

    with ProgressLine() as progress:
        observer.progress = progress.show
        failed: list[BaseException] = []
        work = target_work(parser, options, script_arguments, progress, take_plan, failed.append, take_call)
        return observe_here(work, observer, failed, quiet=options.json)


def _error_map(call: OperationCall) -> View:
    """Where the result of the last launch is wrong; of several results, the worst."""
    wanted = call.operation.outcome_bounds(call.outcome, held(call.tensors), call.parameters)
    results = [each.to_numpy().astype(np.float64) for each in call.outcome.outputs]
    shares = [share_of_allowed(*each) for each in zip(results, wanted.exact, wanted.allowed, strict=True)]
    worst = max(range(len(shares)), key=lambda index: shares[index].max())
    reference = f"the formula of {call.operation.output_names[worst]} in float64"
    return error_map(shares[worst], results[worst], wanted.exact[worst], reference)


def _with_error_maps(results: list[Any]) -> list[ReportedLaunch]:
    """The launches; a map of errors goes to the last launch of its operation before it."""
    launches: list[ReportedLaunch] = []
    for each in results:
        if isinstance(each, ReportedLaunch):
            launches.append(each)
            continue
        same = [every for every in launches if every.view["operation"].partition(" > ")[0] == each["operation"]]
        if same:
            same[-1].view["difference"] = each["map"]
    return launches


def _wrong_words(views: list[View]) -> str:
    """How many launches have a wrong result, where there are any."""
    wrong = sum(view["difference"] is not None and view["difference"]["wrong"] > 0 for view in views)
    return f", {wrong} with wrong elements" if wrong else ""


def _written(options: argparse.Namespace, status: int, launches: list[ReportedLaunch]) -> int:
    """Write the page and print where it is; the exit status."""
    if not launches and not status:
        raise NothingLaunchedError(nothing_launched(options))
    views = [each.view for each in launches]
    if views:
        write_output("--output", options.output, _drawn(options, views).encode())
    if options.json:
        shown = [
            {
                **{name: view[name] for name in ("name", "status", "summary")},
                "findings": len(view["findings"]),
                "wrong_elements": None if view["difference"] is None else view["difference"]["wrong"],
            }
            for view in views
        ]
        found = {"launches": shown, "output": str(options.output) if views else None}
        print(json_text("report", found, status, script_failed(options.target, status)))
    elif views:
        summary = Report.of([each.checked for each in launches]).summary
        print(f"{summary}{_wrong_words(views)}; {options.output} shows it")
    return status


def _drawn(options: argparse.Namespace, views: list[View]) -> str:
    if options.output.suffix == ".svg":
        return picture_svg(next((view for view in views if view["error"] is not None), views[0]))
    return html_page(Path(options.target).name, views)
