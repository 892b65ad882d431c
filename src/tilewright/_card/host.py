# SPDX-License-Identifier: Apache-2.0
"""Functions the card's library calls in the host's Python (native/card/simulator/host_python.h)."""

from __future__ import annotations

import _thread
import itertools
import json
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from tilewright._card.new_tensors import take_new

# Packages whose functions are on the stack without being part of the model.
_NOT_OF_THE_SCRIPT = {"ttnn", "tilewright", "torch", "pytest", "_pytest", "pluggy", "runpy"}


def current_operation() -> str:
    """The operation of ttnn that this thread is in, such as ``ttnn.softmax``; of nested ones, outermost first.

    ttnn calls every operation through an object that has its name.
    """
    try:
        return " > ".join(reversed(_operations(sys._getframe().f_back)))
    except KeyboardInterrupt:
        _thread.interrupt_main()  # the library that called this could not handle it
        return ""


def current_tensors() -> str:
    """The callers of the operation this thread is in and the tensors it was given, in order (_card/tensors.py)."""
    try:
        for _, frame in _calls(sys._getframe().f_back):
            return described_call(frame, _given(frame), runs_now=True)
    except KeyboardInterrupt:
        _thread.interrupt_main()
    return ""


def described_call(frame: FrameType, tensors: Iterator[Any], *, runs_now: bool) -> str:
    """A call of an operation, as _card/tensors.py reads it.

    Args:
        frame: of the call.
        tensors: those that the call was given.
        runs_now: its programs run in the call, and not in a trace.
    """
    given = [*tensors]
    described = (_described(each, runs_now) for each in given)
    return "\n".join(map(json.dumps, [_callers(frame), _memory(given), *described]))


def waits_for_each_program() -> str:
    """ "yes" if ttnn launches the next program only when the one this thread launches is done; empty if not known.

    It does, unless ``ttnn.enable_asynchronous_slow_dispatch`` was called.
    """
    try:
        for _, frame in _calls(sys._getframe().f_back):
            for tensor in _given(frame):
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


def _callers(frame: FrameType | None) -> list[tuple[str, int]]:
    """Functions of the script that led to a call, outermost first, each with the identity of its ``self``, or 0."""
    found: list[tuple[str, int]] = []
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in _NOT_OF_THE_SCRIPT:
            owner = frame.f_locals.get("self")
            name = frame.f_code.co_name if owner is None else f"{type(owner).__name__}.{frame.f_code.co_name}"
            found.append((name, 0 if owner is None else id(owner)))
        frame = frame.f_back
    return found[::-1]


def _memory(tensors: list[Any]) -> dict[str, tuple[int, int]] | None:
    """Bytes that all tensors of the device take in each bank of DRAM and L1, and how many a bank has."""
    ttnn = sys.modules["ttnn"]
    device = next((tensor.device() for tensor in tensors), None)
    if device is None or not hasattr(ttnn, "get_memory_view"):
        return None
    views = {"dram": ttnn.BufferType.DRAM, "l1": ttnn.BufferType.L1}
    found = {name: ttnn.get_memory_view(device, kind) for name, kind in views.items()}
    return {name: (view.total_bytes_allocated_per_bank, view.total_bytes_per_bank) for name, view in found.items()}


def _given(frame: FrameType) -> Iterator[Any]:
    """Tensors on a device among the arguments of a call."""
    given = frame.f_locals.get("function_args", ()), frame.f_locals.get("function_kwargs", {}).values()
    return device_tensors_in([*itertools.chain(*given)])


def _described(tensor: Any, runs_now: bool) -> dict[str, Any] | None:
    """Where a tensor lies and what is in it; None where its pages neither go round the banks nor are rows of shards."""
    if not tensor.is_allocated() or tensor.is_per_core_allocated():
        return None
    rows = _rows_of_shard(tensor) if tensor.is_sharded() else 0
    if rows is None:
        return None
    return {
        "rows_of_shard": rows,
        "is_new": take_new(tensor) and runs_now,
        "memory": tensor.memory_config().buffer_type.name,
        "address": tensor.buffer_address(),
        "page_bytes": tensor.buffer_page_size(),
        "stride": tensor.buffer_aligned_page_size(),
        "num_pages": tensor.buffer_num_pages(),
        "layout": tensor.layout.name,
        "dtype": tensor.dtype.name,
        "tile": list(tensor.tile.tile_shape),
        "shape": list(tensor.shape),
    }


def _rows_of_shard(tensor: Any) -> int | None:
    """Rows that each core has of a row-major tensor; None for other shards."""
    shards = tensor.memory_config().shard_spec
    return int(shards.shape[0]) if shards is not None and tensor.layout.name == "ROW_MAJOR" else None


def tensors_in(value: Any) -> Iterator[Any]:
    """ttnn's tensors in arguments or results, also inside lists, tuples and dictionaries."""
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors_in(each)
    elif isinstance(value, dict):
        yield from tensors_in([*value.values()])
    elif isinstance(value, sys.modules["ttnn"].Tensor):
        yield value


def device_tensors_in(value: Any) -> Iterator[Any]:
    """Those of :func:`tensors_in` that are on a device."""
    return (each for each in tensors_in(value) if each.device() is not None)
