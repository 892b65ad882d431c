# SPDX-License-Identifier: Apache-2.0
"""What the card's library asks the Python of the host it is loaded into (native/card/simulator/host_python.h)."""

from __future__ import annotations

import _thread
import itertools
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any


def current_operation() -> str:
    """The operation of ttnn that this thread is in, such as ``ttnn.softmax``; of nested ones, outermost first.

    ttnn calls every operation through an object that has its name.
    """
    try:
        return " > ".join(reversed(_operations(sys._getframe().f_back)))
    except KeyboardInterrupt:
        _thread.interrupt_main()  # who asked would not know what to do with it
        return ""


def waits_for_each_program() -> str:
    """ "yes" if ttnn launches the next program only when the one this thread launches is done; empty if not known.

    It does, unless it was told ``ttnn.enable_asynchronous_slow_dispatch``.
    """
    try:
        for _, frame in _calls(sys._getframe().f_back):
            given = frame.f_locals.get("function_args", ()), frame.f_locals.get("function_kwargs", {}).values()
            for tensor in _tensors([*itertools.chain(*given)]):
                is_asynchronous = getattr(sys.modules["ttnn"].device, "is_asynchronous_slow_dispatch_enabled", None)
                return "" if is_asynchronous is not None and is_asynchronous(tensor.device()) else "yes"
    except KeyboardInterrupt:
        _thread.interrupt_main()
    return ""


def _operations(frame: FrameType | None) -> list[str]:
    names: list[str] = []
    for name, _ in _calls(frame):
        if names[-1:] != [name]:
            names.append(name)
    return names


def _calls(frame: FrameType | None) -> Iterator[tuple[str, FrameType]]:
    """Calls of operations this frame is in, innermost first."""
    while frame is not None:
        if frame.f_code.co_name == "__call__":
            name = getattr(frame.f_locals.get("self"), "python_fully_qualified_name", None)
            if isinstance(name, str):
                yield name, frame
        frame = frame.f_back


def _tensors(arguments: Any) -> Iterator[Any]:
    """Tensors on a device among arguments, lists of them included."""
    if isinstance(arguments, (list, tuple)):
        for each in arguments:
            yield from _tensors(each)
    elif type(arguments).__name__ == "Tensor" and arguments.device() is not None:
        yield arguments
