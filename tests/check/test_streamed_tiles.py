# SPDX-License-Identifier: Apache-2.0
"""One mistake in a program that streams tiles of two inputs through compute is one finding, under its own rule."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.check.compute_programs import empty, tiles
from tilewright import ttnn
from tilewright.check import check_program

READER = """void kernel_main() {
    constexpr auto first = TensorAccessorArgs<0>();
    constexpr auto second = TensorAccessorArgs<first.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(first, get_arg_val<uint32_t>(0), get_tile_size(0));
    const auto b = TensorAccessor(second, get_arg_val<uint32_t>(1), get_tile_size(1));
    for (uint32_t tile = 0; tile < get_arg_val<uint32_t>(2); tile++) {
        cb_reserve_back(0, 1);
        noc_async_read_tile(tile, a, get_write_ptr(0));
        cb_reserve_back(1, 1);
        noc_async_read_tile(tile, b, get_write_ptr(1));
        noc_async_read_barrier();
        cb_push_back(0, 1);
        cb_push_back(1, 1);
    }
}
"""
COMPUTE = """#include "api/compute/eltwise_binary.h"
void kernel_main() {
    binary_op_init_common(0, 1, 16);
    add_tiles_init(0, 1);
    for (uint32_t tile = 0; tile < get_arg_val<uint32_t>(0); tile++) {
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        tile_regs_acquire();
        add_tiles(0, 1, 0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(16, 1);
        pack_tile(0, 16);
        cb_push_back(16, 1);
        tile_regs_release();
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
    }
}
"""
WRITER = """void kernel_main() {
    const auto out = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), get_tile_size(16));
    for (uint32_t tile = 0; tile < get_arg_val<uint32_t>(1); tile++) {
        cb_wait_front(16, 1);
        noc_async_write_tile(tile, out, get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
}
"""
CORES = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.Device]:
    device = ttnn.open_device(device_id=0, grid=(1, 1))
    yield device
    ttnn.close_device(device)


def findings(
    device: ttnn.Device, left_out: str = "", first_format: ttnn.DataType = ttnn.bfloat16, count: int = 6
) -> dict[str, set[str]]:
    """Rules, each with those that follow from it."""
    one, other, out = tiles(device, 64, 96), tiles(device, 64, 96), empty(device, 64, 96)
    assert left_out in READER
    sources = {
        READER.replace(left_out, "", 1): (
            ttnn.ReaderConfigDescriptor(),
            [one.buffer_address(), other.buffer_address(), count],
            [one, other],
        ),
        COMPUTE: (ttnn.ComputeConfigDescriptor(), [count], []),
        WRITER: (ttnn.WriterConfigDescriptor(), [out.buffer_address(), count], [out]),
    }
    kernels = [
        ttnn.KernelDescriptor(
            kernel_source=source,
            source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
            core_ranges=CORES,
            compile_time_args=[word for each in used for word in ttnn.TensorAccessorArgs(each).get_compile_time_args()],
            runtime_args=[(ttnn.CoreCoord(0, 0), arguments)],
            config=config,
        )
        for source, (config, arguments, used) in sources.items()
    ]
    formats = {0: first_format, 1: ttnn.bfloat16, 16: ttnn.bfloat16}
    buffers = [
        ttnn.CBDescriptor(4096, CORES, [ttnn.CBFormatDescriptor(index, data_format, 2048)])
        for index, data_format in formats.items()
    ]
    program = ttnn.ProgramDescriptor(kernels=kernels, semaphores=[], cbs=buffers)
    found = check_program([one, other, out], program).findings
    return {each.rule: {effect.rule for effect in each.consequences} for each in found}


def test_right_program_has_no_finding(device: ttnn.Device) -> None:
    assert findings(device) == {}


def test_missing_reserve_of_the_second_buffer_is_no_overrun_of_the_first(device: ttnn.Device) -> None:
    assert findings(device, left_out="cb_reserve_back(1, 1);") == {"cb-write-unreserved": {"cb-push-unreserved"}}


def test_transfers_of_a_buffer_without_reserve_follow_from_it(device: ttnn.Device) -> None:
    (found,) = findings(device, left_out="cb_reserve_back(0, 1);").items()
    assert found[0] == "cb-write-unreserved"


def test_format_with_larger_tiles_than_pages_is_named_by_the_format(device: ttnn.Device) -> None:
    (found,) = findings(device, first_format=ttnn.float32).items()
    assert found[0] == "tensor-format"
    assert "cb-page-convention" in found[1]


def test_share_behind_the_end_of_all_tensors_is_one_finding(device: ttnn.Device) -> None:
    (found,) = findings(device, count=7).items()
    assert found[0] == "noc-page-out-of-range"
