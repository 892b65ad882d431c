# SPDX-License-Identifier: Apache-2.0
"""``tilewright debug``: stop kernels at lines and look inside."""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Callable
from pathlib import Path

from tilewright._cli.call_once import call_once
from tilewright._cli.card_options import add_ttnn_option
from tilewright._cli.check_target import (
    NothingLaunchedError,
    add_target_arguments,
    exit_status,
    require_script_options,
    runs_on_card,
    split_arguments,
)
from tilewright._cli.command_parser import CommandParser
from tilewright._cli.debug_on_card import debugged_on_card
from tilewright._cli.json_output import error_object, json_text, script_failed
from tilewright._cli.operation_arguments import add_tuned_option, chosen_card, declares_operation
from tilewright._cli.run_script import run_script
from tilewright._debug.breakpoints import AT_HANG, EVERY_KERNEL, Breakpoint
from tilewright._debug.prompt import DebuggingEndedError, Prompt
from tilewright._debug.stop import Go, Stop, StopHandler
from tilewright._debug.stop_json import stop_json
from tilewright._errors import TilewrightError
from tilewright._launch.debugged_launches import debugged_launches

_DESCRIPTION = """
Run a script, in which `import ttnn` gives the simulated chip (the installed ttnn on a simulated card where there is
one), or an operation, and stop its kernels at lines of their C++ or Python sources: to look at DST, circular buffers,
arguments, semaphores and who waits for whom, and to step from call to call. Without --break it stops where the first
kernel of every launch begins. A launch that hangs stops there, too, before it ends with its error; with `--break hang`
only there. `help` at the prompt lists its commands; they may also come from standard input, or from --do.

`tilewright debug journal NAME` keeps the journal of a hang or a wrong result.
"""
_EXAMPLES = """
tilewright debug my_script.py --break compute.cpp:41
tilewright debug variance_w_rm --break reduce.py:60@0,0
tilewright debug my_script.py --break hang
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
        help="FILE:LINE, KERNEL, KERNEL:LINE of a kernel given as text, or hang; @X,Y: on one core; may be repeated",
    )
    parser.add_argument(
        "--do", action="append", metavar="COMMAND", help="a command of the prompt, instead of asking; may be repeated"
    )
    parser.add_argument("--json", action="store_true", help="print what every stop shows as JSON, without a prompt")
    parser.add_argument(
        "--stops", type=int, metavar="N", default=_MOST_STOPS, help=f"stops that --json shows (default {_MOST_STOPS})"
    )
    parser.add_argument("--step", action="store_true", help="with --json: after a stop, go on to the next call only")
    add_ttnn_option(parser)
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    ours, script_arguments = split_arguments(arguments)
    options = parser.parse_args(ours)
    if options.stops < 1:
        parser.error(f"--stops is {options.stops}; it must be 1 or more")
    if runs_on_card(options):
        require_script_options(parser, options, ("shape", "dtype", "plan", "tuned"))
        return _debug_real_ttnn(options, script_arguments)
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


def _places(options: argparse.Namespace) -> list[Breakpoint]:
    """Where to stop: at hangs in any case."""
    return [*(options.places or [_BEGIN]), AT_HANG]


def _require_stop(options: argparse.Namespace, came_to_stop: bool, status: int) -> None:
    """A run that was to stop, and did not: an error, unless it was asked to stop only if it hangs."""
    if came_to_stop or status:
        return
    if options.places and all(each.is_hang for each in options.places):
        print(f"{options.target} does not hang", file=sys.stderr)
        return
    raise NothingLaunchedError(f"{options.target} came to no stop: it launched no program, or passes no such line")


def _debug_real_ttnn(options: argparse.Namespace, arguments: list[str]) -> int:
    """Runs the script in a process of its own, with a card whose kernels stop."""
    status, came_to_stop, found = debugged_on_card(
        [options.target, *arguments],
        chosen_card(options),
        _places(options),
        options.do,
        noted=options.stops if options.json else 0,
        steps=options.step,
    )
    _require_stop(options, came_to_stop, status)
    if options.json:
        error = script_failed(options.target, status)
        print(json_text("debug", {"stops": found[: options.stops]}, status, error))
    return status


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

    with debugged_launches(_places(options), watched):
        try:
            status = work()
        except SystemExit as end:
            status = exit_status(end)
    if ended:
        raise ended[0]
    _require_stop(options, bool(stops), status)
    return status


def _as_json(options: argparse.Namespace, work: Callable[[], int]) -> int:
    found: list[dict[str, object]] = []

    def note(stop: Stop) -> Go:
        found.append(stop_json(stop))
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
    print(json_text("debug", {"stops": found[: options.stops]}, status, error or script_failed(options.target, status)))
    return status
