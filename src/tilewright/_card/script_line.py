# SPDX-License-Identifier: Apache-2.0
"""The line of the script that called an operation of ttnn."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType


def script_line() -> tuple[str, int]:
    """File and line of the innermost caller that is neither ttnn's nor ours; empty and 0 where there is none."""
    inside = (str(Path(sys.modules["ttnn"].decorators.__file__).parent), str(Path(__file__).parent))
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(inside):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ("", 0)
