# SPDX-License-Identifier: Apache-2.0
"""Borders of neighbours over both sides of a mesh: results equal torch's bit by bit."""

from __future__ import annotations

import torch
import ttnn

from tests.card.mesh_catalogue.chips import Chips, numbers

FRAMES, HEIGHT, WIDTH, CHANNELS = 2, 4, 6, 32  # of each chip
PAD = 1


def _padded(chips: Chips, whole: torch.Tensor) -> list[torch.Tensor]:
    """What each chip has with its neighbours' borders, and zeros at the mesh's."""
    wide = torch.nn.functional.pad(whole, (0, 0, PAD, PAD, PAD, PAD))
    return [
        wide[:, :, row * HEIGHT : (row + 1) * HEIGHT + 2 * PAD, column * WIDTH : (column + 1) * WIDTH + 2 * PAD]
        for row in range(chips.rows)
        for column in range(chips.count)
    ]


def _borders(padded: torch.Tensor) -> torch.Tensor:
    """Rows above and below without corners, then columns left and right with them, frame by frame."""
    frames = padded[0]
    parts = (
        frames[:, :PAD, PAD:-PAD],
        frames[:, -PAD:, PAD:-PAD],
        frames[:, :, :PAD],
        frames[:, :, -PAD:],
    )
    return torch.cat([part.reshape(-1, CHANNELS) for part in parts])


def _exchanged(chips: Chips) -> tuple[torch.Tensor, ttnn.Tensor, ttnn.Tensor]:
    """The numbers of all chips, each chip's part of them, and the borders it got."""
    whole = numbers(1, FRAMES, HEIGHT * chips.rows, WIDTH * chips.count, CHANNELS)
    mapper = ttnn.ShardTensor2dMesh(chips.mesh, dims=(2, 3), mesh_shape=tuple(chips.mesh.shape))
    tensor = ttnn.from_torch(whole, layout=ttnn.ROW_MAJOR_LAYOUT, device=chips.mesh, mesh_mapper=mapper)
    sticks = 2 * FRAMES * PAD * (WIDTH + HEIGHT + 2 * PAD)
    halo = chips.everywhere(torch.zeros(sticks, CHANNELS).bfloat16(), layout=ttnn.ROW_MAJOR_LAYOUT)
    to_columns, barrier, to_rows = chips.semaphores(3)
    borders = ttnn.experimental.neighbor_pad_halo(
        tensor,
        halo,
        np_padding_h=PAD,
        np_padding_w=PAD,
        np_cluster_axis=0,
        np_num_links=1,
        np_topology=ttnn.Topology.Linear,
        h_neighbor_semaphore=to_columns,
        barrier_semaphore=barrier,
        w_neighbor_semaphore=to_rows,
        np_pad_dim2=3,
        np_pad2_left=PAD,
        np_pad2_right=PAD,
        np_pad2_cluster_axis=1,
        np_pad2_num_links=1,
        padding_mode="zeros",
    )
    return whole, tensor, borders


def neighbor_pad_halo(chips: Chips) -> bool:
    whole, _, borders = _exchanged(chips)
    expected = [_borders(each) for each in _padded(chips, whole)]
    return all(torch.equal(one, other) for one, other in zip(chips.parts(borders), expected, strict=True))


def halo_scatter(chips: Chips) -> bool:
    whole, tensor, borders = _exchanged(chips)
    joined = ttnn.experimental.halo_scatter(borders, tensor, PAD, PAD)
    expected = _padded(chips, whole)
    return all(torch.equal(one, other) for one, other in zip(chips.parts(joined), expected, strict=True))


CASES = {
    "experimental.neighbor_pad_halo": neighbor_pad_halo,
    "experimental.halo_scatter": halo_scatter,
}
