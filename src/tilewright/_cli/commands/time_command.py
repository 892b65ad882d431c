# SPDX-License-Identifier: Apache-2.0
"""``tilewright time``: modelled time on a card, what bounds it and what would help."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

from tilewright._cli.call_once import call_once
from tilewright._cli.card_options import add_ttnn_option
from tilewright._cli.check_target import NothingLaunchedError, refuse_operation_options, runs_on_card
from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import json_text, script_failed
from tilewright._cli.observed_target import ObservedTarget, nothing_launched, observe_here, observe_on_card
from tilewright._cli.operation_arguments import add_operation_options, add_tuned_option, declares_operation
from tilewright._cli.output_file import require_writable, write_output
from tilewright._cli.progress_line import ProgressLine
from tilewright._cli.run_script import run_script
from tilewright._cli.screen import wrapped
from tilewright._launch.observer import ObserverRequest, observed_launches
from tilewright._planner.row_program import Tensors
from tilewright._report.perf_csv import perf_csv
from tilewright._report.timeline import timeline_json
from tilewright.ops._operation import Operation
from tilewright.ops._options import Options
from tilewright.ops._other_plans import effects_of_other_plans
from tilewright.ops._outcome import Outcome
from tilewright.timing._advice import Advice, Effect, advise
from tilewright.timing._link_times import link_lines, link_times
from tilewright.timing._observer import TimeObserver
from tilewright.timing._replay import replay
from tilewright.timing._script_time import ScriptTime, script_time
from tilewright.timing._text import time_json, time_lines
from tilewright.timing._timed_launch import TimedLaunch, time_records

_DESCRIPTION = """
Run an operation, or a script in which `import ttnn` gives the simulated chip (the installed ttnn on a simulated card
if it is installed), and print the modelled time on a card. One launch is shown in full: busy and waiting time of each
processor, rates reached and possible, what bounds the launch, and what would help most. Several launches are shown as
one table: total time, operations ranked, what bounds them, repeated layers, functions of the script; --launch shows one
of them in full, --launches all. docs/timing.md states the accuracy of the model.
"""
_EXAMPLES = """
tilewright time centralize_w_rm --shape 1024x2048
tilewright time layernorm_fused_rm --arch blackhole --cores
tilewright time variance_w_rm --timeline run.json --csv ops.csv
tilewright time my_script.py --json -- --batch 4
tilewright time model.py --grid p100a --batch 8
tilewright time model.py --launch 12
TILEWRIGHT_RECORDS=records tilewright exec model.py; tilewright time records
"""


def build_parser() -> argparse.ArgumentParser:
    usage = "tilewright time [options] target [-- script arguments ...]"
    parser = CommandParser("time", _DESCRIPTION, _EXAMPLES, usage)
    parser.add_argument(
        "target",
        help="a script (.py), a shipped operation, a file with a declaration, the folder of a C++ operation, or a "
        "directory of records",
    )
    operations = parser.add_argument_group("operations")
    add_operation_options(operations, or_cards=True)
    add_tuned_option(operations)
    parser.add_argument("--cores", action="store_true", help="show the processors of every core")
    parser.add_argument("--timeline", metavar="FILE", type=Path, help="write a timeline of one launch for Perfetto")
    parser.add_argument(
        "--launch", metavar="N", type=int, help="show launch N in full, and take it for the timeline (default 1)"
    )
    parser.add_argument("--launches", action="store_true", help="show every launch in full")
    parser.add_argument(
        "--batch", metavar="N", type=int, help="tokens or images that the script works on: print how many a second"
    )
    parser.add_argument(
        "--csv", metavar="FILE", type=Path, help="write the launches in the format of tt-metal's profiler"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_ttnn_option(parser)
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:at])
    if options.batch is not None and options.batch < 1:
        parser.error(f"--batch is {options.batch}; a batch has at least 1 item")
    script = Path(options.target)
    other_plans: tuple[Effect, ...] = ()
    for name, path in (("--timeline", options.timeline), ("--csv", options.csv)):
        if path is not None:
            require_writable(parser, name, path)
    is_script = (script.suffix == ".py" or script.is_file()) and not declares_operation(options.target)
    if is_script and not script.is_file():
        parser.error(f"script {options.target!r} does not exist")
    if script.is_dir():
        status, launches = 0, time_records(script)
    elif is_script:
        refuse_operation_options(parser, options)
        seen = _timed_script(options, script, arguments[at + 1 :])
        status, launches = seen.status, seen.results
    else:
        status, (launches, other_plans) = 0, _timed_operation(parser, options)
    if status:
        if options.json:
            print(json_text("time", {"launches": []}, status, script_failed(script, status)))
        return status
    if not launches:
        none_kept = f"{options.target} holds no records of launches: TILEWRIGHT_RECORDS says where to keep them"
        raise NothingLaunchedError(none_kept if script.is_dir() else nothing_launched(options))
    if options.launch is not None and not 1 <= options.launch <= len(launches):
        parser.error(f"--launch is {options.launch}; there are launches 1 to {len(launches)}")
    _write_files(launches, options)
    _show(launches, options, other_plans)
    return 0


def _timed_script(options: argparse.Namespace, script: Path, arguments: list[str]) -> ObservedTarget:
    if runs_on_card(options):
        return observe_on_card(options, arguments, ObserverRequest("time"), quiet=options.json)
    return observe_here(lambda: (run_script(script, arguments), []), TimeObserver(), quiet=options.json)


def _timed_operation(
    parser: argparse.ArgumentParser, options: argparse.Namespace
) -> tuple[list[TimedLaunch], tuple[Effect, ...]]:
    """The launch of an operation, and what other plans of it would save."""
    effects: tuple[Effect, ...] = ()
    progress = ProgressLine()
    with observed_launches(TimeObserver()) as launches:

        def afterwards(operation: Operation, tensors: Tensors, chosen: Options, outcome: Outcome) -> None:
            nonlocal effects
            if len(outcome.parts) > 1:  # plans of several programs are tried part by part
                return
            effects = effects_of_other_plans(
                operation, tensors, chosen, outcome, launches, lambda words: progress.show(f"trying {words}")
            )

        call_once(parser, options, progress, afterwards)
    return launches, effects


def _write_files(launches: list[TimedLaunch], options: argparse.Namespace) -> None:
    if options.timeline is not None:
        record = launches[(options.launch or 1) - 1].record
        text = timeline_json(record, replay(record, keep_events=True))
        write_output("--timeline", options.timeline, text.encode())
    if options.csv is not None:
        columns, rows = launches[0].record.grid
        write_output("--csv", options.csv, perf_csv(launches, columns * rows).encode())


def _show(launches: list[TimedLaunch], options: argparse.Namespace, other_plans: tuple[Effect, ...]) -> None:
    """One launch in full; of several the table, unless they are asked for."""
    chosen = list(enumerate(launches, 1))
    if options.launch is not None:
        chosen = [chosen[options.launch - 1]]
    in_full = chosen if len(chosen) == 1 or options.launches else []
    progress = ProgressLine()
    table = script_time(launches, progress.show) if not in_full or options.batch is not None else None
    advice: list[tuple[int, TimedLaunch, Advice]] = []
    for number, launch in in_full:
        progress.show(f"looking for what would help launch {number}")
        advice.append((number, launch, advise(launch.record, launch.time, other_plans)))
    progress.clear()
    if options.json:
        _show_json(launches, advice, table, options.batch)
        return
    if table is not None:
        print("\n".join(row for line in table.lines(options.batch) for row in wrapped(line)))
    for number, launch, each in advice:
        if len(launches) > 1:
            print(
                f"{'' if (number, table) == (1, None) else chr(10)}launch {number}: {launch.operation or launch.label}"
            )
        lines = time_lines(launch.time, each, each_core=options.cores)
        print("\n".join(row for line in lines for row in wrapped(line)))
    print("".join(f"{row}\n" for line in link_lines(launches) for row in wrapped(line) or [""]), end="")


def _show_json(
    launches: list[TimedLaunch],
    advice: list[tuple[int, TimedLaunch, Advice]],
    table: ScriptTime | None,
    batch: int | None,
) -> None:
    in_full = {number: each for number, _, each in advice}
    found = [
        {"operation": launch.operation, "kernels": launch.label, **time_json(launch.time, in_full.get(number))}
        for number, launch in enumerate(launches, 1)
    ]
    whole = {} if table is None else {"total": table.json(batch)}
    links = [dataclasses.asdict(each) for each in link_times(launches)]
    print(json_text("time", {**whole, "launches": found, **({"links": links} if links else {})}))
