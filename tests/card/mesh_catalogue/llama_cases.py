# SPDX-License-Identifier: Apache-2.0
"""Operations made for the decoder of Llama: sharded tensors in L1, one step of a batch of 32."""

from __future__ import annotations

import torch
import ttnn

from tests.card.mesh_catalogue.chips import AXIS, ULP, Chips, numbers

BATCH = 32
TILE = 32


def _cores(columns: int, rows: int, first: int = 0) -> ttnn.CoreRangeSet:
    """A rectangle of cores whose first row is given."""
    corner, last = ttnn.CoreCoord(0, first), ttnn.CoreCoord(columns - 1, first + rows - 1)
    return ttnn.CoreRangeSet([ttnn.CoreRange(corner, last)])


def _sharded(cores: ttnn.CoreRangeSet, height: int, width: int, by_width: bool = True) -> ttnn.MemoryConfig:
    layout = ttnn.TensorMemoryLayout.WIDTH_SHARDED if by_width else ttnn.TensorMemoryLayout.HEIGHT_SHARDED
    spec = ttnn.ShardSpec(cores, [height, width], ttnn.ShardOrientation.ROW_MAJOR)
    return ttnn.MemoryConfig(layout, ttnn.BufferType.L1, spec)


def llama_reduce_scatter(chips: Chips) -> bool:
    width, shards, pages = 1280, 5, 2  # pages of a packet
    parts = [numbers(1, 1, BATCH, width) for _ in range(chips.count)]
    grid = chips.mesh.compute_with_storage_grid_size()
    room = chips.count * pages * TILE
    between = torch.zeros(1, 1, BATCH, room * grid.x * grid.y).bfloat16()
    scattered = ttnn.experimental.llama_reduce_scatter(
        chips.spread(parts, memory=_sharded(_cores(5, 4), BATCH, width // 20)),
        chips.everywhere(between, memory=_sharded(_cores(grid.x, grid.y), BATCH, room)),
        3,
        chips.semaphores(1)[0],
        ttnn.SubDeviceId(0),
        cluster_axis=AXIS,
        mesh_device=chips.mesh,
        num_links=1,
        memory_config=_sharded(_cores(shards, 1), BATCH, width // shards // chips.count),
        topology=chips.topology,
    )
    pieces = [part.chunk(chips.count, dim=3) for part in parts]
    return chips.within_sum(scattered, [[each[chip] for each in pieces] for chip in range(chips.count)])


def fused_rms_minimal(chips: Chips) -> bool:
    """A row of all chips divided by the root of its mean square; a mean of squares of each chip is sent."""
    cores, epsilon = _cores(2, 1), 1e-5
    parts, weights = ([numbers(1, 1, BATCH, 2 * TILE) for _ in range(chips.count)] for _ in range(2))
    rows = [weight[:, :, :1] for weight in weights]
    stats = torch.zeros(1, 1, BATCH, chips.count).bfloat16()
    normed = ttnn.fused_rms_minimal(
        chips.spread(parts, memory=_sharded(cores, BATCH, TILE)),
        ttnn.LayerNormShardedMultiCoreProgramConfig(
            compute_with_storage_grid_size=(2, 1), subblock_w=1, block_h=1, block_w=1, inplace=False
        ),
        AXIS,
        chips.mesh,
        ttnn.create_global_semaphore(chips.mesh, cores, 0),
        topology=chips.topology,
        memory_config=_sharded(cores, BATCH, TILE),
        epsilon=epsilon,
        weight=chips.spread([row.reshape(1, 1, 2, TILE) for row in rows], layout=ttnn.ROW_MAJOR_LAYOUT),
        stats=chips.everywhere(stats, memory=_sharded(_cores(1, 1), BATCH, TILE)),
        num_links=1,
    )
    whole = torch.cat(parts, dim=3).double()
    root = (whole.square().mean(-1, keepdim=True) + epsilon).sqrt()
    exact = [part.double() / root * row.double() for part, row in zip(parts, rows, strict=True)]
    # The sums of squares of shards, their sums and the root are rounded, and each product.
    return chips.within(normed, exact, [8 * ULP * each.abs() for each in exact])


def all_gather_concat(chips: Chips) -> bool:
    """Users of all chips side by side, their heads joined; its kernels are for eight users on cores of their choice."""
    heads, width, users = 8, 128, BATCH // chips.count
    places = [((1, 0), (3, 1)), ((1, 2), (2, 2))]
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(*first), ttnn.CoreCoord(*last)) for first, last in places])
    parts = [numbers(1, users, heads, width) for _ in range(chips.count)]
    padded = [torch.nn.functional.pad(part, (0, 0, 0, BATCH - heads)) for part in parts]
    between = torch.zeros(1, BATCH, BATCH, width).bfloat16()
    joined = ttnn.experimental.all_gather_concat(
        chips.spread(padded, memory=_sharded(cores, BATCH, width, by_width=False)),
        chips.everywhere(between, memory=_sharded(_cores(8, 4, first=4), BATCH, width, by_width=False)),
        1,
        cluster_axis=AXIS,
        mesh_device=chips.mesh,
        multi_device_global_semaphore=chips.semaphores(1)[0],
        num_heads=heads,
        memory_config=_sharded(_cores(8, 2), BATCH, heads * width // 16),
        num_links=1,
        topology=chips.topology,
    )
    expected = torch.cat(parts, dim=1).reshape(1, 1, BATCH, heads * width)
    return chips.equal(joined, [expected] * chips.count)


def _heads_of(chips: Chips, reduced: torch.Tensor, heads: int, width: int) -> list[list[torch.Tensor]]:
    """Queries, keys and values of each chip's users."""
    users = reduced.reshape(1, BATCH, heads + 2, width).chunk(chips.count, dim=1)
    places = (slice(0, heads), slice(heads, heads + 1), slice(heads + 1, heads + 2))
    return [[each[:, :, place] for each in users] for place in places]


def all_reduce_create_qkv_heads(chips: Chips) -> bool:
    heads, width = 8, 128
    total, users = (heads + 2) * width, BATCH // chips.count
    parts = [numbers(1, 1, BATCH, total) for _ in range(chips.count)]
    outputs = _cores(5, 2)
    offsets = [torch.tensor([[chip * users]], dtype=torch.int32) for chip in range(chips.count)]
    _, *found = ttnn.experimental.all_reduce_create_qkv_heads(
        chips.spread(parts, memory=_sharded(_cores(5, 4, first=2), BATCH, total // 20)),
        chips.everywhere(
            torch.zeros(1, 1, BATCH, total * chips.count).bfloat16(),
            memory=_sharded(outputs, BATCH, total // 10 * chips.count),
        ),
        cluster_axis=AXIS,
        mesh_device=chips.mesh,
        multi_device_global_semaphore=chips.semaphores(1)[0],
        num_heads=heads,
        memory_config=_sharded(outputs, BATCH, total // 10),
        topology=chips.topology,
        num_links=1,
        num_kv_heads=1,
        final_memory_config=_sharded(_cores(8, 8), BATCH, width, by_width=False),
        batch_offset=chips.spread(offsets, dtype=ttnn.int32),
        slice_size=users,
        dtype=ttnn.bfloat16,
    )
    exact = _heads_of(chips, sum(part.double() for part in parts), heads, width)
    bound = _heads_of(chips, sum(part.double().abs() for part in parts), heads, width)
    return all(
        chips.within(one, exact[each], [chips.count * ULP * part for part in bound[each]])
        for each, one in enumerate(found)
    )


CASES = {
    "experimental.llama_reduce_scatter": llama_reduce_scatter,
    "experimental.all_gather_concat": all_gather_concat,
    "experimental.all_reduce_create_qkv_heads": all_reduce_create_qkv_heads,
    "fused_rms_minimal": fused_rms_minimal,
}
