# SPDX-License-Identifier: Apache-2.0
"""What the card's library asks the Python of the host it is loaded into (native/card/simulator/host_python.h)."""

from __future__ import annotations

import _thread
import sys
from types import FrameType


def current_operation() -> str:
    """The operation of ttnn that this thread is in, such as ``ttnn.softmax``; of nested ones, outermost first.

    ttnn calls every operation through an object that has its name.
    """
    try:
        return " > ".join(reversed(_operations(sys._getframe().f_back)))
    except KeyboardInterrupt:
        _thread.interrupt_main()  # who asked would not know what to do with it
        return ""


def _operations(frame: FrameType | None) -> list[str]:
    names: list[str] = []
    while frame is not None:
        if frame.f_code.co_name == "__call__":
            name = getattr(frame.f_locals.get("self"), "python_fully_qualified_name", None)
            if isinstance(name, str) and names[-1:] != [name]:
                names.append(name)
        frame = frame.f_back
    return names
