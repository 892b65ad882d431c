# SPDX-License-Identifier: Apache-2.0
"""A tile copied by two kernels, with the real ttnn and with the built-in module alike.

The writer waits for ever where the reader has run ahead of it: only another schedule than the usual one shows that.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import ttnn

UNREAD_ARGUMENT = 77

device = ttnn.open_device(device_id=0)
x = ttnn.Tensor(np.ones((1, 1, 32, 32), np.float32), ttnn.bfloat16).to(ttnn.TILE_LAYOUT).to(device)
y = ttnn.allocate_tensor_on_device(x.shape, ttnn.bfloat16, ttnn.TILE_LAYOUT, device, ttnn.DRAM_MEMORY_CONFIG)
core = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])


def kernel(name: str, tensor: ttnn.Tensor, config: object) -> ttnn.KernelDescriptor:
    return ttnn.KernelDescriptor(
        kernel_source=str(Path(__file__).with_name(name)),
        core_ranges=core,
        compile_time_args=ttnn.TensorAccessorArgs(tensor).get_compile_time_args(),
        runtime_args=[(ttnn.CoreCoord(0, 0), [tensor.buffer_address(), UNREAD_ARGUMENT])],
        config=config,
    )


pages = [ttnn.CBFormatDescriptor(buffer_index=index, data_format=ttnn.bfloat16, page_size=2048) for index in (0, 1)]
program = ttnn.ProgramDescriptor(
    kernels=[
        kernel("writer.cpp", y, ttnn.WriterConfigDescriptor()),
        kernel("reader.cpp", x, ttnn.ReaderConfigDescriptor()),
    ],
    semaphores=[ttnn.SemaphoreDescriptor(0, core_ranges=core, initial_value=0)],
    cbs=[ttnn.CBDescriptor(total_size=4096, core_ranges=core, format_descriptors=[page]) for page in pages],
)
ttnn.generic_op([x, y], program)
print("module", ttnn.__file__)
print("columns", device.compute_with_storage_grid_size().x)
print("devices", ttnn.get_num_devices() if hasattr(ttnn, "get_num_devices") else 1)
print("sum", np.array(y.cpu().to_list(), np.float32).sum())
ttnn.close_device(device)
