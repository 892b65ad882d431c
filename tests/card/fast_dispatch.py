# SPDX-License-Identifier: Apache-2.0
"""Command queues: short and long traces, two queues with events, sub-devices, large transfers, an error."""

import resource

import torch
import ttnn

from tilewright._card.times import card_times

torch.manual_seed(0)
device = ttnn.open_device(device_id=0, trace_region_size=1 << 20, num_command_queues=2)


def on_device(values: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=device)


def operations(x: ttnn.Tensor) -> ttnn.Tensor:
    return ttnn.softmax(ttnn.exp(x * 0.5), dim=-1)


values = torch.randn(64, 96).bfloat16()
x = on_device(values)
assert torch.equal(ttnn.to_torch(x), values)
operations(x)  # kernels must be compiled before a trace is captured
trace = ttnn.begin_trace_capture(device, cq_id=0)
result = operations(x)
ttnn.end_trace_capture(device, trace, cq_id=0)
for _ in range(3):
    values = torch.randn(64, 96).bfloat16()
    ttnn.copy_host_to_device_tensor(ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT), x, cq_id=1)
    ttnn.wait_for_event(0, ttnn.record_event(device, 1))
    ttnn.execute_trace(device, trace, cq_id=0, blocking=False)
    replayed = ttnn.to_torch(result)
    assert torch.equal(replayed, ttnn.to_torch(operations(on_device(values))))
    expected = torch.softmax(torch.exp(values.double() * 0.5), -1)
    # Rounded to bfloat16 (2^-8) five times on the way; exp and softmax pass an error on unchanged.
    assert ((replayed.double() - expected).abs() <= 5 * 2**-8 * expected).all()
ttnn.release_trace(device, trace)
ttnn.synchronize_device(device)
print("traces: right")


def many_operations(x: ttnn.Tensor) -> ttnn.Tensor:
    for _ in range(14):
        x = operations(x)
    return x


called = ttnn.to_torch(many_operations(x))
trace = ttnn.begin_trace_capture(device, cq_id=0)
result = many_operations(x)
ttnn.end_trace_capture(device, trace, cq_id=0)
ttnn.execute_trace(device, trace, cq_id=0, blocking=True)
waits = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
ttnn.execute_trace(device, trace, cq_id=0, blocking=True)
waits = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw - waits
assert torch.equal(ttnn.to_torch(result), called)
assert waits < 28, f"{waits} waits for 42 launches, which are posted together"
ttnn.release_trace(device, trace)
print("long traces: right")

before = card_times()
for _ in range(100):  # the configuration of a launch goes round its ring in L1 several times
    ttnn.exp(x)
spent = card_times() - before
assert (spent.launches, spent.programs) == (100, 0), spent
print("programs at other places: known")

large = torch.arange(3 << 20, dtype=torch.int32).reshape(1024, -1)
assert torch.equal(ttnn.to_torch(ttnn.from_torch(large, dtype=ttnn.int32, device=device)), large)
print("large transfers: right")

corner = ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 1))})
rest = ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(2, 2), ttnn.CoreCoord(3, 3))})
manager = device.create_sub_device_manager([ttnn.SubDevice([corner]), ttnn.SubDevice([rest])], 3200)
device.load_sub_device_manager(manager)
sharded = ttnn.create_sharded_memory_config(
    (32, 32), rest, ttnn.ShardStrategy.HEIGHT, use_height_and_width_as_shard_shape=True
)
rows = torch.randn(128, 32).bfloat16()
doubled = ttnn.add(*[ttnn.from_torch(rows, layout=ttnn.TILE_LAYOUT, device=device, memory_config=sharded)] * 2)
assert torch.equal(ttnn.to_torch(doubled), rows + rows)
device.clear_loaded_sub_device_manager()
device.remove_sub_device_manager(manager)
print("sub-devices: right")

kernel = ttnn.KernelDescriptor(
    kernel_source="void kernel_main() { cb_wait_front(0, 1); }",
    source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
    core_ranges=corner,
    config=ttnn.ReaderConfigDescriptor(),
)
format_ = ttnn.CBFormatDescriptor(buffer_index=0, data_format=ttnn.bfloat16, page_size=2048)
buffer = ttnn.CBDescriptor(total_size=4096, core_ranges=corner, format_descriptors=[format_])
try:
    ttnn.generic_op([x, x], ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[buffer]))
except RuntimeError as error:
    print(error)
assert torch.equal(ttnn.to_torch(ttnn.add(on_device(values), on_device(values))), values + values)
ttnn.close_device(device)
device = ttnn.open_device(device_id=0)
assert torch.equal(ttnn.to_torch(on_device(values)), values)
ttnn.close_device(device)
print("after an error: right")
