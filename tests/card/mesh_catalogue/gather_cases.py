# SPDX-License-Identifier: Apache-2.0
"""Operations that copy parts between chips: results equal torch's bit by bit."""

from __future__ import annotations

import torch
import ttnn

from tests.card.mesh_catalogue.chips import AXIS, Chips, numbers


def _tiles(chips: Chips) -> list[torch.Tensor]:
    return [numbers(1, 1, 32, 64) for _ in range(chips.count)]


def _joined(chips: Chips, parts: list[torch.Tensor], dim: int = 3) -> list[torch.Tensor]:
    return [torch.cat(parts, dim=dim)] * chips.count


def all_gather_async(chips: Chips) -> bool:
    parts = _tiles(chips)
    gathered = ttnn.experimental.all_gather_async(
        chips.spread(parts),
        dim=3,
        cluster_axis=AXIS,
        mesh_device=chips.mesh,
        topology=chips.topology,
        multi_device_global_semaphore=chips.semaphores(2),
        barrier_semaphore=chips.semaphores(1)[0],
    )
    return chips.equal(gathered, _joined(chips, parts))


def all_gather_async_reversed(chips: Chips) -> bool:
    parts = _tiles(chips)
    gathered = ttnn.experimental.all_gather_async_reversed(
        chips.spread(parts),
        dim=3,
        multi_device_global_semaphore=chips.semaphores(2),
        topology=chips.topology,
        barrier_semaphore=chips.semaphores(1)[0],
    )
    return chips.equal(gathered, _joined(chips, parts[::-1]))


def strided_all_gather_async(chips: Chips) -> bool:
    parts = _tiles(chips)
    gathered = ttnn.experimental.strided_all_gather_async(
        chips.spread(parts),
        None,
        3,
        chips.semaphores(2),
        topology=chips.topology,
        cluster_axis=AXIS,
        mm_cores_y=1,
        mm_block_ht=1,
        mm_block_wt=1,
    )
    return chips.equal(gathered, _joined(chips, parts))


def ring_attention_all_gather_async(chips: Chips) -> bool:
    parts = _tiles(chips)
    out = chips.everywhere(torch.zeros(1, 1, 32, 64 * chips.count).bfloat16())
    gathered = ttnn.experimental.ring_attention_all_gather_async(
        [chips.spread(parts)],
        [out],
        3,
        multi_device_global_semaphore=chips.semaphores(2),
        cluster_axis=AXIS,
        mesh_device=chips.mesh,
        topology=chips.topology,
        num_links=1,
    )
    missing = torch.zeros(1, 1, 32, 64).bfloat16()  # the operation leaves out the chip's own part
    others = [[*parts[:chip], missing, *parts[chip + 1 :]] for chip in range(chips.count)]
    return chips.equal(gathered[0], [torch.cat(each, dim=3) for each in others])


def high_bw_all_gather(chips: Chips) -> bool:
    parts = [numbers(1, 1, 32, 64) for _ in range(chips.count)]
    out = chips.everywhere(torch.zeros(1, 1, 32 * chips.count, 64).bfloat16())
    gathered = ttnn.experimental.high_bw_all_gather(chips.spread(parts), 2, out, cluster_axis=AXIS, num_links=1)
    return chips.equal(gathered, _joined(chips, parts, dim=2))


def _redistributed(chips: Chips, parts: list[torch.Tensor]) -> list[torch.Tensor]:
    """Each chip's columns of all parts, one below the other."""
    columns = [part.chunk(chips.count, dim=3) for part in parts]
    return [torch.cat([each[chip] for each in columns], dim=2) for chip in range(chips.count)]


def all_to_all_async(chips: Chips) -> bool:
    parts = [numbers(1, 1, 64, 128 * chips.count) for _ in range(chips.count)]
    out, between = (chips.everywhere(torch.zeros(1, 1, 64 * chips.count, 128).bfloat16()) for _ in range(2))
    sent = ttnn.experimental.all_to_all_async(
        chips.spread(parts), between, out, 2, 3, chips.semaphores(1)[0], topology=chips.topology
    )
    return chips.equal(sent, _redistributed(chips, parts))


def all_to_all_async_generic(chips: Chips) -> bool:
    """Splits rows, joins columns."""
    parts = [numbers(1, 1, 32 * chips.count, 64) for _ in range(chips.count)]
    sent = ttnn.experimental.all_to_all_async_generic(
        chips.spread(parts), in_dim=3, out_dim=2, topology=chips.topology, cluster_axis=AXIS
    )
    rows = [part.chunk(chips.count, dim=2) for part in parts]
    return chips.equal(sent, [torch.cat([each[chip] for each in rows], dim=3) for chip in range(chips.count)])


def neighbor_pad_async(chips: Chips) -> bool:
    parts = [numbers(1, 4, 8, 32) for _ in range(chips.count)]
    padded = ttnn.experimental.neighbor_pad_async(
        chips.spread(parts, layout=ttnn.ROW_MAJOR_LAYOUT),
        [1],
        [1],
        [1],
        "zeros",
        [AXIS],
        chips.semaphores(1),
        chips.semaphores(1),
        num_links=[1],
        topology=ttnn.Topology.Linear,
    )
    nothing = torch.zeros(1, 1, 8, 32).bfloat16()
    before = [nothing, *(part[:, -1:] for part in parts[:-1])]
    after = [*(part[:, :1] for part in parts[1:]), nothing]
    return chips.equal(padded, [torch.cat(each, dim=1) for each in zip(before, parts, after, strict=True)])


def slice_reshard_async(chips: Chips) -> bool:
    count = chips.count
    parts = [numbers(2 * count, 8, 8, 32) for _ in range(count)]
    rows = 2 * (count - 1)  # of each chip: it needs rows of its neighbours only
    sliced = ttnn.experimental.slice_reshard_async(
        chips.spread(parts, layout=ttnn.ROW_MAJOR_LAYOUT),
        0,
        count,
        rows * count,
        AXIS,
        *chips.semaphores(2),
        num_links=1,
        topology=ttnn.Topology.Linear,
    )
    return chips.equal(sliced, list(torch.cat(parts)[count : count + rows * count].split(rows)))


def compressor_state_exchange(chips: Chips) -> bool:
    keys, scores = ([numbers(1, 1, 64, 64) for _ in range(chips.count)] for _ in range(2))
    first_key, first_score = numbers(1, 1, 64, 64), numbers(1, 1, 64, 64)
    key, score = ttnn.experimental.deepseek_prefill.compressor_state_exchange(
        chips.spread(keys),
        chips.spread(scores),
        chips.everywhere(first_key),
        chips.everywhere(first_score),
        cluster_axis=AXIS,
        topology=chips.topology,
    )
    return chips.equal(key, [first_key, *keys[:-1]]) and chips.equal(score, [first_score, *scores[:-1]])


CASES = {
    "experimental.all_gather_async": all_gather_async,
    "experimental.all_gather_async_reversed": all_gather_async_reversed,
    "experimental.strided_all_gather_async": strided_all_gather_async,
    "experimental.ring_attention_all_gather_async": ring_attention_all_gather_async,
    "experimental.high_bw_all_gather": high_bw_all_gather,
    "experimental.all_to_all_async": all_to_all_async,
    "experimental.all_to_all_async_generic": all_to_all_async_generic,
    "experimental.neighbor_pad_async": neighbor_pad_async,
    "experimental.slice_reshard_async": slice_reshard_async,
    "experimental.deepseek_prefill.compressor_state_exchange": compressor_state_exchange,
}
