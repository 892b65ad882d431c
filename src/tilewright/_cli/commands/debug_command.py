# SPDX-License-Identifier: Apache-2.0
"""``tilewright debug``: stop kernels at lines and look inside."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from tilewright._cli.call_once import call_once
from tilewright._cli.card_options import add_ttnn_option
from tilewright._cli.check_target import (
    NothingLaunchedError,
    add_target_arguments,
    parsed_arguments,
    refuse_operation_options,
    runs_on_card,
)
from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import error_object, json_text, script_failed
from tilewright._cli.observed_target import ObservedTarget, observe_here, observe_on_card
from tilewright._cli.operation_arguments import add_tuned_option, declares_operation
from tilewright._cli.run_script import run_script
from tilewright._debug.breakpoints import AT_HANG, EVERY_KERNEL, Breakpoint
from tilewright._debug.prompt import DebuggingEndedError
from tilewright._errors import TilewrightError
from tilewright._launch.debug_observer import DebugEvent, DebugEventKind
from tilewright._launch.observer import Observer, ObserverRequest
from tilewright.check._finding import Finding

_DESCRIPTION = """
Run a script, in which `import ttnn` gives the simulated chip (the installed ttnn on a simulated card if it is
installed), or an operation, and stop its kernels at lines of their C++ or Python sources. A stop shows DST, circular
buffers, arguments, semaphores and which kernel waits for which; kernels can be stepped from call to call.

Without --break, every launch stops where its first kernel begins. A launch that hangs stops there, before its error;
with `--break hang` it stops only there. `help` at the prompt lists the commands. Commands may also come from standard
input or from --do.
"""
_EXAMPLES = """
tilewright debug my_script.py --break compute.cpp:41
tilewright debug variance_w_rm --break reduce.py:60@0,0
tilewright debug my_script.py --break hang
tilewright debug my_script.py --break writer --do "cb 16" --do step --do dst
tilewright debug my_script.py --break compute.cpp:41 --json --stops 3
"""
_MOST_STOPS = 20  # that --json shows by default


class MissingPlaceError(TilewrightError):
    """A place to stop at that no launch of the target has."""

    exit_status = 2


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
        help="FILE:LINE, KERNEL, KERNEL:LINE (kernel given as a string) or hang; @X,Y: on one core; may be repeated",
    )
    parser.add_argument(
        "--do", action="append", metavar="COMMAND", help="run this command at a stop, without a prompt; may be repeated"
    )
    parser.add_argument("--json", action="store_true", help="print every stop as JSON, without a prompt")
    parser.add_argument(
        "--stops",
        type=int,
        metavar="N",
        default=_MOST_STOPS,
        help=f"largest number of stops with --json (default {_MOST_STOPS})",
    )
    parser.add_argument("--step", action="store_true", help="with --json: after each stop, step to the next call")
    add_ttnn_option(parser)
    return parser


def run(arguments: list[str]) -> int:
    parser = build_parser()
    options, script_arguments = parsed_arguments(parser, arguments)
    if options.stops < 1:
        parser.error(f"--stops is {options.stops}; it must be 1 or more")
    request = _request(options)
    if runs_on_card(options):
        refuse_operation_options(parser, options)
        seen = observe_on_card(options, script_arguments, request, quiet=options.json)
    else:
        seen = _debug_here(_work(parser, options, script_arguments), request.make(), quiet=options.json)
    if options.json:
        return _print_json(options, seen)
    ended = [each.text for each in seen.results if each.kind is DebugEventKind.ENDED]
    if ended:
        print(ended[0])
        return 0
    if seen.error is not None:
        raise seen.error
    _require_stop(options, seen)
    return seen.status


def _request(options: argparse.Namespace) -> ObserverRequest:
    """Kernels stop at the places given, and at hangs in any case."""
    places = [*map(str, options.places or [Breakpoint(EVERY_KERNEL)]), str(AT_HANG)]
    wanted = {"places": places, "commands": options.do, "once_in_each_launch": not options.places}
    if options.json:
        wanted |= {"stops": options.stops, "steps": options.step}
    return ObserverRequest("debug", wanted)


def _debug_here(work: Callable[[], int], observer: Observer[DebugEvent], *, quiet: bool) -> ObservedTarget:
    """Run a script of the built-in module, or an operation, in this process."""
    errors: list[BaseException] = []

    def catching() -> tuple[int, list[Finding]]:
        try:
            return work(), []
        except TilewrightError as error:
            errors.append(error)
            return error.exit_status, []

    return observe_here(catching, observer, errors, quiet=quiet)


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
    refuse_operation_options(parser, options)
    return lambda: run_script(script, script_arguments, (DebuggingEndedError,))


def _require_stop(options: argparse.Namespace, seen: ObservedTarget) -> None:
    """Refuse a run that came to no stop, unless it was to stop only if it hangs.

    Raises:
        MissingPlaceError: no launch has one of the places.
        NothingLaunchedError: nothing stopped.
    """
    if seen.status:
        return
    missing = [each.text for each in seen.results if each.kind is DebugEventKind.MISSING]
    if missing:
        raise MissingPlaceError("\n".join(missing))
    if any(each.kind is DebugEventKind.STOPPED for each in seen.results):
        return
    if options.places and all(each.is_hang for each in options.places):
        print(f"{options.target} does not hang", file=sys.stderr)
        return
    raise NothingLaunchedError(f"{options.target} came to no stop: it launched no program, or passes no such line")


def _print_json(options: argparse.Namespace, seen: ObservedTarget) -> int:
    stops = [each.stop for each in seen.results if each.kind is DebugEventKind.STOPPED]
    error, status = seen.error, seen.status
    try:
        _require_stop(options, seen)
    except TilewrightError as refusal:
        error, status = refusal, refusal.exit_status
    failure = script_failed(options.target, status) if error is None else error_object(type(error).__name__, error)
    print(json_text("debug", {"stops": stops[: options.stops]}, status, failure))
    return status
