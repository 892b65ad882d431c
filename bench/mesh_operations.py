# SPDX-License-Identifier: Apache-2.0
"""Times of a mesh of eight chips: opening it, and an ``all_gather`` of 1 MiB a chip next to copies of the same bytes.

``bench/several_chips.py`` runs it under ``tilewright exec --system t3000``. It prints one line of JSON.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import torch
import ttnn

_CHIPS = 8
_TILES = 512  # of 2 KiB: 1 MiB a chip


def _open() -> ttnn.MeshDevice:
    ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_1D_RING)
    return ttnn.open_mesh_device(ttnn.MeshShape(1, _CHIPS))


def _close(mesh: ttnn.MeshDevice) -> None:
    ttnn.close_mesh_device(mesh)
    ttnn.set_fabric_config(ttnn.FabricConfig.DISABLED)


def _gathering(mesh: ttnn.MeshDevice, turns: int) -> float:
    """Seconds of the fastest call."""
    x = torch.randn(1, 1, 32 * _TILES // 8, 32 * 8 * _CHIPS).bfloat16()
    mapper = ttnn.ShardTensorToMesh(mesh, dim=3)
    shards = ttnn.from_torch(x, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=mapper)
    fastest = float("inf")
    for turn in range(turns):
        begin = time.perf_counter()
        gathered = ttnn.all_gather(shards, dim=3, topology=ttnn.Topology.Ring)
        ttnn.synchronize_device(mesh)
        fastest = min(fastest, time.perf_counter() - begin)
        if turn == 0 and not all(torch.equal(ttnn.to_torch(each), x) for each in ttnn.get_device_tensors(gathered)):
            raise SystemExit("all_gather gave a wrong result")
    return fastest


def _copying(turns: int) -> float:
    """Seconds to copy what all chips have afterwards, on one thread."""
    source = np.ones(_CHIPS * _TILES * 2048, np.uint8)
    targets = [np.zeros_like(source) for _ in range(_CHIPS)]
    fastest = float("inf")
    for _ in range(turns):
        begin = time.perf_counter()
        for target in targets:
            np.copyto(target, source)
        fastest = min(fastest, time.perf_counter() - begin)
    return fastest


def main(turns: str) -> None:
    _close(_open())  # kernels are compiled by now
    begin = time.perf_counter()
    mesh = _open()
    opened = time.perf_counter() - begin
    measured = {"opened": opened, "gathered": _gathering(mesh, int(turns)), "copied": _copying(int(turns))}
    _close(mesh)
    print(json.dumps(measured))


if __name__ == "__main__":
    main(*sys.argv[1:])
