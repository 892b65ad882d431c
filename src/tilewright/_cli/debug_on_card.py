# SPDX-License-Identifier: Apache-2.0
"""A script of the real ttnn whose kernels stop: its card's server asks whoever looks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tilewright._card.debug_server import REQUEST_VARIABLE, DebugRequest
from tilewright._card.environment import card_environment
from tilewright._card.package import require_ttnn
from tilewright._card.products import CardModel
from tilewright._debug.breakpoints import Breakpoint
from tilewright._errors import TilewrightError


class MissingPlaceError(TilewrightError):
    """A place to stop at that no launch of the script has."""

    exit_status = 2


def debugged_on_card(
    script: Sequence[str],
    card: CardModel,
    places: Sequence[Breakpoint],
    commands: Sequence[str] | None,
    *,
    noted: int = 0,
    steps: bool = False,
) -> tuple[int, bool, list[dict[str, Any]]]:
    """Exit status of a script, whether it came to a stop, and what the first stops show where they are noted.

    Args:
        script: the script's path and its arguments.
        commands: of the prompt; None: somebody is asked.
        noted: so many stops are noted instead of a prompt.
        steps: after a stop that is noted, go on to the next call only.
    """
    with tempfile.TemporaryDirectory() as directory:
        notes, reached, missing = (Path(directory) / name for name in ("notes", "reached", "missing"))
        given = None if commands is None else tuple(commands)
        request = DebugRequest(
            tuple(map(str, places)), given, str(notes) if noted else "", noted, steps, str(reached), str(missing)
        )
        variables = {
            **os.environ,
            **card_environment(require_ttnn(), card),
            "TILEWRIGHT_CARD_SERVER": "tilewright._card.debug_server",
            REQUEST_VARIABLE: request.text(),
        }
        output = sys.stderr if noted else None
        status = subprocess.run([sys.executable, *script], env=variables, stdout=output, check=False).returncode
        if missing.exists() and not status:
            raise MissingPlaceError(missing.read_text(encoding="utf-8"))
        lines = notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []
        return status, reached.exists(), [json.loads(line) for line in lines]
