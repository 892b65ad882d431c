# SPDX-License-Identifier: Apache-2.0
"""Which memory a checked run takes for unwritten: tensors by the poison in them, L1 by what the run itself wrote."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from tests.check.cb_access_program import notes, words
from tests.check.source_program import check_source, source_program
from tilewright import ttnn
from tilewright._launch.chip import Chip

LOAD = "*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0) + {})"
# A load of the word at the offset given as argument 1, whose value is used.
USES_WORD = f"""
    volatile uint32_t used = {LOAD.format("get_arg_val<uint32_t>(1)")} + 1;
"""


def unwritten_pages(tensor: ttnn.Tensor) -> tuple[int, int]:
    return cast(Chip, tensor.device().memory).unwritten_pages(tensor)


def write_bytes(tensor: ttnn.Tensor, page: int, first: int, count: int) -> None:
    """As a kernel would: the host's own writes count as writing the whole tensor."""
    buffer = tensor.buffer()
    pages = buffer.read()
    pages[page, first : first + count] = 0
    buffer.device.memory.write_pages(buffer.page_range(), pages)


@pytest.mark.parametrize("dtype", [ttnn.bfloat16, ttnn.float32, ttnn.uint32, ttnn.uint16])
@pytest.mark.parametrize("width", [2, 7, 32, 500, 1000, 4096])
def test_rows_with_unwritten_elements(device: ttnn.Device, dtype: ttnn.DataType, width: int) -> None:
    x = ttnn.allocate_tensor_on_device((20, width), dtype, ttnn.ROW_MAJOR_LAYOUT, device)
    assert unwritten_pages(x) == (20, 0)
    row_bytes = x.buffer().page_size
    for page in range(3):
        write_bytes(x, page, 0, row_bytes)
    assert unwritten_pages(x) == (17, 3)
    element = row_bytes // width
    write_bytes(x, 3, 0, row_bytes - element)  # all but the last
    write_bytes(x, 4, element, row_bytes - element)  # all but the first
    # The poison of a float is never a value, that of an integer may be one.
    assert unwritten_pages(x) == ((17, 3) if dtype in (ttnn.bfloat16, ttnn.float32) else (15, 5))
    x.deallocate()


@pytest.mark.parametrize("dtype", [ttnn.bfloat16, ttnn.float32, ttnn.bfloat8_b])
def test_padding_of_tiles_is_not_unwritten(device: ttnn.Device, dtype: ttnn.DataType) -> None:
    x = ttnn.from_numpy(np.ones((2, 40, 50), np.float32), dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)
    assert unwritten_pages(x) == (0, 0)
    y = ttnn.allocate_tensor_on_device((2, 40, 50), dtype, ttnn.TILE_LAYOUT, device)
    assert unwritten_pages(y) == (8, 0)
    write_bytes(y, 0, 0, y.buffer().page_size)
    assert unwritten_pages(y) == (7, 1)
    x.deallocate()
    y.deallocate()


@pytest.mark.parametrize(
    ("offset", "is_written"),
    [(0, False), (988, False), (992, True), (1020, True), (1024, True), (1052, True), (1056, False), (2044, False)],
)
def test_bytes_that_the_noc_brought_are_written(device: ttnn.Device, offset: int, is_written: bool) -> None:
    """64 bytes from byte 992 of the page on."""
    reader = f"""void kernel_main() {{
    constexpr auto source_args = TensorAccessorArgs<0>();
    const auto source = TensorAccessor(source_args, get_common_arg_val<uint32_t>(0));
    cb_reserve_back(0, 1);
    noc_async_read_page(0, source, get_write_ptr(0) + 992);
    noc_async_read_page(0, source, get_write_ptr(0) + 1024);
    noc_async_read_barrier();
    {USES_WORD}
}}
"""
    found = notes([words(device)], {0: 1}, fixed=True, args=[offset], reader=reader)
    assert [note.rule for note in found] == ([] if is_written else ["l1-uninitialised"])


