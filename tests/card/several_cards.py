# SPDX-License-Identifier: Apache-2.0
"""Run with two chips: each has its own memory, and a mesh of both shares the work."""

import os

import torch
import ttnn

torch.manual_seed(0)
values = [torch.randn(32, 64).bfloat16() for _ in range(2)]

if "TT_METAL_SLOW_DISPATCH_MODE" in os.environ:
    devices = [ttnn.open_device(device_id=number) for number in range(2)]
else:
    devices = list(ttnn.CreateDevices([0, 1]).values())
    for open_another in (lambda: ttnn.open_device(device_id=1), lambda: ttnn.open_mesh_device(ttnn.MeshShape(1, 1))):
        try:
            open_another()
        except RuntimeError as error:
            print(error)
tensors = [
    ttnn.from_torch(value, layout=ttnn.TILE_LAYOUT, device=device)
    for value, device in zip(values, devices, strict=True)
]
assert tensors[0].buffer_address() == tensors[1].buffer_address()  # the same place on two cards
results = [ttnn.add(tensors[0], tensors[0]), ttnn.mul(tensors[1], tensors[1])]  # a program of its own for each
expected = [values[0] + values[0], values[1] * values[1]]
for value, tensor in zip([*values, *expected], [*tensors, *results], strict=True):
    assert torch.equal(ttnn.to_torch(tensor), value)
ttnn.close_device(devices[0])  # in the order of opening: ttnn closes earlier devices with a later one
assert torch.equal(ttnn.to_torch(ttnn.add(tensors[1], tensors[1])), values[1] + values[1])
ttnn.close_device(devices[1])
print("two devices: right")

mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))
whole = torch.cat(values)
shards = ttnn.from_torch(whole, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0))
result = ttnn.to_torch(ttnn.add(shards, shards), mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0))
assert torch.equal(result, whole + whole)
print("mesh: right")
ttnn.close_mesh_device(mesh)
try:
    ttnn.open_mesh_device(ttnn.MeshShape(2, 4))
except RuntimeError as error:
    print(error)
