# SPDX-License-Identifier: Apache-2.0
"""A process that is killed while a kernel of its program runs for ever."""

import os
import signal
import threading

import ttnn

SOURCE = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    for (;;) {  // not a loop that is recognised as spinning: it writes
        noc_semaphore_inc(get_noc_addr(get_semaphore(0)), 1);
        noc_async_atomic_barrier();
    }
}
"""

device = ttnn.open_device(device_id=0)
core = ttnn.CoreCoord(0, 0)
cores = ttnn.CoreRangeSet([ttnn.CoreRange(core, core)])
kernel = ttnn.KernelDescriptor(
    kernel_source=SOURCE,
    source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
    core_ranges=cores,
    runtime_args=[(core, [])],
    config=ttnn.WriterConfigDescriptor(),
)
semaphore = ttnn.SemaphoreDescriptor(id=0, core_ranges=cores, initial_value=0)
tensors = [ttnn.zeros([32, 32], ttnn.bfloat16, ttnn.TILE_LAYOUT, device) for _ in range(2)]
threading.Timer(6.0, os.kill, (os.getpid(), signal.SIGKILL)).start()
ttnn.generic_op(tensors, ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[semaphore], cbs=[]))
ttnn.synchronize_device(device)
