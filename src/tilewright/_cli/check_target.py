# SPDX-License-Identifier: Apache-2.0
"""Target of a command that observes every launch: a script with its arguments, or an operation called twice."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Callable
from pathlib import Path

from tilewright._cli.card_options import wants_real_ttnn
from tilewright._cli.check_operation import OperationCall, call_twice
from tilewright._cli.operation_arguments import add_operation_options, checked_grid, declares_operation
from tilewright._cli.operation_arguments import operation as operation_named
from tilewright._cli.progress_line import ProgressLine
from tilewright._cli.run_script import run_script
from tilewright._errors import RunError, TilewrightError
from tilewright._program.errors import ProgramError
from tilewright.check._finding import Finding
from tilewright.ops import OPERATIONS, Plan


class NothingLaunchedError(TilewrightError):
    """A script that a command was to watch, and that launched no program."""

    exit_status = 2


# Gives the exit status, and what is wrong with the launches as a whole.
Work = Callable[[], tuple[int, list[Finding]]]


def add_target_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "target",
        help="a script (.py), a shipped operation, a file with a declaration, or the folder of a C++ operation",
    )
    add_operation_options(parser.add_argument_group("operations"), or_cards=True)


def runs_on_card(options: argparse.Namespace) -> bool:
    """Whether the target is a script of the real ttnn."""
    script = Path(options.target)
    return script.is_file() and not declares_operation(options.target) and wants_real_ttnn(options, script)


def refuse_operation_options(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse options that a script does not take: the chip is one of them, unless it is that of a card."""
    names = ("shape", "dtype", "plan", "tuned", *(() if runs_on_card(options) else ("arch", "grid")))
    for name in names:
        if getattr(options, name, None) is not None:
            parser.error(f"--{name} is for operations; a script sets it itself")
    if options.dispatch is not None and not runs_on_card(options):
        parser.error("--dispatch is for the real ttnn; the built-in module has no command queues")
    if options.system is not None and not runs_on_card(options):
        parser.error("--system is for the real ttnn; the built-in module has one chip")


def parsed_arguments(parser: argparse.ArgumentParser, arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Our options, and the script's arguments: those behind ``--``, and those before it that we do not know.

    An unknown option that is nearly one of ours is refused: it is a mistake in writing more often than not.
    """
    ours, behind = split_arguments(arguments)
    options, unknown = parser.parse_known_args(ours)
    known = [name for name in parser._option_string_actions if name.startswith("--")]
    for word in unknown:
        near = difflib.get_close_matches(word.partition("=")[0], known, 1, 0.8) if word.startswith("--") else []
        if near:
            parser.error(f"unrecognized arguments: {word}; is {near[0]} meant? One of the script stands behind --")
    script = Path(options.target)
    is_script = (script.suffix == ".py" or script.is_file()) and not declares_operation(options.target)
    if unknown and not is_script:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    return options, [*unknown, *behind]


def split_arguments(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Ours, and behind ``--`` the script's.

    >>> split_arguments(["my_script.py", "--sync", "--", "--batch", "4"])
    (['my_script.py', '--sync'], ['--batch', '4'])
    """
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def target_work(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    script_arguments: list[str],
    progress: ProgressLine,
    on_plan: Callable[[Plan], None],
    on_error: Callable[[BaseException], None] = lambda error: None,
    on_call: Callable[[OperationCall], None] = lambda call: None,
) -> Work:
    """The running of the target, whichever it is; a mistake in the arguments ends the command."""
    script = _script(parser, options, script_arguments, on_error)
    return script or _operation(parser, options, progress, on_plan, on_call)


def _script(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    arguments: list[str],
    on_error: Callable[[BaseException], None],
) -> Work | None:
    """Running the script, where the target is one."""
    script = Path(options.target)
    if (script.suffix != ".py" and not script.is_file()) or declares_operation(options.target):
        return None
    if not script.is_file():
        parser.error(f"script {options.target!r} does not exist")
    refuse_operation_options(parser, options)
    # What a run ended with is among the findings; other errors of the script show as usual.
    return lambda: (run_script(script, arguments, (RunError, ProgramError), on_error), [])


def _operation(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    progress: ProgressLine,
    on_plan: Callable[[Plan], None],
    on_call: Callable[[OperationCall], None],
) -> Work:
    """Running the operation of that name."""
    if options.target not in OPERATIONS and not declares_operation(options.target):
        parser.error(f"{options.target!r} is neither a script that exists nor an operation ({', '.join(OPERATIONS)})")
    try:
        operation = operation_named(options.target)
    except argparse.ArgumentTypeError as error:
        parser.error(f"target: {error}")
    grid = checked_grid(parser, options)

    def work() -> tuple[int, list[Finding]]:
        try:
            with progress.during(f"checking {operation.name}"):
                return 0, call_twice(operation, options, grid, on_plan, on_call)
        except (RunError, ProgramError):  # among the findings
            return 1, []

    return work


def exit_status(end: SystemExit) -> int:
    """Exit status of a script that called ``sys.exit``."""
    if end.code is None:
        return 0
    if isinstance(end.code, int):
        return end.code
    print(end.code, file=sys.stderr)
    return 1