@pytest.mark.parametrize(("offset", "is_written"), [(1016, False), (1020, True), (1024, True), (1028, False)])
def test_bytes_that_a_kernel_stored_are_written(device: ttnn.Device, offset: int, is_written: bool) -> None:
    reader = f"""void kernel_main() {{
    cb_reserve_back(0, 1);
    {LOAD.format(1020)} = 1;
    {LOAD.format(1024)} = 1;
    {USES_WORD}
}}
"""
    found = notes([words(device)], {0: 1}, fixed=True, args=[offset], reader=reader)
    assert [note.rule for note in found] == ([] if is_written else ["l1-uninitialised"])


def test_memory_written_by_an_earlier_run_counts_as_unwritten(device: ttnn.Device) -> None:
    """The chip keeps what it knows of its memory from run to run, but a program must not rely on the one before."""
    fills = f"""void kernel_main() {{
    cb_reserve_back(0, 1);
    for (uint32_t i = 0; i < 2048; i += 4) {{
        {LOAD.format("i")} = i;
    }}
}}
"""
    uses = f"""void kernel_main() {{
    cb_reserve_back(0, 1);
    {USES_WORD}
}}
"""
    for _ in range(2):
        assert notes([words(device)], {0: 1}, fixed=True, reader=fills) == []
        found = notes([words(device)], {0: 1}, fixed=True, args=[512], writer=uses)
        assert [note.rule for note in found] == ["l1-uninitialised"]


SORT = """
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/topk.h"
void kernel_main() {
    compute_kernel_hw_startup(0, 0, 1);
    copy_init(0);
    topk_tile_init();
    cb_wait_front(0, 2);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    copy_tile(0, 1, 2);
    topk_local_sort(0, 0, END_PHASE);
    tile_regs_commit();
    cb_pop_front(0, 2);
    cb_reserve_back(1, 1);
    tile_regs_wait();
    pack_tile(2, 1);
    tile_regs_release();
    cb_push_back(1, 1);
}
"""


@pytest.mark.parametrize(("end_phase", "found"), [(2, []), (3, ["l1-uninitialised"])])
def test_a_sort_mixes_no_more_than_its_runs(device: ttnn.Device, end_phase: int, found: list[str]) -> None:
    """Rows 0 to 7 of the values are written: runs of eight leave the others out, runs of sixteen do not."""
    reader = """void kernel_main() {
    cb_reserve_back(0, 2);
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    for (uint32_t i = 0; i < 64; i++) { words[i] = i; words[128 + i] = i; }
    for (uint32_t i = 512; i < 1024; i++) { words[i] = i; }
    cb_push_back(0, 2);
}
"""
    writer = """void kernel_main() {
    cb_wait_front(1, 1);
    volatile uint32_t used = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(1)) + 1;
    cb_pop_front(1, 1);
}
"""
    kernels = {"reader": reader, "compute": SORT.replace("END_PHASE", str(end_phase)), "writer": writer}
    noted = notes([words(device)], {0: 2, 1: 1}, fixed=True, **kernels)
    assert [note.rule for note in noted if note.rule != "l1-store-then-credit"] == found


# The first word of the page.
WORD = "*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0)) = 1;"


def pushed_and_sent(fill: str) -> dict[str, str]:
    """A page through a circular buffer to DRAM that no tensor of the call lies in."""
    return {
        "reader": f"void kernel_main() {{\ncb_reserve_back(0, 1);\n{fill}\ncb_push_back(0, 1);\n}}",
        "writer": "void kernel_main() { cb_wait_front(0, 1); noc_async_write(get_read_ptr(0), "
        "get_noc_addr_from_bank_id<true>(0, get_arg_val<uint32_t>(0)), 64); noc_async_write_barrier(); "
        "cb_pop_front(0, 1); }",
    }


@pytest.mark.parametrize("fill", ["", WORD], ids=["nothing written", "a word written"])
def test_unfilled_page_is_named_at_its_push(device: ttnn.Device, fill: str) -> None:
    """Of memory the checker does not know, it cannot say which bytes matter: one that was written is enough."""
    other = ttnn.zeros([32, 32], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    args = {"writer": [other.buffer_address()]}
    found = check_source(device, source_program({0: 1}, args=args, **pushed_and_sent(fill))).findings
    named = [(each.rule, each.kernel, each.line) for each in found if each.rule == "value-uninitialised"]
    assert named == ([] if fill else [("value-uninitialised", "reader", 4)])
