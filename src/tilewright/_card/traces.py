# SPDX-License-Identifier: Apache-2.0
"""Command queues in the host's Python: the operation that each launch came from, and tensors that a trace still needs.

ttnn numbers its device operations, and the launch message carries the number. Each operation notes its numbers when it
returns: the error of a launch may surface later, and so may the launch run. Those of a trace are kept until the process
ends, with a description of the call for observers; of others the last ones are kept. While a trace is captured, the
tensors that operations read are noted, too. A replay whose tensor has been freed since is refused: on a card it would
read whatever lies there.

A capture that was begun and not ended, because of an error in between, is ended before its device is closed: ttnn waits
there for an event that it would post to the trace.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import functools
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from tilewright._card.host import current_operation, current_tensors, described_call, device_tensors_in
from tilewright._launch.operation_name import IN_TRACE


@dataclasses.dataclass(frozen=True)
class _CapturedCall:
    """A call of an operation while a trace was captured; ``call`` is its description (_card/tensors.py)."""

    operation: str
    call: str


@dataclasses.dataclass(frozen=True)
class _TraceInput:
    """A tensor that a trace reads and does not make itself."""

    address: int
    buffer_type: str
    described: str  # as users know it


@dataclasses.dataclass
class _CapturedTrace:
    end: Callable[[], Any]  # of its capture
    inputs: dict[tuple[int, str], _TraceInput] = dataclasses.field(default_factory=dict)
    made: set[tuple[int, str]] = dataclasses.field(default_factory=set)


_KEPT = 4096  # launches that may still be on their way

_captured: dict[int, _CapturedCall] = {}  # calls by the number of a device operation
_launched: list[tuple[int, str]] = [(-1, "")] * _KEPT  # the same of other operations, by the last digits of the number
_traces: dict[str, _CapturedTrace] = {}
_capturing: dict[str, _CapturedTrace] = {}
_names = threading.local()


def is_capturing() -> bool:
    """Whether a trace is being captured."""
    return bool(_capturing)


def watch_traces() -> str:
    """Wraps ttnn's functions for traces, once; "ready" if there is a ttnn with them."""
    ttnn: Any = sys.modules.get("ttnn")
    if ttnn is None or not hasattr(ttnn, "begin_trace_capture"):
        return ""
    if not hasattr(ttnn.decorators, "tilewright_traces"):
        ttnn.decorators.tilewright_traces = True
        for kind in (ttnn.decorators.FastOperation, ttnn.decorators.Operation):
            kind.__call__ = _noted(kind.__call__, ttnn._ttnn.get_device_operation_id)
        ttnn.begin_trace_capture = _beginning(ttnn.begin_trace_capture)
        ttnn.end_trace_capture = _ending(ttnn.end_trace_capture)
        ttnn.execute_trace = _replaying(ttnn.execute_trace)
        ttnn.release_trace = _releasing(ttnn.release_trace)
        for name in ("close_device", "close_mesh_device"):
            setattr(ttnn, name, _closing(getattr(ttnn, name)))
        atexit.register(_end_captures)
    return "ready"


def launched_operation(launch: str) -> str:
    """The operation that a launch came from; empty if it has not returned or is not known."""
    captured = _captured.get(int(launch))
    number, name = _launched[int(launch) % _KEPT]
    return captured.operation if captured else name if number == int(launch) else ""


def operation_of_launch(launch: str) -> str:
    """The operation that a launch which runs now came from, for observers; one in a trace is marked."""
    if int(launch) in _captured:
        return launched_operation(launch) + IN_TRACE
    return launched_operation(launch) or current_operation()


def tensors_of_launch(launch: str) -> str:
    """The callers and tensors of that operation (_card/tensors.py); empty if it has returned before the launch runs."""
    if int(launch) in _captured:
        return _captured[int(launch)].call
    return "" if launched_operation(launch) else current_tensors()


