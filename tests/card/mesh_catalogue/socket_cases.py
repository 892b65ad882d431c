# SPDX-License-Identifier: Apache-2.0
"""Sockets: the first chip of a row sends to the last."""

from __future__ import annotations

from collections.abc import Callable

import torch
import ttnn

from tests.card.mesh_catalogue.chips import Chips, numbers

FIFO_BYTES = 10 << 10


def _sent(chips: Chips, send: Callable[..., object], receive: Callable[..., object]) -> bool:
    chips.mesh.quiesce_devices()  # its submeshes count programs anew
    one = ttnn.MeshShape(1, 1)
    sender = chips.mesh.create_submesh(one, ttnn.MeshCoordinate(0, 0))
    receiver = chips.mesh.create_submesh(one, ttnn.MeshCoordinate(0, chips.count - 1))
    place = ttnn.MeshCoordinate(0, 0)
    connection = ttnn.SocketConnection(
        ttnn.MeshCoreCoord(place, ttnn.CoreCoord(0, 0)), ttnn.MeshCoreCoord(place, ttnn.CoreCoord(0, 1))
    )
    memory = ttnn.SocketMemoryConfig(ttnn.BufferType.L1, FIFO_BYTES)
    ends = ttnn.create_socket_pair(sender, receiver, ttnn.SocketConfig([connection], memory))
    x = numbers(1, 1, 64, 256)
    tensor = ttnn.from_torch(x, layout=ttnn.TILE_LAYOUT, device=sender)
    arrived = ttnn.allocate_tensor_on_device(tensor.spec, receiver)
    send(tensor, ends[0])
    receive(arrived, ends[1])
    ttnn.synchronize_device(sender)
    ttnn.synchronize_device(receiver)
    found = ttnn.to_torch(arrived)
    chips.mesh.quiesce_devices()
    return torch.equal(found, x)


def through_socket(chips: Chips) -> bool:
    return _sent(chips, ttnn.experimental.send_async, ttnn.experimental.recv_async)


def directly(chips: Chips) -> bool:
    return _sent(chips, ttnn.experimental.send_direct_async, ttnn.experimental.recv_direct_async)


CASES = {
    "experimental.send_async": through_socket,
    "experimental.recv_async": through_socket,
    "experimental.send_direct_async": directly,
    "experimental.recv_direct_async": directly,
}
