# SPDX-License-Identifier: Apache-2.0
"""Normalizations of rows that lie over all chips.

Squares and sums are added in float32; the mean over chips, its root and the product are rounded to bfloat16 at most:
six roundings, and what approximations of the root lose, which is less than two more.
"""

from __future__ import annotations

import torch
import ttnn

from tests.card.mesh_catalogue.chips import AXIS, ULP, Chips, numbers

ROUNDINGS = 8
EPSILON = 1e-5


def _normalized_within(chips: Chips, tensor: ttnn.Tensor, x: torch.Tensor, exact: torch.Tensor) -> bool:
    scale = exact.abs() + x.double().abs().mean(-1, keepdim=True) / x.double().std(-1, keepdim=True)
    return chips.within(tensor, exact.chunk(chips.count, dim=3), (ROUNDINGS * ULP * scale).chunk(chips.count, dim=3))


def rmsnorm(chips: Chips) -> bool:
    x = numbers(1, 1, 32, 64 * chips.count)
    tensor = chips.spread(x.chunk(chips.count, dim=3))
    buffer = ttnn.experimental.dit_fused_distributed_rmsnorm_create_stats_buffer(tensor, AXIS, chips.mesh)
    normalized = ttnn.experimental.dit_fused_distributed_rmsnorm(
        tensor,
        AXIS,
        chips.mesh,
        chips.semaphores(2),
        topology=chips.topology,
        epsilon=EPSILON,
        persistent_output_buffer=buffer,
        num_preferred_links=1,
    )
    exact = x.double() * (x.double().square().mean(-1, keepdim=True) + EPSILON).rsqrt()
    return _normalized_within(chips, normalized, x, exact)


def layernorm(chips: Chips) -> bool:
    x = numbers(1, 1, 32, 64 * chips.count)
    tensor = chips.spread(x.chunk(chips.count, dim=3))
    buffer = ttnn.experimental.dit_fused_distributed_layernorm_create_stats_buffer(tensor, AXIS, chips.mesh)
    normalized = ttnn.experimental.dit_fused_distributed_layernorm(
        tensor,
        AXIS,
        chips.mesh,
        chips.semaphores(2),
        topology=chips.topology,
        epsilon=EPSILON,
        persistent_output_buffer=buffer,
        num_preferred_links=1,
    )
    x64 = x.double()
    variance = x64.var(-1, keepdim=True, unbiased=False)
    return _normalized_within(chips, normalized, x, (x64 - x64.mean(-1, keepdim=True)) * (variance + EPSILON).rsqrt())


CASES = {
    "experimental.dit_fused_distributed_rmsnorm": rmsnorm,
    "experimental.dit_fused_distributed_rmsnorm_create_stats_buffer": rmsnorm,
    "experimental.dit_fused_distributed_layernorm": layernorm,
    "experimental.dit_fused_distributed_layernorm_create_stats_buffer": layernorm,
}
