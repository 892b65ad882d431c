# SPDX-License-Identifier: Apache-2.0
"""Attention that chips share.

Scores are stored in bfloat16: an error of half a spacing of the largest score is a relative error of its probability.
Probabilities, their sums, partial results and rescaled ones are rounded at most eight times more.
"""

from __future__ import annotations

import torch
import ttnn

from tests.card.mesh_catalogue.chips import ULP, Chips, numbers

HEADS, WIDTH = 2, 32
ROUNDINGS = 8


def attention(
    queries: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    hidden: torch.Tensor | None = None,
    rounded: int = 0,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The exact result, and how far an element may be from it if it is rounded some times more."""
    queries, keys, values = queries.double(), keys.double(), values.double()
    scores = queries @ keys.transpose(-1, -2) / queries.shape[-1] ** 0.5
    largest = scores.abs().amax(-1, keepdim=True)
    chances = (scores if hidden is None else scores.masked_fill(hidden, -torch.inf)).softmax(-1)
    return chances @ values, (2 * largest + ROUNDINGS + rounded) * ULP * (chances @ values.abs())


def ring_distributed_scaled_dot_product_attention(chips: Chips) -> bool:
    """Each chip of the mesh has two of twice as many chunks of queries, one from the beginning and one from the end."""
    ring = chips.rows * chips.count
    length = 64 * ring
    queries, keys, values = (numbers(1, HEADS, length, WIDTH) for _ in range(3))
    given = [chips.everywhere(each) for each in (queries, keys, values)]
    found = ttnn.transformer.ring_distributed_scaled_dot_product_attention(
        *given,
        ring_size=ring,
        program_config=ttnn.SDPAProgramConfig(
            compute_with_storage_grid_size=(2, 2), q_chunk_size=32, k_chunk_size=32, exp_approx_mode=False
        ),
        compute_kernel_config=ttnn.WormholeComputeKernelConfig(
            math_fidelity=ttnn.MathFidelity.HiFi4, math_approx_mode=False, fp32_dest_acc_en=True
        ),
    )
    hidden = torch.ones(length, length, dtype=torch.bool).triu(1)
    exact, allowed = (each.chunk(2 * ring, dim=2) for each in attention(queries, keys, values, hidden))
    for chip, part in enumerate(chips.parts(found)):
        expected, bound = (torch.cat([each[chip], each[-1 - chip]], dim=2) for each in (exact, allowed))
        if not bool(((part.double() - expected).abs() <= bound).all()):
            return False
    return True


CASES = {
    "transformer.ring_distributed_scaled_dot_product_attention": ring_distributed_scaled_dot_product_attention,
}
