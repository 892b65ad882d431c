# SPDX-License-Identifier: Apache-2.0
"""Entry point of the ``tilewright`` command."""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import sys
import traceback
from collections.abc import Callable
from types import ModuleType
from typing import Any

from tilewright._cli.command_parser import UsageExit
from tilewright._cli.json_output import error_object, json_text, wants_json
from tilewright._cli.screen import fitted
from tilewright._errors import TilewrightError

# Name of each subcommand and the line help shows for it; its module is imported only when it runs.
COMMANDS = {
    "build": "compile the folder of a C++ operation and make it ttnn.NAME",
    "cache": "show how large the cache is, and prune it",
    "check": "run a script or an operation under the checker and print its findings",
    "completion": "print a completion script for bash, zsh or fish",
    "debug": "stop kernels at a line and inspect DST, circular buffers and arguments",
    "doctor": "check that this machine can compile and run a kernel",
    "env": "print the environment variables that make tt-metal use the simulated card",
    "exec": "run a script or command that imports ttnn on the simulated card",
    "explain": "explain a rule, an error, a phase or a function of the kernel API",
    "export": "write an operation for a card, as a Python package or as a C++ operation",
    "grade": "grade untrusted kernels and programs against a task, one JSON line each",
    "log": "write an operation's execution log; `log note` adds to it, `log audit` checks it",
    "mcp": "serve commands as tools to coding agents",
    "new": "write a file with a new operation and its test, or a C++ folder",
    "ops": "list the operations: shipped ones, and those of files in a folder",
    "phases": "compare the result of each phase of an operation with its reference",
    "report": "run a script or an operation and write a report as an HTML page",
    "run": "run an operation and compare it with float64",
    "show": "show an operation's plan, circular buffers, kernels or program",
    "stages": "run the stage tests of an operation",
    "sweep": "run, check and time every combination a file lists",
    "time": "model the time on a card: where it waits, what would help",
    "tune": "find the fastest plan of an operation by modelled time",
}


# Commands whose target may be a file: NAME stands for NAME.py there.
_OF_FILES = frozenset(
    (
        *("check", "debug", "exec", "export", "log", "log audit", "log note"),
        *("phases", "report", "run", "show", "stages", "time", "tune"),
    )
)

# Commands that stand behind another: `tilewright log audit`. Their modules are named after them alone.
FURTHER_COMMANDS = {"log": ("audit", "note")}


class _Version(argparse.Action):
    """Looks the version up when it is wanted: that takes longer than starting most commands."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from tilewright import __version__

        print(f"tilewright {__version__}")
        parser.exit()


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tilewright", description="Build, run, check and time Tenstorrent operations without a card."
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(
        dest="command",
        metavar="command",
        title="commands",
        description="`tilewright command --help` shows a command's options.",
    )
    for name, help_line in COMMANDS.items():
        # `exec` hands everything after the script to the script, so its module parses the rest itself.
        commands.add_parser(name, help=help_line, add_help=False)
    return parser


def _imported_for_good(name: str) -> ModuleType:
    """A module of a process that has no other task.

    What it brings is no garbage until the process ends, and looking through it, now and at the end, takes a tenth of
    a short command.
    """
    gc.disable()
    module = importlib.import_module(name)
    gc.freeze()
    gc.enable()
    return module


def _with_suffix(words: list[str]) -> list[str]:
    """The words of a command with the first that names a file without its suffix replaced by the file."""
    for at, word in enumerate(words):
        path, colon, rest = word.partition(":")
        if word == "--":
            break
        if path and not word.startswith("-") and not os.path.exists(path) and os.path.isfile(f"{path}.py"):  # noqa: PTH110, PTH113
            return [*words[:at], f"{path}.py{colon}{rest}", *words[at + 1 :]]
    return words


def _run_command(given: list[str], import_module: Callable[[str], Any]) -> int:
    parser = build_parser()
    known = parser.parse_args(given[:1])
    if known.command is None:
        parser.print_help(sys.stderr)
        return 2
    is_further = given[1:2] and given[1] in FURTHER_COMMANDS.get(known.command, ())
    words = given[:2] if is_further else given[:1]
    name, rest = " ".join(words), given[len(words) :]
    as_json = wants_json(rest)
    try:
        if any(os.path.isdir(word) for word in rest):  # noqa: PTH112 (a path object costs more than this)
            rest = import_module("tilewright._cli.cpp_target").with_script(name, rest)
        if name in _OF_FILES:
            rest = _with_suffix(rest)
        command = import_module(f"tilewright._cli.commands.{words[-1]}_command")
        return int(command.run(list(rest)))
    except UsageExit as end:
        if as_json:
            print(json_text(name, exit_status=2, error=error_object("UsageError", end.message)))
        raise
    except (TilewrightError, MemoryError) as error:
        error_text = f"not enough memory: {error}" if isinstance(error, MemoryError) else str(error)
        status = 1 if isinstance(error, MemoryError) else error.exit_status
        print(fitted(f"tilewright {name}: {error_text}", sys.stderr), file=sys.stderr)
        if as_json:
            print(json_text(name, exit_status=status, error=error_object(type(error).__name__, error_text)))
        return status
    except Exception as error:  # a fault of ours: machines get an object all the same, people the traceback
        if not as_json:
            raise
        traceback.print_exc()
        print(json_text(name, exit_status=1, error=error_object(type(error).__name__, error)))
        return 1


def main(arguments: list[str] | None = None) -> int:
    """Runs a command and returns its exit status."""
    try:
        if arguments is not None:
            return _run_command(arguments, importlib.import_module)
        status = _run_command(sys.argv[1:], _imported_for_good)
        sys.stdout.flush()  # here a closed pipe can still be handled
        return status
    except KeyboardInterrupt:
        return 130  # what a shell shows for a program ended by Ctrl-C
    except BrokenPipeError:
        # The reader of our output has closed the pipe; Python must not try to flush it again on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
