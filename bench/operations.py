# SPDX-License-Identifier: Apache-2.0
"""The operations as they are timed: called on tensors of the device as anyone would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tilewright import ops, ttnn


def call(
    name: str, arrays: list[np.ndarray], device: ttnn.Device, core_grid: tuple[int, int] | None = None
) -> Callable[[], None]:
    """A call of an operation on bfloat16 tensors, on all cores or on a grid; what it gives is freed again."""
    tensors = [
        ttnn.from_numpy(array, dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device) for array in arrays
    ]
    operation: Callable[..., Any] = getattr(ops, name)
    return lambda: operation(*tensors, core_grid=core_grid).deallocate()
