# SPDX-License-Identifier: Apache-2.0
"""``tilewright check --mutate``: which synchronising calls of a program would be missed."""

from __future__ import annotations

import argparse
import collections
from collections.abc import Iterable
from typing import Any

from tilewright._cli.check_target import NothingLaunchedError, refuse_operation_options, runs_on_card, target_work
from tilewright._cli.json_output import error_object, json_text, script_failed
from tilewright._cli.observed_target import ObservedTarget, nothing_launched, observe_here, observe_on_card
from tilewright._cli.progress_line import ProgressLine
from tilewright._launch.observer import ObserverRequest
from tilewright.check._mutate import Mutant, MutantFate, MutateObserver


def run_mutation(parser: argparse.ArgumentParser, options: argparse.Namespace, script_arguments: list[str]) -> int:
    """Mutate the kernels of a script or an operation; exit status 1 where a call is not noticed, or findings stand."""
    seen = _observed(parser, options, script_arguments)
    if not seen.results and seen.error is None:
        raise NothingLaunchedError(nothing_launched(options))
    mutants = _merged(each for launch in seen.results for each in launch.mutants)
    counts = collections.Counter(each.fate for each in mutants)
    summary = f"{len(mutants)} calls removed one at a time: " + ", ".join(
        f"{counts[fate]} {fate.value}" for fate in MutantFate
    )
    unclean = sorted({each.rule for launch in seen.results for each in launch.unclean})
    bad = counts[MutantFate.NOT_NOTICED] or unclean
    error = script_failed(options.target, seen.status)
    if bad and error is None:
        words = f"; findings with all calls: {', '.join(unclean)}" if unclean else ""
        error = error_object("NotNoticed", summary + words)
    status = 1 if error is not None else 0
    if options.json:
        found: dict[str, Any] = {"mutants": [each.as_dict() for each in mutants], "unclean": unclean}
        print(json_text("check", found, status, error))
        return status
    for each in sorted(mutants, key=lambda mutant: list(MutantFate).index(mutant.fate), reverse=True):
        print(each.text())
    if unclean:
        print(f"findings of the program with all its calls, which count for no call: {', '.join(unclean)}")
    print(summary)
    return status


def _observed(
    parser: argparse.ArgumentParser, options: argparse.Namespace, script_arguments: list[str]
) -> ObservedTarget:
    if runs_on_card(options):
        refuse_operation_options(parser, options)
        return observe_on_card(options, script_arguments, ObserverRequest("mutate", {}), quiet=options.json)
    observer = MutateObserver()
    failed: list[BaseException] = []
    with ProgressLine() as progress:
        observer.progress = progress.show
        work = target_work(parser, options, script_arguments, progress, lambda plan: None, failed.append)
        return observe_here(work, observer, failed, quiet=options.json)


def _merged(mutants: Iterable[Mutant]) -> list[Mutant]:
    """One for each call: of several launches, the first that reaches it."""
    found: dict[tuple[str, str, int, str], Mutant] = {}
    for each in mutants:
        key = (each.kernel, each.path, each.line, each.call)
        if key not in found or found[key].fate is MutantFate.NOT_REACHED:
            found[key] = each
    return list(found.values())
