# SPDX-License-Identifier: Apache-2.0
"""What the operations refuse, in the words of their specifications."""

from __future__ import annotations

import dataclasses
import math
import struct
from typing import Any

from tilewright.device.errors import TilewrightError
from tilewright.tensor.dtype import DataType
from tilewright.tensor.layout import Layout
from tilewright.tensor.tensor import StorageType, Tensor

SUPPORTED_DTYPES = (DataType.BFLOAT16, DataType.FLOAT32)
_LEAST_NORMAL = 2.0**-126


class OperationError(TilewrightError, RuntimeError, ValueError):
    """An operation was given something it cannot work on. ttnn raises RuntimeError for the same."""

    exit_status = 2


@dataclasses.dataclass(frozen=True)
class Wording:
    """How an operation's specification words its refusals; what was given is added where it has no place."""

    rank: str
    layout: str
    interleaved: str
    on_device: str
    dtype: str
    width: str


def check_input(tensor: Tensor, wording: Wording) -> None:
    """Refuses an input that is not a non-empty, interleaved, row-major device tensor of rank 2 or more."""
    _require_tensor("input_tensor", tensor)
    shape, layout, config = tensor.shape, tensor.layout, tensor.memory_config()
    if shape.rank < 2:
        raise OperationError(wording.rank.format(shape.rank))
    if layout is not Layout.ROW_MAJOR:
        raise OperationError(f"{wording.layout}, got {layout.name}")
    if not config.interleaved:
        raise OperationError(f"{wording.interleaved}, got {config.memory_layout.name}")
    check_on_device(tensor, wording.on_device)
    if tensor.dtype not in SUPPORTED_DTYPES:
        raise OperationError(wording.dtype.format(tensor.dtype.name))
    if shape[-1] <= 0:
        raise OperationError(wording.width.format(shape[-1]))
    if not tensor.logical_volume():
        raise OperationError(f"Input must not be empty, got shape {list(shape)}")


def check_on_device(tensor: Tensor, message: str) -> None:
    if tensor.storage_type() is not StorageType.DEVICE:
        raise OperationError(f"{message}, got a tensor on the host")
    if not tensor.is_allocated():
        raise OperationError(f"{message}, got a tensor that has been deallocated")


def check_vector(name: str, vector: Tensor, tensor: Tensor) -> None:
    """Refuses a gamma or beta that does not go with the input: one row of its width, of its dtype, on its device."""
    _require_tensor(name.lower(), vector)
    check_on_device(vector, f"{name} must be allocated on device")
    if vector.device() is not tensor.device():
        raise OperationError(f"{name} must be on same device as input")
    if vector.layout is not Layout.ROW_MAJOR:
        raise OperationError(f"{name} must be in ROW_MAJOR layout, got {vector.layout.name}")
    config = vector.memory_config()
    if not config.interleaved:
        raise OperationError(f"{name} must be in INTERLEAVED memory, got {config.memory_layout.name}")
    if vector.dtype is not tensor.dtype:
        expected, got = tensor.dtype.name, vector.dtype.name
        raise OperationError(f"{name} dtype must match input dtype, expected {expected} got {got}")
    width, sides = tensor.shape[-1], list(vector.shape)
    if not sides:
        raise OperationError(f"{name} must have at least 1 dimension, got rank 0")
    if sides[-1] != width:
        raise OperationError(f"{name} last dimension {sides[-1]} must match input last dimension {width}")
    if vector.logical_volume() != width:
        expected = f"[{width}] or [1, ..., 1, {width}]"
        raise OperationError(f"{name} shape must match input width, expected {expected} got {sides}")


def checked_epsilon(epsilon: Any) -> float:
    """``epsilon`` as a float that is positive in float32 too."""
    if isinstance(epsilon, bool) or not hasattr(epsilon, "__float__"):
        raise OperationError(f"Epsilon must be positive, got {epsilon!r}")
    try:
        value = float(epsilon)
    except (TypeError, ValueError, RuntimeError):  # an array of several numbers
        raise OperationError(f"Epsilon must be positive, got {epsilon!r}, which is not one number") from None
    except OverflowError:  # an int beyond every float
        raise OperationError(f"Epsilon must be positive, got {epsilon!r}, which float32 cannot hold") from None
    if not value > 0:
        raise OperationError(f"Epsilon must be positive, got {epsilon}")
    if not math.isfinite(value):
        raise OperationError(f"Epsilon must be positive, got {epsilon}, which is no number to compute with")
    if value < _LEAST_NORMAL:
        raise OperationError(f"Epsilon must be positive, got {epsilon}, which is zero to hardware (below 2^-126)")
    try:
        struct.pack("<f", value)
    except OverflowError:
        raise OperationError(f"Epsilon must be positive, got {epsilon}, which float32 cannot hold") from None
    return value


def _require_tensor(name: str, value: Any) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be a tensor or an array like the input, not {type(value).__name__}")
