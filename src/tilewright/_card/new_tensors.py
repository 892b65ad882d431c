# SPDX-License-Identifier: Apache-2.0
"""In the host's process: tensors of the real ttnn that were allocated without values, until their first use.

A card's memory does not show which bytes of a tensor were written. ``ttnn.empty`` and the like only allocate, so what
the first program that is given such a tensor does not write, no one has written.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

_ALLOCATES = ("allocate_tensor_on_device", "empty", "empty_like")
_WRITES = "copy_host_to_device_tensor"
_new: set[int] = set()


def watch_allocations() -> None:
    """Put functions around those of ttnn that allocate tensors, and around the one that writes them from the host."""
    ttnn = sys.modules["ttnn"]
    for name in _ALLOCATES:
        operation = getattr(ttnn, name)
        operation.function = _noting(operation.function)
    written = getattr(ttnn, _WRITES)
    written.function = _forgetting(written.function)


def take_new(tensor: Any) -> bool:
    """Whether a tensor on a device was allocated and not used since; from now on it counts as used."""
    if tensor.buffer_unique_id() not in _new:
        return False
    _new.discard(tensor.buffer_unique_id())
    return True


def _noting(allocate: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(allocate)
    def noted(*arguments: Any, **named: Any) -> Any:
        tensor = allocate(*arguments, **named)
        if tensor.is_allocated() and tensor.device() is not None:
            _new.add(tensor.buffer_unique_id())
        return tensor

    return noted


def _forgetting(write: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(write)
    def forgotten(*arguments: Any, **named: Any) -> Any:
        for each in (*arguments, *named.values()):
            if type(each).__name__ == "Tensor" and each.device() is not None:
                take_new(each)
        return write(*arguments, **named)

    return forgotten
