# SPDX-License-Identifier: Apache-2.0
"""Traces that cannot be replayed as captured: a freed tensor, a deadlock, an operation that was not compiled before."""

import torch
import ttnn

device = ttnn.open_device(device_id=0, trace_region_size=1 << 20)


def on_device(value: float) -> ttnn.Tensor:
    return ttnn.from_torch(torch.full((32, 32), value).bfloat16(), layout=ttnn.TILE_LAYOUT, device=device)


def say(part: str, error: Exception) -> None:
    print(f"{part}: {str(error).splitlines()[0]}")
    print("\n".join(str(error).splitlines()[1:5]))


x, y = on_device(1.0), on_device(2.0)
ttnn.add(ttnn.exp(x), y)

trace = ttnn.begin_trace_capture(device, cq_id=0)
total = ttnn.add(ttnn.exp(x), y)
ttnn.end_trace_capture(device, trace, cq_id=0)
ttnn.execute_trace(device, trace, cq_id=0, blocking=True)
ttnn.deallocate(y)
try:
    ttnn.execute_trace(device, trace, cq_id=0, blocking=True)
except RuntimeError as error:
    say("freed", error)
ttnn.release_trace(device, trace)

trace = ttnn.begin_trace_capture(device, cq_id=0)
try:
    ttnn.tanh(x)
except RuntimeError as error:
    say("not compiled", error)
ttnn.end_trace_capture(device, trace, cq_id=0)
ttnn.release_trace(device, trace)
print("still usable:", ttnn.to_torch(ttnn.exp(x))[0, 0].item())

core = ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))})
kernel = ttnn.KernelDescriptor(
    kernel_source="void kernel_main() { if (get_arg_val<uint32_t>(0) == *(volatile tt_l1_ptr uint32_t*)"
    "get_arg_val<uint32_t>(1)) { cb_wait_front(0, 1); } }",
    source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
    core_ranges=core,
    config=ttnn.ReaderConfigDescriptor(),
)
format_ = ttnn.CBFormatDescriptor(buffer_index=0, data_format=ttnn.bfloat16, page_size=2048)
buffer = ttnn.CBDescriptor(total_size=4096, core_ranges=core, format_descriptors=[format_])
in_l1 = ttnn.create_sharded_memory_config(
    (32, 32), core, ttnn.ShardStrategy.HEIGHT, use_height_and_width_as_shard_shape=True
)
flag = ttnn.from_torch(
    torch.zeros(32, 32, dtype=torch.int32),
    dtype=ttnn.int32,
    layout=ttnn.TILE_LAYOUT,
    device=device,
    memory_config=in_l1,
)
arguments = ttnn.RuntimeArgs()
arguments[0][0] = [1, flag.buffer_address()]
kernel.runtime_args = arguments


def wait_if_told() -> None:
    ttnn.generic_op([flag, flag], ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[buffer]))


wait_if_told()  # the flag is 0: the kernel ends
trace = ttnn.begin_trace_capture(device, cq_id=0)
before = ttnn.exp(x)
wait_if_told()
behind = ttnn.add(ttnn.exp(x), before)
ttnn.end_trace_capture(device, trace, cq_id=0)
ones = ttnn.from_torch(torch.ones(32, 32, dtype=torch.int32), dtype=ttnn.int32, layout=ttnn.TILE_LAYOUT)
ttnn.copy_host_to_device_tensor(ones, flag)
try:
    ttnn.execute_trace(device, trace, cq_id=0, blocking=True)
except RuntimeError as error:
    say("deadlock", error)
print("behind the deadlock:", ttnn.to_torch(behind)[0, 0].item())
ttnn.release_trace(device, trace)
ttnn.close_device(device)
print("closed after a deadlock in a trace")
