# SPDX-License-Identifier: Apache-2.0
"""Operations for ``tilewright check``: two of ttnn's own, and three with a kernel that pushes a page before it arrived,
one that pops a page it has not waited for, and one that does not compile.

The cut keeps its place in L1, on a core before the one that has tt-metal's first bank.
"""

from __future__ import annotations

import contextlib

import numpy as np
import ttnn

EARLY_PUSH = """
void kernel_main() {
    cb_reserve_back(0, 1);
    noc_async_read(get_noc_addr(get_semaphore(0)), get_write_ptr(0), 16);
    cb_push_back(0, 1);
    noc_async_read_barrier();
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);
}
"""
UNWAITED_POP = """
void kernel_main() {
    cb_pop_front(0, 1);
}
"""
NO_KERNEL = "void kernel_main() { cb_push(0); }"


def program(source: str) -> object:
    kernel = ttnn.KernelDescriptor(
        kernel_source=source,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=core,
        config=ttnn.ReaderConfigDescriptor(),
    )
    page = ttnn.CBFormatDescriptor(buffer_index=0, data_format=ttnn.bfloat16, page_size=2048)
    buffer = ttnn.CBDescriptor(total_size=4096, core_ranges=core, format_descriptors=[page])
    semaphore = ttnn.SemaphoreDescriptor(0, core_ranges=core, initial_value=0)
    return ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[semaphore], cbs=[buffer])


device = ttnn.open_device(device_id=0)
x = ttnn.Tensor(np.ones((1, 1, 32, 64), np.float32), ttnn.bfloat16).to(ttnn.TILE_LAYOUT).to(device)
core = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
ttnn.exp(x)
ttnn.slice(x, [0, 0, 0, 32], [1, 1, 32, 64])
ttnn.generic_op([x, x], program(EARLY_PUSH))
ttnn.generic_op([x, x], program(UNWAITED_POP))
with contextlib.suppress(RuntimeError):
    ttnn.generic_op([x, x], program(NO_KERNEL))
