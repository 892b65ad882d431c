# SPDX-License-Identifier: Apache-2.0
"""Rules of checked runs on sharded tensors. Each bug is one line more than a copy that is clean."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tilewright import ttnn
from tilewright.check import check_program

HEIGHT, WIDTH = ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.TensorMemoryLayout.WIDTH_SHARDED
TILES = ttnn.TILE_LAYOUT, HEIGHT, (160, 64), (64, 64)  # three cores; the last has half a shard
ROWS = ttnn.ROW_MAJOR_LAYOUT, HEIGHT, (10, 37), (4, 37)  # rows of 74 bytes, 80 (DRAM: 96) apart
PARTS_OF_ROWS = ttnn.ROW_MAJOR_LAYOUT, WIDTH, (4, 40), (4, 16)  # the last shard has 8 columns of padding
KERNEL = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto x_args = TensorAccessorArgs<0>();
    constexpr auto y_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0));
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(1));
    const uint32_t pages = get_arg_val<uint32_t>(2), bytes = get_arg_val<uint32_t>(3);
    cb_reserve_back(0, 1);
    const uint32_t l1 = get_write_ptr(0);
    // Moves bytes of x at an address to a page of y.
    const auto copy = [&](uint64_t from, uint32_t page, uint32_t count) {
        noc_async_read(from, l1, count);
        noc_async_read_barrier();
        noc_async_write(l1, y.get_noc_addr(page), count < bytes ? count : bytes);
        noc_async_write_barrier();
    };
    for (uint32_t page = 0; page < pages - SKIPPED; page++) {
        copy(x.get_noc_addr(page), page, bytes);
    }
    BUG
}
"""


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


def findings(device, case, bug="", *, memory=ttnn.BufferType.L1, skipped=0, x_args=None) -> list[tuple[str, str]]:
    """(rule, numbers) of what a checked copy of a sharded tensor finds."""
    layout, kind, shape, shard = case
    cores = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (2, 0))])
    config = ttnn.MemoryConfig(kind, memory, ttnn.ShardSpec(cores, shard, ttnn.ShardOrientation.ROW_MAJOR))
    x = ttnn.from_numpy(np.ones(shape), ttnn.bfloat16, layout=layout, device=device, memory_config=config)
    y = ttnn.empty_like(x)
    one = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (0, 0))])
    args = [x.buffer_address(), y.buffer_address(), x.buffer_num_pages(), x.buffer_page_size()]
    kernel = ttnn.KernelDescriptor(
        KERNEL.replace("SKIPPED", str(skipped)).replace("BUG", bug),
        ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=one,
        compile_time_args=[
            *(x_args or ttnn.TensorAccessorArgs(x).get_compile_time_args()),
            *ttnn.TensorAccessorArgs(y).get_compile_time_args(),
        ],
        runtime_args=[(ttnn.CoreCoord(0, 0), args)],
        config=ttnn.ReaderConfigDescriptor(),
    )
    room = ttnn.CBDescriptor(16384, one, [ttnn.CBFormatDescriptor(0, ttnn.bfloat16, 16384)])
    result = check_program([x, y], ttnn.ProgramDescriptor(kernels=[kernel], cbs=[room]))
    return [(each.rule, each.numbers) for each in result.findings]


@pytest.mark.parametrize("case", [TILES, ROWS, PARTS_OF_ROWS])
@pytest.mark.parametrize("memory", [ttnn.BufferType.L1, ttnn.BufferType.DRAM])
def test_copies_through_accessors_are_clean(device, case, memory) -> None:
    assert findings(device, case, memory=memory) == []


def test_result_with_unwritten_pages(device) -> None:
    rule, numbers = findings(device, TILES, skipped=1)[0]
    assert (rule, numbers[:17]) == ("output-unwritten", "1 of 10 pages of ")
    assert "from page 9 on" in numbers


def test_page_beyond_the_tensor(device) -> None:
    assert findings(device, TILES, "copy(x.get_noc_addr(pages), 0, bytes);") == [
        ("kernel-refused", "TensorAccessor: page id beyond the tensor's last page")
    ]


def test_transfer_past_the_end_of_a_shard(device) -> None:
    bug = "copy(x.get_noc_addr(2), 0, 4 * bytes);"
    text = "reads 8192 bytes from byte 4096 of a shard of tensor 0, which has 8192 bytes in 4 pages"
    assert ("noc-page-out-of-range", text) in findings(device, TILES, bug)


def test_core_without_a_shard(device) -> None:
    core = device.worker_core_from_logical_core((3, 0))
    bug = f"copy(get_noc_addr({core.x}, {core.y}, get_arg_val<uint32_t>(0)), 0, bytes);"
    text = "reads 2048 bytes of tensor 0 where it has no shard: in L1 bank 3, counted from 0"
    assert findings(device, TILES, bug)[0] == ("noc-page-out-of-range", text)


def test_sharded_tensor_addressed_as_interleaved(device) -> None:
    text = "addresses page 1 of tensor 0 as if pages went round the banks; the tensor is sharded"
    assert findings(device, TILES, x_args=[0, 2048])[0] == ("tensor-page-size", text)


@pytest.mark.parametrize(
    ("memory", "text"),
    [
        (ttnn.BufferType.L1, "byte 74 of row 0 in a shard of tensor 0: rows have 74 bytes and lie 80 bytes apart"),
        (ttnn.BufferType.DRAM, "of a page in a shard of tensor 0: pages have 74 bytes and lie 96 bytes apart"),
    ],
)
def test_rows_of_a_shard_taken_for_packed(device, memory, text) -> None:
    rule, numbers = findings(device, ROWS, "copy(x.get_noc_addr(0) + bytes, 1, bytes);", memory=memory)[0]
    assert rule == "noc-page-stride"
    assert text in numbers


def test_padding_of_rows_in_shards(device) -> None:
    rule, numbers = findings(device, PARTS_OF_ROWS, "copy(x.get_noc_addr(2), 0, bytes);")[0]
    assert rule == "value-padding"
    assert numbers == "tensor 1, byte 16 of page 0 takes in elements of page 2 of tensor 0, which are padding"
