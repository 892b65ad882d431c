# SPDX-License-Identifier: Apache-2.0
"""Two operations captured in a trace: an add into a tensor that was only allocated, and a kernel that breaks a rule in
the trace, but not before it."""

from __future__ import annotations

import numpy as np
import ttnn

UNWAITED_POP = "void kernel_main() { if (get_arg_val<uint32_t>(0) == 1) { cb_pop_front(0, 1); } }"


def on_device(value: float) -> ttnn.Tensor:
    return ttnn.Tensor(np.full((1, 1, 32, 64), value, np.float32), ttnn.bfloat16).to(ttnn.TILE_LAYOUT).to(device)


def empty() -> ttnn.Tensor:
    return ttnn.empty([1, 1, 32, 64], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


def make_program(*, pops: bool) -> object:
    core = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    kernel = ttnn.KernelDescriptor(
        kernel_source=UNWAITED_POP,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=core,
        runtime_args=[(ttnn.CoreCoord(0, 0), [int(pops)])],
        config=ttnn.ReaderConfigDescriptor(),
    )
    format_ = ttnn.CBFormatDescriptor(buffer_index=0, data_format=ttnn.bfloat16, page_size=2048)
    buffer = ttnn.CBDescriptor(total_size=4096, core_ranges=core, format_descriptors=[format_])
    return ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[buffer])


def layer(output: ttnn.Tensor, *, pops: bool) -> None:
    ttnn.add(x, y, output_tensor=output)
    ttnn.generic_op([x, y], make_program(pops=pops))


device = ttnn.open_device(device_id=0, trace_region_size=1 << 20)
x, y = on_device(1.0), on_device(2.0)
layer(empty(), pops=False)
output = empty()
trace = ttnn.begin_trace_capture(device, cq_id=0)
layer(output, pops=True)
ttnn.end_trace_capture(device, trace, cq_id=0)
for _ in range(2):
    ttnn.execute_trace(device, trace, cq_id=0, blocking=True)
result = np.array(ttnn.relu(output).cpu().to(ttnn.ROW_MAJOR_LAYOUT).to_list())
print("after the trace:", result.min(), result.max(), flush=True)
ttnn.release_trace(device, trace)
ttnn.close_device(device)
