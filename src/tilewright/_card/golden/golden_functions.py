# SPDX-License-Identifier: Apache-2.0
"""Golden functions of operations for which ttnn has none: convolutions in one dimension, transposed convolutions.

They get what ttnn's own get: the call's arguments with tensors of torch. Images are channels-last, as ttnn has them;
results have one row for each pixel.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any


def attach_golden_functions() -> None:
    """Give ttnn the functions of this module where an operation has none of its own."""
    ttnn = sys.modules["ttnn"]
    for name, function in _GOLDEN.items():
        operation = getattr(ttnn, name, None)
        if operation is not None and getattr(operation, "golden_function", None) is None:
            ttnn.attach_golden_function(operation, function)


def conv1d(
    input_tensor: Any,
    weight_tensor: Any,
    device: Any = None,
    in_channels: int = 0,
    out_channels: int = 0,
    batch_size: int = 1,
    input_length: int = 0,
    kernel_size: int = 1,
    stride: int = 1,
    padding: int | tuple[int, int] = 0,
    dilation: int = 1,
    groups: int = 1,
    bias_tensor: Any = None,
    **others: Any,
) -> Any:
    """A convolution of rows of ``in_channels`` numbers."""
    import torch

    _require_weights(weight_tensor, (out_channels, in_channels // groups, kernel_size))
    rows = input_tensor.reshape(batch_size, input_length, in_channels).permute(0, 2, 1)
    before, after = (padding, padding) if isinstance(padding, int) else padding
    rows = torch.nn.functional.pad(rows, (before, after))
    weights = weight_tensor.reshape(out_channels, in_channels // groups, kernel_size)
    bias = None if bias_tensor is None else bias_tensor.reshape(-1)[:out_channels]
    result = torch.nn.functional.conv1d(rows, weights, bias, _one(stride), 0, _one(dilation), groups)
    return _activated(result.permute(0, 2, 1).reshape(-1, out_channels), others)


def conv_transpose2d(
    input_tensor: Any,
    weight_tensor: Any,
    device: Any = None,
    in_channels: int = 0,
    out_channels: int = 0,
    batch_size: int = 1,
    input_height: int = 0,
    input_width: int = 0,
    kernel_size: tuple[int, int] = (1, 1),
    stride: tuple[int, int] = (1, 1),
    padding: tuple[int, ...] = (0, 0),
    output_padding: tuple[int, int] = (0, 0),
    dilation: tuple[int, int] = (1, 1),
    groups: int = 1,
    bias_tensor: Any = None,
    mirror_kernel: bool = True,
    **others: Any,
) -> Any:
    """A transposed convolution of images."""
    import torch

    if len(padding) != 2:
        raise NotImplementedError("padding of four sides has no counterpart in torch")
    _require_weights(weight_tensor, (in_channels, out_channels // groups, *kernel_size))
    pixels = input_tensor.reshape(batch_size, input_height, input_width, in_channels).permute(0, 3, 1, 2)
    weights = weight_tensor if mirror_kernel else weight_tensor.flip(-1, -2)
    bias = None if bias_tensor is None else bias_tensor.reshape(-1)[:out_channels]
    result = torch.nn.functional.conv_transpose2d(
        pixels, weights, bias, tuple(stride), tuple(padding), tuple(output_padding), groups, tuple(dilation)
    )
    return _activated(result.permute(0, 2, 3, 1).reshape(-1, out_channels), others)


def _one(number: int | tuple[int, ...]) -> int:
    return number if isinstance(number, int) else number[0]


def _require_weights(weights: Any, shape: tuple[int, ...]) -> None:
    if weights.numel() != math.prod(shape) or weights.shape[0] != shape[0]:
        raise NotImplementedError("its weights are prepared for the card: their order is ttnn's own")


def _activated(values: Any, others: dict[str, Any]) -> Any:
    """The values after the activation that the call's ``conv_config`` names."""
    activation = getattr(others.get("conv_config"), "activation", None)
    if activation is None:
        return values
    golden = sys.modules["ttnn"].operations.activations.get_golden_function_for_activation
    return golden(activation)(values)


_GOLDEN: dict[str, Callable[..., Any]] = {"conv1d": conv1d, "conv_transpose2d": conv_transpose2d}
