# SPDX-License-Identifier: Apache-2.0
"""Operations for ``tilewright check``: two of ttnn's own, and three with a kernel that pushes a page before it arrived,
one that pops a page it has not waited for, and one that does not compile. Then copies of a tensor on two cores: right
ones, the writer's cores in another order than the reader's, and through a buffer of another type than the tensor's.

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
COPIED_IN = """
void kernel_main() {
    constexpr auto arguments = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(arguments, get_arg_val<uint32_t>(0), 2048);
    cb_reserve_back(0, 1);
    noc_async_read_tile(get_arg_val<uint32_t>(1), tensor, get_write_ptr(0));
    noc_async_read_barrier();
    cb_push_back(0, 1);
}
"""
COPIED_OUT = """
void kernel_main() {
    constexpr auto arguments = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(arguments, get_arg_val<uint32_t>(0), 2048);
    cb_wait_front(0, 1);
    noc_async_write_tile(get_arg_val<uint32_t>(1), tensor, get_read_ptr(0));
    noc_async_write_barrier();
    cb_pop_front(0, 1);
}
"""


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


def copy(order: tuple[int, int] = (0, 1), data_format: object = ttnn.bfloat16, page_size: int = 2048) -> object:
    """Copies one tile of x to y on each of two cores; ``order``: which tile each core writes."""

    def kernel(source: str, tensor: ttnn.Tensor, tiles: tuple[int, int], config: object) -> object:
        arguments = ttnn.RuntimeArgs()
        for column, tile in enumerate(tiles):
            arguments[column][0] = [tensor.buffer_address(), tile]
        return ttnn.KernelDescriptor(
            kernel_source=source,
            source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
            core_ranges=two_cores,
            compile_time_args=ttnn.TensorAccessorArgs(tensor).get_compile_time_args(),
            runtime_args=arguments,
            config=config,
        )

    page = ttnn.CBFormatDescriptor(buffer_index=0, data_format=data_format, page_size=page_size)
    buffer = ttnn.CBDescriptor(total_size=2 * page_size, core_ranges=two_cores, format_descriptors=[page])
    kernels = [
        kernel(COPIED_IN, x, (0, 1), ttnn.ReaderConfigDescriptor()),
        kernel(COPIED_OUT, y, order, ttnn.WriterConfigDescriptor()),
    ]
    return ttnn.ProgramDescriptor(kernels=kernels, semaphores=[], cbs=[buffer])


device = ttnn.open_device(device_id=0)
x = ttnn.Tensor(np.ones((1, 1, 32, 64), np.float32), ttnn.bfloat16).to(ttnn.TILE_LAYOUT).to(device)
core = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
ttnn.exp(x)
ttnn.slice(x, [0, 0, 0, 32], [1, 1, 32, 64])
ttnn.generic_op([x, x], program(EARLY_PUSH))
ttnn.generic_op([x, x], program(UNWAITED_POP))
with contextlib.suppress(RuntimeError):
    ttnn.generic_op([x, x], program(NO_KERNEL))
y = ttnn.allocate_tensor_on_device(x.shape, ttnn.bfloat16, ttnn.TILE_LAYOUT, device, ttnn.DRAM_MEMORY_CONFIG)
two_cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 0))])
ttnn.generic_op([x, y], copy())
ttnn.generic_op([x, y], copy(order=(1, 0)))
ttnn.generic_op([x, y], copy(data_format=ttnn.float32, page_size=4096))
