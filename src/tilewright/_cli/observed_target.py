# SPDX-License-Identifier: Apache-2.0
"""A script or an operation with an observer of its launches: in this process, or in the server of its card."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tilewright._card.environment import environment_with
from tilewright._card.golden.compare import MAPS_VARIABLE
from tilewright._card.golden.precision import COMPARE_VARIABLE
from tilewright._card.launches.unset_arguments import showing_unset_arguments
from tilewright._card.package import require_ttnn
from tilewright._card.products import SLOW
from tilewright._card.program_cache import PROGRAM_CACHE_VARIABLE
from tilewright._cli.check_target import Work, exit_status, runs_on_card
from tilewright._cli.command_parser import UsageExit
from tilewright._cli.operation_arguments import chosen_card
from tilewright._launch.observer import OBSERVER_VARIABLE, RESULT_SUFFIX, Observer, ObserverRequest, observed_launches
from tilewright.check._finding import Finding


@dataclasses.dataclass(frozen=True)
class ObservedTarget:
    """Result of a target.

    Attributes:
        results: of the observer, in the order of time.
        findings: about the launches as a whole.
        error: what a script of this process ended with.
        cache_results: what calls from the program cache showed, where they were made.
    """

    status: int
    results: list[Any]
    findings: list[Finding] = dataclasses.field(default_factory=list)
    error: BaseException | None = None
    cache_results: tuple[dict[str, Any], ...] = ()


def observe_here(
    work: Work, observer: Observer[Any], failed: Sequence[BaseException] = (), *, quiet: bool
) -> ObservedTarget:
    """Run a target in this process.

    Args:
        failed: gets what the script ends with, from ``work``.
        quiet: what the script prints goes to stderr.
    """
    findings: list[Finding] = []
    output = contextlib.redirect_stdout(sys.stderr) if quiet else contextlib.nullcontext()
    ended: BaseException | None = None
    with output, observed_launches(observer) as results:
        try:
            status, findings = work()
        except UsageExit:
            raise
        except SystemExit as end:
            status = exit_status(end)
            ended = end if status else None
    return ObservedTarget(status, results, findings, failed[0] if failed else ended)


def observe_on_card(
    options: argparse.Namespace,
    arguments: Sequence[str],
    request: ObserverRequest,
    *,
    quiet: bool,
    compares: bool = False,
    program_cache: bool = False,
    unset_arguments: bool = False,
) -> ObservedTarget:
    """Run a script of the real ttnn in a process of its own and observe its launches and those of its child processes.

    Args:
        quiet: what the script prints goes to stderr.
        compares: compare each result with its operation's golden function. Maps of the errors, as dictionaries, then
            stand among the results.
        program_cache: call each operation again, from the program cache and anew. What was found, as dictionaries, then
            stands among the results.
        unset_arguments: arguments that the host does not set are known in fast dispatch, too.
    """
    card = chosen_card(options)
    with tempfile.TemporaryDirectory() as directory:
        variables = {
            **environment_with(require_ttnn(), card, os.environ),
            OBSERVER_VARIABLE: dataclasses.replace(request, directory=directory).text(),
            **({COMPARE_VARIABLE: "1", MAPS_VARIABLE: directory} if compares else {}),
            **(showing_unset_arguments() if unset_arguments and card.dispatch != SLOW else {}),
            **({PROGRAM_CACHE_VARIABLE: directory} if program_cache else {}),
        }
        command = [sys.executable, options.target, *arguments]
        status = subprocess.run(command, env=variables, stdout=sys.stderr if quiet else None, check=False).returncode
        files = sorted(each for each in Path(directory).iterdir() if each.is_file())
        return ObservedTarget(status, [_entry(each) for each in files])


def _entry(path: Path) -> Any:
    """A result, or a map of errors."""
    return pickle.loads(path.read_bytes()) if path.suffix == RESULT_SUFFIX else json.loads(path.read_bytes())


def nothing_launched(options: argparse.Namespace) -> str:
    """Message about a target without launches."""
    if runs_on_card(options):
        hint = "a script that imports tilewright's own module needs --ttnn built-in"
        return f"{options.target} launched no program on the card; {hint}"
    return f"{options.target} launched no program"
