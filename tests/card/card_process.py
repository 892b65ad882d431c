# SPDX-License-Identifier: Apache-2.0
"""The process that the fixture ``on_card`` gives, and the processes that it starts."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

OnCard = Callable[..., subprocess.CompletedProcess[str]]


def processes_with(mark: str) -> list[str]:
    """Commands of running processes that have this in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().decode().replace("\0", " "))
        except OSError:
            continue
    return found
