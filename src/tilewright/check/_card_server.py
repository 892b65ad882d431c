# SPDX-License-Identifier: Apache-2.0
"""The card's server with every launch under the checker: what ``tilewright check`` starts for the real ttnn.

What was found is left, when the host has gone, in the file that TILEWRIGHT_CHECK_REPORT names; a process that opens a
card without such a name is not checked.
"""

from __future__ import annotations

import dataclasses
import os
import pickle
import sys
from pathlib import Path

from tilewright._build.cache import write_atomically
from tilewright._card.server import Call, serve
from tilewright._errors import RunError, TilewrightError
from tilewright._launch.chip import Chip
from tilewright._launch.run_options import RunOptions
from tilewright._program.program import ProgramDescriptor
from tilewright._record.run import Run
from tilewright.check._collect import findings_of_run
from tilewright.check._consequences import under_their_causes
from tilewright.check._finding import Finding, merge_findings
from tilewright.check._report import Report
from tilewright.check._rules import Severity
from tilewright.check._silence import separate_silenced

REPORT_VARIABLE = "TILEWRIGHT_CHECK_REPORT"


class _Checker:
    """Launches under the checker, and what they found so far."""

    def __init__(self) -> None:
        self._found: list[Finding] = []
        self._launches = 0
        self._not_run = 0

    def launch(self, chip: Chip, program: ProgramDescriptor, options: RunOptions, call: Call) -> Run:
        try:
            run = chip.launch(program, dataclasses.replace(options, checked=True), call.tensors)
        except RunError as error:
            if isinstance(error.run, Run):
                self._note(error.run, error, call.operation)
            raise
        except TilewrightError:
            self._not_run += 1
            raise
        self._note(run, None, call.operation)
        return run

    def _note(self, run: Run, error: RunError | None, operation: str) -> None:
        self._launches += 1
        found = [dataclasses.replace(finding, operation=operation) for finding in findings_of_run(run, error, 0)]
        self._found = merge_findings([*self._found, *found])

    def report(self) -> Report:
        standing, silenced = separate_silenced(self._found)
        standing = under_their_causes(standing)
        findings = [finding for finding in standing if finding.severity is not Severity.NOTE]
        notes = [finding for finding in standing if finding.severity is Severity.NOTE]
        return Report(self._launches, findings, notes, silenced, not_run=self._not_run)


def main() -> int:
    checker = _Checker()
    status = serve(sys.argv[1:], checker.launch, wants_operations=True)
    path = os.environ.get(REPORT_VARIABLE)
    if path:
        # Child processes of the script have cards, and so reports, of their own.
        write_atomically(Path(f"{path}.{os.getpid()}"), pickle.dumps(checker.report()))
    return status


if __name__ == "__main__":
    sys.exit(main())
