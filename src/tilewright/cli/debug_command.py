# SPDX-License-Identifier: Apache-2.0
"""``tilewright debug``: stop kernels at lines and look inside."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import io
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tilewright.cli.call_once import call_once
from tilewright.cli.check_target import NothingLaunchedError, add_target_arguments, exit_status, split_arguments
from tilewright.cli.command_parser import CommandParser
from tilewright.cli.json_output import error_object, json_text
from tilewright.cli.operation_arguments import add_tuned_option, declares_operation
from tilewright.cli.run_script import run_script
from tilewright.device.breakpoints import EVERY_KERNEL, Breakpoint
from tilewright.device.debug_prompt import DebuggingEndedError, Prompt
from tilewright.device.debugged_launches import debugged_launches
from tilewright.device.errors import TilewrightError
from tilewright.device.stop import Dst, Go, Stop, StopHandler

_DESCRIPTION = """
Run a script, in which `import ttnn` gives the simulated chip, or an operation, and stop its kernels at lines of their
C++ or Python sources: to look at DST, circular buffers, arguments, semaphores and who waits for whom, and to step from
call to call. Without --break it stops where the first kernel of every launch begins. `help` at the prompt lists its
commands; they may also come from standard input, or from --do.

`tilewright debug journal NAME` keeps the journal of a hang or a wrong result.
"""
_EXAMPLES = """
tilewright debug my_script.py --break compute.cpp:41
tilewright debug variance_w_rm --break reduce.py:60@0,0
tilewright debug my_script.py --break writer --do "cb 16" --do step --do dst
tilewright debug my_script.py --break compute.cpp:41 --json --stops 3
tilewright debug journal my_op observe
"""
_BEGIN = Breakpoint(EVERY_KERNEL)
_MOST_STOPS = 20  # that --json shows unless told otherwise


def build_parser() -> argparse.ArgumentParser:
    usage = "tilewright debug [options] target [-- script arguments ...]"
    parser = CommandParser("debug", _DESCRIPTION, _EXAMPLES, usage)
    add_target_arguments(parser)
    add_tuned_option(parser)
    parser.add_argument(
        "--break",
        dest="places",
        type=_place,
        action="append",
        default=[],
        metavar="PLACE",
        help="FILE:LINE, KERNEL, or KERNEL:LINE of a kernel given as text; with @X,Y on one core; may be repeated",
    )
    parser.add_argument(
        "--do", action="append", metavar="COMMAND", help="a command of the prompt, instead of asking; may be repeated"
    )
    parser.add_argument("--json", action="store_true", help="print what every stop shows as JSON, without a prompt")
    parser.add_argument(
        "--stops", type=int, metavar="N", default=_MOST_STOPS, help=f"stops that --json shows (default {_MOST_STOPS})"
    )
    parser.add_argument("--step", action="store_true", help="with --json: after a stop, go on to the next call only")
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    ours, script_arguments = split_arguments(arguments)
    options = parser.parse_args(ours)
    if options.stops < 1:
        parser.error(f"--stops is {options.stops}; it must be 1 or more")
    work = _work(parser, options, script_arguments)
    if options.json:
        return _as_json(options, work)
    prompt = Prompt(stdin=io.StringIO("".join(f"{each}\n" for each in options.do)) if options.do is not None else None)
    try:
        return _debugged(options, work, prompt)
    except DebuggingEndedError as end:
        print(end)
        return 0


def _place(text: str) -> Breakpoint:
    try:
        return Breakpoint.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _work(
    parser: argparse.ArgumentParser, options: argparse.Namespace, script_arguments: list[str]
) -> Callable[[], int]:
    """The running of the target; a mistake in the arguments ends the command."""
    script = Path(options.target)
    if (script.suffix != ".py" and not script.is_file()) or declares_operation(options.target):
        return lambda: call_once(parser, options, None)
    if not script.is_file():
        parser.error(f"script {options.target!r} does not exist")
    return lambda: run_script(script, script_arguments, (DebuggingEndedError,))


def _debugged(options: argparse.Namespace, work: Callable[[], int], on_stop: StopHandler) -> int:
    ended: list[DebuggingEndedError] = []
    stops = 0

    def watched(stop: Stop) -> Go | None:
        nonlocal stops
        stops += 1
        if not options.places:  # once in each launch
            stop.breakpoints = [each for each in stop.breakpoints if each != _BEGIN]
        try:
            return on_stop(stop)
        except DebuggingEndedError as end:  # a script's own handlers may hide it
            ended.append(end)
            raise

    with debugged_launches(options.places or [_BEGIN], watched):
        try:
            status = work()
        except SystemExit as end:
            status = exit_status(end)
    if ended:
        raise ended[0]
    if not stops and not status:
        raise NothingLaunchedError(f"{options.target} came to no stop: it launched no program, or passes no such line")
    return status


def _as_json(options: argparse.Namespace, work: Callable[[], int]) -> int:
    found: list[dict[str, object]] = []

    def note(stop: Stop) -> Go:
        found.append(_stop_json(stop))
        if len(found) >= options.stops:
            stop.breakpoints = []
            return Go.ON
        return Go.TO_NEXT_CALL if options.step else Go.ON

    error, status = None, 0
    with contextlib.redirect_stdout(sys.stderr):  # what the script prints
        try:
            status = _debugged(options, work, note)
        except TilewrightError as end:
            error, status = error_object(type(end).__name__, end), end.exit_status
    if status and error is None:
        error = error_object("ScriptFailed", f"{options.target} ended with status {status}")
    print(json_text("debug", {"stops": found[: options.stops]}, status, error))
    return status


def _stop_json(stop: Stop) -> dict[str, object]:
    line = stop.line
    return {
        "kernel": stop.kernel,
        "core": stop.core,
        "threads": stop.threads,
        "file": line.path if line else None,
        "line": line.line if line else None,
        "source": next((text.strip() for number, text in stop.source(0)), None),
        "stack": [f"{each.path}:{each.line}" for each in stop.stack],
        "waits": stop.waits(),
        "circular_buffers": [
            {**dataclasses.asdict(each), "data_format": each.data_format.name} for each in stop.buffers()
        ],
        "arguments": dataclasses.asdict(stop.arguments),
        "semaphores": stop.semaphores(),
        "dst": _dst_json(stop.dst) if stop.dst is not None else None,
    }


def _dst_json(dst: Dst) -> dict[str, object]:
    tiles = [np.asarray(dst.tile(index), np.float64) for index in range(len(dst.words))]
    return {
        "phase": dst.phase.name.lower(),
        "bits": 32 if dst.is_32_bit else 16,
        "tiles": [_range(tile[np.isfinite(tile)]) for tile in tiles],
    }


def _range(numbers: NDArray[np.float64]) -> dict[str, float] | None:
    """None where nothing is a number."""
    return {"least": float(numbers.min()), "most": float(numbers.max())} if numbers.size else None
