# SPDX-License-Identifier: Apache-2.0
"""Traces in the host's Python: the operation that each captured launch came from, and tensors that a trace still needs.

ttnn numbers its device operations, and the launch message carries the number. While a trace is captured, operations
note their numbers and the tensors they read. A replay whose tensor has been freed since is refused: on a card it would
read whatever lies there.
"""

from __future__ import annotations

import dataclasses
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from tilewright._card.host import tensors_among


@dataclasses.dataclass(frozen=True)
class _Input:
    """A tensor that a trace reads and does not make itself."""

    address: int
    buffer_type: str
    described: str  # as users know it


@dataclasses.dataclass
class _Trace:
    inputs: dict[tuple[int, str], _Input] = dataclasses.field(default_factory=dict)
    made: set[tuple[int, str]] = dataclasses.field(default_factory=set)


_operations: dict[int, str] = {}  # by the number of a captured device operation
_traces: dict[str, _Trace] = {}
_capturing: dict[str, _Trace] = {}
_names = threading.local()


def watch_traces() -> str:
    """Wraps ttnn's functions for traces, once; "ready" if there is a ttnn with them."""
    ttnn: Any = sys.modules.get("ttnn")
    if ttnn is None or not hasattr(ttnn, "begin_trace_capture"):
        return ""
    if not hasattr(ttnn.decorators, "tilewright_traces"):
        ttnn.decorators.tilewright_traces = True
        for kind in (ttnn.decorators.FastOperation, ttnn.decorators.Operation):
            kind.__call__ = _noted(kind.__call__)
        ttnn.begin_trace_capture = _beginning(ttnn.begin_trace_capture)
        ttnn.end_trace_capture = _ending(ttnn.end_trace_capture)
        ttnn.execute_trace = _replaying(ttnn.execute_trace)
        ttnn.release_trace = _releasing(ttnn.release_trace)
    return "ready"


def captured_operation(launch: str) -> str:
    """The operation that a launch of a trace was captured from; empty if it is not known."""
    return _operations.get(int(launch), "")


def _noted(call: Callable[..., Any]) -> Callable[..., Any]:
    """A call of an operation; while a trace is captured, its number and tensors are noted."""

    def noted(self: Any, *function_args: Any, **function_kwargs: Any) -> Any:
        if not _capturing:
            return call(self, *function_args, **function_kwargs)
        outer = getattr(_names, "stack", [])
        _names.stack = [*outer, self.python_fully_qualified_name]
        first = sys.modules["ttnn"]._ttnn.get_device_operation_id()
        given = [*function_args, *function_kwargs.values()]
        _note_inputs(given, self.python_fully_qualified_name)
        try:
            result = call(self, *function_args, **function_kwargs)
        finally:
            for number in range(first, sys.modules["ttnn"]._ttnn.get_device_operation_id()):
                _operations.setdefault(number, " > ".join(dict.fromkeys(_names.stack)))
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
                trace.inputs.setdefault(place, _Input(*place, described))


def _interleaved(arguments: list[Any]) -> Iterator[Any]:
    """Tensors on a device, with one address for all banks."""
    return (each for each in tensors_among(arguments) if each.is_allocated() and not each.is_per_core_allocated())


def _place(tensor: Any) -> tuple[int, str]:
    return tensor.buffer_address(), tensor.memory_config().buffer_type.name


def _beginning(begin: Callable[..., Any]) -> Callable[..., Any]:
    def begin_trace_capture(*args: Any, **kwargs: Any) -> Any:
        trace = begin(*args, **kwargs)
        _capturing[repr(trace)] = _Trace()
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


def _refuse_freed(name: str, trace: _Trace, device: Any) -> None:
    there = {(each.address, each.buffer_type.name) for each in sys.modules["ttnn"]._ttnn.reports.get_buffers([device])}
    for place, lost in trace.inputs.items():
        if place not in there:
            raise RuntimeError(
                f"ttnn.execute_trace: {name} needs {lost.described}, but it has been freed since the capture; on a "
                "card the replay reads whatever lies there. Keep the tensor until ttnn.release_trace, and write new "
                "values into it with ttnn.copy_host_to_device_tensor"
            )


def _releasing(release: Callable[..., Any]) -> Callable[..., Any]:
    def release_trace(*args: Any, **kwargs: Any) -> Any:
        _traces.pop(_trace_of(args, kwargs), None)
        return release(*args, **kwargs)

    return release_trace
