# SPDX-License-Identifier: Apache-2.0
"""``tilewright report``: run a script or an operation under the checker and write what happened as a page."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tilewright._cli.card_options import add_ttnn_option
from tilewright._cli.check_operation import OperationCall
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
from tilewright._cli.json_output import json_text, script_failed
from tilewright._cli.operation_arguments import chosen_card
from tilewright._cli.output_file import require_writable, write_output
from tilewright._cli.progress_line import ProgressLine
from tilewright._cli.report_on_card import reported_on_card
from tilewright._display.error_map import error_map
from tilewright._report.html_page import html_page
from tilewright._report.launch_view import SeenLaunch, View, launch_name, launch_view
from tilewright._report.picture import picture_svg
from tilewright._report.timed_view import MOST_SPANS, num_spans, with_time
from tilewright._workshop.trace.steps import steps_of
from tilewright.check._check_program import CheckResult
from tilewright.check._every_launch import every_launch_checked
from tilewright.check._orders import restore_tensors, save_tensors
from tilewright.check._report import Report
from tilewright.ops import Plan
from tilewright.ops._accuracy import held, share_of_allowed
from tilewright.timing._every_launch import TimedLaunch, time_program
from tilewright.timing._replay import replay

_DESCRIPTION = """
Run a script, in which `import ttnn` gives the simulated chip (the installed ttnn on a simulated card where there is
one), or an operation of tilewright, and write one HTML file: the cores, their timeline on the modelled clock of a card,
what each phase takes of it, the NoC, who waits for whom in a deadlock, findings with their source lines, errors over
the result, circular buffers filling and draining, who pushes and pops what, and a map of L1. It opens in any browser
and loads nothing. A file that ends in .svg gets one picture instead: cores and timeline of the first launch, or, where
a launch failed, who waits for whom. Every launch is under the checker, except those of the installed ttnn (`tilewright
check`).

Exit status: 0 the report is written, 1 the script failed (the report is written all the same), 2 bad usage.
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
        "-o", "--output", type=Path, default=Path("report.html"), metavar="FILE", help="default: report.html"
    )
    parser.add_argument(
        "--compare",
        action="store_true",
        help="set each result of the real ttnn beside its operation's golden function, and show where it is off",
    )
    parser.add_argument("--json", action="store_true", help="say what was found and written as JSON")
    add_ttnn_option(parser)
    return parser


class _Session:
    """The launches so far, as the page shows them."""

    def __init__(self) -> None:
        self.views: list[View] = []
        self.progress = ProgressLine()
        self._phases: dict[int, str] = {}
        self._spans_left = 2 * MOST_SPANS

    def take_plan(self, plan: Plan) -> None:
        """What an operation calls its phases."""
        indices = {each.buffer.name: each.buffer.index for each in plan.buffers}
        steps = [step for step in steps_of(plan.schedule) if step.number]
        self._phases = {indices[step.buffer]: f"{step.name} = {step.expression}" for step in steps}

    def take(self, result: CheckResult) -> None:
        """As soon as a launch has ended: its device may be closed later."""
        view = launch_view(SeenLaunch.of_check(result, launch_name(result.program)))
        if result.error is None:
            view = with_time(view, _timed_again(result), self._phases, min(self._spans_left, MOST_SPANS))
            self._spans_left -= num_spans(view)
        self.views.append(view)
        self.progress.show(f"launch {len(self.views)}")

    def take_call(self, call: OperationCall) -> None:
        """Where the result of the last launch is wrong; of several results, the worst."""
        wanted = call.operation.bounds(call.outcome.plan, held(call.tensors), call.parameters)
        results = [each.to_numpy().astype(np.float64) for each in call.outcome.outputs]
        shares = [share_of_allowed(*each) for each in zip(results, wanted.exact, wanted.allowed, strict=True)]
        worst = max(range(len(shares)), key=lambda index: shares[index].max())
        reference = f"the formula of {call.operation.output_names[worst]} in float64"
        self.views[-1]["difference"] = error_map(shares[worst], results[worst], wanted.exact[worst], reference)


def run(arguments: list[str]) -> int:
    parser = build_parser()
    ours, script_arguments = split_arguments(arguments)
    options = parser.parse_args(ours)
    require_writable(parser, "--output", options.output)
    if runs_on_card(options):
        require_script_options(parser, options, ("shape", "dtype", "plan"))
        return _report_real_ttnn(options, script_arguments)
    if options.compare:
        parser.error("--compare is for scripts of the real ttnn; operations are compared with their formula anyway")
    session = _Session()
    work = target_work(
        parser, options, script_arguments, session.progress, session.take_plan, on_call=session.take_call
    )
    with _quiet_script(options), every_launch_checked(on_result=session.take) as results:
        try:
            status, _ = work()
        except SystemExit as end:
            status = exit_status(end)
    session.progress.clear()
    words = f"{Report.of(results).summary}{_wrong_words(session.views)}; {options.output} shows it"
    return _written(options, session.views, status, words)


def _report_real_ttnn(options: argparse.Namespace, arguments: list[str]) -> int:
    """Runs the script in a process of its own, with a card that keeps every launch."""
    script = [options.target, *arguments]
    status, views = reported_on_card(script, chosen_card(options), compares=options.compare, quiet=options.json)
    plural = "" if len(views) == 1 else "es"
    words = f"{len(views)} launch{plural} of the real ttnn{_wrong_words(views)}; {options.output} shows them"
    return _written(options, views, status, words)


def _wrong_words(views: list[View]) -> str:
    """How many launches have a wrong result, where there are any."""
    wrong = sum(view["difference"] is not None and view["difference"]["wrong"] > 0 for view in views)
    return f", {wrong} with wrong elements" if wrong else ""


@contextlib.contextmanager
def _quiet_script(options: argparse.Namespace) -> Iterator[None]:
    """For machines: what the script prints goes to stderr."""
    with contextlib.redirect_stdout(sys.stderr) if options.json else contextlib.nullcontext():
        yield


def _written(options: argparse.Namespace, views: list[View], status: int, words: str) -> int:
    """Writes the page and says so; the exit status."""
    if not views and not status:
        raise NothingLaunchedError(f"{options.target} launched no program")
    if views:
        write_output("--output", options.output, _drawn(options, views).encode())
    if options.json:
        launches = [
            {
                **{name: view[name] for name in ("name", "status", "summary")},
                "findings": len(view["findings"]),
                "wrong_elements": None if view["difference"] is None else view["difference"]["wrong"],
            }
            for view in views
        ]
        found = {"launches": launches, "output": str(options.output) if views else None}
        print(json_text("report", found, status, script_failed(options.target, status)))
    elif views:
        print(words)
    return status


def _drawn(options: argparse.Namespace, views: list[View]) -> str:
    if options.output.suffix == ".svg":
        return picture_svg(next((view for view in views if view["error"] is not None), views[0]))
    return html_page(Path(options.target).name, views)


def _timed_again(result: CheckResult) -> TimedLaunch:
    """The same launch once more for its time; the tensors are left as the check left them."""
    kept = save_tensors(result.io_tensors)
    timed = time_program(result.io_tensors, result.program)
    restore_tensors(kept)
    return dataclasses.replace(timed, time=replay(timed.record, keep_events=True))