def _noted(call: Callable[..., Any], next_number: Callable[[], int]) -> Callable[..., Any]:
    """A call of an operation, which notes its numbers; while a trace is captured, its tensors, too."""

    def noted(self: Any, *function_args: Any, **function_kwargs: Any) -> Any:
        name = self.python_fully_qualified_name
        if not _capturing:
            first = next_number()
            result = call(self, *function_args, **function_kwargs)
            for number in range(first, next_number()):
                if _launched[number % _KEPT][0] != number:  # an operation inside this one has noted it
                    _launched[number % _KEPT] = number, name
            return result
        outer = getattr(_names, "stack", [])
        _names.stack = [*outer, name]
        first = next_number()
        given = [*function_args, *function_kwargs.values()]
        _note_inputs(given, name)
        described = described_call(sys._getframe(), device_tensors_in(given), runs_now=False)
        try:
            result = call(self, *function_args, **function_kwargs)
        finally:
            for number in range(first, next_number()):
                _captured.setdefault(number, _CapturedCall(" > ".join(dict.fromkeys(_names.stack)), described))
            _names.stack = outer
        for tensor in _interleaved([result]):
            for trace in _capturing.values():
                trace.made.add(_place(tensor))
        return result

    return noted


def _note_inputs(given: list[Any], operation: str) -> None:
    for tensor in _interleaved(given):
        place = _place(tensor)
        described = f"the tensor of shape {tuple(tensor.shape)} at {place[0]:#x} in {place[1]}, which {operation} reads"
        for trace in _capturing.values():
            if place not in trace.made:
                trace.inputs.setdefault(place, _TraceInput(*place, described))


def _interleaved(arguments: list[Any]) -> Iterator[Any]:
    """Tensors on a device, with one address for all banks."""
    return (each for each in device_tensors_in(arguments) if each.is_allocated() and not each.is_per_core_allocated())


def _place(tensor: Any) -> tuple[int, str]:
    return tensor.buffer_address(), tensor.memory_config().buffer_type.name


def _beginning(begin: Callable[..., Any]) -> Callable[..., Any]:
    def begin_trace_capture(*args: Any, **kwargs: Any) -> Any:
        trace = begin(*args, **kwargs)
        given = {"mesh_device": args[0], **kwargs} if args else kwargs
        end = functools.partial(sys.modules["ttnn"].end_trace_capture, trace_id=trace, **given)
        _capturing[repr(trace)] = _CapturedTrace(end)
        return trace

    return begin_trace_capture


def _trace_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The trace among the arguments of a call; it is the second one."""
    return repr(kwargs["trace_id"] if "trace_id" in kwargs else args[1] if len(args) > 1 else None)


def _ending(end: Callable[..., Any]) -> Callable[..., Any]:
    def end_trace_capture(*args: Any, **kwargs: Any) -> Any:
        trace = _trace_of(args, kwargs)
        try:
            return end(*args, **kwargs)
        finally:
            if trace in _capturing:
                _traces[trace] = _capturing.pop(trace)

    return end_trace_capture


def _replaying(execute: Callable[..., Any]) -> Callable[..., Any]:
    def execute_trace(*args: Any, **kwargs: Any) -> Any:
        trace = _trace_of(args, kwargs)
        device = kwargs.get("mesh_device", args[0] if args else None)
        if trace in _traces and device is not None:
            _refuse_freed(trace, _traces[trace], device)
        return execute(*args, **kwargs)

    return execute_trace


def _refuse_freed(name: str, trace: _CapturedTrace, device: Any) -> None:
    there = {(each.address, each.buffer_type.name) for each in sys.modules["ttnn"]._ttnn.reports.get_buffers([device])}
    for place, lost in trace.inputs.items():
        if place not in there:
            raise RuntimeError(
                f"ttnn.execute_trace: {name} needs {lost.described}, but it has been freed since the capture; on a "
                "card the replay reads whatever lies there. Keep the tensor until ttnn.release_trace, and write new "
                "values into it with ttnn.copy_host_to_device_tensor"
            )


def _end_captures() -> None:
    """Ends captures that an error left open; what is wrong with them has been said."""
    for trace in [*_capturing.values()]:
        with contextlib.suppress(RuntimeError):
            trace.end()


def _closing(close: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(close)
    def close_device(*args: Any, **kwargs: Any) -> Any:
        _end_captures()
        return close(*args, **kwargs)

    return close_device


def _releasing(release: Callable[..., Any]) -> Callable[..., Any]:
    def release_trace(*args: Any, **kwargs: Any) -> Any:
        _traces.pop(_trace_of(args, kwargs), None)
        return release(*args, **kwargs)

    return release_trace
