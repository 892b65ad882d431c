# SPDX-License-Identifier: Apache-2.0
"""A script of the real ttnn as a report: its card keeps every launch as the page shows it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tilewright._card.compare import MAPS_VARIABLE
from tilewright._card.environment import card_environment
from tilewright._card.package import require_ttnn
from tilewright._card.products import CardModel
from tilewright._report.card_server import VIEWS_VARIABLE
from tilewright._report.launch_view import View


def reported_on_card(script: Sequence[str], card: CardModel, *, compares: bool, quiet: bool) -> tuple[int, list[View]]:
    """Exit status of a script, and every launch of it and of its child processes.

    Args:
        script: the script's path and its arguments.
        compares: set each result beside its operation's golden function.
        quiet: what the script prints goes to stderr.
    """
    with tempfile.TemporaryDirectory() as directory:
        variables = {
            **os.environ,
            **card_environment(require_ttnn(), card),
            "TILEWRIGHT_CARD_SERVER": "tilewright._report.card_server",
            VIEWS_VARIABLE: directory,
            **({"TILEWRIGHT_CARD_COMPARE": "1", MAPS_VARIABLE: directory} if compares else {}),
        }
        output = sys.stderr if quiet else None
        status = subprocess.run([sys.executable, *script], env=variables, stdout=output, check=False).returncode
        return status, _views(Path(directory))


def _views(directory: Path) -> list[View]:
    """Launches in the order of time, each map of errors with the last launch of its operation before it."""
    views: list[View] = []
    for path in sorted(directory.glob("*.json")):
        found: View = json.loads(path.read_bytes())
        if path.stem.endswith("-launch"):
            views.append(found)
            continue
        launches = [view for view in views if view["operation"].partition(" > ")[0] == found["operation"]]
        if launches:
            launches[-1]["difference"] = found["map"]
    return views
