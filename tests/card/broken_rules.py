# SPDX-License-Identifier: Apache-2.0
"""Three operations for ``tilewright check``: two of ttnn's own, and one whose kernel pushes a page before it arrived.

The cut keeps its place in L1, on a core before the one that has tt-metal's first bank.
"""

from __future__ import annotations

import numpy as np
import ttnn

SOURCE = """
void kernel_main() {
    cb_reserve_back(0, 1);
    noc_async_read(get_noc_addr(get_write_ptr(0) + 2048), get_write_ptr(0), 2048);
    cb_push_back(0, 1);
    noc_async_read_barrier();
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);
}
"""
device = ttnn.open_device(device_id=0)
x = ttnn.Tensor(np.ones((1, 1, 32, 64), np.float32), ttnn.bfloat16).to(ttnn.TILE_LAYOUT).to(device)
core = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
kernel = ttnn.KernelDescriptor(
    kernel_source=SOURCE,
    source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
    core_ranges=core,
    config=ttnn.ReaderConfigDescriptor(),
)
page = ttnn.CBFormatDescriptor(buffer_index=0, data_format=ttnn.bfloat16, page_size=2048)
buffer = ttnn.CBDescriptor(total_size=4096, core_ranges=core, format_descriptors=[page])
ttnn.exp(x)
ttnn.slice(x, [0, 0, 0, 32], [1, 1, 32, 64])
ttnn.generic_op([x, x], ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[buffer]))
