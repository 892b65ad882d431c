# SPDX-License-Identifier: Apache-2.0
"""``tilewright stages FOLDER``: the stage tests of a C++ operation."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from tilewright._cli.json_output import error_object, json_text
from tilewright._cli.progress_line import ProgressLine
from tilewright._cpp_ops.stage_tests import StageChoice, StageOutcome, run_stage_tests, stages_summary
from tilewright._workshop.stages.watching import snapshot, wait_for_change


def run_folder_stages(folder: Path, options: argparse.Namespace) -> int:
    """Runs the stages once, or with ``--watch`` after every change."""
    while True:
        before = snapshot(folder)  # a change during the run counts
        status = _run_once(folder, options)
        if not options.watch:
            return status
        print("\nwaiting for a change; Ctrl-C ends", flush=True)
        wait_for_change(folder, before)


def _run_once(folder: Path, options: argparse.Namespace) -> int:
    results: list[StageOutcome] = []
    if not (options.json or options.brief):
        print(f"{folder.resolve().name}: C++ operation in {folder}\n", flush=True)
    choice = StageChoice(options.stage, options.all, options.time_limit, options.ttnn, options.arch, options.link)
    outcomes = run_stage_tests(folder.resolve(), choice)
    with ProgressLine() as progress:
        while True:
            with progress.during("running a stage"):
                outcome = next(outcomes, None)
            if outcome is None:
                break
            results.append(outcome)
            if not (options.json or options.brief):
                print(outcome.line, flush=True)
    red = next((each for each in results if not each.passed), None)
    status = 0 if red is None else 1
    if options.json:
        error = None if red is None else error_object("StageFailed", red.message)
        says = {"operation": folder.resolve().name, "stages": list(map(asdict, results))}
        print(json_text("stages", says, status, error))
    elif options.brief:
        message = "" if red is None else f"; stage {red.stage}: {red.message}"
        print(f"{stages_summary(results)}{message}", flush=True)
    else:
        print(f"\n{stages_summary(results)}", flush=True)
    return status
