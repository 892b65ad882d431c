# SPDX-License-Identifier: Apache-2.0
"""Golden functions of operations for which ttnn has none: convolutions, heads of attention, rotary embeddings.

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
        operation: Any = ttnn
        for part in name.split("."):
            operation = getattr(operation, part, None)
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


def conv3d(
    input_tensor: Any,
    weight_tensor: Any,
    output_channels: int = 0,
    kernel_size: tuple[int, int, int] = (1, 1, 1),
    stride: tuple[int, int, int] = (1, 1, 1),
    padding: tuple[int, int, int] = (0, 0, 0),
    dilation: tuple[int, int, int] = (1, 1, 1),
    groups: int = 1,
    padding_mode: str = "zeros",
    bias_tensor: Any = None,
    config: Any = None,
    **others: Any,
) -> Any:
    """A convolution of volumes, channels last; the weights' rows are those of the kernel, channels innermost."""
    import torch

    channels = input_tensor.shape[-1]
    if groups != 1 or getattr(config, "C_in_block", 0) not in (0, channels):
        raise NotImplementedError("its weights are prepared in blocks of channels")
    rows = math.prod(kernel_size) * channels
    if weight_tensor.shape[-2] != rows:
        raise NotImplementedError(f"its weights have {weight_tensor.shape[-2]} rows, the kernel {rows}")
    weights = weight_tensor.reshape(*kernel_size, channels, -1).permute(4, 3, 0, 1, 2)
    bias = None if bias_tensor is None else bias_tensor.reshape(-1, bias_tensor.shape[-1])[0]
    volumes = input_tensor.permute(0, 4, 1, 2, 3)
    sides = [side for each in reversed(padding) for side in (each, each)]
    mode = "constant" if padding_mode == "zeros" else padding_mode
    volumes = torch.nn.functional.pad(volumes, sides, mode=mode)
    result = torch.nn.functional.conv3d(volumes, weights, bias, tuple(stride), 0, tuple(dilation))
    return result.permute(0, 2, 3, 4, 1)[..., : output_channels or None]


def nlp_create_qkv_heads(
    input_tensor: Any,
    input_tensor_kv: Any = None,
    *,
    num_heads: int,
    num_kv_heads: int | None = None,
    transpose_k_heads: bool = True,
    **others: Any,
) -> Any:
    """Queries, keys and values of each head, from columns of all heads."""
    import torch

    if others.get("kv_tied"):
        raise NotImplementedError("keys and values share their columns")
    kv_heads = num_heads if num_kv_heads is None else num_kv_heads
    columns = input_tensor if input_tensor_kv is None else torch.cat([input_tensor, input_tensor_kv], dim=-1)
    q, k, v = _split_heads(columns, num_heads, kv_heads)
    heads = [each.permute(0, 2, 1, 3) for each in (q, k, v)]
    return heads[0], heads[1].transpose(-1, -2) if transpose_k_heads else heads[1], heads[2]


def nlp_create_qkv_heads_decode(
    input_tensor: Any, *, num_heads: int, num_kv_heads: int | None = None, **others: Any
) -> Any:
    """Queries, keys and values of each head, for one token of each user."""
    kv_heads = num_heads if num_kv_heads is None else num_kv_heads
    return _split_heads(input_tensor, num_heads, kv_heads)


def _split_heads(columns: Any, num_heads: int, kv_heads: int) -> tuple[Any, Any, Any]:
    """[A, 1, B, columns] as [A, B, heads, columns of a head]."""
    outer, _, inner, width = columns.shape
    each = width // (num_heads + 2 * kv_heads)
    heads = columns.reshape(outer, inner, num_heads + 2 * kv_heads, each)
    return (
        heads[:, :, :num_heads],
        heads[:, :, num_heads : num_heads + kv_heads],
        heads[:, :, num_heads + kv_heads :],
    )


def nlp_concat_heads(input_tensor: Any, **others: Any) -> Any:
    """Columns of all heads beside each other."""
    batch, _, rows, _ = input_tensor.shape
    return input_tensor.permute(0, 2, 1, 3).reshape(batch, 1, rows, -1)


def nlp_concat_heads_decode(input_tensor: Any, *, num_heads: int, **others: Any) -> Any:
    """Columns of all heads beside each other, for one token of each user."""
    return input_tensor[:, :, :num_heads].reshape(1, 1, input_tensor.shape[1], -1)


def rotary_embedding_llama(
    input_tensor: Any, cos_cache: Any, sin_cache: Any, trans_mat: Any, is_decode_mode: bool = False, **others: Any
) -> Any:
    """Pairs of columns turned by an angle; ``trans_mat`` exchanges them in each tile of 32 columns."""
    exchange = trans_mat.reshape(-1, 32, 32)[0]
    shape = input_tensor.shape
    turned = (input_tensor.reshape(*shape[:-1], -1, 32) @ exchange).reshape(shape)
    rows = 1 if is_decode_mode else shape[-2]
    return input_tensor * cos_cache[..., :rows, :] + turned * sin_cache[..., :rows, :]


_GOLDEN: dict[str, Callable[..., Any]] = {
    "conv1d": conv1d,
    "conv_transpose2d": conv_transpose2d,
    "experimental.conv3d": conv3d,
    "experimental.nlp_create_qkv_heads": nlp_create_qkv_heads,
    "experimental.nlp_create_qkv_heads_decode": nlp_create_qkv_heads_decode,
    "experimental.nlp_concat_heads": nlp_concat_heads,
    "experimental.nlp_concat_heads_decode": nlp_concat_heads_decode,
    "experimental.rotary_embedding_llama": rotary_embedding_llama,
}
