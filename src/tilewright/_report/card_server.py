# SPDX-License-Identifier: Apache-2.0
"""The card's server with every launch timed and kept as the page shows it: what ``tilewright report`` starts for the
real ttnn.

Views are left, one file each, in the directory that TILEWRIGHT_REPORT_VIEWS names, under names that sort by time.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import time
from pathlib import Path

from tilewright._build.cache import write_atomically
from tilewright._card.server import Call, serve
from tilewright._errors import RunError
from tilewright._launch.chip import Chip
from tilewright._launch.run_options import RunOptions
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run
from tilewright._report.launch_view import SeenLaunch, View, launch_name, launch_view
from tilewright._report.timed_view import MOST_SPANS, num_spans, with_time
from tilewright.check._collect import findings_of_run
from tilewright.timing._every_launch import TimedLaunch
from tilewright.timing._replay import replay

VIEWS_VARIABLE = "TILEWRIGHT_REPORT_VIEWS"


class _Reporter:
    """Launches with their calls recorded; timelines as long as the page has room for them."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._spans_left = 2 * MOST_SPANS

    def launch(self, chip: Chip, program: ProgramDescriptor, options: RunOptions, call: Call) -> Run:
        try:
            run = chip.launch(program, dataclasses.replace(options, record_calls=True))
        except RunError as error:
            if isinstance(error.run, Run):
                self._keep(_view(chip, program, error.run, error, call.operation))
            raise
        view = _view(chip, program, run, None, call.operation)
        if run.calls is not None:
            timed = TimedLaunch(run.calls, replay(run.calls, keep_events=True), run=run)
            view = with_time(view, timed, most_spans=min(self._spans_left, MOST_SPANS))
            self._spans_left -= num_spans(view)
        self._keep(view)
        return run

    def _keep(self, view: View) -> None:
        path = self._directory / f"{time.time_ns():020}-launch.json"
        write_atomically(path, json.dumps(view, allow_nan=False).encode())


def _view(chip: Chip, program: ProgramDescriptor, run: Run, error: RunError | None, operation: str) -> View:
    name = f"{operation} ({launch_name(program)})" if operation else launch_name(program)
    found = list(findings_of_run(run, error, 0)) if error is not None else []
    view = launch_view(SeenLaunch(name, program, run, error, found, chip.arch, chip.grid))
    return {**view, "operation": operation}


def main() -> int:
    reporter = _Reporter(Path(os.environ[VIEWS_VARIABLE]))
    return serve(sys.argv[1:], reporter.launch, wants_operations=True)


if __name__ == "__main__":
    sys.exit(main())
