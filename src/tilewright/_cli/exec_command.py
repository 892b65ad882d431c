# SPDX-License-Identifier: Apache-2.0
"""``tilewright exec``: run a script or a command written for ttnn on the simulated card."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from tilewright._build.progress import QUIET_VARIABLE
from tilewright._card.precision import COMPARE_VARIABLE
from tilewright._cli.card_options import add_card_options, add_ttnn_option, environment_with_card, wants_real_ttnn
from tilewright._cli.check_target import exit_status
from tilewright._cli.command_parser import CommandParser
from tilewright._cli.json_output import Error, error_object, json_text, script_failed
from tilewright._cli.operation_arguments import is_declaration
from tilewright._cli.run_script import run_script
from tilewright._errors import TilewrightError
from tilewright._launch.observer import OBSERVER_VARIABLE, ObserverRequest, observed_launches, requested_observers
from tilewright.ops import OPERATIONS

_DESCRIPTION = """
Run a Python script, or any command after --, in which `import ttnn` gives the simulated card: the installed ttnn,
unmodified, or, if none is installed, tilewright's own module with tensors, descriptors and generic_op. The folder of
a C++ operation is built and called twice. The exit status is the script's.
"""
_EXAMPLES = """
tilewright exec my_script.py --batch 4
tilewright exec --arch blackhole --grid p100a my_script.py
tilewright exec --compare my_script.py
tilewright exec --json my_script.py
tilewright exec -- pytest tests/ttnn/unit_tests/operations/eltwise/test_add.py
"""


class NoCommandError(TilewrightError):
    """A command that is not there."""

    exit_status = 127  # as a shell says it


def build_parser() -> argparse.ArgumentParser:
    usage = (
        "tilewright exec [options] script [arguments ...]\n       tilewright exec [options] -- command [arguments ...]"
    )
    parser = CommandParser("exec", _DESCRIPTION, _EXAMPLES, usage)
    add_ttnn_option(parser)
    add_card_options(parser)
    parser.add_argument(
        "--show-programs",
        action="store_true",
        help="print each launch: kernels, arguments, circular buffers, semaphores, cores",
    )
    parser.add_argument(
        "--compare",
        action="store_true",
        help="compare each result of the real ttnn with its operation's golden function; name the first that differs",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the outcome as JSON; output of the script goes to stderr"
    )
    parser.add_argument(
        "--quiet", action="store_true", help="no progress lines, and no log lines of ttnn below level error"
    )
    parser.add_argument("script", nargs="?", help="script or folder to run; arguments after it are the script's")
    return parser


def run(arguments: list[str]) -> int:
    ours, target = _split(arguments)
    parser = build_parser()
    options = parser.parse_args(ours)
    if not target or target == ["--"]:
        parser.error("give a script, or -- and a command")
    if options.quiet:
        os.environ[QUIET_VARIABLE] = "1"
        os.environ.setdefault("LOGURU_LEVEL", "ERROR")  # what ttnn's Python logs with
    is_command = target[0] == "--"
    if not is_command:
        if target[0] in OPERATIONS or is_declaration(target[0]):
            parser.error(f"{target[0]} is an operation, no script: `tilewright run {target[0]}` runs it")
        if not Path(target[0]).is_file():
            parser.error(f"script {target[0]!r} does not exist")
    if wants_real_ttnn(options, None if is_command else Path(target[0])):
        further = {OBSERVER_VARIABLE: ObserverRequest("show").text()} if options.show_programs else {}
        further |= {COMPARE_VARIABLE: "1"} if options.compare else {}
        command = target[1:] if is_command else [sys.executable, *target]
        environment = environment_with_card(options, **further)
        if not options.json:
            _become(command, environment)
        status = subprocess.run([_program(command, environment), *command[1:]], env=environment, stdout=sys.stderr)
        return _said(command, status.returncode, script_failed(" ".join(command), status.returncode))
    if options.compare:
        parser.error("--compare is for the real ttnn; the built-in module has no golden functions")
    if (options.arch, options.grid, options.cards, options.dispatch) != (None, None, None, None):
        parser.error(
            "--arch, --grid, --cards and --dispatch are for the real ttnn; a script of the built-in module "
            "opens its own device"
        )
    if is_command:
        parser.error("-- and a command need the real ttnn; with the built-in one give a script")
    errors: list[BaseException] = []
    with _observed(options):
        try:
            ended = run_script(Path(target[0]), target[1:], on_error=errors.append)
        except SystemExit as end:
            if not options.json:
                raise
            ended = exit_status(end)
    if not options.json:
        return ended
    error = error_object(type(errors[0]).__name__, errors[0]) if errors else script_failed(target[0], ended)
    return _said(target, ended, error)


@contextlib.contextmanager
def _observed(options: argparse.Namespace) -> Iterator[None]:
    """Within the block launches of this process are recorded and shown as the environment and the options want."""
    with contextlib.ExitStack() as stack:
        if options.json:
            stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        stack.enter_context(requested_observers())
        if options.show_programs:
            stack.enter_context(observed_launches(ObserverRequest("show").make()))
        yield


def _said(command: list[str], status: int, error: Error | None) -> int:
    print(json_text("exec", {"arguments": command}, status, error))
    return status


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Our options, and what to run: options after the script are the script's."""
    with_value = {"--ttnn", "--arch", "--grid", "--cards", "--dispatch"}
    position = 0
    while position < len(arguments) and arguments[position].startswith("-") and arguments[position] != "--":
        position += 2 if arguments[position] in with_value else 1
    return arguments[:position], arguments[position:]


def _become(command: list[str], environment: dict[str, str]) -> NoReturn:
    """Replaces this process: signals, exit status and terminal are the command's own."""
    program = _program(command, environment)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(program, command, environment)


def _program(command: list[str], environment: dict[str, str]) -> str:
    program = shutil.which(command[0], path=environment.get("PATH"))
    if program is None:
        raise NoCommandError(f"there is no command {command[0]!r}")
    return program
