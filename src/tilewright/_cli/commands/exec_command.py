# SPDX-License-Identifier: Apache-2.0
"""``tilewright exec``: run a script or a command written for ttnn on the simulated card."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NoReturn

from tilewright._build.progress import QUIET_VARIABLE
from tilewright._card.golden.precision import COMPARE_VARIABLE
from tilewright._cli.card_options import (
    BUILT_IN,
    add_card_options,
    add_ttnn_option,
    environment_with_card,
    wants_real_ttnn,
)
from tilewright._cli.check_target import exit_status
from tilewright._cli.command_parser import CommandParser, UsageExit, seconds
from tilewright._cli.json_output import Error, error_object, json_text, script_failed
from tilewright._cli.operation_arguments import is_declaration
from tilewright._cli.output_file import require_writable, write_output
from tilewright._cli.run_script import run_script
from tilewright._cli.supervised_run import Verdict, is_pytest, supervise
from tilewright._errors import TilewrightError
from tilewright._launch.observer import OBSERVER_VARIABLE, ObserverRequest, observed_launches, requested_observers
from tilewright.ops import OPERATIONS

_DESCRIPTION = """
Run a Python script, or any command after --, in which `import ttnn` gives the simulated card: the installed ttnn,
unmodified, or, if none is installed, tilewright's own module with tensors, descriptors and generic_op. The folder of
a C++ operation is built and called twice. The exit status is the script's.

With --exit-codes the exit status is a verdict: 0 pass, 1 failure, 2 hang (a launch that cannot end, or --time-limit),
3 infrastructure (bad usage, no compiler, no ttnn, a command that does not exist, no tests). These are the codes of
the script that tt-metal's pipeline runs its tests with.
"""
_EXAMPLES = """
tilewright exec my_script.py --batch 4
tilewright exec --arch blackhole --grid p100a my_script.py
tilewright exec --compare my_script.py
tilewright exec --json my_script.py
tilewright exec -- pytest tests/ttnn/unit_tests/operations/eltwise/test_add.py
tilewright exec --exit-codes --diagnosis why.json -- pytest my_op/test_dev
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
        "--exit-codes", action="store_true", help="exit with a verdict: 0 pass, 1 failure, 2 hang, 3 infrastructure"
    )
    parser.add_argument(
        "--diagnosis",
        type=Path,
        metavar="FILE",
        help="also write verdict, failed launches with their findings and failed tests as JSON",
    )
    parser.add_argument(
        "--time-limit", type=seconds, metavar="S", help="stop the script or command after this many seconds"
    )
    parser.add_argument(
        "--quiet", action="store_true", help="no progress lines, and no log lines of ttnn below level error"
    )
    parser.add_argument("script", nargs="?", help="script or folder to run; arguments after it are the script's")
    return parser


def run(arguments: list[str]) -> int:
    try:
        return _run(arguments)
    except (UsageExit, TilewrightError) as error:
        ours, _ = _split(arguments)
        if "--exit-codes" not in ours:
            raise
        error_text = error.message if isinstance(error, UsageExit) else str(error)
        if isinstance(error, TilewrightError):
            print(f"tilewright exec: {error_text}", file=sys.stderr)
        if "--json" in ours:
            answer = {"verdict": "infrastructure", "reason": error_text}
            print(json_text("exec", answer, Verdict.INFRASTRUCTURE, error_object("Infrastructure", error_text)))
        return Verdict.INFRASTRUCTURE


def _run(arguments: list[str]) -> int:
    ours, target = _split(arguments)
    parser = build_parser()
    options = parser.parse_args(ours)
    if not target or target == ["--"]:
        parser.error("give a script, or -- and a command")
    if options.quiet:
        os.environ[QUIET_VARIABLE] = "1"
        os.environ.setdefault("LOGURU_LEVEL", "ERROR")  # what ttnn's Python logs with
    if options.diagnosis is not None:
        require_writable(parser, "--diagnosis", options.diagnosis)
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
        if _is_supervised(options):
            return _supervised(options, command, environment)
        if not options.json:
            _become(command, environment)
        status = subprocess.run([_program(command, environment), *command[1:]], env=environment, stdout=sys.stderr)
        return _said(command, status.returncode, script_failed(" ".join(command), status.returncode))
    if options.compare:
        parser.error("--compare is for the real ttnn; the built-in module has no golden functions")
    if (options.arch, options.grid, options.system, options.dispatch) != (None, None, None, None):
        parser.error(
            "--arch, --grid, --system and --dispatch are for the real ttnn; a script of the built-in module "
            "opens its own device"
        )
    if is_command and not is_pytest(target[1:]):
        parser.error("-- and a command need the real ttnn; with the built-in one give a script, or -- and pytest")
    if is_command or _is_supervised(options):
        command = target[1:] if is_command else [sys.executable, "-m", "tilewright", "exec", *_ours_in_child(options)]
        environment = _with_built_in(os.environ) if is_command else dict(os.environ)
        if _is_supervised(options):
            return _supervised(options, [*command, *([] if is_command else target)], environment)
        _become(command, environment)
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


def _is_supervised(options: argparse.Namespace) -> bool:
    return options.exit_codes or options.diagnosis is not None or options.time_limit is not None


def _ours_in_child(options: argparse.Namespace) -> list[str]:
    """Options for the process that runs a script of the built-in module."""
    return ["--ttnn", BUILT_IN, *(["--show-programs"] if options.show_programs else [])]


def _with_built_in(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which pytest gives its tests the built-in module."""
    added = f"{environment.get('PYTEST_ADDOPTS', '')} --tilewright --tilewright-ttnn {BUILT_IN}"
    return {**environment, "PYTEST_ADDOPTS": added.strip()}


def _supervised(options: argparse.Namespace, command: list[str], environment: dict[str, str]) -> int:
    """Runs a command in a process of its own and says what came of it."""
    command = [_program(command, environment), *command[1:]]
    run = supervise(command, environment, options.time_limit, quiet=options.json)
    status = run.verdict if options.exit_codes else run.status if run.status >= 0 else 128 - run.status
    error = error_object(f"{run.verdict.name.capitalize()}", run.reason) if run.verdict else None
    text = json_text("exec", run.as_dict(), int(status), error)
    if options.diagnosis is not None:
        write_output("--diagnosis", options.diagnosis, f"{text}\n".encode())
    if options.json:
        print(text)
    elif run.verdict:
        print(f"tilewright exec: {run.verdict.name.lower()}: {run.reason}", file=sys.stderr)
    return int(status)


def _said(command: list[str], status: int, error: Error | None) -> int:
    print(json_text("exec", {"arguments": command}, status, error))
    return status


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Our options, and what to run: options after the script are the script's."""
    with_value = {"--ttnn", "--arch", "--grid", "--system", "--dispatch", "--diagnosis", "--time-limit"}
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
