# SPDX-License-Identifier: Apache-2.0
"""Attention over a sequence whose parts lie on the chips of a ring: keys and values travel, queries stay."""

from __future__ import annotations

from typing import Any

import torch
import ttnn

from tests.card.mesh_catalogue.attention_cases import attention
from tests.card.mesh_catalogue.chips import AXIS, Chips, numbers

HEADS, LENGTH, WIDTH = 2, 64, 64  # of each chip's queries
JOINED = 32  # queries and keys that every chip has
VALUES = 32  # elements of a value within a key of ring_mla
ROUNDINGS_OF_A_STEP = 3  # of a partial result: rescaled, added, its logarithm of the sum


def _options(chips: Chips) -> dict[str, Any]:
    return {
        "program_config": ttnn.SDPAProgramConfig(
            compute_with_storage_grid_size=(2, 2), q_chunk_size=32, k_chunk_size=32, exp_approx_mode=False
        ),
        "compute_kernel_config": ttnn.WormholeComputeKernelConfig(
            math_fidelity=ttnn.MathFidelity.HiFi4, math_approx_mode=False, fp32_dest_acc_en=False
        ),
        "dim": 2,
        "multi_device_global_semaphore": chips.semaphores(2),
        "num_links": 1,
        "cluster_axis": AXIS,
        "mesh_device": chips.mesh,
        "topology": chips.topology,
        "ccl_core_grid_offset": ttnn.CoreCoord(0, 4),
    }


def ring_joint(chips: Chips) -> bool:
    count = chips.count
    queries, keys, values = (numbers(1, HEADS, LENGTH * count, WIDTH) for _ in range(3))
    more = [numbers(1, HEADS, JOINED, WIDTH) for _ in range(3)]
    parts = [chips.spread(each.chunk(count, dim=2)) for each in (queries, keys, values)]
    gathered = [chips.everywhere(torch.zeros_like(keys)) for _ in range(2)]
    found, joined, *_ = ttnn.transformer.ring_joint_scaled_dot_product_attention(
        *parts,
        *(chips.everywhere(each) for each in more),
        persistent_output_buffer_k=gathered[0],
        persistent_output_buffer_v=gathered[1],
        joint_strategy="rear",
        logical_n=LENGTH * count,
        **_options(chips),
    )
    whole = [torch.cat(pair, dim=2) for pair in zip((queries, keys, values), more, strict=True)]
    exact, allowed = attention(*whole, rounded=ROUNDINGS_OF_A_STEP * count)
    own, last = LENGTH * count, slice(LENGTH * count, None)
    return chips.within(
        found, exact[:, :, :own].chunk(count, dim=2), allowed[:, :, :own].chunk(count, dim=2)
    ) and chips.within(joined, [exact[:, :, last]] * count, [allowed[:, :, last]] * count)


def ring_mla(chips: Chips) -> bool:
    """Causal; the first elements of a key are its value."""
    count = chips.count
    queries, keys = numbers(1, HEADS, LENGTH * count, WIDTH), numbers(1, 1, LENGTH * count, WIDTH)
    found, *_ = ttnn.transformer.ring_mla(
        chips.spread(queries.chunk(count, dim=2)),
        chips.spread(keys.chunk(count, dim=2)),
        persistent_output_buffer_kv=chips.everywhere(torch.zeros_like(keys)),
        head_dim_v=VALUES,
        logical_n=LENGTH * count,
        **_options(chips),
    )
    hidden = torch.ones(LENGTH * count, LENGTH * count, dtype=torch.bool).triu(1)
    exact, allowed = attention(queries, keys, keys[..., :VALUES], hidden, rounded=ROUNDINGS_OF_A_STEP * count)
    return chips.within(found, exact.chunk(count, dim=2), allowed.chunk(count, dim=2))


CASES = {
    "transformer.ring_joint_scaled_dot_product_attention": ring_joint,
    "transformer.ring_mla": ring_mla,
}
