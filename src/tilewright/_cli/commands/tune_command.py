# SPDX-License-Identifier: Apache-2.0
"""``tilewright tune``: search plans of an operation with the time model."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import error_object, json_text
from tilewright._cli.operation_arguments import DTYPES, add_operation_arguments, checked_grid
from tilewright._cli.output_file import require_writable, write_output
from tilewright._cli.progress_line import ProgressLine
from tilewright._cli.screen import wrapped
from tilewright._launch.open_devices import close_device, open_device
from tilewright._planner.plan_text import buffer_lines, plan_lines
from tilewright.ops._tuned_plan import TunedFor, tuned_text
from tilewright.ops._tuning import Trial, Tuned, Tuner
from tilewright.timing._advice import TELLS_APART

_DESCRIPTION = """
Search for the fastest plan of an operation, one choice after another: resident or streaming and the size of blocks,
depths of circular buffers, cores, fidelity. Each plan is run, compared with float64 and timed by the model; the best
is run under the checker. Exit status 1 if the checker finds something.
"""
_EXAMPLES = """
tilewright tune variance_w_rm --shape 1024x2048
tilewright tune variance_w_rm --shape 1024x2048 --output best.json
tilewright run variance_w_rm --shape 1024x2048 --tuned best.json
tilewright tune layernorm_fused_rm --arch blackhole --error 0.5 --json
"""


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser("tune", _DESCRIPTION, _EXAMPLES)
    add_operation_arguments(parser)
    parser.add_argument(
        "--error", type=float, default=1.0, help="largest error, as a share of the operation's error bound (default 1)"
    )
    parser.add_argument(
        "--output", metavar="FILE", type=Path, help="write the best plan to FILE, for `run --tuned` and `time --tuned`"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    if not options.error > 0:
        parser.error(f"--error is {options.error}; it must be a positive share of the operation's bound")
    if options.plan:
        parser.error("--plan: tune tries both plans; leave it out")
    if options.output is not None:
        require_writable(parser, "--output", options.output)
    grid = checked_grid(parser, options)
    shape, dtype = options.shape or (2, 3, 64, 128), DTYPES[options.dtype or "bfloat16"]
    device = open_device(0, options.arch, grid=grid)
    try:
        with ProgressLine() as progress:

            def show(trial: Trial) -> None:
                progress.show(f"{trial.time.microseconds:.1f} us: {trial.choice.words}")

            tuner = Tuner(options.operation, shape, dtype, device, allowed=options.error, on_trial=show)
            tuned = tuner.tune()
        tuned_for = TunedFor.of(options.operation, shape, dtype, device)
    finally:
        close_device(device)
    if options.output is not None and not tuned.findings:
        write_output("--output", options.output, tuned_text(tuned.best.choice, tuned_for).encode())
    if options.json:
        message = "the checker has findings about the best plan"
        error = error_object("Findings", message) if tuned.findings else None
        print(json_text("tune", _as_json(tuned), 1 if tuned.findings else 0, error))
    else:
        lines = _lines(options.operation.output_shapes(shape), tuned)
        print("\n".join(row for line in lines for row in wrapped(line)))
    if tuned.findings:
        print("tilewright tune: the checker has findings about the best plan", file=sys.stderr)
    return 1 if tuned.findings else 0


def _lines(output_shapes: tuple[tuple[int, ...], ...], tuned: Tuned) -> list[str]:
    lines = ["time us  error  plan (error as a share of what is allowed)"]
    for trial in tuned.trials:
        mark = " <- best" if trial is tuned.best else ""
        share = trial.accuracy.share_of_bound
        lines.append(f"{trial.time.microseconds:>7.1f}  {share:>5.0%}  {trial.choice.words}{mark}")
    lines += ["", *plan_lines(tuned.best.plan, output_shapes), "", *buffer_lines(tuned.best.plan), ""]
    return [*lines, _sentence(tuned), *tuned.findings]


def _sentence(tuned: Tuned) -> str:
    if tuned.best is tuned.first:
        return "Nothing that was tried is faster than what the planner does by itself."
    saving = (
        f"By the model the best plan found saves {100 * tuned.saving:.0f} % of {tuned.first.time.microseconds:.1f} us"
    )
    if tuned.saving < TELLS_APART:
        return f"{saving}, which is less than the model can tell ({100 * TELLS_APART:.0f} %)."
    return f"{saving}."


def _as_json(tuned: Tuned) -> dict[str, object]:
    def described(trial: Trial) -> dict[str, object]:
        choice = trial.choice
        return {
            "choice": choice.words,
            "strategy": trial.plan.strategy.value,
            "block_tiles": trial.plan.block_tiles,
            "pages": {f"c_{each.buffer.index}": each.pages for each in trial.plan.buffers},
            "cores": trial.time.num_cores,
            "fidelity": choice.fidelity.name,
            "microseconds": trial.time.microseconds,
            "share_of_error_bound": trial.accuracy.share_of_bound,
        }

    return {
        "first": described(tuned.first),
        "best": described(tuned.best),
        "saving": tuned.saving,
        "trials": [described(trial) for trial in tuned.trials],
        "findings": list(tuned.findings),
    }
