# SPDX-License-Identifier: Apache-2.0
"""Operations that add up parts of all chips: within the rounding of their additions."""

from __future__ import annotations

import torch
import ttnn

from tests.card.mesh_catalogue.chips import AXIS, Chips, numbers


def _wide(chips: Chips) -> list[torch.Tensor]:
    return [numbers(1, 1, 32, 64 * chips.count) for _ in range(chips.count)]


def _scattered(chips: Chips, parts: list[torch.Tensor]) -> list[list[torch.Tensor]]:
    """Addends of each chip."""
    chunks = [part.chunk(chips.count, dim=3) for part in parts]
    return [[each[chip] for each in chunks] for chip in range(chips.count)]


def all_reduce_async(chips: Chips) -> bool:
    parts = _wide(chips)
    reduced = ttnn.experimental.all_reduce_async(
        chips.spread(parts),
        cluster_axis=AXIS,
        mesh_device=chips.mesh,
        barrier_semaphores=chips.semaphores(2),
        rs_global_semaphores=chips.semaphores(3),
        ag_global_semaphores=chips.semaphores(2),
        math_op=ttnn.ReduceType.Sum,
        topology=chips.topology,
        num_links=1,
    )
    return chips.within_sum(reduced, [parts] * chips.count)


def reduce_scatter_minimal_async(chips: Chips) -> bool:
    parts = _wide(chips)
    reduced = ttnn.experimental.reduce_scatter_minimal_async(
        chips.spread(parts),
        dim=3,
        multi_device_global_semaphore=chips.semaphores(3),
        barrier_semaphore=chips.semaphores(1)[0],
        topology=chips.topology,
        cluster_axis=AXIS,
    )
    return chips.within_sum(reduced, _scattered(chips, parts))


def reduce_scatter_minimal_async_create_intermediate_buffer(chips: Chips) -> bool:
    parts = _wide(chips)
    tensor = chips.spread(parts)
    between, last = ttnn.experimental.reduce_scatter_minimal_async_create_intermediate_buffer(
        tensor, 3, topology=chips.topology, cluster_axis=AXIS
    )
    out = chips.everywhere(torch.zeros(1, 1, 32, 64).bfloat16())
    reduced = ttnn.experimental.reduce_scatter_minimal_async(
        tensor,
        [between, out, last],
        3,
        chips.semaphores(3),
        barrier_semaphore=chips.semaphores(1)[0],
        topology=chips.topology,
        cluster_axis=AXIS,
    )
    return chips.within_sum(reduced, _scattered(chips, parts))


def reduce_scatter_minimal_direct(chips: Chips) -> bool:
    parts = _wide(chips)
    reduced = ttnn.experimental.reduce_scatter_minimal_direct(chips.spread(parts), 3, cluster_axis=AXIS)
    return chips.within_sum(reduced, _scattered(chips, parts))


def reduce_scatter_minimal_direct_create_persistent_buffers(chips: Chips) -> bool:
    parts = _wide(chips)
    tensor = chips.spread(parts)
    buffers = ttnn.experimental.reduce_scatter_minimal_direct_create_persistent_buffers(tensor, 3, cluster_axis=AXIS)
    reduced = ttnn.experimental.reduce_scatter_minimal_direct(
        tensor, 3, cluster_axis=AXIS, persistent_buffers=list(buffers)
    )
    return chips.within_sum(reduced, _scattered(chips, parts))


def reduce_scatter_minimal_direct_create_staging_buffer(chips: Chips) -> bool:
    parts = _wide(chips)
    tensor = chips.spread(parts)
    staging = ttnn.experimental.reduce_scatter_minimal_direct_create_staging_buffer(tensor, 3, cluster_axis=AXIS)
    out = chips.everywhere(torch.zeros(1, 1, 32, 64).bfloat16())
    reduced = ttnn.experimental.reduce_scatter_minimal_direct(
        tensor, 3, cluster_axis=AXIS, persistent_buffers=[out, staging]
    )
    return chips.within_sum(reduced, _scattered(chips, parts))


def strided_reduce_scatter_async(chips: Chips) -> bool:
    parts = _wide(chips)
    reduced = ttnn.experimental.strided_reduce_scatter_async(
        chips.spread(parts),
        None,
        3,
        chips.semaphores(3),
        mm_block_ht=1,
        mm_block_wt=1,
        barrier_semaphore=chips.semaphores(1)[0],
        topology=chips.topology,
        cluster_axis=AXIS,
        mm_cores_y=1,
        mm_N_full_block_wt=2,
        chunk_width_in_mm_blocks=1,
    )
    return chips.within_sum(reduced, _scattered(chips, parts))


def deepseek_moe_reduce_scatter(chips: Chips) -> bool:
    parts = [numbers(1, 1, 32, 128 * chips.count) for _ in range(chips.count)]
    core = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    shard = ttnn.NdShardSpec(
        ttnn.Shape([1, 1, 32, 128]),
        core,
        ttnn.ShardOrientation.ROW_MAJOR,
        ttnn.ShardDistributionStrategy.ROUND_ROBIN_1D,
    )
    memory = ttnn.MemoryConfig(ttnn.BufferType.L1, shard)
    slices = [part.split(128, dim=3) for part in parts]
    reduced = ttnn.experimental.deepseek_moe_reduce_scatter(
        [chips.spread([each[place] for each in slices], memory=memory) for place in range(chips.count)],
        output_memory_config=ttnn.L1_MEMORY_CONFIG,
        dim=3,
        num_links=1,
        topology=chips.topology,
        cluster_axis=AXIS,
    )
    return chips.within_sum(reduced, _scattered(chips, parts))


CASES = {
    "experimental.deepseek_moe_reduce_scatter": deepseek_moe_reduce_scatter,
    "experimental.all_reduce_async": all_reduce_async,
    "experimental.reduce_scatter_minimal_async": reduce_scatter_minimal_async,
    "experimental.reduce_scatter_minimal_async_create_intermediate_buffer": (
        reduce_scatter_minimal_async_create_intermediate_buffer
    ),
    "experimental.reduce_scatter_minimal_direct": reduce_scatter_minimal_direct,
    "experimental.reduce_scatter_minimal_direct_create_persistent_buffers": (
        reduce_scatter_minimal_direct_create_persistent_buffers
    ),
    "experimental.reduce_scatter_minimal_direct_create_staging_buffer": (
        reduce_scatter_minimal_direct_create_staging_buffer
    ),
    "experimental.strided_reduce_scatter_async": strided_reduce_scatter_async,
}
