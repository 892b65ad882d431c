# SPDX-License-Identifier: Apache-2.0
"""Events of a stage's process, written line by line so that a crash loses none."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


class Events:
    """The file a stage's process writes to."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def tell(self, event: str, **fields: Any) -> None:
        line = json.dumps({"event": event, **fields}, ensure_ascii=False) + "\n"
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, line.encode())
        finally:
            os.close(descriptor)


def read_events(path: Path) -> list[dict[str, Any]]:
    """All events; a last line that is not whole is left out."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    return [json.loads(line) for line in lines[:-1] if line]
