# SPDX-License-Identifier: Apache-2.0
"""Operations for ``tilewright check``: two of ttnn's own, and three with a kernel that pushes a page before it arrived,
one that pops a page it has not waited for, and one that does not compile. Then copies of a tensor on two cores: right
ones, the writer's cores in another order than the reader's, through a buffer of another type than the tensor's, and
half of them. Then arguments for one core of two, pages behind the end of a tensor, which are another's, and rows of a
shard addressed without the gaps between them.

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


def copy(
    order: tuple[int, int] = (0, 1),
    data_format: object = ttnn.bfloat16,
    page_size: int = 2048,
    target: ttnn.Tensor | None = None,
) -> object:
    """Copies one tile of x to y, or ``target``, on each of two cores; ``order``: which tile each core writes."""

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
        kernel(COPIED_OUT, y if target is None else target, order, ttnn.WriterConfigDescriptor()),
    ]
    return ttnn.ProgramDescriptor(kernels=kernels, semaphores=[], cbs=[buffer])


MANY_PAGES = """
void kernel_main() {
    constexpr auto in = TensorAccessorArgs<0>();
    constexpr auto out = TensorAccessorArgs<in.next_compile_time_args_offset()>();
    const auto from = TensorAccessor(in, get_arg_val<uint32_t>(0), 2048);
    const auto to = TensorAccessor(out, get_arg_val<uint32_t>(1), 2048);
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(2); page++) {
        noc_async_read_tile(page, from, get_write_ptr(0));
        noc_async_read_barrier();
        noc_async_write_tile(page % 16, to, get_write_ptr(0));
        noc_async_write_barrier();
    }
}
"""
ROWS_OUT = """
void kernel_main() {
    constexpr auto arguments = TensorAccessorArgs<0>();
    const auto to = TensorAccessor(arguments, get_arg_val<uint32_t>(0), 96);
    for (uint32_t row = 0; row < 4; row++) {
        noc_async_write_page(row, to, get_arg_val<uint32_t>(1) + row * 88);
    }
    noc_async_write_barrier();
}
"""


def one_kernel(source: str, tensors: list[ttnn.Tensor], arguments: list[int], cores: object) -> object:
    """A writer with arguments on core (0,0) alone."""
    given = ttnn.RuntimeArgs()
    given[0][0] = arguments
    accessors = [word for each in tensors for word in ttnn.TensorAccessorArgs(each).get_compile_time_args()]
    kernel = ttnn.KernelDescriptor(
        kernel_source=source,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=cores,
        compile_time_args=accessors,
        runtime_args=given,
        config=ttnn.WriterConfigDescriptor(),
    )
    page = ttnn.CBFormatDescriptor(buffer_index=0, data_format=ttnn.bfloat16, page_size=2048)
    buffer = ttnn.CBDescriptor(total_size=2048, core_ranges=cores, format_descriptors=[page])
    return ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[buffer])


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
z = ttnn.empty([1, 1, 64, 64], ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
ttnn.generic_op([x, z], copy(target=z))
ONE_ARGUMENT = "void kernel_main() { volatile uint32_t count = get_arg_val<uint32_t>(0); }"
ttnn.generic_op([x, x], one_kernel(ONE_ARGUMENT, [], [1], two_cores))
few, many = (
    ttnn.Tensor(np.ones((1, 1, 32, 32 * tiles), np.float32), ttnn.bfloat16).to(ttnn.TILE_LAYOUT).to(device)
    for tiles in (12, 16)
)
copied = [few.buffer_address(), many.buffer_address(), 16]
ttnn.generic_op([few, many], one_kernel(MANY_PAGES, [few, many], copied, core))
SHARDS = ttnn.ShardSpec(core, (4, 44), ttnn.ShardOrientation.ROW_MAJOR)
IN_SHARDS = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, SHARDS)
host_rows = ttnn.Tensor(np.ones((1, 1, 4, 44), np.float32), ttnn.bfloat16)
rows, sharded = host_rows.to(device), host_rows.to(device, IN_SHARDS)
addresses = [rows.buffer_address(), sharded.buffer_address()]
ttnn.generic_op([sharded, rows], one_kernel(ROWS_OUT, [rows], addresses, core))
