# SPDX-License-Identifier: Apache-2.0
"""Wrappers around ttnn's functions, installed in the host's process when the card's library starts.

With several chips, ttnn launches programs from threads of its own and returns before they have run. Each call of an
operation is followed by their run, so that an error is raised in the call it belongs to, and observers know the
operation and its tensors. A mesh of more chips than the system has is refused with the option that gives it. So are
devices that are opened beside open ones under fast dispatch: ttnn then makes the queues of the open ones anew, and goes
on to use the freed ones. Functions that read the profiler give modelled times.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tilewright._card.environment import described_card
from tilewright._card.new_tensors import watch_allocations
from tilewright._card.profiler import watch_profiler
from tilewright._card.program_cache import check_program_caches
from tilewright._card.systems.known_systems import system_for
from tilewright._debug.prompt import ENDED_AT_STOP


def watch_operations() -> str:
    """Put the functions around ttnn's, once; why the request that this thread is in is refused, or nothing."""
    ttnn = sys.modules.get("ttnn")
    if ttnn is None or not hasattr(ttnn, "decorators"):
        return ""
    if not hasattr(ttnn.decorators, "tilewright_watches"):
        ttnn.decorators.tilewright_watches = True
        sys.excepthook = _quiet_at_the_end(sys.excepthook)
        devices = ttnn._ttnn.multi_device
        devices.open_mesh_device = _refusing(devices.open_mesh_device)
        _watch_dispatch_axis(ttnn._ttnn.device)
        watch_allocations()
        watch_profiler()
        if _num_chips() > 1:
            _watch_openings(ttnn)
            for kind in (ttnn.decorators.FastOperation, ttnn.decorators.Operation):
                kind.__call__ = _finished(kind.__call__)
        if refusal := check_program_caches():
            return refusal
    return _refusal_of_request()


def _quiet_at_the_end(show: Callable[..., Any]) -> Callable[..., Any]:
    """Shows uncaught errors but the one with which a user ends debugging: the command prints where that was."""

    def show_error(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        if ENDED_AT_STOP not in str(error):
            show(kind, error, trace)

    return show_error


def _num_chips() -> int:
    return int(os.environ["TILEWRIGHT_CARDS"])


def _refusal_of_request() -> str:
    """Of the device that this thread is about to open: its call began before the library was there."""
    frame = sys._getframe().f_back
    while frame is not None:
        if frame.f_code.co_name == "open_mesh_device" and "mesh_shape" in frame.f_locals:
            return _refusal(frame.f_locals["mesh_shape"])
        if type(frame.f_locals.get("self")).__name__ == "DispatchCoreConfig":
            return _refusal_of_axis(frame.f_locals.get("axis"))
        frame = frame.f_back
    return ""


def _refusal(shape: Any) -> str:
    """Why a mesh of this shape is refused; empty: it is not."""
    sides = [shape[index] for index in range(shape.dims())] if shape is not None else []
    rows, columns = (1, *sides)[-2:] if len(sides) < 3 else (1, 1)
    if rows * columns <= _num_chips():
        return ""
    chips = "1 chip" if _num_chips() == 1 else f"{_num_chips()} chips"
    return (
        f"open_mesh_device: mesh_shape {rows}x{columns} needs {rows * columns} chips; the simulated system has "
        f"{chips}; {system_for(rows, columns)}"
    )


def _refusal_of_axis(axis: Any) -> str:
    model, _, _ = described_card(Path(os.environ["TILEWRIGHT_CARD"]))
    return model.refusal_of_dispatch_axis(getattr(axis, "name", "ROW"))


def _watch_dispatch_axis(devices: Any) -> None:
    """Refuse dispatch cores that leave other cores to programs than the card has: ttnn's process would crash later."""
    create = getattr(devices, "create_dispatch_core_config", None)  # not in every release
    if create is None:
        return

    @functools.wraps(create)
    def create_dispatch_core_config(*arguments: Any, **named: Any) -> Any:
        if refusal := _refusal_of_axis(named.get("axis")):
            raise RuntimeError(f"tilewright: {refusal}")
        return create(*arguments, **named)

    devices.create_dispatch_core_config = create_dispatch_core_config


def _watch_openings(ttnn: Any) -> None:
    """Refuse devices beside open ones, where the host has command queues."""
    has_queues = ctypes.CDLL(os.environ["TT_METAL_SIMULATOR"]).libttsim_has_command_queues

    def watched(opened: Callable[..., Any], name: str) -> Callable[..., Any]:
        @functools.wraps(opened)
        def opening(*arguments: Any, **named: Any) -> Any:
            if has_queues():
                raise RuntimeError(
                    f"tilewright: {name}: another device is open. With command queues ttnn cannot open devices one by "
                    "one: it makes the queues of the open ones anew and goes on to use the freed ones. Open them "
                    "together, with ttnn.CreateDevices([0, 1]) or as a mesh with submeshes, or give --dispatch slow"
                )
            return opened(*arguments, **named)

        return opening

    for module, names in (
        (ttnn._ttnn.device, ("open_device", "CreateDevice", "CreateDevices")),
        (ttnn._ttnn.multi_device, ("open_mesh_device",)),
        (ttnn, ("open_device",)),  # the same function, under another name
    ):
        for name in names:
            setattr(module, name, watched(getattr(module, name), name))


def _refusing(open_mesh: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(open_mesh)
    def open_mesh_device(*arguments: Any, **named: Any) -> Any:
        refusal = _refusal(named.get("mesh_shape"))
        if refusal:
            raise RuntimeError(f"tilewright: {refusal}")
        return open_mesh(*arguments, **named)

    return open_mesh_device


def _finished(call: Callable[..., Any]) -> Callable[..., Any]:
    """A call of an operation, followed by the run of what it launched."""
    finish = ctypes.CDLL(os.environ["TT_METAL_SIMULATOR"]).libttsim_finish_operation
    finish.restype = ctypes.c_char_p

    @functools.wraps(call)
    def __call__(self: Any, *function_args: Any, **function_kwargs: Any) -> Any:  # noqa: N807 (read by _card/host.py)
        result = call(self, *function_args, **function_kwargs)
        error = finish()
        if error is not None:
            raise RuntimeError(f"{self.python_fully_qualified_name}: {error.decode()}")
        return result

    return __call__
