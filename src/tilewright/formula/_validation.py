# SPDX-License-Identifier: Apache-2.0
"""Validation errors of operations, in the words of their specifications."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

from tilewright._errors import TilewrightError
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.memory_config import MemoryConfig
from tilewright._tensor.sharding import page_width
from tilewright._tensor.tensor import StorageType, Tensor
from tilewright.formula._graph import Extent

SUPPORTED_DTYPES = (DataType.BFLOAT16, DataType.FLOAT32)
# Such a tensor is in tiles, always.
SUPPORTED_IN_TILES = (*SUPPORTED_DTYPES, DataType.BFLOAT8_B)
# Weights are read only, so formats that no result has are welcome.
SUPPORTED_MATRICES = (*SUPPORTED_IN_TILES, DataType.BFLOAT4_B)
# What has a number for every element may be integers too.
SUPPORTED_OF_ROWS = (*SUPPORTED_IN_TILES, DataType.INT32)


class OperationError(TilewrightError, RuntimeError, ValueError):
    """An operation was given something it cannot work on. ttnn raises RuntimeError for the same."""

    exit_status = 2


@dataclasses.dataclass(frozen=True)
class Wording:
    """How an operation words its refusals of its first tensor; what was given is added where it has no place.

    Without words of its own a refusal begins with the tensor's name. ``row_major`` are the words for a tensor in tiles,
    ``interleaved`` for any sharded tensor; without them, these are welcome. ``operand_dtype`` and ``operand_layout``
    are the words for another tensor that is not as the first; they may say ``{name}``, ``{expected}`` and ``{got}``.
    Without them every tensor has its own.
    """

    rank: str = ""
    row_major: str = ""
    interleaved: str = ""
    on_device: str = ""
    dtype: str = ""
    width: str = ""
    operand_dtype: str = ""
    operand_layout: str = ""

    def text(self, property_: str, name: str, given: object) -> str:
        """The refusal of a property, for what was given."""
        words = getattr(self, property_) or _DEFAULT_WORDS[property_].replace("NAME", name)
        return words.format(given) if "{}" in words else f"{words}, got {given}"


_DEFAULT_WORDS = {
    "rank": "NAME must have at least 2 dimensions, got rank {}",
    "row_major": "NAME must be in ROW_MAJOR layout",
    "interleaved": "NAME must be interleaved",  # in exported packages, which take no sharded tensors
    "on_device": "NAME must be on device",
    "dtype": "NAME must be BFLOAT16, FLOAT32, BFLOAT8_B or INT32, got {}",
    "width": "NAME must have a width of at least 1, got {}",
}


def check_input(name: str, tensor: Tensor, wording: Wording) -> None:
    """Refuses an input that is not a non-empty device tensor of rank 2 or more, or whose pages are parts of rows."""
    require_tensor(name, tensor)
    shape, layout, config = tensor.shape, tensor.layout, tensor.memory_config()
    if shape.rank < 2:
        raise OperationError(wording.text("rank", name, shape.rank))
    if layout is not Layout.ROW_MAJOR and wording.row_major:
        raise OperationError(wording.text("row_major", name, layout.name))
    if config.is_sharded() and wording.interleaved:
        raise OperationError(wording.text("interleaved", name, config.memory_layout.name))
    check_pages(name, layout, config)
    check_on_device(tensor, wording.on_device or f"{name} must be on device")
    if tensor.dtype not in (SUPPORTED_DTYPES if wording.row_major else SUPPORTED_OF_ROWS):
        raise OperationError(wording.text("dtype", name, tensor.dtype.name))
    if shape[-1] <= 0:
        raise OperationError(wording.text("width", name, shape[-1]))
    if not tensor.logical_volume():
        raise OperationError(f"Input must not be empty, got shape {list(shape)}")


def check_pages(name: str, layout: Layout, config: MemoryConfig) -> None:
    """Refuses rows in shards that cut them: kernels move whole rows."""
    if page_width(layout, config) is not None:
        raise OperationError(
            f"{name} must be HEIGHT_SHARDED or INTERLEAVED in ROW_MAJOR layout, got {config.memory_layout.name}; "
            "in TILE layout it may be sharded in any way"
        )


def check_on_device(tensor: Tensor, message: str) -> None:
    if tensor.storage_type() is not StorageType.DEVICE:
        raise OperationError(f"{message}, got a tensor on the host")
    if not tensor.is_allocated():
        raise OperationError(f"{message}, got a tensor that has been deallocated")


def check_operand(
    name: str, operand: Tensor, tensor: Tensor, wording: Wording, *, is_rows: bool, is_matrix: bool
) -> None:
    """Refuses a tensor that does not go with the first one: its device; its dtype and layout if they matter."""
    require_tensor(name, operand)
    title = name.capitalize()
    check_on_device(operand, f"{title} must be allocated on device")
    if operand.device() is not tensor.device():
        raise OperationError(f"{title} must be on same device as input")
    if operand.layout is not tensor.layout and wording.operand_layout:
        got = operand.layout.name
        raise OperationError(wording.operand_layout.format(name=title, expected=tensor.layout.name, got=got))
    config = operand.memory_config()
    if config.is_sharded() and wording.interleaved:
        raise OperationError(f"{title} must be in INTERLEAVED memory, got {config.memory_layout.name}")
    check_pages(title, operand.layout, config)
    if operand.dtype is not tensor.dtype and wording.operand_dtype:
        expected, got = tensor.dtype.name, operand.dtype.name
        raise OperationError(wording.operand_dtype.format(name=title, expected=expected, got=got))
    allowed = SUPPORTED_OF_ROWS if is_rows else SUPPORTED_MATRICES if is_matrix else SUPPORTED_IN_TILES
    if operand.dtype not in allowed:
        raise OperationError(f"{title} must be {_names(allowed)}, got {operand.dtype.name}")


def check_shape(name: str, extent: Extent, is_matrix: bool, operand: Tensor, shape: tuple[int, ...]) -> None:
    """Refuses a tensor whose shape does not go with rows of a shape."""
    check = _check_matrix if is_matrix else _SHAPE_CHECKS[extent]
    check(name.capitalize(), list(operand.shape), list(shape))


def check_factors(factors: Mapping[str, Tensor], right: str, count: int) -> None:
    """Refuses operands of a matmul in tiles whose padding would be multiplied too, and integers."""
    for name, tensor in factors.items():
        allowed = SUPPORTED_MATRICES if name == right else SUPPORTED_IN_TILES
        if tensor.dtype not in allowed:
            raise OperationError(
                f"{name.capitalize()} must be {_names(allowed)}, as it is multiplied by a matrix, got "
                f"{tensor.dtype.name}"
            )
        if tensor.layout is Layout.TILE and count % 32:
            raise OperationError(
                f"{name.capitalize()} must be in ROW_MAJOR layout: {count} products are added up, and tiles have "
                "padding among them; or give a multiple of 32"
            )


def _names(dtypes: Sequence[DataType]) -> str:
    *most, last = [each.name for each in dtypes]
    return f"{', '.join(most)} or {last}"


def _check_matrix(title: str, sides: list[int], shape: list[int]) -> None:
    if len(sides) != 2 or sides[0] != shape[-1]:
        raise OperationError(f"{title} must be a matrix of {shape[-1]} rows, one for each column, got shape {sides}")


def _check_row(title: str, sides: list[int], shape: list[int]) -> None:
    width = shape[-1]
    if not sides:
        raise OperationError(f"{title} must have at least 1 dimension, got rank 0")
    if sides[-1] != width:
        raise OperationError(f"{title} last dimension {sides[-1]} must match input last dimension {width}")
    if math.prod(sides) != width:
        expected = f"[{width}] or [1, ..., 1, {width}]"
        raise OperationError(f"{title} shape must match input width, expected {expected} got {sides}")


def _check_column(title: str, sides: list[int], shape: list[int]) -> None:
    if sides != [*shape[:-1], 1]:
        raise OperationError(f"{title} must have one element a row, expected shape {[*shape[:-1], 1]} got {sides}")


def _check_scalar(title: str, sides: list[int], _: list[int]) -> None:
    if math.prod(sides) != 1:
        raise OperationError(f"{title} must have one element, got shape {sides}")


def _check_rows(title: str, sides: list[int], shape: list[int]) -> None:
    if sides != shape:
        raise OperationError(f"{title} must have the shape of the first tensor, {shape}, got {sides}")


_SHAPE_CHECKS = {
    Extent.FULL: _check_rows,
    Extent.ROW: _check_row,
    Extent.COLUMN: _check_column,
    Extent.SCALAR: _check_scalar,
}


def require_tensor(name: str, value: Any) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be a tensor or an array like the input, not {type(value).__name__}")
