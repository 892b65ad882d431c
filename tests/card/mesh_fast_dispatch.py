# SPDX-License-Identifier: Apache-2.0
"""Command queues of several chips: a trace with a collective, two queues, sub-devices, an error, sockets."""

import sys

import torch
import ttnn

torch.manual_seed(0)
ROWS, COLUMNS = map(int, sys.argv[1].split("x"))
ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_1D)
mesh = ttnn.open_mesh_device(ttnn.MeshShape(ROWS, COLUMNS), trace_region_size=1 << 20, num_command_queues=2)


def shards(x: torch.Tensor) -> ttnn.Tensor:
    """The first two dimensions over rows and columns of chips."""
    mapper = ttnn.ShardTensor2dMesh(mesh, dims=(0, 1), mesh_shape=(ROWS, COLUMNS))
    return ttnn.from_torch(x, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=mapper)


def together(tensor: ttnn.Tensor) -> torch.Tensor:
    composer = ttnn.ConcatMesh2dToTensor(mesh, dims=(0, 1), mesh_shape=(ROWS, COLUMNS))
    return ttnn.to_torch(tensor, mesh_composer=composer)


def gathered(x: ttnn.Tensor) -> ttnn.Tensor:
    return ttnn.all_gather(ttnn.neg(x), dim=3, cluster_axis=1, topology=ttnn.Topology.Linear)


def expected(x: torch.Tensor) -> torch.Tensor:
    return torch.cat((-x).unbind(1), dim=-1).unsqueeze(1).expand(ROWS, COLUMNS, -1, -1)


def several_numbers() -> torch.Tensor:
    return torch.randn(ROWS, COLUMNS, 32, 64).bfloat16()


x = shards(several_numbers())
gathered(x)
trace = ttnn.begin_trace_capture(mesh, cq_id=0)
result = gathered(x)
ttnn.end_trace_capture(mesh, trace, cq_id=0)
for _ in range(2):
    values = several_numbers()
    mapper = ttnn.ShardTensor2dMesh(mesh, dims=(0, 1), mesh_shape=(ROWS, COLUMNS))
    on_host = ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, mesh_mapper=mapper)
    ttnn.copy_host_to_device_tensor(on_host, x, cq_id=1)
    ttnn.wait_for_event(0, ttnn.record_event(mesh, 1))
    ttnn.execute_trace(mesh, trace, cq_id=0, blocking=False)
    assert torch.equal(together(result), expected(values))
ttnn.release_trace(mesh, trace)
print("traces: right")

corner = ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(3, 3))})
manager = mesh.create_sub_device_manager([ttnn.SubDevice([corner])], 0)
mesh.load_sub_device_manager(manager)
mesh.set_sub_device_stall_group([ttnn.SubDeviceId(0)])
values = several_numbers()
sent = ttnn.all_gather(
    shards(values), dim=3, cluster_axis=1, topology=ttnn.Topology.Linear, subdevice_id=ttnn.SubDeviceId(0)
)
assert torch.equal(together(sent), -expected(values))
mesh.reset_sub_device_stall_group()
mesh.clear_loaded_sub_device_manager()
print("sub-devices: right")

kernel = ttnn.KernelDescriptor(
    kernel_source='#include "api/dataflow/dataflow_api.h"\nvoid kernel_main() { cb_wait_front(0, 1); }',
    source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
    core_ranges=ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))}),
    compile_time_args=[],
    defines=[],
    common_runtime_args=[],
    config=ttnn.ReaderConfigDescriptor(),
)
buffer = ttnn.CBDescriptor(
    total_size=2048,
    core_ranges=kernel.core_ranges,
    format_descriptors=[ttnn.CBFormatDescriptor(buffer_index=0, data_format=ttnn.bfloat16, page_size=2048)],
)
try:
    ttnn.generic_op([x, x], ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[buffer]))
except RuntimeError as error:
    print(str(error).splitlines()[0])
values = several_numbers()
assert torch.equal(together(gathered(shards(values))), expected(values))
print("after an error: right")

mesh.quiesce_devices()
ends = [mesh.create_submesh(ttnn.MeshShape(1, 1), ttnn.MeshCoordinate(0, place)) for place in (0, COLUMNS - 1)]
place = ttnn.MeshCoordinate(0, 0)
connection = ttnn.SocketConnection(
    ttnn.MeshCoreCoord(place, ttnn.CoreCoord(0, 0)), ttnn.MeshCoreCoord(place, ttnn.CoreCoord(0, 1))
)
config = ttnn.SocketConfig([connection], ttnn.SocketMemoryConfig(ttnn.BufferType.L1, 4096))
sender, receiver = ttnn.create_socket_pair(*ends, config)
for count in (1, 2):
    values = torch.randn(1, 1, 64, 128 * count).bfloat16()  # more than the socket's buffer holds
    tensor = ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=ends[0])
    arrived = ttnn.allocate_tensor_on_device(tensor.spec, ends[1])
    ttnn.experimental.send_async(ttnn.neg(tensor), sender)
    ttnn.experimental.recv_async(arrived, receiver)
    assert torch.equal(ttnn.to_torch(ttnn.neg(arrived)), values)
print("sockets: right")
mesh.quiesce_devices()
ttnn.close_mesh_device(mesh)
print("closed")
