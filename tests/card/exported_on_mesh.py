# SPDX-License-Identifier: Apache-2.0
"""Call an exported operation with a tensor that is divided among chips: each chip computes its rows.

The package's folder is on Python's path; the bound is that of the package's own test.
"""

import torch
import ttnn
from variance_w_rm import variance_w_rm  # type: ignore[import-not-found]  # the package of the test

BOUND = 0.0184

torch.manual_seed(0)
mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))
x = torch.randn(2 * 64, 128).bfloat16()
x[64:] *= 3  # the chips have different results
divided = ttnn.from_torch(x, layout=ttnn.ROW_MAJOR_LAYOUT, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0))
found = ttnn.to_torch(variance_w_rm(divided), mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0)).double()
wanted = x.double().var(-1, correction=0, keepdim=True)
error = (found - wanted).abs() / wanted.abs().clamp(min=1.0)
assert found.shape == wanted.shape
assert error.max() <= BOUND, error.max()
ttnn.close_mesh_device(mesh)
print("every chip: right")
