# SPDX-License-Identifier: Apache-2.0
"""How many products an operation of ttnn adds up for one element of its result, from its name and its arguments.

Rounding errors of sums grow with that number (_card/golden/precision.py). An operation that is not known here is judged
like one that adds up nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

_MATMULS = ("matmul", "linear", "addmm", "bmm", "sparse_matmul", "minimal_matmul")
# Sums along dimensions of the call, or along all.
_SUMS = ("sum", "mean", "var", "std", "cumsum", "avg_pool2d", "global_avg_pool2d")
# Sums along rows.
_ROWS = (
    *("layer_norm", "rms_norm", "group_norm", "batch_norm", "softmax", "softmax_in_place", "log_softmax"),
    *("scale_mask_softmax", "scale_mask_softmax_in_place", "attention_softmax", "attention_softmax_"),
)
_MULTIPLICATIONS = (
    "rotary_embedding_llama",
    "mul",
    "multiply",
    "mul_",
    "multiply_",
    "addcmul",
    "square",
    "mac",
    "lerp",
    "addcdiv",
    "bias_gelu",
)


def accumulated_products(operation: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> int:
    """Products added up for one element; 1 for a multiplication, 0 for an operation that is not known to have any."""
    name = operation.rpartition(".")[2]
    shapes = [tuple(each.shape) for each in (*arguments, *named.values()) if hasattr(each, "shape")]
    if name == "conv3d":
        return int(shapes[1][-2]) if len(shapes) > 1 else 0
    if name.startswith("conv"):
        return _of_convolution(named, shapes)
    if not shapes:
        return 0
    if name in _MATMULS:
        return int(shapes[0][-1])
    if "attention" in name and "softmax" not in name:
        return max(int(side) for shape in shapes[:2] for side in shape[-2:])
    if name in _ROWS:
        return int(shapes[0][-1])
    if name in _SUMS:
        return _of_sum(shapes[0], named)
    return int(name in _MULTIPLICATIONS)


def _of_convolution(named: Mapping[str, Any], shapes: Sequence[tuple[int, ...]]) -> int:
    if "in_channels" in named and "kernel_size" in named:
        kernel = named["kernel_size"]
        window = math.prod(kernel) if isinstance(kernel, (list, tuple)) else int(kernel)
        return int(named["in_channels"]) * window // int(named.get("groups", 1) or 1)
    return math.prod(shapes[1]) if len(shapes) > 1 else 0


def _of_sum(shape: tuple[int, ...], named: Mapping[str, Any]) -> int:
    dim = named.get("dim")
    sides = [dim] if isinstance(dim, int) else dim if isinstance(dim, (list, tuple)) else range(len(shape))
    return math.prod(int(shape[side]) for side in sides if -len(shape) <= side < len(shape))
