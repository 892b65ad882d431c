# SPDX-License-Identifier: Apache-2.0
"""Collectives on a mesh of a row of chips, each against torch, element by element.

Arguments: number of chips, the fabric's configuration, the topology of the operations, and cases to run (default: all).
"""

import sys
from collections.abc import Callable

import torch
import ttnn

CHIPS, FABRIC, TOPOLOGY = int(sys.argv[1]), sys.argv[2], getattr(ttnn.Topology, sys.argv[3])
ULP = 2.0**-8  # half of bfloat16's spacing, relative

torch.manual_seed(0)
ttnn.set_fabric_config(getattr(ttnn.FabricConfig, FABRIC))
mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, CHIPS))


def shards(x: torch.Tensor, dim: int, memory: ttnn.MemoryConfig = ttnn.DRAM_MEMORY_CONFIG) -> ttnn.Tensor:
    return ttnn.from_torch(
        x, layout=ttnn.TILE_LAYOUT, device=mesh, memory_config=memory, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=dim)
    )


def together(tensor: ttnn.Tensor, dim: int = 0) -> torch.Tensor:
    return ttnn.to_torch(tensor, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=dim))


def whole() -> torch.Tensor:
    return torch.randn(1, 1, 32, 64 * CHIPS).bfloat16()


def each() -> torch.Tensor:
    """A tensor for each chip."""
    return torch.randn(CHIPS, 1, 32, 64 * CHIPS).bfloat16()


def within_sum(found: torch.Tensor, x: torch.Tensor) -> bool:
    """Each of the additions rounds to bfloat16: by half a spacing of a partial sum, at most the sum of magnitudes."""
    exact, magnitude = x.double().sum(0, keepdim=True), x.double().abs().sum(0, keepdim=True)
    copies = found.shape[0]
    return bool(((found.double() - exact.expand(copies, -1, -1, -1)).abs() <= (CHIPS - 1) * ULP * magnitude).all())


def point_to_point() -> bool:
    x = each()
    first, last = ttnn.MeshCoordinate((0, 0)), ttnn.MeshCoordinate((0, CHIPS - 1))
    sent = together(ttnn.point_to_point(shards(x, 0), first, last, topology=TOPOLOGY))
    return torch.equal(sent[CHIPS - 1], x[0])


def all_gather() -> bool:
    x = whole()
    return torch.equal(together(ttnn.all_gather(shards(x, 3), dim=3, topology=TOPOLOGY)), x.repeat(CHIPS, 1, 1, 1))


def all_gather_l1() -> bool:
    x = whole()
    gathered = ttnn.all_gather(
        shards(x, 3, ttnn.L1_MEMORY_CONFIG), dim=3, topology=TOPOLOGY, memory_config=ttnn.L1_MEMORY_CONFIG
    )
    return torch.equal(together(gathered), x.repeat(CHIPS, 1, 1, 1))


def broadcast() -> bool:
    x = each()
    sent = ttnn.broadcast(shards(x, 0), ttnn.MeshCoordinate((0, 0)), topology=TOPOLOGY)
    return torch.equal(together(sent), x[:1].repeat(CHIPS, 1, 1, 1))


def all_broadcast() -> bool:
    x = each()
    sent = ttnn.all_broadcast(shards(x, 0), topology=TOPOLOGY)
    return all(torch.equal(together(one), x[n : n + 1].repeat(CHIPS, 1, 1, 1)) for n, one in enumerate(sent))


def reduce_scatter() -> bool:
    x = each()
    return within_sum(together(ttnn.reduce_scatter(shards(x, 0), dim=3, topology=TOPOLOGY), dim=3), x)


def all_reduce() -> bool:
    x = each()
    return within_sum(together(ttnn.all_reduce(shards(x, 0), topology=TOPOLOGY)), x)


CASES: list[Callable[[], bool]] = [
    point_to_point,
    all_gather,
    all_gather_l1,
    broadcast,
    all_broadcast,
    reduce_scatter,
    all_reduce,
]
for case in CASES:
    if case.__name__ in sys.argv[4:] or len(sys.argv) == 4:
        print(f"{case.__name__}: {'right' if case() else 'wrong'}", flush=True)
ttnn.close_mesh_device(mesh)
ttnn.set_fabric_config(ttnn.FabricConfig.DISABLED)
print("closed")
