# SPDX-License-Identifier: Apache-2.0
"""A script of the real ttnn, timed: its card keeps the calls of every launch, which are then replayed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tilewright._card.environment import card_environment
from tilewright._card.package import require_ttnn
from tilewright._card.products import CardModel
from tilewright.timing._every_launch import TimedLaunch, time_records


def timed_on_card(script: Sequence[str], card: CardModel, *, quiet: bool) -> tuple[int, list[TimedLaunch]]:
    """Exit status of a script, and every launch of it and of its child processes.

    Args:
        script: the script's path and its arguments.
        quiet: what the script prints goes to stderr.
    """
    with tempfile.TemporaryDirectory() as directory:
        variables = {**os.environ, **card_environment(require_ttnn(), card), "TILEWRIGHT_RECORDS": directory}
        output = sys.stderr if quiet else None
        status = subprocess.run([sys.executable, *script], env=variables, stdout=output, check=False).returncode
        return status, time_records(Path(directory))
