# SPDX-License-Identifier: Apache-2.0
"""A mesh that is opened again in another form: the programs of one call of ttnn wait for each other as in the first."""

import torch
import ttnn

FORMS = ((ttnn.FabricConfig.FABRIC_1D, (1, 8)), (ttnn.FabricConfig.FABRIC_2D, (2, 4)))

for fabric, shape in FORMS:
    ttnn.set_fabric_config(fabric)
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(*shape))
    x = torch.randn(1, 1, 32, 256).bfloat16()
    shards = ttnn.from_torch(x, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=3))
    for _ in range(10):
        ttnn.add(shards, shards)
    sent = ttnn.all_broadcast(shards, num_links=1, topology=ttnn.Topology.Linear)  # several programs on each chip
    for part, each in zip(x.split(32, dim=3), sent, strict=True):
        got = ttnn.to_torch(each, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=3))
        assert torch.equal(got, part.repeat(1, 1, 1, 8)), shape
    print(f"{shape}: right", flush=True)
    ttnn.close_mesh_device(mesh)
    ttnn.set_fabric_config(ttnn.FabricConfig.DISABLED)
