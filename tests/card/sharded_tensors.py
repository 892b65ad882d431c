# SPDX-License-Identifier: Apache-2.0
"""Sharded tensors in a module that has ttnn's names: the real one on the card, or ours. Prints a line for each case.

A line has the tensor's pages, address and accessor words; then the pages as a kernel finds them through the accessor,
and the shards as a kernel finds them in its own L1 through a circular buffer over the tensor.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import ttnn

COPY_PAGES = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto from_args = TensorAccessorArgs<0>();
    constexpr auto to_args = TensorAccessorArgs<from_args.next_compile_time_args_offset()>();
    const auto from = TensorAccessor(from_args, get_arg_val<uint32_t>(0));
    const auto to = TensorAccessor(to_args, get_arg_val<uint32_t>(1));
    const uint32_t num_pages = get_arg_val<uint32_t>(2), page_bytes = get_arg_val<uint32_t>(3);
    cb_reserve_back(0, 1);
    const uint32_t l1 = get_write_ptr(0);
    for (uint32_t page = 0; page < num_pages; page++) {
        noc_async_read(from.get_noc_addr(page), l1, page_bytes);
        noc_async_read_barrier();
        noc_async_write(l1, to.get_noc_addr(page), page_bytes);
        noc_async_write_barrier();
    }
}
"""
COPY_SHARDS = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto to_args = TensorAccessorArgs<0>();
    const auto to = TensorAccessor(to_args, get_arg_val<uint32_t>(0));
    const uint32_t bytes = get_arg_val<uint32_t>(1), stride = get_arg_val<uint32_t>(2);
    const uint32_t first = get_arg_val<uint32_t>(3), pages = get_arg_val<uint32_t>(4);
    for (uint32_t page = 0; page < pages; page++) {
        noc_async_write(get_read_ptr(1) + page * stride, to.get_noc_addr(first + page), bytes);
    }
    noc_async_write_barrier();
}
"""
TILES, ROWS = ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT
HEIGHT, WIDTH, BLOCK = (getattr(ttnn.TensorMemoryLayout, f"{name}_SHARDED") for name in ("HEIGHT", "WIDTH", "BLOCK"))
BY_ROWS, BY_COLUMNS = ttnn.ShardOrientation.ROW_MAJOR, ttnn.ShardOrientation.COL_MAJOR
L1, DRAM = ttnn.BufferType.L1, ttnn.BufferType.DRAM


def grid(*corners: int) -> ttnn.CoreRangeSet:
    """Rectangles, four numbers each."""
    fours = zip(*[iter(corners)] * 4, strict=True)
    return ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(a, b), ttnn.CoreCoord(c, d)) for a, b, c, d in fours])


# Shape, layout, dtype, kind, cores, shard, orientation, memory, and whether kernels copy it.
CASES = [
    ([1, 1, 160, 64], TILES, ttnn.bfloat16, HEIGHT, grid(0, 0, 1, 1), [64, 64], BY_COLUMNS, L1, True),
    ([2, 3, 20, 50], TILES, ttnn.float32, HEIGHT, grid(2, 1, 3, 1, 0, 0, 0, 0), [64, 64], BY_ROWS, L1, False),
    ([1, 1, 64, 160], TILES, ttnn.bfloat16, WIDTH, grid(0, 0, 1, 1), [64, 64], BY_COLUMNS, L1, False),
    ([1, 1, 160, 96], TILES, ttnn.bfloat16, BLOCK, grid(1, 1, 3, 3), [64, 64], BY_COLUMNS, L1, True),
    ([1, 1, 160, 160], TILES, ttnn.bfloat16, BLOCK, grid(0, 0, 2, 2), [64, 64], BY_ROWS, L1, False),
    ([1, 1, 128, 64], TILES, ttnn.bfloat8_b, HEIGHT, grid(0, 0, 7, 0), [32, 64], BY_ROWS, L1, False),
    ([1, 1, 10, 37], ROWS, ttnn.bfloat16, HEIGHT, grid(0, 0, 3, 0), [3, 37], BY_ROWS, L1, True),
    ([2, 5, 64], ROWS, ttnn.uint16, WIDTH, grid(0, 0, 3, 3), [10, 16], BY_ROWS, L1, False),
    ([1, 1, 7, 100], ROWS, ttnn.float32, BLOCK, grid(0, 0, 3, 3), [3, 25], BY_COLUMNS, L1, True),
    ([1, 1, 10, 100], ROWS, ttnn.bfloat16, WIDTH, grid(0, 0, 3, 0), [10, 32], BY_ROWS, L1, None),
    ([1, 1, 1, 64], ROWS, ttnn.bfloat16, BLOCK, grid(0, 0, 1, 0), [1, 48], BY_ROWS, L1, None),
    ([1, 1, 64, 224], TILES, ttnn.bfloat16, WIDTH, grid(0, 0, 6, 0), [64, 32], BY_ROWS, DRAM, True),
    ([1, 1, 13, 20], ROWS, ttnn.bfloat16, HEIGHT, grid(0, 0, 2, 0), [5, 20], BY_ROWS, DRAM, False),
]  # fmt: skip
FIT = [
    (HEIGHT, grid(0, 0, 3, 0), [32, 32]), (WIDTH, grid(0, 0, 3, 0), [32, 32]), (HEIGHT, grid(0, 0, 1, 0), [32, 64]),
    (BLOCK, grid(0, 0, 1, 1), [32, 32]), (BLOCK, grid(0, 0, 1, 0, 0, 1, 0, 1), [64, 64]),
    (HEIGHT, grid(0, 0, 3, 0), [33, 64]), (HEIGHT, grid(0, 0, 8, 0), [32, 64]), (HEIGHT, grid(0, 0, 0, 0), [0, 64]),
]  # fmt: skip
CONFIGS = [
    ((1, 1, 160, 64), (4, 2), "HEIGHT", None, False), ((2, 80, 256), (4, 2), "BLOCK", BY_ROWS, False),
    ((1, 1, 160, 256), (4, 2), "BLOCK", BY_COLUMNS, False), ((1, 1, 160, 256), (4, 2), "WIDTH", None, False),
    ((32, 64), (4, 2), "WIDTH", BY_COLUMNS, True), ((1, 1, 160, 250), (4, 2), "WIDTH", None, False),
    ((64,), (4, 2), "HEIGHT", None, False),
]  # fmt: skip


def sharded(kind: Any, buffer_type: Any, cores: Any, shard: list[int], orientation: Any) -> Any:
    return ttnn.MemoryConfig(kind, buffer_type, ttnn.ShardSpec(cores, shard, orientation))


def kernel(source: str, cores: Any, args: list[int], runtime_args: list[Any]) -> Any:
    return ttnn.KernelDescriptor(
        kernel_source=source,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=cores,
        compile_time_args=args,
        runtime_args=runtime_args,
        config=ttnn.ReaderConfigDescriptor(),
    )


def words(tensor: Any) -> list[int]:
    return ttnn.TensorAccessorArgs(tensor).get_compile_time_args()


def numbers(tensor: Any) -> Any:
    return np.array(tensor.cpu().to_list(), np.float64)


def copied_by_page(x: Any) -> Any:
    """A copy through accessors on both sides, made by one core."""
    y = ttnn.allocate_tensor_on_device(x.shape, x.dtype, x.layout, x.device(), x.memory_config())
    one, room = grid(7, 7, 7, 7), (x.buffer_aligned_page_size() + 63) // 64 * 64
    args = [x.buffer_address(), y.buffer_address(), x.buffer_num_pages(), x.buffer_page_size()]
    copy = kernel(COPY_PAGES, one, words(x) + words(y), [(ttnn.CoreCoord(7, 7), args)])
    page = ttnn.CBFormatDescriptor(buffer_index=0, data_format=x.dtype, page_size=room)
    buffer = ttnn.CBDescriptor(total_size=room, core_ranges=one, format_descriptors=[page])
    ttnn.generic_op([x, y], ttnn.ProgramDescriptor(kernels=[copy], semaphores=[], cbs=[buffer]))
    return y


def copied_by_shard(x: Any) -> Any:
    """The shards of whole tile-rows or rows, each copied by its core from its own L1, one after the other."""
    y = ttnn.allocate_tensor_on_device(x.shape, x.dtype, x.layout, x.device(), ttnn.DRAM_MEMORY_CONFIG)
    spec, pages = x.memory_config().shard_spec, x.buffer_num_pages()
    cores = ttnn.corerange_to_cores(spec.grid, None, spec.orientation == BY_ROWS)
    buffer = ttnn.cb_descriptor_from_sharded_tensor(1, x)
    share = buffer.total_size // x.buffer_aligned_page_size()
    sizes = [y.buffer_address(), x.buffer_page_size(), x.buffer_aligned_page_size()]
    args = [
        (core, [*sizes, share * index, max(0, min(share, pages - share * index))]) for index, core in enumerate(cores)
    ]
    copy = kernel(COPY_SHARDS, spec.grid, words(y), args)
    ttnn.generic_op([x, y], ttnn.ProgramDescriptor(kernels=[copy], semaphores=[], cbs=[buffer]))
    return y


def case_line(device: Any, case: tuple[Any, ...]) -> str:
    shape, layout, dtype, kind, cores, shard, orientation, memory, has_kernels = case
    config = sharded(kind, memory, cores, shard, orientation)
    x = ttnn.allocate_tensor_on_device(ttnn.Shape(shape), dtype, layout, device, config)
    pages = [x.buffer_page_size(), x.buffer_aligned_page_size(), x.buffer_num_pages()]
    said = f"{x.padded_shape} {pages} {x.buffer_address():#x} {words(x)} {x.memory_config().shard_spec}"
    if has_kernels is None:
        return said  # the real ttnn takes rows that pages do not divide only from torch
    values = np.arange(math.prod(shape), dtype=np.float32).reshape(shape) % 97
    x = ttnn.Tensor(values, dtype).to(layout).to(device, config)
    said += f" host {np.array_equal(numbers(x), values)}"
    if has_kernels:
        said += f" pages {np.array_equal(numbers(copied_by_page(x)), values)}"
    if has_kernels and kind == HEIGHT and memory == L1:
        said += f" shards {np.array_equal(numbers(copied_by_shard(x)), values)}"
    return said


def outcome(question: Any) -> str:
    try:
        return str(question())
    except (TypeError, ValueError, RuntimeError) as error:  # in ttnn's message the sentence follows "info:"
        return "refused: " + str(error).split("info:\n")[-1].removeprefix("memory_config: ").split(":")[0].strip()


def main() -> None:
    device = ttnn.open_device(device_id=0)
    for case in CASES:
        print(case_line(device, case))
    for kind, cores, shard in FIT:
        config = sharded(kind, L1, cores, shard, BY_ROWS)
        shape = ttnn.Shape([1, 1, 288 if cores.num_cores() == 9 else 128, 64])
        said = outcome(lambda c=config, s=shape: ttnn.empty(s, ttnn.bfloat16, TILES, device, c))
        print(said.split("\n")[0])
    for shape, (x, y), strategy, orientation, whole in CONFIGS:
        cores = ttnn.CoreGrid(x=x, y=y)
        arguments = (shape, cores, getattr(ttnn.ShardStrategy, strategy), orientation, whole)
        said = outcome(lambda given=arguments: ttnn.create_sharded_memory_config(*given))
        print(said[:8] if said.startswith("refused") else said)
    ttnn.close_device(device)


main()
