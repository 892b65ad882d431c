# SPDX-License-Identifier: Apache-2.0
"""A script of the real ttnn under the checker: its launches are checked by the server of its card."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tilewright._card.environment import card_environment
from tilewright._card.package import require_ttnn
from tilewright._card.products import CardModel
from tilewright.check._card_server import REPORT_VARIABLE
from tilewright.check._finding import merge_findings
from tilewright.check._report import Report


def checked_on_card(script: Sequence[str], card: CardModel, *, quiet: bool) -> tuple[int, Report]:
    """Exit status of a script, and what was found in all launches of it and of its child processes.

    Args:
        script: the script's path and its arguments.
        quiet: what the script prints goes to stderr.
    """
    with tempfile.TemporaryDirectory() as directory:
        variables = {
            **os.environ,
            **card_environment(require_ttnn(), card),
            "TILEWRIGHT_CARD_SERVER": "tilewright.check._card_server",
            REPORT_VARIABLE: str(Path(directory) / "report"),
        }
        output = sys.stderr if quiet else None
        status = subprocess.run([sys.executable, *script], env=variables, stdout=output, check=False).returncode
        reports = [pickle.loads(path.read_bytes()) for path in sorted(Path(directory).glob("report.*"))]
    return status, Report(
        sum(report.launches for report in reports),
        merge_findings(finding for report in reports for finding in report.findings),
        merge_findings(finding for report in reports for finding in report.notes),
        [each for report in reports for each in report.silenced],
        not_run=sum(report.not_run for report in reports),
    )
