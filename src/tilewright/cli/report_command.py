# SPDX-License-Identifier: Apache-2.0
"""``tilewright report``: run a script or an operation under the checker and write what happened as a page."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

import numpy as np

from tilewright.check.check_program import CheckResult
from tilewright.check.every_launch import every_launch_checked
from tilewright.check.orders import restore_tensors, save_tensors
from tilewright.check.report import Report
from tilewright.cli.check_operation import OperationCall
from tilewright.cli.check_target import (
    NothingLaunchedError,
    add_target_arguments,
    exit_status,
    split_arguments,
    target_work,
)
from tilewright.cli.command_parser import CommandParser
from tilewright.cli.output_file import require_writable, write_output
from tilewright.cli.progress_line import ProgressLine
from tilewright.ops import Plan
from tilewright.ops.accuracy import held, share_of_allowed
from tilewright.report.difference_view import difference_view
from tilewright.report.html_page import html_page
from tilewright.report.launch_view import View, launch_view
from tilewright.report.picture import picture_svg
from tilewright.report.timed_view import with_time
from tilewright.timing.every_launch import TimedLaunch, time_program
from tilewright.timing.replay import replay
from tilewright.workshop.trace.steps import steps_of

_DESCRIPTION = """
Run a script, in which `import ttnn` gives the simulated chip, or an operation of tilewright, with every launch under
the checker, and write one HTML file: the cores, their timeline on the modelled clock of a card, what each phase takes
of it, the NoC, who waits for whom in a deadlock, findings with their source lines, errors over the result, circular
buffers filling and draining, who pushes and pops what, and a map of L1. It opens in any browser and loads nothing. A
file that ends in .svg gets one picture instead: cores and timeline of the first launch, or, where a launch failed, who
waits for whom.

Exit status: 0 the report is written, 1 the script failed (the report is written all the same), 2 bad usage.
"""
_EXAMPLES = """
tilewright report variance_w_rm
tilewright report my_script.py -o run.html -- --batch 4
tilewright report layernorm_fused_rm --shape 8x64x256 -o run.svg
"""


def build_parser() -> argparse.ArgumentParser:
    usage = "tilewright report [options] target [-- script arguments ...]"
    parser = CommandParser("report", _DESCRIPTION, _EXAMPLES, usage)
    add_target_arguments(parser)
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("report.html"), metavar="FILE", help="default: report.html"
    )
    return parser


class _Session:
    """The launches so far, as the page shows them."""

    def __init__(self) -> None:
        self.views: list[View] = []
        self.progress = ProgressLine()
        self._phases: dict[int, str] = {}

    def take_plan(self, plan: Plan) -> None:
        """What an operation calls its phases."""
        indices = {each.buffer.name: each.buffer.index for each in plan.buffers}
        steps = [step for step in steps_of(plan.schedule) if step.number]
        self._phases = {indices[step.buffer]: f"{step.name} = {step.expression}" for step in steps}

    def take(self, result: CheckResult) -> None:
        """As soon as a launch has ended: its device may be closed later."""
        view = launch_view(result, _launch_name(result))
        if result.error is None:
            view = with_time(view, _timed_again(result), self._phases)
        self.views.append(view)
        self.progress.show(f"launch {len(self.views)}")

    def take_call(self, call: OperationCall) -> None:
        """Where the result of the last launch is wrong."""
        wanted = call.operation.bounds(call.outcome.plan, held(call.tensors), call.parameters)
        exact, got = wanted.exact[0], call.outcome.output.to_numpy().astype(np.float64)
        share = share_of_allowed(got, exact, wanted.allowed[0])
        self.views[-1]["difference"] = difference_view(share, got, exact, "the formula in float64")


def run(arguments: list[str]) -> int:
    parser = build_parser()
    ours, script_arguments = split_arguments(arguments)
    options = parser.parse_args(ours)
    require_writable(parser, "--output", options.output)
    session = _Session()
    work = target_work(
        parser, options, script_arguments, session.progress, session.take_plan, on_call=session.take_call
    )
    with every_launch_checked(on_result=session.take) as results:
        try:
            status, _ = work()
        except SystemExit as end:
            status = exit_status(end)
    session.progress.clear()
    views = session.views
    if not views:
        if status:
            return status
        raise NothingLaunchedError(f"{options.target} launched no program")
    write_output("--output", options.output, _drawn(options, views).encode())
    print(f"{Report.of(results).summary}; {options.output} shows it")
    return status


def _drawn(options: argparse.Namespace, views: list[View]) -> str:
    if options.output.suffix == ".svg":
        return picture_svg(next((view for view in views if view["error"] is not None), views[0]))
    return html_page(Path(options.target).name, views)


def _launch_name(result: CheckResult) -> str:
    """What a launch is called: its compute kernel, or its first."""
    kernels = result.program.kernels
    named = next((kernel for kernel in kernels if kernel.is_compute), kernels[0])
    return named.name


def _timed_again(result: CheckResult) -> TimedLaunch:
    """The same launch once more for its time; the tensors are left as the check left them."""
    kept = save_tensors(result.io_tensors)
    timed = time_program(result.io_tensors, result.program)
    restore_tensors(kept)
    return dataclasses.replace(timed, time=replay(timed.record, keep_events=True))
