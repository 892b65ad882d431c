# SPDX-License-Identifier: Apache-2.0
"""Collectives on a mesh of chips, along each of its sides, each against torch, element by element.

Arguments: rows and columns of the mesh, the fabric's configuration, the topology of the operations, and cases to run
(default: all).
"""

import os
import sys
from collections.abc import Callable

import torch
import ttnn

ROWS, COLUMNS, FABRIC, TOPOLOGY = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], getattr(ttnn.Topology, sys.argv[4])
SHAPE = (ROWS, COLUMNS)
ULP = 2.0**-8  # half of bfloat16's spacing, relative

torch.manual_seed(0)
ttnn.set_fabric_config(getattr(ttnn.FabricConfig, FABRIC))
mesh = ttnn.open_mesh_device(ttnn.MeshShape(ROWS, COLUMNS))


def shards(x: torch.Tensor, memory: ttnn.MemoryConfig = ttnn.DRAM_MEMORY_CONFIG) -> ttnn.Tensor:
    """The first two dimensions over rows and columns of chips."""
    mapper = ttnn.ShardTensor2dMesh(mesh, dims=(0, 1), mesh_shape=SHAPE)
    return ttnn.from_torch(x, layout=ttnn.TILE_LAYOUT, device=mesh, memory_config=memory, mesh_mapper=mapper)


def together(tensor: ttnn.Tensor) -> torch.Tensor:
    return ttnn.to_torch(tensor, mesh_composer=ttnn.ConcatMesh2dToTensor(mesh, dims=(0, 1), mesh_shape=SHAPE))


def count_programs_anew() -> None:
    """Before a submesh is used after its mesh, and the mesh after it. Under slow dispatch nothing counts programs."""
    if "TT_METAL_SLOW_DISPATCH_MODE" not in os.environ:
        mesh.quiesce_devices()


def each(chips: int) -> torch.Tensor:
    """A tensor for each chip, which ``chips`` can share."""
    return torch.randn(ROWS, COLUMNS, 32, 64 * chips).bfloat16()


def along(axis: int) -> dict[str, int]:
    """A row of chips needs no axis."""
    return {} if ROWS == 1 else {"cluster_axis": axis}


def to_all(x: torch.Tensor, axis: int, index: int) -> torch.Tensor:
    """What the chip at a place of its row or column has, on all of these."""
    return x.select(axis, index).unsqueeze(axis).expand(*SHAPE, -1, -1)


def within_sum(found: torch.Tensor, x: torch.Tensor, axis: int) -> bool:
    """Each of the additions rounds to bfloat16: by half a spacing of a partial sum, at most the sum of magnitudes."""
    exact, magnitude = (one.sum(axis, keepdim=True) for one in (x.double(), x.double().abs()))
    allowed = (SHAPE[axis] - 1) * ULP * magnitude
    return bool(((found.double() - exact.expand_as(found)).abs() <= allowed.expand_as(found)).all())


def point_to_point(axis: int) -> bool:
    x = each(1)
    last = (ROWS - 1, 0) if axis == 0 else (0, COLUMNS - 1)
    sent = ttnn.point_to_point(shards(x), ttnn.MeshCoordinate((0, 0)), ttnn.MeshCoordinate(last), topology=TOPOLOGY)
    return torch.equal(together(sent)[last], x[0, 0])


def all_gather(axis: int, memory: ttnn.MemoryConfig = ttnn.DRAM_MEMORY_CONFIG) -> bool:
    x = each(1)
    gathered = ttnn.all_gather(shards(x, memory), dim=3, topology=TOPOLOGY, memory_config=memory, **along(axis))
    joined = torch.cat(x.unbind(axis), dim=-1).unsqueeze(axis)
    return torch.equal(together(gathered), joined.expand(*SHAPE, -1, -1))


def all_gather_l1(axis: int) -> bool:
    return all_gather(axis, ttnn.L1_MEMORY_CONFIG)


def broadcast(axis: int) -> bool:
    """Over a line of the mesh: ttnn waits for ever on chips of other lines, which have no sender."""
    count_programs_anew()
    line = mesh.create_submesh(ttnn.MeshShape(ROWS, 1) if axis == 0 else ttnn.MeshShape(1, COLUMNS))
    x = torch.randn(SHAPE[axis], 1, 32, 64).bfloat16()
    mapper = ttnn.ShardTensorToMesh(line, dim=0)
    sent = ttnn.broadcast(
        ttnn.from_torch(x, layout=ttnn.TILE_LAYOUT, device=line, mesh_mapper=mapper),
        ttnn.MeshCoordinate((0, 0)),
        topology=TOPOLOGY,
        **along(axis),
    )
    found = ttnn.to_torch(sent, mesh_composer=ttnn.ConcatMeshToTensor(line, dim=0))
    count_programs_anew()
    return torch.equal(found, x[:1].expand_as(x))


def all_broadcast(axis: int) -> bool:
    x = each(1)
    sent = ttnn.all_broadcast(shards(x), topology=TOPOLOGY, **along(axis))
    return all(torch.equal(together(one), to_all(x, axis, place)) for place, one in enumerate(sent))


def reduce_scatter(axis: int) -> bool:
    x = each(SHAPE[axis])
    scattered = together(ttnn.reduce_scatter(shards(x), dim=3, topology=TOPOLOGY, **along(axis)))
    joined = torch.cat(scattered.unbind(axis), dim=-1).unsqueeze(axis)
    return within_sum(joined, x, axis)


def all_reduce(axis: int) -> bool:
    x = each(SHAPE[axis])
    return within_sum(together(ttnn.all_reduce(shards(x), topology=TOPOLOGY, **along(axis))), x, axis)


CASES: list[Callable[[int], bool]] = [
    point_to_point,
    all_gather,
    all_gather_l1,
    all_broadcast,
    reduce_scatter,
    all_reduce,
    broadcast,  # last: a submesh keeps its programs where the mesh keeps its own
]
for case in CASES:
    if case.__name__ in sys.argv[5:] or len(sys.argv) == 5:
        for axis in (0, 1):
            if SHAPE[axis] > 1:
                print(f"{case.__name__} {axis}: {'right' if case(axis) else 'wrong'}", flush=True)
ttnn.close_mesh_device(mesh)
ttnn.set_fabric_config(ttnn.FabricConfig.DISABLED)
print("closed")
